//! Count, sum, extremes and squares of numbers, and averages with weights, by sums that keep what rounding loses.

use serde::{Deserialize, Serialize};

/// Count, sum, extremes and sum of squares; sums are compensated, as the reference's are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    pub count: u64,
    pub min: f64,
    pub max: f64,
    pub sum: Compensated,
    pub squares: Compensated,
}

impl Default for Stats {
    fn default() -> Self {
        Stats {
            count: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            sum: Compensated::default(),
            squares: Compensated::default(),
        }
    }
}

impl Stats {
    #[inline]
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum.add(value);
        self.squares.add(value * value);
    }

    /// Adds many values at once, without their squares: how many, least and greatest, their sum.
    pub fn add_all(&mut self, count: u64, (min, max): (f64, f64), sum: f64) {
        self.count += count;
        self.min = self.min.min(min);
        self.max = self.max.max(max);
        self.sum.add(sum);
    }

    /// NaN without values.
    pub fn average(&self) -> f64 {
        self.sum.value() / self.count as f64
    }

    /// Of the population; NaN without values.
    pub fn variance(&self) -> f64 {
        let count = self.count as f64;
        let variance = (self.squares.value() - self.sum.value() * self.sum.value() / count) / count;
        // Rounding can leave a tiny negative number where all values are equal.
        if variance < 0.0 { 0.0 } else { variance }
    }

    /// Of the sample; `None` for less than two values.
    pub fn sampling_variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.variance() * self.count as f64 / (self.count - 1) as f64)
    }

    pub fn merge(&mut self, other: &Stats) {
        self.count += other.count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.sum.merge(other.sum);
        self.squares.merge(other.squares);
    }
}

/// A sum that carries the error of its roundings along: Knuth's exact addition of two numbers, in the cascade of Ogita, Rump and Oishi,
/// "Accurate sum and dot product" (2005), Sum2. With twice the digits of a double it is the same in whichever order its numbers come, but where these
/// cancel each other all but completely.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Compensated {
    value: f64,
    /// What `value` has too much.
    error: f64,
}

impl Compensated {
    #[inline]
    pub fn add(&mut self, value: f64) {
        let sum = self.value + value;
        if sum.is_finite() {
            let added = sum - self.value;
            self.error -= (self.value - (sum - added)) + (value - added);
        }
        self.value = sum;
    }

    /// A whole number, which may have more digits than a double.
    pub fn add_whole(&mut self, value: i64) {
        let low = value & 0xFFFF_FFFF;
        self.add((value - low) as f64);
        self.add(low as f64);
    }

    pub fn merge(&mut self, other: Compensated) {
        self.add(other.value);
        self.error += other.error;
    }

    pub fn value(self) -> f64 {
        if self.value.is_finite() { self.value - self.error } else { self.value }
    }
}

/// Of values times weights, and of weights.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WeightedAverage {
    sum: Compensated,
    weight: Compensated,
}

impl WeightedAverage {
    #[inline]
    pub fn add(&mut self, value: f64, weight: f64) {
        self.sum.add(value * weight);
        self.weight.add(weight);
    }

    pub fn merge(&mut self, other: &WeightedAverage) {
        self.sum.merge(other.sum);
        self.weight.merge(other.weight);
    }

    /// `None` where nothing weighs anything.
    pub fn value(&self) -> Option<f64> {
        (self.weight.value() != 0.0).then(|| self.sum.value() / self.weight.value())
    }
}
