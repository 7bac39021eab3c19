//! What collectors borrow: the queries and the sort keys of a request's aggregations, resolved against a shard.

use crate::aggs::plan::{Aggregation, Kind, TopHits, TopMetrics};
use crate::error::Result;
use crate::search::plan::request::{FetchPlan, SortKey, SortOrder};
use crate::search::sort::key::ResolvedKey;
use crate::search::sort::value::{KeyOrder, orders_of};
use crate::search::view::ShardView;
use crate::search::weight::{QueryEnv, Weight, compile};
use std::cell::Cell;

/// The sort of one `top_hits` or `top_metrics` aggregation.
pub struct SortedHits<'a> {
    /// What hits show; `None` where they show no documents.
    pub fetch: Option<&'a FetchPlan>,
    /// Hits that each bucket keeps.
    pub window: usize,
    by_score: bool,
    track_scores: bool,
    /// Never empty: the score where the plan names no key.
    pub keys: Vec<ResolvedKey>,
    /// Of the keys that the plan names.
    pub orders: Vec<KeyOrder>,
}

impl<'a> SortedHits<'a> {
    fn of_hits(view: &ShardView, plan: &'a TopHits) -> Result<Self> {
        let by_score = [SortKey::Score { order: SortOrder::Descending }];
        let named = if plan.sort.is_empty() { &by_score[..] } else { &plan.sort };
        let keys: Vec<ResolvedKey> = named.iter().map(|key| ResolvedKey::resolve(view, key)).collect::<Result<_>>()?;
        Ok(SortedHits {
            fetch: Some(&plan.fetch),
            window: plan.window(),
            by_score: plan.sort.is_empty(),
            track_scores: plan.track_scores,
            orders: if plan.sort.is_empty() { Vec::new() } else { orders_of(&keys) },
            keys,
        })
    }

    fn of_metrics(view: &ShardView, plan: &TopMetrics) -> Result<Self> {
        let keys: Vec<ResolvedKey> =
            plan.sort.iter().map(|key| ResolvedKey::resolve(view, key)).collect::<Result<_>>()?;
        let window = plan.size as usize;
        Ok(SortedHits { fetch: None, window, by_score: false, track_scores: false, orders: orders_of(&keys), keys })
    }

    pub fn is_by_score(&self) -> bool {
        self.by_score
    }

    /// Hits show their scores.
    pub fn keeps_scores(&self) -> bool {
        self.track_scores || self.by_score
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
                Kind::AdjacencyMatrix(matrix) => {
                    for query in &matrix.filters {
                        self.weights.push(compile(view, env, query, false)?);
                    }
                }
                Kind::SignificantTerms(terms) => {
                    if let Some(query) = &terms.background {
                        self.weights.push(compile(view, env, query, false)?);
                    }
                }
                Kind::TTest(test) => {
                    for query in [&test.a.filter, &test.b.filter].into_iter().flatten() {
                        self.weights.push(compile(view, env, query, false)?);
                    }
                }
                Kind::TopHits(plan) => self.sorts.push(SortedHits::of_hits(view, plan)?),
                Kind::TopMetrics(plan) => self.sorts.push(SortedHits::of_metrics(view, plan)?),
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
