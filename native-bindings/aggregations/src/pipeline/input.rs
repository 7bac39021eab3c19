//! The values of buckets that pipelines compute with.

use crate::buckets::keys;
use crate::buckets::property;
use crate::buckets::property::{BucketView, Property};
use crate::partial::{Computed, Partial};
use crate::plan::{Aggregation, GapPolicy, Input};
use quarry_base::error::{Error, ErrorCode, Result};

/// One value for each bucket of `partial`, as [`value`] finds it.
pub fn values(input: &Input, plan: &Aggregation, partial: &Partial) -> Result<Vec<Option<f64>>> {
    values_at(&input.path, input.gaps, plan, partial)
}

pub fn values_at(path: &[String], gaps: GapPolicy, plan: &Aggregation, partial: &Partial) -> Result<Vec<Option<f64>>> {
    let keys = keys::numbers(plan, partial);
    let one = |(place, bucket)| {
        let view = BucketView { bucket, key: keys.get(place).copied() };
        value(plan, view, path, gaps)
    };
    partial.buckets().into_iter().enumerate().map(one).collect()
}

/// `None` where the path leads nowhere, NaN in a gap that is skipped.
fn value(plan: &Aggregation, view: BucketView<'_>, path: &[String], gaps: GapPolicy) -> Result<Option<f64>> {
    let number = match property::of_bucket(&plan.aggs, view, path)? {
        None => return Ok(None),
        Some(Property::Number(number)) => number,
        Some(other) => return Err(not_a_number(plan, path, other)),
    };
    // A count is never missing.
    let is_count = matches!(path, [only] if only == "_count");
    let is_gap = !number.is_finite() || (view.bucket.doc_count == 0 && !is_count);
    Ok(Some(match gaps {
        _ if !is_gap => number,
        GapPolicy::InsertZeros => 0.0,
        GapPolicy::KeepValues if number.is_finite() => number,
        GapPolicy::Skip | GapPolicy::KeepValues => f64::NAN,
    }))
}

fn not_a_number(plan: &Aggregation, path: &[String], property: Property) -> Error {
    let name = path.first().unwrap_or(&plan.name);
    let rule = "buckets_path must reference either a number value or a single value numeric metric aggregation";
    let reason = match property {
        Property::Other(class) => format!("{rule}, got: [{class}] at aggregation [{name}]"),
        _ => format!("{rule}, but [{name}] contains multiple values. Please specify which to use."),
    };
    Error::new(ErrorCode::AggregationExecution, reason)
}

/// A single number as a result.
pub fn number(value: f64, format: Option<&String>) -> Partial {
    Partial::Computed(Computed::Number { value, format: format.cloned() })
}
