//! Moments of several fields together.
//!
//! Kept in one pass and merged after Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and Arbitrary-Order
//! Statistical Moments" (2008).

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MatrixStats {
    pub count: u64,
    /// By field.
    moments: Vec<Moments>,
    /// Sums of products of deviations, of field pairs `(left, right)` with `left < right`, row by row.
    products: Vec<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
struct Moments {
    mean: f64,
    /// Sums of the second to fourth powers of deviations.
    second: f64,
    third: f64,
    fourth: f64,
}

/// What the response shows of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FieldMoments {
    pub mean: f64,
    pub variance: f64,
    pub skewness: f64,
    pub kurtosis: f64,
}

impl MatrixStats {
    pub fn new(fields: usize) -> Self {
        MatrixStats { count: 0, moments: vec![Moments::default(); fields], products: vec![0.0; pairs_of(fields)] }
    }

    /// What those of so many fields take.
    pub fn bytes(fields: usize) -> usize {
        size_of::<Self>() + fields * size_of::<Moments>() + pairs_of(fields) * size_of::<f64>()
    }

    /// One value for each field.
    pub fn add(&mut self, values: &[f64]) {
        self.count += 1;
        if self.count == 1 {
            self.moments.iter_mut().zip(values).for_each(|(into, &mean)| into.mean = mean);
            return;
        }
        let (mine, all) = (self.count as f64 - 1.0, self.count as f64);
        let mut products = self.products.iter_mut();
        for (left, (of, value)) in self.moments.iter().zip(values).enumerate() {
            let delta = value - of.mean;
            let others = self.moments.iter().zip(values).skip(left + 1);
            // In this order: whoever runs out first takes nothing of the other.
            for ((other, value), product) in others.zip(products.by_ref()) {
                *product += delta * (value - other.mean) * mine / all;
            }
        }
        for (into, &mean) in self.moments.iter_mut().zip(values) {
            let delta = mean - into.mean;
            into.merge(&Moments { mean, ..Moments::default() }, delta, mine, 1.0);
        }
    }

    pub fn merge(&mut self, other: &MatrixStats) {
        if other.count == 0 {
            return;
        }
        if self.count == 0 {
            self.clone_from(other);
            return;
        }
        let (mine, theirs) = (self.count as f64, other.count as f64);
        let all = mine + theirs;
        let deltas: Vec<f64> =
            self.moments.iter().zip(&other.moments).map(|(mine, theirs)| theirs.mean - mine.mean).collect();
        let mut pair = 0;
        for left in 0..deltas.len() {
            for right in left + 1..deltas.len() {
                self.products[pair] += other.products[pair] + deltas[left] * deltas[right] * mine * theirs / all;
                pair += 1;
            }
        }
        for ((into, from), delta) in self.moments.iter_mut().zip(&other.moments).zip(deltas) {
            into.merge(from, delta, mine, theirs);
        }
        self.count += other.count;
    }

    pub fn field(&self, field: usize) -> FieldMoments {
        let count = self.count as f64;
        let of = self.moments[field];
        let variance = of.second / (count - 1.0);
        FieldMoments {
            mean: of.mean,
            variance,
            skewness: count.sqrt() * of.third / of.second.powf(1.5),
            kurtosis: count * of.fourth / (of.second * of.second),
        }
    }

    pub fn covariance(&self, a: usize, b: usize) -> f64 {
        if a == b {
            return self.field(a).variance;
        }
        let (left, right) = (a.min(b), a.max(b));
        let fields = self.moments.len();
        let row = left * (2 * fields - left - 1) / 2;
        self.products[row + right - left - 1] / (self.count as f64 - 1.0)
    }

    pub fn correlation(&self, a: usize, b: usize) -> f64 {
        if a == b {
            return 1.0;
        }
        self.covariance(a, b) / (self.field(a).variance.sqrt() * self.field(b).variance.sqrt())
    }
}

fn pairs_of(fields: usize) -> usize {
    fields * fields.saturating_sub(1) / 2
}

impl Moments {
    fn merge(&mut self, other: &Moments, delta: f64, mine: f64, theirs: f64) {
        let all = mine + theirs;
        let step = delta / all;
        self.fourth += other.fourth
            + delta * step.powi(3) * mine * theirs * (mine * mine - mine * theirs + theirs * theirs)
            + 6.0 * step * step * (mine * mine * other.second + theirs * theirs * self.second)
            + 4.0 * step * (mine * other.third - theirs * self.third);
        self.third += other.third
            + delta * step * step * mine * theirs * (mine - theirs)
            + 3.0 * step * (mine * other.second - theirs * self.second);
        self.second += other.second + delta * step * mine * theirs;
        self.mean += step * theirs;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    #[test]
    fn moments_are_those_of_two_passes_however_they_are_merged() {
        for seed in 0..20 {
            let mut dice = Dice::new(seed);
            let rows: Vec<Vec<f64>> = (0..3 + dice.below(60))
                .map(|_| (0..3).map(|_| dice.below(1_000) as f64 / 7.0 - 50.0).collect())
                .collect();
            let mut all = MatrixStats::new(3);
            for part in rows.chunks(1 + dice.below(9) as usize) {
                let mut stats = MatrixStats::new(3);
                part.iter().for_each(|row| stats.add(row));
                all.merge(&stats);
            }
            let n = rows.len() as f64;
            let mean = |field: usize| rows.iter().map(|row| row[field]).sum::<f64>() / n;
            let power =
                |field: usize, exponent| rows.iter().map(|row| (row[field] - mean(field)).powi(exponent)).sum::<f64>();
            let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()));
            for field in 0..3 {
                let found = all.field(field);
                close(found.mean, mean(field));
                close(found.variance, power(field, 2) / (n - 1.0));
                close(found.skewness, n.sqrt() * power(field, 3) / power(field, 2).powf(1.5));
                close(found.kurtosis, n * power(field, 4) / power(field, 2).powi(2));
                for other in 0..3 {
                    let products = rows.iter().map(|row| (row[field] - mean(field)) * (row[other] - mean(other)));
                    let covariance = products.sum::<f64>() / (n - 1.0);
                    close(all.covariance(field, other), covariance);
                    let scale = (found.variance * all.field(other).variance).sqrt();
                    close(all.correlation(field, other), covariance / scale);
                }
            }
        }
    }

    #[test]
    fn a_row_that_is_added_counts_as_one_that_is_merged() {
        for seed in 0..20 {
            let mut dice = Dice::new(seed);
            let (mut added, mut merged) = (MatrixStats::new(4), MatrixStats::new(4));
            for row in 0..40 {
                let scale = if seed == 0 { 1e160 } else { 1.0 };
                let values: Vec<f64> = (0..4).map(|_| dice.below(1_000) as f64 * scale / 7.0).collect();
                let moments = values.iter().map(|&mean| Moments { mean, ..Moments::default() }).collect();
                added.add(&values);
                merged.merge(&MatrixStats { count: 1, moments, products: vec![0.0; pairs_of(4)] });
                assert_eq!(format!("{added:?}"), format!("{merged:?}"), "seed {seed}, row {row}");
            }
        }
    }
}
