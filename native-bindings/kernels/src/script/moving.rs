//! `MovingFunctions`: what `moving_fn` aggregations compute over a window of values.

use super::fault::{Fault, Res};
use super::heap::Value;
use super::object::{Element, ListKind};
use super::run::Machine;

pub fn call(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    let [values, rest @ ..] = arguments else { return Ok(None) };
    let numbers = machine.items_of(*values)?;
    machine.work(numbers.len() / 4)?;
    let numbers = numbers.into_iter().map(|value| machine.double_of(value)).collect::<Res<Vec<f64>>>()?;
    if name == "holtWinters" {
        return holt_winters(machine, &numbers, rest);
    }
    let parameters = rest.iter().map(|value| machine.double_of(*value)).collect::<Res<Vec<f64>>>()?;
    Ok(compute(name, &numbers, &parameters).map(Value::Double))
}

fn present(numbers: &[f64]) -> impl Iterator<Item = f64> + '_ {
    numbers.iter().copied().filter(|number| !number.is_nan())
}

fn compute(name: &str, numbers: &[f64], parameters: &[f64]) -> Option<f64> {
    let count = present(numbers).count();
    let or_nan = |number: f64| if count == 0 { f64::NAN } else { number };
    Some(match (name, parameters) {
        ("max", []) => or_nan(present(numbers).fold(f64::NEG_INFINITY, f64::max)),
        ("min", []) => or_nan(present(numbers).fold(f64::INFINITY, f64::min)),
        ("sum", []) => present(numbers).sum(),
        ("unweightedAvg", []) => or_nan(present(numbers).sum::<f64>() / count as f64),
        ("stdDev", [mean]) => {
            let squares: f64 = present(numbers).map(|number| (number - mean).powi(2)).sum();
            or_nan((squares / count as f64).sqrt())
        }
        ("linearWeightedAvg", []) => {
            let weighted = present(numbers).enumerate().map(|(place, number)| (place + 1) as f64 * number);
            let weights: usize = (1..=count).sum();
            or_nan(weighted.sum::<f64>() / weights as f64)
        }
        ("ewma", [alpha]) => {
            let mut all = present(numbers);
            let first = all.next();
            first.map_or(f64::NAN, |first| all.fold(first, |average, number| number * alpha + average * (1.0 - alpha)))
        }
        ("holt", [alpha, beta]) => holt(numbers, *alpha, *beta),
        _ => return None,
    })
}

fn holt(numbers: &[f64], alpha: f64, beta: f64) -> f64 {
    let mut all = present(numbers);
    let Some(mut level) = all.next() else { return f64::NAN };
    let mut trend = 0.0;
    for number in all {
        let next = alpha * number + (1.0 - alpha) * (level + trend);
        trend = beta * (next - level) + (1.0 - beta) * trend;
        level = next;
    }
    level
}

fn holt_winters(machine: &mut Machine<'_>, numbers: &[f64], arguments: &[Value]) -> Res<Option<Value>> {
    let [alpha, beta, gamma, period, multiplicative] = arguments else { return Ok(None) };
    let (alpha, beta, gamma) = (machine.double_of(*alpha)?, machine.double_of(*beta)?, machine.double_of(*gamma)?);
    let period = usize::try_from(machine.int_of(*period)?).unwrap_or(0);
    let multiplicative = matches!(multiplicative, Value::Bool(true));
    if period == 0 || numbers.len() < period * 2 {
        return Err(Fault::illegal(format!(
            "Holt-Winters aggregation requires at least (2 * period == 2 * {period} == {}) data-points to function.  Only [{}] were provided.",
            period * 2,
            numbers.len()
        )));
    }
    // Zeros would divide by zero.
    let padding = if multiplicative { 0.000_000_000_1 } else { 0.0 };
    let values: Vec<f64> = present(numbers).map(|number| number + padding).collect();
    if values.is_empty() {
        return Ok(Some(Value::Double(f64::NAN)));
    }
    let periods = period as f64;
    let mut level = values.iter().take(period).sum::<f64>() / periods;
    let mut trend = (0..period).map(|place| (values[place + period] - values[place]) / periods).sum::<f64>() / periods;
    let mut seasonal = vec![0.0; values.len()];
    for place in 0..period {
        seasonal[place] = match multiplicative {
            true if level == 0.0 => 0.0,
            true => values[place] / level,
            false => values[place] - level,
        };
    }
    for place in period..values.len() {
        let (last_level, last_trend, season) = (level, trend, seasonal[place - period]);
        let without = if multiplicative { values[place] / season } else { values[place] - season };
        level = alpha * without + (1.0 - alpha) * (last_level + last_trend);
        trend = beta * (level - last_level) + (1.0 - beta) * last_trend;
        let ratio = if multiplicative {
            values[place] / (last_level + last_trend)
        } else {
            values[place] - last_level - last_trend
        };
        seasonal[place] = gamma * ratio + (1.0 - gamma) * season;
    }
    // One step ahead.
    let season = seasonal[(values.len()).saturating_sub(period).max(period).min(values.len() - 1)];
    let forecast = if multiplicative { (level + trend) * season } else { level + trend + season };
    Ok(Some(Value::Double(forecast)))
}

/// The window that a `moving_fn` script gets.
pub fn window(heap: &mut super::heap::Heap, numbers: &[f64]) -> Res<Value> {
    let items = numbers.iter().map(|&number| Value::Double(number)).collect();
    heap.list_of(ListKind::Array(Element::Double), items)
}
