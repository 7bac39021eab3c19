//! Collecting: one file per kind of aggregation behind one contract, in a room for each family of kinds.

mod aggregator_names;
mod combined;
mod geo;
mod intervals;
mod metrics;
mod placement;
mod prepare;
mod scopes;
mod tables;
mod terms;
mod values;
mod watch;

use super::budget::Budget;
use super::metrics::geo::Centroid;
use super::partial::{Bucket, Partial};
use super::plan::{Aggregation, Kind};
use super::source::Accepts;
use combined::{composite, multi_terms};
use geo::{grid, metrics as geo_metrics};
use intervals::{auto_date_histogram, histogram, ip_prefix, ip_range, ranges, variable_width};
use metrics::percentiles::Digests;
pub use metrics::percentiles::{CHUNK_WINDOWS, whole as whole_digest};
use metrics::whole_sums::{Extremes, Squares, Sum};
use metrics::{
    cardinality, matrix_stats, percentiles, rate, scripted_metric, stats, string_stats, t_test, top_hits, top_metrics,
    weighted_avg,
};
pub use prepare::{Resolved, SortedHits};
use quarry_base::allocation;
use quarry_base::error::{Error, Result};
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::QueryEnv;
pub use scopes::global::collect_everything;
use scopes::{adjacency_matrix, filters, global, joined, nested, sampler};
use std::rc::Rc;
pub use terms::end::Cut;
use terms::end::Rare;
use terms::{TermsInput, build_terms, significant, significant_text};
pub use watch::{Profiler, Report};

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
    /// All documents of the window fall in this one.
    Same(u32),
    Each(&'b [u32]),
}

impl Owners<'_> {
    /// The bucket of all documents, where it is one.
    pub fn one(&self) -> Option<u32> {
        match self {
            Owners::Root => Some(0),
            Owners::Same(owner) => Some(*owner),
            Owners::Each(_) => None,
        }
    }

    /// One more than the greatest bucket's number.
    pub fn end(&self) -> usize {
        let greatest = match self {
            Owners::Each(owners) => owners.iter().max().copied(),
            one => one.one(),
        };
        greatest.map_or(0, |greatest| greatest as usize + 1)
    }

    #[inline]
    pub fn of(&self, place: usize) -> u32 {
        match self {
            Owners::Root => 0,
            Owners::Same(owner) => *owner,
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

    /// [`Collector::collect_whole`] takes the segment that was started.
    fn takes_whole(&self) -> bool {
        false
    }

    /// Takes all documents of the segment instead of batches of them: none is deleted, and all are in bucket 0.
    fn collect_whole(&mut self) -> Result<()> {
        Err(Error::internal("an aggregation cannot take a whole segment"))
    }

    /// One partial result for each of the parent's buckets.
    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>>;

    /// After `finish`: what `profile` tells beyond the time that was taken.
    fn report(&self, _report: &mut Report) {}
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
        self.each(|collector| collector.start_segment(segment))
    }

    pub fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.each(|collector| collector.collect(batch))
    }

    /// What one of them takes of memory is looked at before the next.
    #[inline]
    fn each(&mut self, mut take: impl FnMut(&mut dyn Collector<'a>) -> Result<()>) -> Result<()> {
        for collector in &mut self.collectors {
            take(collector.as_mut())?;
            allocation::check()?;
        }
        Ok(())
    }

    /// As [`Collector::takes_whole`]: all of them do.
    pub fn takes_whole(&self) -> bool {
        self.collectors.iter().all(|collector| collector.takes_whole())
    }

    pub fn collect_whole(&mut self) -> Result<()> {
        self.each(|collector| collector.collect_whole())
    }

    /// The children's results for each of `owner_count` buckets.
    pub fn finish(&mut self, owner_count: usize) -> Result<Vec<Vec<Partial>>> {
        let partials = owner_count.saturating_mul(self.collectors.len());
        allocation::check_more(partials.saturating_mul(size_of::<Partial>()))?;
        let mut per_owner: Vec<Vec<Partial>> =
            (0..owner_count).map(|_| Vec::with_capacity(self.collectors.len())).collect();
        for collector in &mut self.collectors {
            for (owner, partial) in collector.finish(owner_count)?.into_iter().enumerate() {
                per_owner[owner].push(partial);
            }
            allocation::check()?;
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
    pub env: &'a QueryEnv<'a>,
    pub budget: Rc<Budget>,
    pub resolved: &'a Resolved<'a>,
    /// Set where the request asks how long its aggregations take.
    pub profiler: Option<Rc<Profiler>>,
}

/// The collectors of one level of the plan.
pub fn build<'a>(context: &Context<'a>, aggregations: &'a [Aggregation]) -> Result<Children<'a>> {
    let collected = aggregations.iter().filter(|aggregation| !aggregation.is_pipeline());
    collected.map(|aggregation| build_one(context, aggregation)).collect()
}

pub fn build_one<'a>(context: &Context<'a>, aggregation: &'a Aggregation) -> Result<Box<dyn Collector<'a> + 'a>> {
    allocation::check()?;
    match &context.profiler {
        Some(profiler) => profiler.build(context, aggregation),
        None => build_plain(context, aggregation),
    }
}

fn build_plain<'a>(context: &Context<'a>, aggregation: &'a Aggregation) -> Result<Box<dyn Collector<'a> + 'a>> {
    let (name, aggs) = (aggregation.kind.name(), &aggregation.aggs);
    // Weights are taken before the children's are: the order of the walk that compiled them.
    Ok(match &aggregation.kind {
        Kind::Terms(plan) => {
            let selection = (plan.include.as_ref(), plan.exclude.as_ref());
            let breadth_first = plan.is_breadth_first();
            let input = TermsInput {
                by_map: plan.by_map,
                breadth_first,
                ..TermsInput::new(&aggregation.name, &plan.source, selection)
            };
            build_terms(context, input, Box::new(Cut::new(plan.cut(), aggs)?), name, aggs)?
        }
        Kind::RareTerms(plan) => {
            let input =
                TermsInput::new(&aggregation.name, &plan.source, (plan.include.as_ref(), plan.exclude.as_ref()));
            build_terms(context, input, Box::new(Rare { max_doc_count: plan.max_doc_count }), name, aggs)?
        }
        Kind::SignificantTerms(plan) => {
            let input =
                TermsInput::new(&aggregation.name, &plan.source, (plan.include.as_ref(), plan.exclude.as_ref()));
            build_terms(context, input, Box::new(significant::Significant::new(context, plan)), name, aggs)?
        }
        Kind::SignificantText(plan) => {
            Box::new(significant_text::SignificantTextCollector::new(context, plan, &aggregation.name)?)
        }
        Kind::MultiTerms(plan) => Box::new(multi_terms::MultiTermsCollector::new(context, plan, name, aggs)?),
        Kind::Sampler(plan) => Box::new(sampler::SamplerCollector::new(context, plan, aggs)?),
        Kind::IpPrefix(plan) => Box::new(ip_prefix::IpPrefixCollector::new(context, plan, name, aggs)?),
        Kind::VariableWidthHistogram(plan) => {
            Box::new(variable_width::VariableWidthCollector::new(context, aggregation, plan)?)
        }
        Kind::StringStats(plan) => Box::new(string_stats::StringStatsCollector::new(context, plan, name)?),
        Kind::MatrixStats(plan) => Box::new(matrix_stats::MatrixStatsCollector::new(context, plan, name)?),
        Kind::TTest(plan) => Box::new(t_test::TTestCollector::new(context, plan, name)?),
        Kind::ScriptedMetric(plan) => Box::new(scripted_metric::ScriptedMetricCollector::new(context, plan)?),
        Kind::Rate(plan) => Box::new(rate::RateCollector::new(context, plan, name)?),
        Kind::TopMetrics(plan) => {
            Box::new(top_metrics::TopMetricsCollector::new(context, plan, context.resolved.take_sort(), name)?)
        }
        Kind::Boxplot(plan) => {
            let accepts = Accepts::NumbersOrHistograms;
            let asked = Digests { compression: plan.compression, in_parts: plan.in_parts };
            Box::new(percentiles::PercentilesCollector::new(context, &plan.source, asked, name, accepts)?)
        }
        Kind::Cardinality(plan) => Box::new(cardinality::CardinalityCollector::new(context, plan, name)?),
        Kind::Min(plan) | Kind::Max(plan) => {
            let accepts = Accepts::NumbersOrHistograms;
            Box::new(stats::StatsCollector::<Extremes>::new(context, &plan.source, name, accepts)?)
        }
        Kind::Sum(plan) | Kind::Avg(plan) => {
            let accepts = Accepts::NumbersOrHistograms;
            Box::new(stats::StatsCollector::<Sum>::new(context, &plan.source, name, accepts)?)
        }
        Kind::Stats(plan) => {
            Box::new(stats::StatsCollector::<Extremes>::new(context, &plan.source, name, Accepts::Numbers)?)
        }
        Kind::ExtendedStats(plan) => {
            Box::new(stats::StatsCollector::<Squares>::new(context, &plan.source, name, Accepts::Numbers)?)
        }
        Kind::Percentiles(plan) | Kind::PercentileRanks(plan) if plan.hdr_digits.is_some() => {
            let digits = plan.hdr_digits.unwrap_or_default();
            Box::new(percentiles::HdrCollector::new(context, &plan.source, digits, name)?)
        }
        Kind::Percentiles(plan) | Kind::PercentileRanks(plan) => {
            let accepts = Accepts::NumbersOrHistograms;
            let asked = Digests { compression: plan.compression, in_parts: plan.in_parts };
            Box::new(percentiles::PercentilesCollector::new(context, &plan.source, asked, name, accepts)?)
        }
        Kind::MedianAbsoluteDeviation(plan) => {
            let accepts = Accepts::Numbers;
            let asked = Digests { compression: plan.compression, in_parts: plan.in_parts };
            Box::new(percentiles::PercentilesCollector::new(context, &plan.source, asked, name, accepts)?)
        }
        Kind::WeightedAvg(plan) => Box::new(weighted_avg::WeightedAvgCollector::new(context, plan, name)?),
        Kind::ValueCount(plan) => Box::new(stats::ValueCountCollector::new(context, &plan.source, name)?),
        Kind::Histogram(plan) => histogram::numeric(context, plan, name, aggs)?,
        Kind::DateHistogram(plan) => histogram::date(context, plan, name, aggs)?,
        Kind::Range(plan) => {
            Box::new(ranges::RangeCollector::new(context, plan, Accepts::NumbersOrHistograms, name, aggs)?)
        }
        Kind::DateRange(plan) => Box::new(ranges::RangeCollector::new(context, plan, Accepts::Dates, name, aggs)?),
        Kind::GeoDistance(plan) => Box::new(ranges::RangeCollector::of_distances(context, plan, name, aggs)?),
        Kind::GeoGrid(plan) => Box::new(grid::GeoGridCollector::new(context, plan, name, aggs)?),
        Kind::GeoBounds(plan) => geo_metrics::bounds(context, &plan.source, name)?,
        Kind::GeoCentroid(plan) => {
            Box::new(geo_metrics::PlacesCollector::<Centroid>::new(context, &plan.source, name)?)
        }
        Kind::Filter(_) => {
            let weights = context.resolved.take_weights(1);
            Box::new(filters::FilterCollector::new(weights, build(context, aggs)?))
        }
        Kind::Filters(plan) => {
            let weights = context.resolved.take_weights(plan.filters.len());
            let children = build(context, aggs)?;
            Box::new(filters::FiltersCollector::new(weights, plan.other_bucket.is_some(), children))
        }
        Kind::Missing(plan) => Box::new(filters::MissingCollector::new(context, plan, build(context, aggs)?)),
        Kind::Nested(_) => {
            let step = context.resolved.take_step();
            Box::new(nested::NestedCollector::new(step, build(context, aggs)?))
        }
        Kind::ReverseNested(_) => {
            let step = context.resolved.take_step();
            Box::new(nested::ReverseNestedCollector::new(step, build(context, aggs)?))
        }
        Kind::Children(_) | Kind::Parent(_) => {
            let step = context.resolved.take_join();
            Box::new(joined::JoinedCollector::new(context, step, build(context, aggs)?))
        }
        Kind::Global(_) => Box::new(global::GlobalCollector::new(build(context, aggs)?)),
        Kind::AdjacencyMatrix(plan) => Box::new(adjacency_matrix::AdjacencyMatrixCollector::new(context, plan, aggs)?),
        Kind::IpRange(plan) => Box::new(ip_range::IpRangeCollector::new(context, plan, name, aggs)?),
        Kind::AutoDateHistogram(plan) => {
            Box::new(auto_date_histogram::AutoDateHistogramCollector::new(context, aggregation, plan)?)
        }
        Kind::Composite(plan) => Box::new(composite::CompositeCollector::new(context, plan, name, aggs)?),
        Kind::Pipeline(_) => return Err(Error::internal("a pipeline collects nothing")),
        Kind::TopHits(_) => Box::new(top_hits::TopHitsCollector::new(context.resolved.take_sort())),
    })
}
