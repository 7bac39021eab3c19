//! `moving_fn`: a script over a window of values that slides along the buckets.

use super::input::{number, values};
use crate::partial::Partial;
use crate::plan::{Aggregation, MovingFn};
use quarry_base::error::Result;
use quarry_script::{Nothing, context};

/// Place of `values` among the variables of the context.
const VALUES: usize = 1;

pub fn moving_fn(of: &MovingFn, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let by_bucket = values(&of.input, plan, partial)?;
    let known: Vec<f64> = by_bucket.iter().flatten().copied().filter(|value| !value.is_nan()).collect();
    let mut script = of.script.instance(context("moving-function")?)?;
    let mut nth = 0i64;
    let mut results = Vec::with_capacity(by_bucket.len());
    for value in by_bucket {
        if value.is_none_or(f64::is_nan) {
            results.push(Partial::Absent);
            continue;
        }
        let clamp = |place: i64| place.clamp(0, known.len() as i64) as usize;
        let (from, to) = (clamp(nth - i64::from(of.window) + i64::from(of.shift)), clamp(nth + i64::from(of.shift)));
        let window = script.import_doubles(&known[from..to.max(from)])?;
        script.set(VALUES, window);
        results.push(number(script.run_double(&mut Nothing)?, of.input.format.as_ref()));
        script.forget();
        nth += 1;
    }
    Ok(results)
}
