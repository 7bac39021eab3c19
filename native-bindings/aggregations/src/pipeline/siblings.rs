//! One result from the buckets of an aggregation that lies beside the pipeline.

use super::{correlation, input, ks_test};
use crate::buckets::keys;
use crate::metrics::stats::Stats;
use crate::partial::{Computed, Partial};
use crate::plan::{Aggregation, Input, Pipeline};
use quarry_base::error::Result;
use quarry_mapping::format::{Format, ValueType};

/// Whether the pipeline is one of these.
pub fn takes(pipeline: &Pipeline) -> bool {
    input_of(pipeline).is_some()
}

fn input_of(pipeline: &Pipeline) -> Option<&Input> {
    match pipeline {
        Pipeline::AvgBucket(input)
        | Pipeline::SumBucket(input)
        | Pipeline::MinBucket(input)
        | Pipeline::MaxBucket(input)
        | Pipeline::StatsBucket(input) => Some(input),
        Pipeline::ExtendedStatsBucket(of) => Some(&of.input),
        Pipeline::PercentilesBucket(of) => Some(&of.input),
        Pipeline::BucketCorrelation(of) => Some(&of.input),
        Pipeline::BucketCountKsTest(of) => Some(&of.input),
        _ => None,
    }
}

/// `plan` and `level`: the aggregations beside the pipeline and their results.
pub fn compute(pipeline: &Pipeline, plan: &[Aggregation], level: &[Partial]) -> Result<Partial> {
    let Some(input) = input_of(pipeline) else { return Ok(Partial::Absent) };
    let found = collect(input, plan, level)?;
    let format = Format { value_type: ValueType::Double, pattern: input.format.clone(), time_zone: None };
    let mut stats = Stats::default();
    found.iter().for_each(|(value, _)| stats.add(*value));
    Ok(match pipeline {
        Pipeline::AvgBucket(_) => input::number(stats.average(), input.format.as_ref()),
        Pipeline::SumBucket(_) => input::number(stats.sum.value(), input.format.as_ref()),
        Pipeline::MinBucket(_) => extreme(stats.min, found, input),
        Pipeline::MaxBucket(_) => extreme(stats.max, found, input),
        Pipeline::PercentilesBucket(of) => {
            let mut values: Vec<f64> = found.into_iter().map(|(value, _)| value).collect();
            values.sort_by(f64::total_cmp);
            let percentile = |percent: &f64| (*percent, nearest(&values, *percent));
            let values = of.percents.iter().map(percentile).collect();
            Partial::Computed(Computed::Percentiles { values, format: input.format.clone() })
        }
        Pipeline::BucketCorrelation(of) => {
            let counts: Vec<f64> = found.into_iter().map(|(count, _)| count).collect();
            input::number(correlation::of_counts(of, &counts)?, None)
        }
        Pipeline::BucketCountKsTest(of) => {
            let counts: Vec<f64> = found.into_iter().map(|(count, _)| count).collect();
            Partial::Computed(Computed::Probabilities(ks_test::of_counts(of, &counts)?))
        }
        _ => Partial::Stats { stats, format },
    })
}

/// The values, each with the key of its bucket; buckets without one are left out.
fn collect(input: &Input, plan: &[Aggregation], level: &[Partial]) -> Result<Vec<(f64, String)>> {
    let Some((first, rest)) = input.path.split_first() else { return Ok(Vec::new()) };
    let found = plan.iter().zip(level).find(|(aggregation, _)| aggregation.name == *first);
    let Some((aggregation, partial)) = found else { return Ok(Vec::new()) };
    if let Partial::Single(bucket) = partial {
        // The buckets lie further down.
        let further = Input { path: rest.to_vec(), ..input.clone() };
        return collect(&further, &aggregation.aggs, &bucket.aggs);
    }
    if let Some(of_key) = one_bucket(input, aggregation, partial, rest)? {
        return Ok(of_key);
    }
    let values = input::values_at(rest, input.gaps, aggregation, partial)?;
    let keys = keys::texts(aggregation, partial)?.into_iter();
    let with_value = values.into_iter().zip(keys).filter_map(|(value, key)| value.map(|value| (value, key)));
    Ok(with_value.filter(|(value, _)| !value.is_nan()).collect())
}

/// `terms['key']>...` begins in the bucket of that key alone.
fn one_bucket(
    input: &Input,
    plan: &Aggregation,
    partial: &Partial,
    path: &[String],
) -> Result<Option<Vec<(f64, String)>>> {
    let Some((first, rest)) = path.split_first() else { return Ok(None) };
    let Some(key) = first.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) else { return Ok(None) };
    let place = keys::texts(plan, partial)?.iter().position(|text| text == key);
    let Some(bucket) = place.and_then(|place| partial.buckets().get(place).copied()) else {
        return Ok(Some(Vec::new()));
    };
    let further = Input { path: rest.to_vec(), ..input.clone() };
    collect(&further, &plan.aggs, &bucket.aggs).map(Some)
}

fn extreme(value: f64, found: Vec<(f64, String)>, input: &Input) -> Partial {
    let keys = found.into_iter().filter(|(other, _)| *other == value).map(|(_, key)| key).collect();
    Partial::Computed(Computed::Extreme { value, keys, format: input.format.clone() })
}

/// The value whose place is nearest to the percentile; NaN without values.
fn nearest(sorted: &[f64], percent: f64) -> f64 {
    let place = percent / 100.0 * sorted.len().saturating_sub(1) as f64;
    // Halves go up.
    sorted.get((place + 0.5).floor() as usize).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_of_buckets() {
        assert_eq!(nearest(&[1.0, 2.0, 3.0, 4.0], 50.0), 3.0);
        assert_eq!((nearest(&[1.0, 2.0], 0.0), nearest(&[1.0, 2.0], 100.0)), (1.0, 2.0));
        assert!(nearest(&[], 50.0).is_nan());
    }
}
