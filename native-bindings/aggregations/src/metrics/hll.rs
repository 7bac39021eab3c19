//! Distinct values: exact up to the precision threshold, then HyperLogLog.
//!
//! Registers and estimate after Heule, Nunkesser, Hall, "HyperLogLog in Practice" (2013); the estimator is the bias-free one of
//! Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), which needs no tables of corrections.

use hashbrown::HashSet;
use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};
use serde::{Deserialize, Serialize};

/// 2^14 registers: a standard error of 0.8%.
const PRECISION: u32 = 14;
const REGISTERS: usize = 1 << PRECISION;
/// Largest rank of the 50 hash bits that are not register number, plus one.
const RANK_MAX: usize = 64 - PRECISION as usize + 1;
/// What a hash takes in a set, about.
const HASH_BYTES: usize = 10;
/// The API's own cap on `precision_threshold`.
pub const PRECISION_THRESHOLD_MAX: u32 = 40_000;

/// The same in every thread and node, so that sketches can be merged; not keyed: an adversary gains only a wrong estimate.
const SEED: u64 = 0x5145_5157_4152_5259;
const SECRETS: RapidSecrets = RapidSecrets::seed(SEED);

/// The 64-bit hash of a value's bytes.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    rapidhash_v3_seeded(bytes, &SECRETS)
}

pub fn hash_number(sortable: i64) -> u64 {
    hash_bytes(&sortable.to_le_bytes())
}

/// A set of hashes that turns into registers when it grows past its threshold.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sketch {
    threshold: u32,
    state: State,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum State {
    Exact(HashSet<u64>),
    Registers(Vec<u8>),
}

impl Sketch {
    pub fn new(threshold: u32) -> Self {
        Sketch { threshold: threshold.min(PRECISION_THRESHOLD_MAX), state: State::Exact(HashSet::new()) }
    }

    /// Gives by how many bytes the sketch has grown.
    #[inline]
    pub fn add(&mut self, hash: u64) -> usize {
        match &mut self.state {
            State::Exact(hashes) => {
                let room = hashes.capacity();
                hashes.insert(hash);
                if hashes.len() <= self.threshold as usize {
                    return (hashes.capacity() - room) * HASH_BYTES;
                }
                let mut registers = vec![0u8; REGISTERS];
                hashes.iter().for_each(|&hash| count_into(&mut registers, hash));
                self.state = State::Registers(registers);
                REGISTERS
            }
            State::Registers(registers) => {
                count_into(registers, hash);
                0
            }
        }
    }

    pub fn merge(&mut self, other: Sketch) {
        match (&mut self.state, other.state) {
            (_, State::Exact(hashes)) => {
                for hash in hashes {
                    self.add(hash);
                }
            }
            (State::Registers(mine), State::Registers(theirs)) => {
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(theirs));
            }
            (State::Exact(mine), State::Registers(mut theirs)) => {
                mine.iter().for_each(|&hash| count_into(&mut theirs, hash));
                self.state = State::Registers(theirs);
            }
        }
    }

    /// The number of distinct values.
    pub fn estimate(&self) -> u64 {
        match &self.state {
            State::Exact(hashes) => hashes.len() as u64,
            State::Registers(registers) => estimate(registers),
        }
    }
}

fn count_into(registers: &mut [u8], hash: u64) {
    let register = (hash >> (64 - PRECISION)) as usize;
    let rank = ((hash << PRECISION) | (1 << (PRECISION - 1))).leading_zeros() as u8 + 1;
    if let Some(current) = registers.get_mut(register) {
        *current = (*current).max(rank);
    }
}

/// Ertl 2017, algorithm 6.
fn estimate(registers: &[u8]) -> u64 {
    let mut histogram = [0u32; RANK_MAX + 1];
    for &rank in registers {
        histogram[usize::from(rank).min(RANK_MAX)] += 1;
    }
    let m = registers.len() as f64;
    let mut z = m * tau(1.0 - f64::from(histogram[RANK_MAX]) / m);
    for rank in (1..RANK_MAX).rev() {
        z = 0.5 * (z + f64::from(histogram[rank]));
    }
    z += m * sigma(f64::from(histogram[0]) / m);
    (m * m / (2.0 * std::f64::consts::LN_2 * z)).round() as u64
}

fn sigma(mut x: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z == before {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x).powi(2) * y;
        if z == before {
            return z / 3.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(values: std::ops::Range<i64>, threshold: u32) -> Sketch {
        let mut sketch = Sketch::new(threshold);
        let grown: usize = values.map(|value| sketch.add(hash_number(value))).sum();
        assert!(grown <= 2 * HASH_BYTES * (threshold as usize + 1).next_power_of_two() + REGISTERS);
        sketch
    }

    #[test]
    fn exact_below_the_threshold() {
        assert_eq!(sketch(0..3_000, 3_000).estimate(), 3_000);
        assert_eq!(sketch(0..0, 3_000).estimate(), 0);
    }

    #[test]
    fn close_above_it() {
        for count in [3_001, 10_000, 50_000, 1_000_000] {
            let error = (sketch(0..count, 3_000).estimate() as f64 / count as f64 - 1.0).abs();
            assert!(error < 0.03, "{count}: {error}");
        }
    }

    #[test]
    fn merging_is_counting_the_union() {
        for (a, b) in [(0..100, 50..150), (0..5_000, 4_000..4_100), (0..100, 0..9_000), (0..9_000, 5_000..20_000)] {
            let mut merged = sketch(a.clone(), 3_000);
            merged.merge(sketch(b.clone(), 3_000));
            let union = sketch(a.start.min(b.start)..a.end.max(b.end), 3_000);
            assert_eq!(merged.estimate(), union.estimate());
        }
    }
}
