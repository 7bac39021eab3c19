//! Aggregations computed from the reduced results of others.
//!
//! One declared below a bucket aggregation works either on the list of its buckets (parent pipelines: the value of one bucket
//! depends on those before it) or, in each bucket, on the buckets of an aggregation that lies beside it (sibling pipelines).
//!
//! | module | what it computes |
//! | --- | --- |
//! | [`siblings`] | one result from the buckets of a neighbour |
//! | [`correlation`] | how counts go along with expectations |
//! | [`ks_test`] | whether counts are as expected |
//! | [`series`] | a result in each bucket from the buckets before it |
//! | [`moving`] | scripts over moving windows |
//! | [`moving_percentiles`] | percentiles over moving windows |
//! | [`bucket_script`] | scripts over the values of a bucket |
//! | [`normalize`] | the values of all buckets on one scale |
//! | [`bucket_sort`] | another order of the buckets, and fewer of them |
//! | [`input`] | the values that all of them start from |

mod bucket_script;
mod bucket_sort;
mod correlation;
mod input;
mod ks_test;
mod moving;
mod moving_percentiles;
mod normalize;
mod series;
mod siblings;

use super::partial::Partial;
use super::plan::{Aggregation, Kind, Pipeline};
use quarry_base::error::{Error, Result};

/// Computes what is declared below an aggregation whose buckets are final.
pub fn run_below(plan: &Aggregation, partial: &mut Partial) -> Result<()> {
    for pipeline in pipelines(&plan.aggs) {
        if siblings::takes(pipeline) {
            for bucket in partial.buckets_mut() {
                let result = siblings::compute(pipeline, &plan.aggs, &bucket.aggs)?;
                bucket.aggs.push(result);
            }
        } else {
            run_on_buckets(plan, pipeline, partial)?;
        }
    }
    Ok(())
}

/// Computes what is declared at the top of the request.
pub fn run_at_top(plan: &[Aggregation], level: &mut Vec<Partial>) -> Result<()> {
    for pipeline in pipelines(plan) {
        let result = siblings::compute(pipeline, plan, level)?;
        level.push(result);
    }
    Ok(())
}

fn pipelines(plan: &[Aggregation]) -> impl Iterator<Item = &Pipeline> {
    plan.iter().filter_map(|aggregation| match &aggregation.kind {
        Kind::Pipeline(pipeline) => Some(pipeline),
        _ => None,
    })
}

fn run_on_buckets(plan: &Aggregation, pipeline: &Pipeline, partial: &mut Partial) -> Result<()> {
    let results = match pipeline {
        Pipeline::Derivative(of) => series::derivative(of, plan, partial)?,
        Pipeline::CumulativeSum(of) => series::cumulative_sum(of, plan, partial)?,
        Pipeline::CumulativeCardinality(of) => series::cumulative_cardinality(of, plan, partial)?,
        Pipeline::SerialDiff(of) => series::serial_diff(of, plan, partial)?,
        Pipeline::MovingFn(of) => moving::moving_fn(of, plan, partial)?,
        Pipeline::MovingPercentiles(of) => moving_percentiles::moving_percentiles(of, plan, partial)?,
        Pipeline::Normalize(of) => normalize::normalize(of, plan, partial)?,
        Pipeline::BucketScript(of) => bucket_script::computed(of, plan, partial)?,
        Pipeline::BucketSelector(of) => {
            let places = bucket_script::selected(of, plan, partial)?;
            pick("bucket_selector", partial, &places)?
        }
        Pipeline::BucketSort(of) => {
            let places = bucket_sort::places(of, plan, partial)?;
            pick("bucket_sort", partial, &places)?
        }
        _ => Vec::new(),
    };
    for (bucket, result) in partial.buckets_mut().into_iter().zip(results) {
        bucket.aggs.push(result);
    }
    Ok(())
}

/// Leaves only some of the buckets, in which the pipeline has no result.
fn pick(pipeline: &str, partial: &mut Partial, places: &[usize]) -> Result<Vec<Partial>> {
    let count = partial.buckets().len();
    let stays = places.len() == count && places.iter().copied().eq(0..count);
    if !stays && !partial.pick(places) {
        return Err(Error::illegal_argument(format!(
            "[{pipeline}] cannot take buckets from an aggregation whose buckets the request lists"
        )));
    }
    Ok(vec![Partial::Absent; partial.buckets().len()])
}
