//! Lengths and characters of texts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Lengths are in UTF-16 code units, which are also the characters that are counted: as the API does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StringStats {
    pub count: u64,
    pub length: u64,
    pub shortest: u64,
    pub longest: u64,
    units: BTreeMap<u16, u64>,
}

impl Default for StringStats {
    fn default() -> Self {
        StringStats { count: 0, length: 0, shortest: u64::MAX, longest: 0, units: BTreeMap::new() }
    }
}

impl StringStats {
    /// The same text so many times.
    pub fn add(&mut self, text: &str, times: u64) {
        let mut length = 0;
        for unit in text.encode_utf16() {
            *self.units.entry(unit).or_default() += times;
            length += 1;
        }
        self.count += times;
        self.length += length * times;
        self.shortest = self.shortest.min(length);
        self.longest = self.longest.max(length);
    }

    pub fn merge(&mut self, other: StringStats) {
        self.count += other.count;
        self.length += other.length;
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        for (unit, times) in other.units {
            *self.units.entry(unit).or_default() += times;
        }
    }

    /// NaN without texts.
    pub fn average(&self) -> f64 {
        self.length as f64 / self.count as f64
    }

    /// Shannon's, of the characters in bits.
    pub fn entropy(&self) -> f64 {
        let terms = self.units.values().map(|&times| {
            let share = times as f64 / self.length as f64;
            share * share.log2()
        });
        let sum: f64 = terms.sum();
        // No characters have none, and one alone -0.
        if sum == 0.0 { 0.0 } else { -sum }
    }

    /// Each character with its share of all, the most frequent first.
    pub fn distribution(&self) -> Vec<(String, f64)> {
        let mut units: Vec<(u16, u64)> = self.units.iter().map(|(&unit, &times)| (unit, times)).collect();
        units.sort_by_key(|&(unit, times)| (std::cmp::Reverse(times), unit));
        let share = |(unit, times): (u16, u64)| (String::from_utf16_lossy(&[unit]), times as f64 / self.length as f64);
        units.into_iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_characters() {
        let (mut stats, mut other) = (StringStats::default(), StringStats::default());
        stats.add("aab", 2);
        other.add("b", 1);
        stats.merge(other);
        assert_eq!((stats.count, stats.shortest, stats.longest, stats.average()), (3, 1, 3, 7.0 / 3.0));
        assert_eq!(stats.distribution(), [("a".to_owned(), 4.0 / 7.0), ("b".to_owned(), 3.0 / 7.0)]);
        let (a, b) = (4.0f64 / 7.0, 3.0f64 / 7.0);
        assert!((stats.entropy() + a * a.log2() + b * b.log2()).abs() < 1e-12);
        assert_eq!(StringStats::default().entropy(), 0.0);
    }
}
