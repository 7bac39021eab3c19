//! Collecting: one file per kind of aggregation behind one contract.

mod bucket_table;
mod cardinality;
mod filters;
mod global;
mod histogram;
mod metrics;
mod number_field;
mod percentiles;
mod prepare;
mod ranges;
mod terms;
mod top_hits;
mod values;
mod weighted_avg;

use super::partial::{Bucket, Partial};
use super::plan::{Aggregation, Kind};
use super::source::Accepts;
use crate::error::{Error, ErrorCode, Result};
use crate::search::view::{SegmentView, ShardView};
use crate::search::weight::QueryEnv;
pub use global::collect_everything;
pub use prepare::{Resolved, SortedHits};
use std::cell::Cell;
use std::rc::Rc;

/// Documents of one window, each with the bucket of the parent that it falls in.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'b> {
    pub window: u32,
    /// In-window numbers, ascending; a document repeats when it falls in several buckets.
    pub docs: &'b [u16],
    pub owners: Owners<'b>,
    /// One for each document, when the aggregation asked for scores.
    pub scores: Option<&'b [f32]>,
}

#[derive(Debug, Clone, Copy)]
pub enum Owners<'b> {
    /// All documents fall in bucket 0: the root, or below single-bucket aggregations of it.
    Root,
    Each(&'b [u32]),
}

impl Owners<'_> {
    #[inline]
    pub fn of(&self, place: usize) -> u32 {
        match self {
            Owners::Root => 0,
            Owners::Each(owners) => owners[place],
        }
    }
}

/// Collects one aggregation for all buckets of its parent.
///
/// Callers must hold: segments come one after another, windows ascending within each, at most one batch per window;
/// `finish` comes last and once, with the number of buckets that the parent has (0.. that many may be owners).
pub trait Collector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()>;

    fn collect(&mut self, batch: Batch<'_>) -> Result<()>;

    /// One partial result for each of the parent's buckets.
    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>>;
}

/// The aggregations below one bucket aggregation (or of the request), in the plan's order.
pub struct Children<'a> {
    collectors: Vec<Box<dyn Collector<'a> + 'a>>,
}

impl<'a> FromIterator<Box<dyn Collector<'a> + 'a>> for Children<'a> {
    fn from_iter<I: IntoIterator<Item = Box<dyn Collector<'a> + 'a>>>(collectors: I) -> Self {
        Children { collectors: collectors.into_iter().collect() }
    }
}

impl<'a> Children<'a> {
    pub fn is_empty(&self) -> bool {
        self.collectors.is_empty()
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.collectors.iter_mut().try_for_each(|collector| collector.start_segment(segment))
    }

    pub fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.collectors.iter_mut().try_for_each(|collector| collector.collect(batch))
    }

    /// The children's results for each of `owner_count` buckets.
    pub fn finish(&mut self, owner_count: usize) -> Result<Vec<Vec<Partial>>> {
        let mut per_owner: Vec<Vec<Partial>> =
            (0..owner_count).map(|_| Vec::with_capacity(self.collectors.len())).collect();
        for collector in &mut self.collectors {
            for (owner, partial) in collector.finish(owner_count)?.into_iter().enumerate() {
                per_owner[owner].push(partial);
            }
        }
        Ok(per_owner)
    }

    /// As [`Children::finish`], with the buckets' document counts.
    pub fn finish_buckets(&mut self, counts: &[u64]) -> Result<Vec<Bucket>> {
        let aggs = self.finish(counts.len())?;
        Ok(counts.iter().zip(aggs).map(|(&doc_count, aggs)| Bucket { doc_count, aggs }).collect())
    }
}

/// What collectors need besides their plan.
pub struct Context<'a> {
    pub view: &'a ShardView,
    pub env: &'a QueryEnv,
    pub budget: Rc<Budget>,
    pub resolved: &'a Resolved<'a>,
}

/// Buckets that this shard may still make: `search.max_buckets` bounds memory on each shard as well.
pub struct Budget {
    max: u32,
    used: Cell<u32>,
}

impl Budget {
    pub fn new(max: u32) -> Self {
        Budget { max, used: Cell::new(0) }
    }

    pub fn take(&self) -> Result<()> {
        self.used.set(self.used.get().saturating_add(1));
        // Shards may hold more buckets than the answer shows; far more is a request gone wrong.
        if self.used.get() > self.max.saturating_mul(SHARD_BUCKETS_FACTOR) {
            return Err(too_many_buckets(self.max, u64::from(self.used.get())));
        }
        Ok(())
    }
}

/// Buckets that a shard may build for each one that `search.max_buckets` lets the answer have.
const SHARD_BUCKETS_FACTOR: u32 = 64;

pub fn too_many_buckets(max: u32, count: u64) -> Error {
    Error::new(
        ErrorCode::TooManyBuckets,
        format!(
            "Trying to create too many buckets. Must be less than or equal to: [{max}] but was [{count}]. This limit can be \
             set by changing the [search.max_buckets] cluster level setting."
        ),
    )
}

/// The collectors of one level of the plan.
pub fn build<'a>(context: &Context<'a>, aggregations: &'a [Aggregation]) -> Result<Children<'a>> {
    aggregations.iter().map(|aggregation| build_one(context, aggregation)).collect()
}

pub fn build_one<'a>(context: &Context<'a>, aggregation: &'a Aggregation) -> Result<Box<dyn Collector<'a> + 'a>> {
    let name = &aggregation.name;
    // Weights are taken before the children's are: the order of the walk that compiled them.
    Ok(match &aggregation.kind {
        Kind::Terms(plan) => terms::build_terms(context, plan, name, &aggregation.aggs)?,
        Kind::Cardinality(plan) => Box::new(cardinality::CardinalityCollector::new(context, plan, name)?),
        Kind::Min(plan) | Kind::Max(plan) | Kind::Sum(plan) | Kind::Avg(plan) | Kind::Stats(plan) => {
            Box::new(metrics::StatsCollector::new(context, &plan.source, name)?)
        }
        Kind::ExtendedStats(plan) => Box::new(metrics::StatsCollector::new(context, &plan.source, name)?),
        Kind::Percentiles(plan) | Kind::PercentileRanks(plan) => {
            Box::new(percentiles::PercentilesCollector::new(context, &plan.source, plan.compression, name)?)
        }
        Kind::MedianAbsoluteDeviation(plan) => {
            Box::new(percentiles::PercentilesCollector::new(context, &plan.source, plan.compression, name)?)
        }
        Kind::WeightedAvg(plan) => Box::new(weighted_avg::WeightedAvgCollector::new(context, plan, name)?),
        Kind::ValueCount(plan) => Box::new(metrics::ValueCountCollector::new(context, &plan.source, name)?),
        Kind::Histogram(plan) => histogram::numeric(context, plan, name, &aggregation.aggs)?,
        Kind::DateHistogram(plan) => histogram::date(context, plan, name, &aggregation.aggs)?,
        Kind::Range(plan) => {
            Box::new(ranges::RangeCollector::new(context, plan, Accepts::Numbers, name, &aggregation.aggs)?)
        }
        Kind::DateRange(plan) => {
            Box::new(ranges::RangeCollector::new(context, plan, Accepts::Dates, name, &aggregation.aggs)?)
        }
        Kind::Filter(_) => {
            let weights = context.resolved.take_weights(1);
            Box::new(filters::FilterCollector::new(weights, build(context, &aggregation.aggs)?))
        }
        Kind::Filters(plan) => {
            let weights = context.resolved.take_weights(plan.filters.len());
            let children = build(context, &aggregation.aggs)?;
            Box::new(filters::FiltersCollector::new(weights, plan.other_bucket.is_some(), children))
        }
        Kind::Missing(plan) => {
            Box::new(filters::MissingCollector::new(context, plan, build(context, &aggregation.aggs)?))
        }
        Kind::Global(_) => Box::new(global::GlobalCollector::new(build(context, &aggregation.aggs)?)),
        Kind::TopHits(_) => Box::new(top_hits::TopHitsCollector::new(context.resolved.take_sort())),
    })
}
