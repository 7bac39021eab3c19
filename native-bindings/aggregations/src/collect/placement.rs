//! Which aggregations need others below them, and which may not lie below several buckets.

use crate::plan::{Aggregation, Kind};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_query::view::ShardView;

/// What the aggregations of a level are collected for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Above {
    /// One bucket, or none: the top.
    One,
    /// As many buckets as there may be.
    Several,
}

/// Errors: `AggregationExecution` for a sampler with nothing to sample for, `IllegalArgument` for clusters of numbers below several
/// buckets.
pub(super) fn check_placement(view: &ShardView, aggregations: &[Aggregation]) -> Result<()> {
    check_level(view, aggregations, Above::One)
}

fn check_level(view: &ShardView, aggregations: &[Aggregation], above: Above) -> Result<()> {
    for aggregation in aggregations {
        match &aggregation.kind {
            Kind::Sampler(_) if aggregation.aggs.iter().all(Aggregation::is_pipeline) => {
                let reason = "Sampler aggregation must be used with child aggregations.";
                return Err(Error::new(ErrorCode::AggregationExecution, reason));
            }
            // Of a field that is not mapped there is nothing to make clusters of.
            Kind::VariableWidthHistogram(histogram)
                if above == Above::Several && view.mapping.readable_field(&histogram.source.field).is_some() =>
            {
                let reason = "[variable_width_histogram] cannot be nested inside an aggregation that collects more than a single bucket.";
                return Err(Error::illegal_argument(reason));
            }
            _ => {}
        }
        check_level(view, &aggregation.aggs, below(&aggregation.kind, above))?;
    }
    Ok(())
}

fn below(kind: &Kind, above: Above) -> Above {
    let has_one_bucket = match kind {
        Kind::Filter(_) | Kind::Missing(_) | Kind::Global(_) | Kind::Nested(_) | Kind::ReverseNested(_) => true,
        Kind::Filters(filters) => filters.filters.len() == 1 && filters.other_bucket.is_none(),
        Kind::Range(range) | Kind::DateRange(range) => range.ranges.len() == 1,
        Kind::GeoDistance(distance) => distance.range.ranges.len() == 1,
        Kind::IpRange(range) => range.ranges.len() == 1,
        _ => false,
    };
    if has_one_bucket { above } else { Above::Several }
}
