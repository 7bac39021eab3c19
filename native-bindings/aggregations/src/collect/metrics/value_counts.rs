//! How often each value of a column was met: many documents often share few values.

use crate::budget::Budget;
use quarry_base::error::Result;

/// Slots at first, and at most: more distinct values are handed on before others are counted.
const SLOTS_MIN: usize = 1 << 10;
const SLOTS_MAX: usize = 1 << 16;
/// Values that are counted without a look at the room that is left.
const PART: usize = 256;
/// 2^64 divided by the golden ratio: neighbouring values fall far from each other.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A table with open addressing, at most half full.
#[derive(Debug, Default)]
pub struct ValueCounts {
    /// Values with counts; 0: the slot is free. A power of two of them.
    slots: Vec<(i64, u32)>,
    distinct: usize,
}

impl ValueCounts {
    /// Counts values. `hand_on` takes the counts by ascending value where there is no room for more.
    pub fn add_all(&mut self, values: &[i64], budget: &Budget, mut hand_on: impl FnMut(&[(i64, u32)])) -> Result<()> {
        for part in values.chunks(PART) {
            self.hold(part.len(), budget, &mut hand_on)?;
            let mask = self.slots.len() - 1;
            let shift = 64 - self.slots.len().trailing_zeros();
            for &value in part {
                let mut place = ((value as u64).wrapping_mul(SPREAD) >> shift) as usize;
                loop {
                    let (known, count) = &mut self.slots[place & mask];
                    if *count == 0 {
                        *known = value;
                        self.distinct += 1;
                    }
                    if *known == value {
                        *count += 1;
                        break;
                    }
                    place += 1;
                }
            }
        }
        Ok(())
    }

    /// Hands on what was counted, by ascending value, and forgets it.
    pub fn drain(&mut self, hand_on: impl FnOnce(&[(i64, u32)])) {
        if self.distinct == 0 {
            return;
        }
        let mut counts: Vec<(i64, u32)> = self.slots.iter().copied().filter(|(_, count)| *count > 0).collect();
        counts.sort_unstable_by_key(|(value, _)| *value);
        hand_on(&counts);
        self.slots.fill((0, 0));
        self.distinct = 0;
    }

    /// Makes room for so many values more.
    fn hold(&mut self, more: usize, budget: &Budget, hand_on: impl FnMut(&[(i64, u32)])) -> Result<()> {
        let wanted = ((self.distinct + more) * 2).next_power_of_two().max(SLOTS_MIN);
        if wanted > SLOTS_MAX {
            self.drain(hand_on);
        } else if wanted > self.slots.len() {
            budget.take_bytes((wanted - self.slots.len()) * size_of::<(i64, u32)>())?;
            let known = std::mem::replace(&mut self.slots, vec![(0, 0); wanted]);
            let shift = 64 - wanted.trailing_zeros();
            for (value, count) in known.into_iter().filter(|(_, count)| *count > 0) {
                let mut place = ((value as u64).wrapping_mul(SPREAD) >> shift) as usize;
                while self.slots[place & (wanted - 1)].1 > 0 {
                    place += 1;
                }
                self.slots[place & (wanted - 1)] = (value, count);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;
    use std::collections::BTreeMap;

    #[test]
    fn counts_are_those_of_a_map() {
        for seed in 0..12 {
            let mut dice = Dice::new(seed);
            let budget = Budget::new(1, u64::MAX);
            let range = [1, 30, 5_000, 200_000][seed as usize % 4];
            let mut counts = ValueCounts::default();
            let (mut found, mut expected) = (BTreeMap::<i64, u64>::new(), BTreeMap::<i64, u64>::new());
            let mut note = |counts: &[(i64, u32)]| {
                assert!(counts.is_sorted_by(|left, right| left.0 < right.0));
                counts.iter().for_each(|&(value, count)| *found.entry(value).or_default() += u64::from(count));
            };
            for _ in 0..30 {
                let values: Vec<i64> =
                    (0..dice.below(4_097)).map(|_| (dice.below(range) as i64 - 15) << (seed * 3)).collect();
                values.iter().for_each(|&value| *expected.entry(value).or_default() += 1);
                counts.add_all(&values, &budget, &mut note).unwrap();
            }
            counts.drain(&mut note);
            counts.drain(|_| panic!("it is empty"));
            assert_eq!(found, expected, "seed {seed}");
        }
    }

    #[test]
    fn memory_is_asked_for() {
        let values: Vec<i64> = (0..100_000).collect();
        let refused = ValueCounts::default().add_all(&values, &Budget::new(1, 1 << 10), |_| {});
        assert_eq!(refused.unwrap_err().code, quarry_base::error::ErrorCode::CircuitBreaking);
    }
}
