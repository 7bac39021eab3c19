//! `moving_fn`: a function over a window of values that slides along the buckets.

use super::input::{number, values};
use crate::aggs::partial::Partial;
use crate::aggs::plan::{Aggregation, MovingFn, MovingFunction};
use crate::error::{Error, Result};

pub fn moving_fn(of: &MovingFn, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let by_bucket = values(&of.input, plan, partial)?;
    let known: Vec<f64> = by_bucket.iter().flatten().copied().filter(|value| !value.is_nan()).collect();
    let mut nth = 0i64;
    let mut results = Vec::with_capacity(by_bucket.len());
    for value in by_bucket {
        if value.is_none_or(f64::is_nan) {
            results.push(Partial::Absent);
            continue;
        }
        let clamp = |place: i64| place.clamp(0, known.len() as i64) as usize;
        let (from, to) = (clamp(nth - i64::from(of.window) + i64::from(of.shift)), clamp(nth + i64::from(of.shift)));
        results.push(number(apply(of.function, &known[from..to.max(from)])?, of.input.format.as_ref()));
        nth += 1;
    }
    Ok(results)
}

/// What the API's function of this name gives for a window without gaps; NaN where it has no answer.
fn apply(function: MovingFunction, window: &[f64]) -> Result<f64> {
    Ok(match function {
        MovingFunction::Max => window.iter().copied().reduce(f64::max).unwrap_or(f64::NAN),
        MovingFunction::Min => window.iter().copied().reduce(f64::min).unwrap_or(f64::NAN),
        MovingFunction::Sum => window.iter().sum(),
        MovingFunction::StdDev => deviation(window),
        MovingFunction::UnweightedAvg => average(window),
        MovingFunction::LinearWeightedAvg => linear(window),
        MovingFunction::Ewma { alpha } => {
            window.iter().copied().reduce(|average, value| value * alpha + average * (1.0 - alpha)).unwrap_or(f64::NAN)
        }
        MovingFunction::Holt { alpha, beta } => holt(window, alpha, beta),
        MovingFunction::HoltWinters { alpha, beta, gamma, period, multiplicative } => {
            HoltWinters { alpha, beta, gamma, period: period as usize, multiplicative }.forecast(window)?
        }
    })
}

fn average(window: &[f64]) -> f64 {
    // NaN without values.
    window.iter().sum::<f64>() / window.len() as f64
}

fn deviation(window: &[f64]) -> f64 {
    let mean = average(window);
    (window.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / window.len() as f64).sqrt()
}

/// The weight of all begins at one, as the API's does.
fn linear(window: &[f64]) -> f64 {
    if window.is_empty() {
        return f64::NAN;
    }
    let weighted: f64 = window.iter().zip(1u32..).map(|(value, weight)| value * f64::from(weight)).sum();
    let weight: u64 = 1 + (1..=window.len() as u64).sum::<u64>();
    weighted / weight as f64
}

/// Level and trend (Holt 1957): the smoothed level of the last value.
fn holt(window: &[f64], alpha: f64, beta: f64) -> f64 {
    let mut values = window.iter();
    let Some(&first) = values.next() else { return f64::NAN };
    let (mut level, mut trend) = (first, 0.0);
    for value in values {
        let before = level;
        level = alpha * value + (1.0 - alpha) * (before + trend);
        trend = beta * (level - before) + (1.0 - beta) * trend;
    }
    level
}

/// Level, trend and season (Winters 1960).
struct HoltWinters {
    alpha: f64,
    beta: f64,
    gamma: f64,
    period: usize,
    multiplicative: bool,
}

/// Keeps multiplicative seasons away from division by zero.
const MULTIPLICATIVE_PADDING: f64 = 1e-10;

impl HoltWinters {
    /// The value after the window; NaN for an empty one. `IllegalArgument` for less than two seasons.
    fn forecast(&self, window: &[f64]) -> Result<f64> {
        if window.is_empty() {
            return Ok(f64::NAN);
        }
        let period = self.period.max(1);
        if window.len() < period * 2 {
            return Err(Error::illegal_argument(format!(
                "Holt-Winters aggregation requires at least (2 * period == 2 * {period} == {}) data-points to function.  \
                 Only [{}] were provided.",
                2 * period,
                window.len()
            )));
        }
        let padding = if self.multiplicative { MULTIPLICATIVE_PADDING } else { 0.0 };
        let values: Vec<f64> = window.iter().map(|value| value + padding).collect();
        let length = period as f64;
        let mut level = values[..period].iter().sum::<f64>() / length;
        let mut trend = (0..period).map(|at| (values[at + period] - values[at]) / length).sum::<f64>() / length;
        let mut seasonal = vec![0.0; values.len()];
        if level != 0.0 {
            (0..period).for_each(|at| seasonal[at] = values[at] / level);
        }
        for at in period..values.len() {
            let (before, trend_before, season) = (level, trend, seasonal[at - period]);
            let of_level = if self.multiplicative { values[at] / season } else { values[at] - season };
            level = self.alpha * of_level + (1.0 - self.alpha) * (before + trend_before);
            trend = self.beta * (level - before) + (1.0 - self.beta) * trend_before;
            let of_season = if self.multiplicative {
                values[at] / (before + trend_before)
            } else {
                // The sign of the trend is the API's.
                values[at] - (before - trend_before)
            };
            seasonal[at] = self.gamma * of_season + (1.0 - self.gamma) * season;
        }
        let season = seasonal[values.len() - period];
        Ok(if self.multiplicative { (level + trend) * season } else { level + trend + season })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_window() {
        let window = [1.0, 2.0, 6.0];
        let of = |function| apply(function, &window).unwrap();
        assert_eq!(of(MovingFunction::Max), 6.0);
        assert_eq!(of(MovingFunction::Min), 1.0);
        assert_eq!(of(MovingFunction::Sum), 9.0);
        assert_eq!(of(MovingFunction::UnweightedAvg), 3.0);
        assert_eq!(of(MovingFunction::LinearWeightedAvg), 23.0 / 7.0);
        assert_eq!(of(MovingFunction::Ewma { alpha: 0.5 }), 3.75);
        assert!((of(MovingFunction::StdDev) - (14.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(of(MovingFunction::Holt { alpha: 1.0, beta: 0.0 }), 6.0);
        for function in [MovingFunction::Max, MovingFunction::UnweightedAvg, MovingFunction::LinearWeightedAvg] {
            assert!(apply(function, &[]).unwrap().is_nan());
        }
        assert_eq!(apply(MovingFunction::Sum, &[]).unwrap(), 0.0);
    }

    #[test]
    fn seasons_need_two_of_them() {
        let function =
            |period| MovingFunction::HoltWinters { alpha: 0.5, beta: 0.5, gamma: 0.5, period, multiplicative: true };
        assert!(apply(function(3), &[1.0; 5]).unwrap_err().reason.contains("Only [5] were provided."));
        assert!((apply(function(2), &[4.0; 6]).unwrap() - 4.0).abs() < 1e-6);
    }
}
