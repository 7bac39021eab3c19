//! Aggregations: collect per window, reduce partial results, render.
//!
//! The order of calls on one shard: [`Prepared::new`], [`Prepared::start`], then [`Run::start_segment`] and [`Run::collect`] through the
//! segments, [`Run::finish`]. Partial results of all shards go to [`reduce`], and its answer to [`render`].
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`plan`] | what TypeScript asks for |
//! | [`collect`] | one file per kind of aggregation behind one contract, in a room for each family of kinds |
//! | [`fetch_hits`] | the documents that `top_hits` shows |
//! | [`partial`] | what a shard hands to the reduction |
//! | [`parts`] | what several threads collect of one shard |
//! | [`reduce`](mod@reduce), [`render`](mod@render) | results of several shards as one; finished results as JSON |
//! | [`pipeline`] | what is computed from reduced results |
//! | [`profile`] | how long each aggregation took on a shard |
//! | [`buckets`] | names, values and order of finished buckets |
//! | [`budget`] | what aggregations may take |
//! | [`source`], [`selection`] | where the values of a field come from; include and exclude |
//! | [`dates`] | date intervals |
//! | [`metrics`] | metrics that grow by adding values and merging |
//! | [`kept_terms`] | what is kept of the terms of segments |
//! | [`kinds`] | what shards and reduction share of one kind |
mod buckets;
mod budget;
mod collect;
mod dates;
mod fetch_hits;
pub mod kept_terms;
mod kinds;
mod metrics;
mod partial;
pub mod parts;
mod pipeline;
pub mod plan;
pub mod profile;
mod reduce;
mod render;
mod selection;
mod source;

use budget::Budget;
use collect::{Batch, Children, Context, Owners, Profiler, Resolved, build_one, collect_everything};
use fetch_hits::HitFetch;
use partial::Partial;
use plan::{Aggregation, Kind};
use profile::AggregationProfile;
use quarry_base::control::Control;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_fetch::named::NamedRequest;
use quarry_plan::request::{SearchPlan, SortKey};
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::{QueryEnv, Weight, compile};
use quarry_script as script;
pub use render::Shape;
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
    env: &'a QueryEnv<'a>,
    plan: &'a [Aggregation],
    search: &'a SearchPlan,
    resolved: Resolved<'a>,
    /// Narrows `global` aggregations.
    everything: Option<Box<dyn Weight>>,
}

impl<'a> Prepared<'a> {
    /// `search`: the request that the aggregations belong to.
    ///
    /// Errors: what the queries of `filter` aggregations and the sort keys of `top_hits` say.
    pub fn new(
        view: &'a ShardView,
        env: &'a QueryEnv<'a>,
        plan: &'a [Aggregation],
        search: &'a SearchPlan,
    ) -> Result<Self> {
        let filter = search.alias_filter.as_ref().filter(|_| plan.iter().any(is_global));
        let everything = filter.map(|query| compile(view, env, query, false)).transpose()?;
        Ok(Prepared { view, env, plan, search, resolved: Resolved::new(view, env, plan)?, everything })
    }

    /// Whether [`Run::collect`] wants scores.
    pub fn needs_scores(&self) -> bool {
        fn any(plan: &[Aggregation]) -> bool {
            plan.iter().any(|aggregation| match &aggregation.kind {
                Kind::TopHits(of) => of.needs_scores(),
                Kind::TopMetrics(of) => of.sort.iter().any(|key| matches!(key, SortKey::Score { .. })),
                Kind::Sampler(_) => true,
                Kind::ScriptedMetric(of) => {
                    let map = script::context("aggs_map").and_then(|context| of.map.program(context));
                    map.is_ok_and(|program| program.uses_score)
                }
                // Its documents are not those of the query.
                Kind::Global(_) | Kind::Children(_) | Kind::Parent(_) => false,
                _ => any(&aggregation.aggs),
            })
        }
        any(self.plan)
    }

    /// To be called once. `IllegalArgument` where a field cannot be aggregated; the reason names it.
    pub fn start(&'a self) -> Result<Run<'a>> {
        let limits = &self.env.limits;
        let budget = Rc::new(Budget::new(limits.max_buckets, limits.request_breaker_bytes));
        let profiler = self.search.profile.then(|| Rc::new(Profiler::new()));
        let context =
            Context { view: self.view, env: self.env, budget, resolved: &self.resolved, profiler: profiler.clone() };
        let mut matching = Vec::new();
        let mut everything = Vec::new();
        for aggregation in self.plan.iter().filter(|aggregation| !aggregation.is_pipeline()) {
            let list = if is_global(aggregation) { &mut everything } else { &mut matching };
            list.push(build_one(&context, aggregation)?);
        }
        Ok(Run {
            prepared: self,
            matching: matching.into_iter().collect(),
            everything: everything.into_iter().collect(),
            watch: Watch(profiler),
        })
    }
}

fn is_global(aggregation: &Aggregation) -> bool {
    matches!(aggregation.kind, Kind::Global(_))
}

/// Collects all aggregations of a request over one shard.
pub struct Run<'a> {
    prepared: &'a Prepared<'a>,
    /// Aggregations of the documents that the query matches.
    matching: Children<'a>,
    /// Aggregations of all documents.
    everything: Children<'a>,
    watch: Watch,
}

/// Tells what aggregations did, once they have finished.
#[derive(Debug, Clone)]
pub struct Watch(Option<Rc<Profiler>>);

impl Watch {
    /// Nothing where the request does not ask for it.
    pub fn read(&self) -> Vec<AggregationProfile> {
        self.0.as_ref().map_or_else(Vec::new, |profiler| profiler.read())
    }
}

impl<'a> Run<'a> {
    pub fn watch(&self) -> Watch {
        self.watch.clone()
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.matching.start_segment(segment)
    }

    /// Whether [`Run::collect_whole`] takes the segment that was started.
    pub fn takes_whole(&self) -> bool {
        self.matching.takes_whole()
    }

    /// Takes all documents of the segment that was started, none of them deleted, without a look at each.
    pub fn collect_whole(&mut self) -> Result<()> {
        self.matching.collect_whole()
    }

    /// Takes the matching live documents of a window: in-window numbers, ascending; windows ascend, each at most once.
    pub fn collect(&mut self, window: u32, docs: &[u16], scores: Option<&[f32]>) -> Result<()> {
        self.matching.collect(Batch { window, docs, owners: Owners::Root, scores })
    }

    /// Goes over what the query did not match for those that want it, and fetches the hits that are shown.
    pub fn finish(mut self, control: &mut Control<'_>) -> Result<PartialAggregations> {
        let Prepared { view, env, plan, search, resolved, everything } = self.prepared;
        collect_everything(view, everything.as_deref(), &mut self.everything, control)?;
        let mut matching = self.matching.finish(1)?.pop().unwrap_or_default().into_iter();
        let mut global = self.everything.finish(1)?.pop().unwrap_or_default().into_iter();
        let collected = plan.iter().filter(|one| !one.is_pipeline());
        let in_order = collected.filter_map(|one| if is_global(one) { global.next() } else { matching.next() });
        let mut level: Vec<Partial> = in_order.collect();
        HitFetch::new(view, env, NamedRequest::of(search), control).run(plan, &mut level, resolved)?;
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
    shape: Shape,
    out: &mut Vec<u8>,
) -> Result<()> {
    let shards = partials.shards.max(1);
    reduce::finish(plan, &mut partials.level, shards, env.limits.max_buckets, env.now_ms)?;
    render::render(plan, &partials.level, shape, out)
}
