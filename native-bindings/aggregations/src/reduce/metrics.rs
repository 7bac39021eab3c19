//! Merging metrics, and what they are without documents.

use super::different_kinds;
use crate::metrics::geo::{Bounds, Centroid};
use crate::metrics::hdr::Hdr;
use crate::metrics::hll::Sketch;
use crate::metrics::matrix_stats::MatrixStats;
use crate::metrics::stats::{Compensated, Stats, WeightedAverage};
use crate::metrics::string_stats::StringStats;
use crate::metrics::t_test::TTest;
use crate::metrics::tdigest::TDigest;
use crate::partial::{Partial, PartialRate, PartialScripted, PartialTopHits};
use crate::plan::{Aggregation, Kind, MedianAbsoluteDeviation, Percentiles};
use quarry_base::error::Result;
use quarry_mapping::format::Format;
use quarry_query::sort::value::KeyOrder;

pub fn merge(plan: &Aggregation, mine: &mut Partial, theirs: Partial) -> Result<()> {
    match (mine, theirs) {
        (Partial::Cardinality(mine), Partial::Cardinality(theirs)) => {
            mine.merge(theirs);
        }
        (Partial::Stats { stats: mine, format }, Partial::Stats { stats: theirs, format: their_format }) => {
            // A shard that may not even map the field does not say how values are printed.
            if mine.count == 0 {
                *format = their_format;
            }
            mine.merge(&theirs);
        }
        (
            Partial::WeightedAvg { average: mine, format },
            Partial::WeightedAvg { average: theirs, format: their_format },
        ) => {
            if mine.value().is_none() {
                *format = their_format;
            }
            mine.merge(&theirs);
        }
        (
            Partial::Percentiles { digest: mine, format },
            Partial::Percentiles { digest: theirs, format: their_format },
        ) => {
            if mine.is_empty() {
                *format = their_format;
            }
            mine.merge(&theirs);
        }
        (Partial::Digests { digests: mine, format }, Partial::Digests { digests: theirs, format: their_format }) => {
            if mine.is_empty() {
                *format = their_format;
            }
            mine.extend(theirs);
        }
        (Partial::ValueCount(mine), Partial::ValueCount(theirs)) => {
            *mine += theirs;
        }
        (Partial::Hdr { hdr: mine, format }, Partial::Hdr { hdr: theirs, format: their_format }) => {
            if mine.is_empty() {
                *format = their_format;
            }
            mine.merge(&theirs);
        }
        (
            Partial::StringStats { stats: mine, format },
            Partial::StringStats { stats: theirs, format: their_format },
        ) => {
            if mine.count == 0 {
                *format = their_format;
            }
            mine.merge(theirs);
        }
        (Partial::MatrixStats(mine), Partial::MatrixStats(theirs)) => mine.merge(&theirs),
        (Partial::TTest(mine), Partial::TTest(theirs)) => mine.merge(&theirs),
        (Partial::Scripted(mine), Partial::Scripted(theirs)) => mine.states.extend(theirs.states),
        (Partial::GeoBounds(mine), Partial::GeoBounds(theirs)) => mine.merge(&theirs),
        (Partial::GeoCentroid(mine), Partial::GeoCentroid(theirs)) => mine.merge(&theirs),
        (Partial::Rate(mine), Partial::Rate(theirs)) => mine.sum.merge(theirs.sum),
        (Partial::TopHits(mine), Partial::TopHits(theirs)) => {
            let (sort, window) = match &plan.kind {
                Kind::TopHits(of) => (&of.sort, of.window()),
                Kind::TopMetrics(of) => (&of.sort, of.size as usize),
                _ => return Err(different_kinds(&plan.name)),
            };
            let orders: Vec<KeyOrder> = sort.iter().map(KeyOrder::of).collect();
            mine.merge(theirs, &orders, window)?;
        }
        _ => return Err(different_kinds(&plan.name)),
    }
    Ok(())
}

/// Of no documents.
pub fn empty(kind: &Kind, format: Format) -> Partial {
    match kind {
        Kind::Percentiles(Percentiles { hdr_digits: Some(digits), .. })
        | Kind::PercentileRanks(Percentiles { hdr_digits: Some(digits), .. }) => {
            Partial::Hdr { hdr: Hdr::new(*digits), format }
        }
        Kind::GeoBounds(_) => Partial::GeoBounds(Bounds::default()),
        Kind::GeoCentroid(_) => Partial::GeoCentroid(Centroid::default()),
        Kind::StringStats(_) => Partial::StringStats { stats: StringStats::default(), format },
        Kind::MatrixStats(of) => Partial::MatrixStats(MatrixStats::new(of.sources.len())),
        Kind::TTest(of) => Partial::TTest(TTest::empty(of.kind)),
        Kind::ScriptedMetric(_) => Partial::Scripted(PartialScripted { states: Vec::new(), value: None }),
        Kind::Rate(_) => Partial::Rate(PartialRate { sum: Compensated::default(), format, units: 1.0 }),
        Kind::Cardinality(of) => Partial::Cardinality(Sketch::new(of.precision_threshold)),
        Kind::ValueCount(_) => Partial::ValueCount(0),
        Kind::Percentiles(Percentiles { compression, .. })
        | Kind::PercentileRanks(Percentiles { compression, .. })
        | Kind::MedianAbsoluteDeviation(MedianAbsoluteDeviation { compression, .. })
        | Kind::Boxplot(MedianAbsoluteDeviation { compression, .. }) => {
            Partial::Percentiles { digest: TDigest::new(*compression), format }
        }
        Kind::WeightedAvg(_) => Partial::WeightedAvg { average: WeightedAverage::default(), format },
        Kind::TopHits(_) | Kind::TopMetrics(_) => Partial::TopHits(PartialTopHits::default()),
        Kind::Min(_) | Kind::Max(_) | Kind::Sum(_) | Kind::Avg(_) | Kind::Stats(_) | Kind::ExtendedStats(_) => {
            Partial::Stats { stats: Stats::default(), format }
        }
        _ => Partial::Absent,
    }
}
