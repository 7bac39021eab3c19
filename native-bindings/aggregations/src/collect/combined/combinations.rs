//! Documents by the combination of their keys in several fields, counted by position where the fields have few keys.

use super::key_source::Cell;
use crate::budget::Budget;
use quarry_base::error::{Error, Result};

/// Combinations that are counted by position: a megabyte of counts.
const CELLS_MAX: u64 = 1 << 18;

/// Counts of one segment; the last field's keys are behind one another.
#[derive(Debug, Default)]
pub struct Combinations {
    /// Least key of each field, and how many lie from it on.
    fields: Vec<(i64, u64)>,
    counts: Vec<u32>,
    /// Of a batch's documents.
    places: Vec<u64>,
}

impl Combinations {
    /// Begins a segment in which each field's keys lie in this range; `None`: unknown. All that was counted was drained.
    pub fn start(&mut self, ranges: impl Iterator<Item = Option<(i64, i64)>>, budget: &Budget) -> Result<()> {
        self.fields.clear();
        let width = |(low, high): (i64, i64)| Some((low, high.abs_diff(low).checked_add(1)?));
        let fields: Option<Vec<(i64, u64)>> = ranges.map(|range| range.and_then(width)).collect();
        let cells = |fields: &Vec<(i64, u64)>| {
            let all = fields.iter().try_fold(1u64, |all, (_, width)| all.checked_mul(*width));
            all.filter(|&cells| cells <= CELLS_MAX)
        };
        let Some((fields, cells)) = fields.and_then(|fields| cells(&fields).map(|cells| (fields, cells as usize)))
        else {
            return Ok(());
        };
        if cells > self.counts.len() {
            budget.take_bytes((cells - self.counts.len()) * size_of::<u32>())?;
            self.counts.resize(cells, 0);
        }
        self.fields = fields;
        Ok(())
    }

    /// Combinations of the segment can be counted.
    pub fn are_few(&self) -> bool {
        !self.fields.is_empty()
    }

    /// Counts documents with one key in each field, given by field. Errors when a key is outside of its range.
    pub fn count(&mut self, columns: &[&[i64]]) -> Result<()> {
        self.places.clear();
        self.places.resize(columns.first().map_or(0, |column| column.len()), 0);
        let mut are_inside = true;
        for (&(low, width), column) in self.fields.iter().zip(columns) {
            for (place, &key) in self.places.iter_mut().zip(*column) {
                let distance = key.wrapping_sub(low) as u64;
                are_inside &= distance < width;
                *place = place.wrapping_mul(width).wrapping_add(distance);
            }
        }
        if !are_inside {
            return Err(Error::internal("a key is outside of the range of its field"));
        }
        self.places.iter().for_each(|&place| self.counts[place as usize] += 1);
        Ok(())
    }

    /// Calls `take` with each combination that was counted and its documents, and forgets them.
    pub fn drain(&mut self, mut take: impl FnMut(&[Cell], u64) -> Result<()>) -> Result<()> {
        let cells: u64 = if self.are_few() { self.fields.iter().map(|(_, width)| width).product() } else { 0 };
        let mut tuple = vec![None; self.fields.len()];
        for (place, count) in (0..cells).zip(&mut self.counts).filter(|(_, count)| **count > 0) {
            let mut rest = place;
            for (cell, (low, width)) in tuple.iter_mut().zip(&self.fields).rev() {
                *cell = Some(low.wrapping_add((rest % width) as i64));
                rest /= width;
            }
            take(&tuple, u64::from(std::mem::take(count)))?;
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
        let budget = Budget::new(1, u64::MAX);
        let mut combinations = Combinations::default();
        for seed in 0..10 {
            let mut dice = Dice::new(seed);
            let lows = [dice.below(100) as i64 - 50, i64::MIN, 7];
            let widths = [1 + dice.below(40), 1 + dice.below(5), 1 + dice.below(30)];
            let ranges = lows.iter().zip(widths).map(|(&low, width)| Some((low, low + width as i64 - 1)));
            combinations.start(ranges, &budget).unwrap();
            assert!(combinations.are_few());
            let columns: Vec<Vec<i64>> = (lows.iter().zip(widths))
                .map(|(low, width)| (0..500).map(|_| low + dice.below(width) as i64).collect())
                .collect();
            let mut expected = BTreeMap::<Vec<Cell>, u64>::new();
            for doc in 0..500 {
                *expected.entry(columns.iter().map(|column| Some(column[doc])).collect()).or_default() += 1;
            }
            combinations.count(&columns.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
            let mut found = BTreeMap::new();
            let mut note = |tuple: &[Cell], count: u64| {
                assert_eq!(found.insert(tuple.to_vec(), count), None);
                Ok(())
            };
            combinations.drain(&mut note).unwrap();
            combinations.drain(|_, _| panic!("it is empty")).unwrap();
            assert_eq!(found, expected, "seed {seed}");
        }
    }

    #[test]
    fn many_combinations_are_not_counted() {
        let budget = Budget::new(1, u64::MAX);
        let mut combinations = Combinations::default();
        for ranges in [vec![Some((0, 1_000)), Some((0, 1_000))], vec![Some((i64::MIN, i64::MAX))], vec![None]] {
            combinations.start(ranges.into_iter(), &budget).unwrap();
            assert!(!combinations.are_few());
        }
        combinations.start([Some((3, 4))].into_iter(), &budget).unwrap();
        assert!(combinations.count(&[&[3, 5]]).is_err());
    }
}
