//! `MovingFunctions`: what `moving_fn` aggregations compute over a window of values.

use crate::fault::{Fault, Res};
use crate::heap::object::{Element, ListKind};
use crate::heap::{Heap, Value};
use crate::run::Machine;

pub fn call(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let [values, rest @ ..] = arguments else { return Ok(None) };
    let numbers = machine.items_of(*values)?;
    machine.work(numbers.len() / 4)?;
    let numbers = numbers.into_iter().map(|value| machine.double_of(value)).collect::<Res<Vec<f64>>>()?;
    let present: Vec<f64> = numbers.into_iter().filter(|number| !number.is_nan()).collect();
    if name == "holtWinters" {
        return holt_winters(machine, &present, rest);
    }
    let parameters = rest.iter().map(|value| machine.double_of(*value)).collect::<Res<Vec<f64>>>()?;
    Ok(apply(name, &present, &parameters).map(Value::Double))
}

/// What the function of this name gives for a window without gaps: NaN where it has no answer, `None` where there is no such function.
fn apply(name: &str, window: &[f64], parameters: &[f64]) -> Option<f64> {
    Some(match (name, parameters) {
        ("max", []) => window.iter().copied().reduce(f64::max).unwrap_or(f64::NAN),
        ("min", []) => window.iter().copied().reduce(f64::min).unwrap_or(f64::NAN),
        ("sum", []) => window.iter().sum(),
        ("stdDev", [mean]) => deviation(window, *mean),
        ("unweightedAvg", []) => average(window),
        ("linearWeightedAvg", []) => linear(window),
        ("ewma", [alpha]) => {
            window.iter().copied().reduce(|average, value| value * alpha + average * (1.0 - alpha)).unwrap_or(f64::NAN)
        }
        ("holt", [alpha, beta]) => holt(window, *alpha, *beta),
        _ => return None,
    })
}

fn holt_winters(machine: &mut Machine<'_>, window: &[f64], arguments: &[Value]) -> Res<Option<Value>> {
    let [alpha, beta, gamma, period, multiplicative] = arguments else { return Ok(None) };
    let winters = HoltWinters {
        alpha: machine.double_of(*alpha)?,
        beta: machine.double_of(*beta)?,
        gamma: machine.double_of(*gamma)?,
        period: usize::try_from(machine.int_of(*period)?).unwrap_or(0),
        multiplicative: matches!(multiplicative, Value::Bool(true)),
    };
    winters.forecast(window).map(|forecast| Some(Value::Double(forecast)))
}

fn average(window: &[f64]) -> f64 {
    // NaN without values.
    window.iter().sum::<f64>() / window.len() as f64
}

/// Around a mean that the script gives.
fn deviation(window: &[f64], mean: f64) -> f64 {
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
    /// The value after the window; NaN for an empty one. An exception for less than two seasons.
    fn forecast(&self, window: &[f64]) -> Res<f64> {
        if window.is_empty() {
            return Ok(f64::NAN);
        }
        let period = self.period.max(1);
        if window.len() < period * 2 {
            return Err(Fault::illegal(format!(
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

/// The window that a `moving_fn` script gets.
pub fn window(heap: &mut Heap, numbers: &[f64]) -> Res<Value> {
    let items = numbers.iter().map(|&number| Value::Double(number)).collect();
    heap.list_of(ListKind::Array(Element::Double), items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_window() {
        let window = [1.0, 2.0, 6.0];
        let of = |name, parameters: &[f64]| apply(name, &window, parameters).unwrap();
        assert_eq!(of("max", &[]), 6.0);
        assert_eq!(of("min", &[]), 1.0);
        assert_eq!(of("sum", &[]), 9.0);
        assert_eq!(of("unweightedAvg", &[]), 3.0);
        assert_eq!(of("linearWeightedAvg", &[]), 23.0 / 7.0);
        assert_eq!(of("ewma", &[0.5]), 3.75);
        assert!((of("stdDev", &[3.0]) - (14.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(of("holt", &[1.0, 0.0]), 6.0);
        for name in ["max", "unweightedAvg", "linearWeightedAvg"] {
            assert!(apply(name, &[], &[]).unwrap().is_nan());
        }
        assert_eq!(apply("sum", &[], &[]), Some(0.0));
        assert_eq!(apply("median", &[], &[]), None);
    }

    #[test]
    fn seasons_need_two_of_them() {
        let winters = |period| HoltWinters { alpha: 0.5, beta: 0.5, gamma: 0.5, period, multiplicative: true };
        let error = winters(3).forecast(&[1.0; 5]).unwrap_err().into_cause();
        assert!(error.reason.contains("Only [5] were provided."));
        assert!((winters(2).forecast(&[4.0; 6]).unwrap() - 4.0).abs() < 1e-6);
    }
}
