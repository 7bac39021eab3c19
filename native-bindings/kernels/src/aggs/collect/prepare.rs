//! What collectors borrow: the queries and the sort keys of a request's aggregations, resolved against a shard.

use crate::aggs::plan::{Aggregation, Kind, TopHits};
use crate::error::Result;
use crate::search::plan::request::{SortKey, SortOrder};
use crate::search::sort::key::ResolvedKey;
use crate::search::sort::value::{KeyOrder, orders_of};
use crate::search::view::ShardView;
use crate::search::weight::{QueryEnv, Weight, compile};
use std::cell::Cell;

/// The sort of one `top_hits` aggregation.
pub struct SortedHits<'a> {
    pub plan: &'a TopHits,
    /// Never empty: the score where the plan names no key.
    pub keys: Vec<ResolvedKey>,
    /// Of the keys that the plan names.
    pub orders: Vec<KeyOrder>,
}

impl<'a> SortedHits<'a> {
    fn resolve(view: &ShardView, plan: &'a TopHits) -> Result<Self> {
        let by_score = [SortKey::Score { order: SortOrder::Descending }];
        let named = if plan.sort.is_empty() { &by_score[..] } else { &plan.sort };
        let keys: Vec<ResolvedKey> = named.iter().map(|key| ResolvedKey::resolve(view, key)).collect::<Result<_>>()?;
        let orders = if plan.sort.is_empty() { Vec::new() } else { orders_of(&keys) };
        Ok(SortedHits { plan, keys, orders })
    }

    pub fn is_by_score(&self) -> bool {
        self.plan.sort.is_empty()
    }

    /// Hits show their scores.
    pub fn keeps_scores(&self) -> bool {
        self.plan.track_scores || self.is_by_score()
    }

    /// Hits that each bucket keeps.
    pub fn window(&self) -> usize {
        self.plan.window()
    }
}

/// Compiled queries of `filter` and `filters` aggregations and sorts of `top_hits`, each in the order in which a walk of the
/// plan meets them.
pub struct Resolved<'a> {
    weights: Vec<Box<dyn Weight>>,
    sorts: Vec<SortedHits<'a>>,
    next_weight: Cell<usize>,
    next_sort: Cell<usize>,
}

impl<'a> Resolved<'a> {
    pub fn new(view: &ShardView, env: &QueryEnv, aggregations: &'a [Aggregation]) -> Result<Self> {
        let mut resolved =
            Resolved { weights: Vec::new(), sorts: Vec::new(), next_weight: Cell::new(0), next_sort: Cell::new(0) };
        resolved.walk(view, env, aggregations)?;
        Ok(resolved)
    }

    fn walk(&mut self, view: &ShardView, env: &QueryEnv, aggregations: &'a [Aggregation]) -> Result<()> {
        for aggregation in aggregations {
            match &aggregation.kind {
                Kind::Filter(query) => self.weights.push(compile(view, env, query, false)?),
                Kind::Filters(filters) => {
                    for query in &filters.filters {
                        self.weights.push(compile(view, env, query, false)?);
                    }
                }
                Kind::TopHits(plan) => self.sorts.push(SortedHits::resolve(view, plan)?),
                _ => {}
            }
            self.walk(view, env, &aggregation.aggs)?;
        }
        Ok(())
    }

    /// The next `count` weights of the walk.
    pub fn take_weights(&self, count: usize) -> &[Box<dyn Weight>] {
        let from = self.next_weight.replace(self.next_weight.get() + count);
        &self.weights[from..from + count]
    }

    /// The next sort of the walk.
    pub fn take_sort(&self) -> &SortedHits<'a> {
        &self.sorts[self.next_sort.replace(self.next_sort.get() + 1)]
    }

    /// All sorts, in the order of the walk.
    pub fn sorts(&self) -> &[SortedHits<'a>] {
        &self.sorts
    }
}
