//! Aggregations: collect per window, reduce partial results, render.
//!
//! The order of calls on one shard: [`Prepared::new`], [`Prepared::start`], then [`Run::start_segment`] and [`Run::collect`] through the
//! segments, [`Run::finish`]. Partial results of all shards go to [`reduce`], and its answer to [`render`].
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`plan`] | what TypeScript asks for |
//! | [`collect`] | one file per kind of aggregation behind one contract |
//! | [`partial`] | what a shard hands to the reduction |
//! | [`source`], [`format`] | a field's values: where they come from, how they are computed with and printed |
//! | [`rounding`], [`selection`], [`order`], [`hll`], [`decimal`] | date intervals, include and exclude, bucket order, distinct counts, number patterns |
mod collect;
pub(crate) mod decimal;
pub(crate) mod format;
mod hll;
mod order;
mod partial;
pub mod plan;
mod reduce;
mod render;
mod rounding;
mod selection;
mod source;
#[cfg(test)]
mod tests;

use crate::error::{Error, ErrorCode, Result};
use crate::search::view::{SegmentView, ShardView};
use crate::search::weight::QueryEnv;
use collect::{Batch, Budget, Children, Context, FilterWeights, Owners, build};
use partial::Partial;
use plan::Aggregation;
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Reads the plan's `aggregations`.
pub fn read_plan(value: &serde_json::Value) -> Result<Vec<Aggregation>> {
    Vec::deserialize(value)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("aggregation plan cannot be read: {error}")))
}

/// The aggregations of a request resolved against one shard; outlives the run that collects them.
pub struct Prepared<'a> {
    view: &'a ShardView,
    env: &'a QueryEnv,
    plan: &'a [Aggregation],
    filters: FilterWeights,
}

impl<'a> Prepared<'a> {
    /// Errors: what the queries of `filter` aggregations say.
    pub fn new(view: &'a ShardView, env: &'a QueryEnv, plan: &'a [Aggregation]) -> Result<Self> {
        Ok(Prepared { view, env, plan, filters: FilterWeights::compile(view, env, plan)? })
    }

    /// Whether [`Run::collect`] wants scores.
    pub fn needs_scores(&self) -> bool {
        fn any(plan: &[Aggregation]) -> bool {
            plan.iter().any(|aggregation| matches!(aggregation.kind, plan::Kind::TopHits(_)) || any(&aggregation.aggs))
        }
        any(self.plan)
    }

    /// `IllegalArgument` where a field cannot be aggregated; the reason names it.
    pub fn start(&'a self) -> Result<Run<'a>> {
        let budget = Rc::new(Budget::new(self.env.limits.max_buckets));
        let context = Context { view: self.view, env: self.env, budget, filters: &self.filters };
        Ok(Run { root: build(&context, self.plan)? })
    }
}

/// Collects all aggregations of a request over one shard.
pub struct Run<'a> {
    root: Children<'a>,
}

impl<'a> Run<'a> {
    pub fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.root.start_segment(segment)
    }

    /// Takes the matching live documents of a window: in-window numbers, ascending; windows ascend, each at most once.
    pub fn collect(&mut self, window: u32, docs: &[u16], scores: Option<&[f32]>) -> Result<()> {
        self.root.collect(Batch { window, docs, owners: Owners::Root, scores })
    }

    pub fn finish(mut self) -> Result<PartialAggregations> {
        let level = self.root.finish(1)?.pop().unwrap_or_default();
        Ok(PartialAggregations { level, shards: 1 })
    }
}

/// The results of one shard or, after [`reduce`], of several; crosses threads and nodes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialAggregations {
    level: Vec<Partial>,
    shards: usize,
}

/// Merges the shards' results. `IllegalArgument` when shards hold values of different kinds under one name.
pub fn reduce(plan: &[Aggregation], shards: Vec<PartialAggregations>) -> Result<PartialAggregations> {
    let count = shards.iter().map(|shard| shard.shards).sum();
    let level = reduce::merge(plan, shards.into_iter().map(|shard| shard.level).collect())?;
    Ok(PartialAggregations { level, shards: count })
}

/// Appends the response's `aggregations` object as JSON. `TooManyBuckets` past `search.max_buckets`.
pub fn render(
    plan: &[Aggregation],
    mut partials: PartialAggregations,
    env: &QueryEnv,
    typed_keys: bool,
    out: &mut Vec<u8>,
) -> Result<()> {
    let shards = partials.shards.max(1);
    reduce::finish(plan, &mut partials.level, shards, env.limits.max_buckets, env.now_ms)?;
    render::render(plan, &partials.level, typed_keys, out)
}
