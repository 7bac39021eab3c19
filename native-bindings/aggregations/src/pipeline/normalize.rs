//! `normalize`: the values of all buckets on one scale.

use super::input::{number, values};
use crate::partial::Partial;
use crate::plan::{Aggregation, Normalize, NormalizeMethod};
use quarry_base::error::Result;

pub fn normalize(of: &Normalize, plan: &Aggregation, partial: &Partial) -> Result<Vec<Partial>> {
    let values: Vec<f64> =
        values(&of.input, plan, partial)?.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
    let scaled = scale(of.method, &values);
    Ok(scaled.into_iter().map(|value| number(value, of.input.format.as_ref())).collect())
}

/// NaN stands for buckets without a value, before and after.
fn scale(method: NormalizeMethod, values: &[f64]) -> Vec<f64> {
    let known = || values.iter().copied().filter(|value| !value.is_nan());
    let count = known().count() as f64;
    let sum: f64 = known().sum();
    let mean = sum / count;
    let (min, max) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let deviation = (known().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt();
    let exponentials: f64 = known().map(f64::exp).sum();
    let one = |value: f64| match method {
        NormalizeMethod::RescaleToOne => (value - min) / (max - min),
        NormalizeMethod::RescaleToHundred => 100.0 * (value - min) / (max - min),
        NormalizeMethod::PercentOfSum => value / sum,
        NormalizeMethod::Mean => (value - mean) / (max - min),
        NormalizeMethod::ZScore => (value - mean) / deviation,
        NormalizeMethod::Softmax => value.exp() / exponentials,
    };
    values.iter().map(|&value| one(value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales() {
        let values = [5.0, 1.0, f64::NAN, 3.0];
        let scaled = |method| scale(method, &values);
        assert_eq!(scaled(NormalizeMethod::RescaleToOne)[..2], [1.0, 0.0]);
        assert_eq!(scaled(NormalizeMethod::RescaleToHundred)[3], 50.0);
        assert_eq!(scaled(NormalizeMethod::PercentOfSum)[1], 1.0 / 9.0);
        assert_eq!(scaled(NormalizeMethod::Mean)[0], 0.5);
        assert_eq!(scaled(NormalizeMethod::ZScore)[3], 0.0);
        assert!(scaled(NormalizeMethod::Softmax)[2].is_nan());
        let softmax: f64 = scaled(NormalizeMethod::Softmax).iter().filter(|value| !value.is_nan()).sum();
        assert!((softmax - 1.0).abs() < 1e-12);
    }
}
