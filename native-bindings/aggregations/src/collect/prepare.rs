//! What collectors borrow: the queries and the sort keys of a request's aggregations, resolved against a shard.

use super::placement::check_placement;
use super::scopes::joined::JoinStep;
use super::scopes::nested::Step;
use crate::plan::{Aggregation, Kind, TopHits, TopMetrics};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_plan::query::Query;
use quarry_plan::request::{FetchPlan, SortKey, SortOrder};
use quarry_query::sort::key::ResolvedKey;
use quarry_query::sort::value::{KeyOrder, orders_of};
use quarry_query::view::ShardView;
use quarry_query::weight::{QueryEnv, Weight, compile_within};
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
    fn of_hits(at: &Scope<'_>, plan: &'a TopHits) -> Result<Self> {
        let by_score = [SortKey::Score { order: SortOrder::Descending }];
        let named = if plan.sort.is_empty() { &by_score[..] } else { &plan.sort };
        let keys: Vec<ResolvedKey> = named.iter().map(|key| at.key(key)).collect::<Result<_>>()?;
        Ok(SortedHits {
            fetch: Some(&plan.fetch),
            window: plan.window(),
            by_score: plan.sort.is_empty(),
            track_scores: plan.track_scores,
            orders: if plan.sort.is_empty() { Vec::new() } else { orders_of(&keys) },
            keys,
        })
    }

    fn of_metrics(at: &Scope<'_>, plan: &TopMetrics) -> Result<Self> {
        let keys: Vec<ResolvedKey> = plan.sort.iter().map(|key| at.key(key)).collect::<Result<_>>()?;
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

/// Compiled queries of `filter` and `filters` aggregations, sorts of `top_hits` and steps between documents, each in the
/// order in which a walk of the plan meets them.
pub struct Resolved<'a> {
    weights: Vec<Box<dyn Weight>>,
    /// Path of the nested documents that each of them is about; empty for the roots.
    scopes: Vec<Box<str>>,
    sorts: Vec<SortedHits<'a>>,
    /// `None`: to a path that is not mapped.
    steps: Vec<Option<Step>>,
    /// `None`: in a relation that the index lacks.
    joins: Vec<Option<JoinStep>>,
    next_weight: Cell<usize>,
    next_sort: Cell<usize>,
    next_step: Cell<usize>,
    next_join: Cell<usize>,
}

/// What the documents at a level of the plan are.
#[derive(Clone, Copy)]
struct Scope<'s> {
    view: &'s ShardView,
    env: &'s QueryEnv<'s>,
    /// Path of the nested documents; empty for the roots.
    path: &'s str,
}

impl<'s> Scope<'s> {
    fn weight(&self, query: &Query) -> Result<Box<dyn Weight>> {
        compile_within(self.view, self.env, query, false, self.path)
    }

    fn key(&self, key: &SortKey) -> Result<ResolvedKey> {
        ResolvedKey::resolve(self.view, self.env, key, self.path)
    }

    /// The documents at another path; `None` where the mapping does not have it.
    fn at(&self, path: &'s str, kind: &str) -> Result<Option<Self>> {
        let mapping = &self.view.mapping;
        if path.is_empty() || mapping.is_nested(path) {
            return Ok(Some(Scope { path, ..*self }));
        }
        if mapping.is_object(path) {
            let reason = format!("[{kind}] nested path [{path}] is not nested");
            return Err(Error::new(ErrorCode::AggregationExecution, reason));
        }
        Ok(None)
    }
}

impl<'a> Resolved<'a> {
    pub fn new(view: &ShardView, env: &QueryEnv, aggregations: &'a [Aggregation]) -> Result<Self> {
        check_placement(view, aggregations)?;
        let mut resolved = Resolved {
            weights: Vec::new(),
            scopes: Vec::new(),
            sorts: Vec::new(),
            steps: Vec::new(),
            joins: Vec::new(),
            next_weight: Cell::new(0),
            next_sort: Cell::new(0),
            next_step: Cell::new(0),
            next_join: Cell::new(0),
        };
        resolved.walk(Scope { view, env, path: "" }, aggregations)?;
        Ok(resolved)
    }

    fn walk(&mut self, at: Scope<'_>, aggregations: &'a [Aggregation]) -> Result<()> {
        for aggregation in aggregations {
            let below = self.resolve(at, aggregation)?;
            self.walk(below, &aggregation.aggs)?;
        }
        Ok(())
    }

    /// Resolves one aggregation; returns what the documents below it are.
    fn resolve<'s>(&mut self, at: Scope<'s>, aggregation: &'a Aggregation) -> Result<Scope<'s>>
    where
        'a: 's,
    {
        match &aggregation.kind {
            Kind::Filter(query) => self.add_weights(at, [query])?,
            Kind::Filters(filters) => self.add_weights(at, &filters.filters)?,
            Kind::AdjacencyMatrix(matrix) => self.add_weights(at, &matrix.filters)?,
            Kind::SignificantTerms(terms) => self.add_weights(at, &terms.background)?,
            Kind::SignificantText(text) => self.add_weights(at, &text.terms.background)?,
            Kind::TTest(test) => {
                self.add_weights(at, &test.a.filter)?;
                self.add_weights(at, &test.b.filter)?;
            }
            Kind::TopHits(plan) => self.sorts.push(SortedHits::of_hits(&at, plan)?),
            Kind::TopMetrics(plan) => self.sorts.push(SortedHits::of_metrics(&at, plan)?),
            Kind::Nested(nested) => return self.step(at, &nested.path, "nested"),
            Kind::ReverseNested(reverse) => {
                return self.step(at, reverse.path.as_deref().unwrap_or_default(), "reverse_nested");
            }
            Kind::Children(joined) => return self.join(at, &joined.kind, true),
            Kind::Parent(joined) => return self.join(at, &joined.kind, false),
            _ => {}
        }
        Ok(at)
    }

    fn add_weights<'q>(&mut self, at: Scope<'_>, queries: impl IntoIterator<Item = &'q Query>) -> Result<()> {
        for query in queries {
            self.weights.push(at.weight(query)?);
            self.scopes.push(at.path.into());
        }
        Ok(())
    }

    fn step<'s>(&mut self, at: Scope<'s>, path: &'s str, kind: &str) -> Result<Scope<'s>> {
        let below = at.at(path, kind)?;
        self.steps.push(below.map(|_| Step { from: at.path.to_owned(), to: path.to_owned() }));
        Ok(below.unwrap_or(at))
    }

    /// Documents below are of their own, whatever those above are part of.
    fn join<'s>(&mut self, at: Scope<'s>, child: &str, to_children: bool) -> Result<Scope<'s>> {
        self.joins.push(JoinStep::resolve(at.view, at.env, child, to_children)?);
        Ok(Scope { path: "", ..at })
    }

    /// The next step of the walk from one side of a relation to the other.
    pub fn take_join(&self) -> Option<&JoinStep> {
        self.joins[self.next_join.replace(self.next_join.get() + 1)].as_ref()
    }

    /// The next step of the walk.
    pub fn take_step(&self) -> Option<&Step> {
        self.steps[self.next_step.replace(self.next_step.get() + 1)].as_ref()
    }

    /// What the next of the weights is about.
    pub fn next_scope(&self) -> &str {
        self.scopes.get(self.next_weight.get()).map_or("", |scope| scope)
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
