//! Quantiles with a fixed number of significant digits: counts in buckets whose width grows with the value.
//!
//! The buckets are those of Gil Tene's HdrHistogram for doubles of any range: every power of two is cut into as many parts as the digits
//! need, and a bucket stands for its highest value, which is its end less the width of the buckets of the smallest value.

use quarry_base::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hdr {
    /// Parts of each power of two.
    parts: u32,
    zeros: u64,
    count: u64,
    /// By exponent and part.
    buckets: BTreeMap<(i32, u32), u64>,
}

impl Hdr {
    /// `digits`: 0 to 5.
    pub fn new(digits: u32) -> Self {
        let distinct = 2 * 10u64.pow(digits.min(5));
        Hdr { parts: (distinct.next_power_of_two() / 2) as u32, zeros: 0, count: 0, buckets: BTreeMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// `IllegalArgument` for negative numbers and those that are none.
    pub fn add(&mut self, value: f64) -> Result<()> {
        self.add_counted(value, 1)
    }

    /// As if the value were added so often.
    pub fn add_counted(&mut self, value: f64, count: u64) -> Result<()> {
        if !(value >= 0.0 && value.is_finite()) {
            let reason = format!("[{value}] cannot be recorded by an HDR histogram: values must not be negative");
            return Err(Error::illegal_argument(reason));
        }
        self.count = self.count.saturating_add(count);
        let seen = if value < f64::MIN_POSITIVE {
            &mut self.zeros
        } else {
            self.buckets.entry(self.bucket(value)).or_default()
        };
        *seen = seen.saturating_add(count);
        Ok(())
    }

    pub fn merge(&mut self, other: &Hdr) {
        self.zeros += other.zeros;
        self.count += other.count;
        for (bucket, count) in &other.buckets {
            *self.buckets.entry(*bucket).or_default() += count;
        }
    }

    fn bucket(&self, value: f64) -> (i32, u32) {
        let exponent = ((value.to_bits() >> 52) as i32 & 0x7ff) - 1023;
        let mantissa = value / 2f64.powi(exponent) - 1.0;
        (exponent, ((mantissa * f64::from(self.parts)) as u32).min(self.parts - 1))
    }

    /// The highest value of a bucket.
    fn highest(&self, (exponent, part): (i32, u32)) -> f64 {
        let smallest = self.buckets.keys().next().map_or(exponent, |(smallest, _)| *smallest);
        let parts = f64::from(self.parts);
        let end = 2f64.powi(exponent) * (1.0 + f64::from(part + 1) / parts);
        end - 2f64.powi(smallest) / parts
    }

    /// The value at or below which this many percent of the values lie; NaN without values.
    pub fn percentile(&self, percent: f64) -> f64 {
        if self.is_empty() {
            return f64::NAN;
        }
        let percent = percent.next_down().clamp(0.0, 100.0);
        let wanted = ((percent * self.count as f64 / 100.0).ceil() as u64).max(1);
        let mut seen = self.zeros;
        if seen >= wanted {
            return 0.0;
        }
        for (bucket, count) in &self.buckets {
            seen += count;
            if seen >= wanted {
                return self.highest(*bucket);
            }
        }
        f64::NAN
    }

    /// How many percent of the values lie at or below one; NaN without values.
    pub fn rank(&self, value: f64) -> f64 {
        if self.is_empty() {
            return f64::NAN;
        }
        if value < 0.0 {
            return 0.0;
        }
        let mut below = self.zeros;
        if value >= f64::MIN_POSITIVE {
            let last = if value.is_finite() { self.bucket(value) } else { (i32::MAX, 0) };
            below += self.buckets.range(..=last).map(|(_, count)| count).sum::<u64>();
        }
        below as f64 * 100.0 / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    fn hdr(digits: u32, values: &[f64]) -> Hdr {
        let mut hdr = Hdr::new(digits);
        values.iter().for_each(|&value| hdr.add(value).unwrap());
        hdr
    }

    /// Figures of the API's reference.
    #[test]
    fn buckets_stand_for_their_highest_value() {
        let few = hdr(3, &[1.0, 51.0, 101.0, 151.0]);
        let found = [1.0, 25.0, 50.0, 75.0, 95.0, 99.0].map(|percent| few.percentile(percent));
        assert_eq!(found, [1.0, 1.0, 51.0302734375, 101.0615234375, 151.1240234375, 151.1240234375]);
        assert_eq!([0.5, 1.0, 50.0, 51.0, 200.0].map(|value| few.rank(value)), [0.0, 25.0, 25.0, 50.0, 100.0]);
        assert_eq!(hdr(3, &[0.0, 0.0, 7.0]).percentile(50.0), 0.0);
        assert!(Hdr::new(3).percentile(1.0).is_nan());
        assert!(Hdr::new(3).add(-1.0).is_err());
    }

    #[test]
    fn digits_bound_the_error_and_merging_is_adding() {
        for digits in 1..=5 {
            let mut dice = Dice::new(u64::from(digits));
            let mut values: Vec<f64> = (0..2_000).map(|_| dice.below(1 << 30) as f64 / 64.0 + 1.0).collect();
            let all = hdr(digits, &values);
            let mut merged = hdr(digits, &values[..700]);
            merged.merge(&hdr(digits, &values[700..]));
            assert_eq!(all, merged);
            values.sort_by(f64::total_cmp);
            for percent in [1.0, 10.0, 50.0, 99.0, 100.0] {
                let exact = values[((percent / 100.0 * values.len() as f64).ceil() as usize).max(1) - 1];
                let error = (all.percentile(percent) / exact - 1.0).abs();
                assert!(error <= 10f64.powi(-(digits as i32)), "{digits} digits, {percent}: {error}");
            }
        }
    }
}
