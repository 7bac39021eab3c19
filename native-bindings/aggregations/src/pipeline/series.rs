//! Results that depend on the buckets before each one.

use super::input::{number, values};
use crate::buckets::keys;
use crate::metrics::hll::Sketch;
use crate::partial::{Bucket, Computed, Partial};
use crate::plan::{Aggregation, Derivative, GapPolicy, Input, SerialDiff};
use quarry_base::error::{Error, ErrorCode, Result};

/// The difference to the bucket before, and by unit of the key where one is given.
pub fn derivative(of: &Derivative, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let values = values(&of.input, plan, partial)?;
    let keys = keys::numbers(plan, partial);
    let mut last: Option<(f64, f64)> = None;
    let results = values.into_iter().enumerate().map(|(place, value)| {
        let key = keys.get(place).copied().unwrap_or(0.0);
        let before = std::mem::replace(&mut last, value.map(|value| (key, value)));
        let (Some(value), Some((key_before, value_before))) = (value, before) else { return Partial::Absent };
        let units = of.unit.map(|unit| (key - key_before) / unit).filter(|units| *units > 0.0);
        let difference = value - value_before;
        let format = of.input.format.clone();
        Partial::Computed(match units {
            Some(units) => Computed::Derivative { value: difference, normalized: difference / units, format },
            None => Computed::Number { value: difference, format },
        })
    });
    Ok(results.collect())
}

pub fn cumulative_sum(of: &Input, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let with_zeros = Input { gaps: GapPolicy::InsertZeros, ..of.clone() };
    let mut sum = 0.0;
    let results = values(&with_zeros, plan, partial)?.into_iter().map(|value| {
        sum += value.filter(|value| value.is_finite()).unwrap_or(0.0);
        number(sum, of.format.as_ref())
    });
    Ok(results.collect())
}

/// Distinct values of all buckets so far.
pub fn cumulative_cardinality(of: &Input, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let mut all: Option<Sketch> = None;
    let mut results = Vec::new();
    for bucket in partial.buckets() {
        let sketch = sketch_at(&plan.aggs, bucket, &of.path)?;
        match &mut all {
            Some(all) => all.merge(sketch.clone()),
            None => all = Some(sketch.clone()),
        }
        let count = all.as_ref().map_or(0, Sketch::estimate);
        results.push(Partial::Computed(Computed::Count { value: count, format: of.format.clone() }));
    }
    Ok(results)
}

fn sketch_at<'b>(aggs: &[Aggregation], bucket: &'b Bucket, path: &[String]) -> Result<&'b Sketch> {
    let first = path.first().map_or("", String::as_str);
    let place = aggs.iter().position(|aggregation| aggregation.name == first);
    match (place.and_then(|place| bucket.aggs.get(place)), path) {
        (Some(Partial::Cardinality(sketch)), [_]) => Ok(sketch),
        (Some(Partial::Cardinality(sketch)), [_, value]) if value == "value" => Ok(sketch),
        (Some(Partial::Single(inner)), [_, ..]) => match place {
            Some(place) => sketch_at(&aggs[place].aggs, inner, &path[1..]),
            None => Err(not_a_cardinality(first)),
        },
        _ => Err(not_a_cardinality(first)),
    }
}

fn not_a_cardinality(name: &str) -> Error {
    let reason = format!("buckets_path must reference a cardinality aggregation, but [{name}] is none");
    Error::new(ErrorCode::AggregationExecution, reason)
}

/// The difference to the bucket `lag` places before.
pub fn serial_diff(of: &SerialDiff, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let values = values(&of.input, plan, partial)?;
    let at = |place: usize| values[place].unwrap_or(f64::NAN);
    let results = (0..values.len()).map(|place| {
        let before = place.checked_sub(of.lag as usize).map_or(f64::NAN, at);
        let difference = at(place) - before;
        if difference.is_nan() { Partial::Absent } else { number(difference, of.input.format.as_ref()) }
    });
    Ok(results.collect())
}
