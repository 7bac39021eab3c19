//! Student's t-test: how likely two samples are to have one mean.

use super::stats::Stats;
use crate::plan::TTestKind;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum TTest {
    /// Of the differences of pairs.
    Paired(Stats),
    Unpaired {
        a: Stats,
        b: Stats,
    },
}

impl TTest {
    /// Of no documents.
    pub fn empty(kind: TTestKind) -> Self {
        match kind {
            TTestKind::Paired => TTest::Paired(Stats::default()),
            _ => TTest::Unpaired { a: Stats::default(), b: Stats::default() },
        }
    }

    pub fn merge(&mut self, other: &TTest) {
        match (self, other) {
            (TTest::Paired(mine), TTest::Paired(theirs)) => mine.merge(theirs),
            (TTest::Unpaired { a, b }, TTest::Unpaired { a: their_a, b: their_b }) => {
                a.merge(their_a);
                b.merge(their_b);
            }
            _ => {}
        }
    }

    /// The probability of a difference as large as that of the samples; NaN for samples that are too small. `tails` is 1 or 2;
    /// `equal_variances` matters to unpaired samples.
    pub fn probability(&self, tails: u32, equal_variances: bool) -> f64 {
        let (statistic, degrees) = match self {
            TTest::Paired(differences) if differences.count < 2 => return f64::NAN,
            TTest::Paired(differences) => {
                let count = differences.count as f64;
                let variance = differences.sampling_variance().unwrap_or(f64::NAN);
                (differences.average() / (variance / count).sqrt(), count - 1.0)
            }
            TTest::Unpaired { a, b } if a.count < 2 || b.count < 2 => return f64::NAN,
            TTest::Unpaired { a, b } => unpaired(a, b, equal_variances),
        };
        tail(statistic.abs(), degrees) * f64::from(tails)
    }
}

/// The statistic and its degrees of freedom (Welch's where variances differ).
fn unpaired(a: &Stats, b: &Stats, equal_variances: bool) -> (f64, f64) {
    let (count_a, count_b) = (a.count as f64, b.count as f64);
    let variance = |stats: &Stats| stats.sampling_variance().unwrap_or(f64::NAN);
    let difference = a.average() - b.average();
    if equal_variances {
        let degrees = count_a + count_b - 2.0;
        let pooled = ((count_a - 1.0) * variance(a) + (count_b - 1.0) * variance(b)) / degrees;
        return (difference / (pooled * (1.0 / count_a + 1.0 / count_b)).sqrt(), degrees);
    }
    let (error_a, error_b) = (variance(a) / count_a, variance(b) / count_b);
    let sum = error_a + error_b;
    let degrees = sum * sum / (error_a * error_a / (count_a - 1.0) + error_b * error_b / (count_b - 1.0));
    (difference / sum.sqrt(), degrees)
}

/// The probability that Student's distribution exceeds `statistic`, which is not negative.
fn tail(statistic: f64, degrees: f64) -> f64 {
    if statistic.is_nan() || degrees.is_nan() {
        return f64::NAN;
    }
    0.5 * incomplete_beta(degrees / (degrees + statistic * statistic), degrees / 2.0, 0.5)
}

/// Terms of the continued fraction; it has converged long before.
const TERMS_MAX: u32 = 500;
const TINY: f64 = 1e-300;

/// The regularised incomplete beta function, by the continued fraction of Abramowitz and Stegun 26.5.8 (Lentz's method).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges quickly on one side of the mean only.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = (log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp() / a;
    let guard = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut c, mut d) = (1.0, 1.0 / guard(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for term in 1..TERMS_MAX {
        let m = f64::from(term);
        for numerator in [
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ] {
            d = 1.0 / guard(1.0 + numerator * d);
            c = guard(1.0 + numerator / c);
            fraction *= c * d;
        }
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    front * fraction
}

/// Lanczos' approximation (g = 7, nine terms), for positive arguments.
fn log_gamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    let x = x - 1.0;
    let base = x + 7.5;
    let sum = TERMS[1..].iter().zip(1u32..).fold(TERMS[0], |sum, (term, at)| sum + term / (x + f64::from(at)));
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * base.ln() - base + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(values: &[f64]) -> Stats {
        let mut stats = Stats::default();
        values.iter().for_each(|&value| stats.add(value));
        stats
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn tails_are_those_of_tables() {
        close(tail(0.0, 5.0), 0.5);
        close(tail(1.0, 1.0), 0.25);
        close(tail(2.0, 2.0), 0.091_751_709_536_136_98);
        assert!((tail(2.228_138_851_964_939, 10.0) - 0.025).abs() < 1e-9);
        assert!((tail(1.645, 1e7) - 0.049_984_9).abs() < 1e-6);
    }

    #[test]
    fn samples() {
        let (a, b) = ([99.0, 99.0, 111.0, 97.0, 101.0, 99.0], [90.0, 90.0, 95.0, 90.0, 98.0, 91.0]);
        let pairs: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        let unpaired = TTest::Unpaired { a: stats(&a), b: stats(&b) };
        assert!((unpaired.probability(2, true) - 0.005_85).abs() < 2e-4);
        assert!(unpaired.probability(2, false) > unpaired.probability(2, true));
        close(unpaired.probability(1, true) * 2.0, unpaired.probability(2, true));
        assert!(TTest::Paired(stats(&pairs)).probability(2, true) < 0.02);
        assert!(TTest::Paired(stats(&[1.0])).probability(2, true).is_nan());
    }
}
