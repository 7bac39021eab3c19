//! The units of time that `auto_date_histogram` chooses from.

use super::rounding::Rounding;
use crate::plan::{CalendarUnit, DateInterval};
use jiff::tz::TimeZone;
use quarry_base::error::Result;

/// One unit and the multiples of it that buckets may have.
struct Unit {
    calendar: CalendarUnit,
    suffix: &'static str,
    rough_ms: i64,
    steps: &'static [u32],
}

const SECOND_MS: i64 = 1_000;
const DAY_MS: i64 = 86_400 * SECOND_MS;

const UNITS: [Unit; 6] = [
    Unit { calendar: CalendarUnit::Second, suffix: "s", rough_ms: SECOND_MS, steps: &[1, 5, 10, 30] },
    Unit { calendar: CalendarUnit::Minute, suffix: "m", rough_ms: 60 * SECOND_MS, steps: &[1, 5, 10, 30] },
    Unit { calendar: CalendarUnit::Hour, suffix: "h", rough_ms: 3_600 * SECOND_MS, steps: &[1, 3, 12] },
    Unit { calendar: CalendarUnit::Day, suffix: "d", rough_ms: DAY_MS, steps: &[1, 7] },
    Unit { calendar: CalendarUnit::Month, suffix: "M", rough_ms: 30 * DAY_MS, steps: &[1, 3] },
    Unit { calendar: CalendarUnit::Year, suffix: "y", rough_ms: 365 * DAY_MS, steps: &[1, 5, 10, 20, 50, 100] },
];

/// Roundings of all units in a time zone, by ascending unit.
#[derive(Debug, Clone)]
pub struct Units {
    roundings: Vec<Rounding>,
    /// Most buckets that the answer shows.
    target: usize,
}

impl Units {
    pub fn new(zone: &TimeZone, target: u32) -> Result<Self> {
        let rounding = |unit: &Unit| Rounding::new(DateInterval::Calendar(unit.calendar), zone.clone(), 0);
        Ok(Units { roundings: UNITS.iter().map(rounding).collect::<Result<_>>()?, target: target.max(1) as usize })
    }

    pub fn rounding(&self, unit: u32) -> &Rounding {
        &self.roundings[(unit as usize).min(UNITS.len() - 1)]
    }

    pub fn is_last(unit: u32) -> bool {
        unit as usize + 1 >= UNITS.len()
    }

    /// Buckets of a unit that its largest step can bring down to the target.
    pub fn most_buckets(&self, unit: u32) -> usize {
        let steps = UNITS.get(unit as usize).map_or(&[1][..], |unit| unit.steps);
        self.target * steps.last().copied().unwrap_or(1) as usize
    }

    /// The unit, `unit` or a larger one, whose buckets from the first key to the last are not too many.
    pub fn fitting(&self, first: i64, last: i64, unit: u32) -> u32 {
        let rough = |unit: u32| (last.saturating_sub(first) / UNITS[unit as usize].rough_ms) as usize;
        let mut unit = unit;
        // Counting buckets of small units over long spans is slow: begin one below the first that may do.
        while !Self::is_last(unit) && rough(unit + 1) >= self.most_buckets(unit + 1) {
            unit += 1;
        }
        while !Self::is_last(unit) && self.count(first, last, unit) > self.most_buckets(unit) {
            unit += 1;
        }
        unit
    }

    /// Buckets from the first key to the one before the last, no further than it takes to be too many.
    fn count(&self, first: i64, last: i64, unit: u32) -> usize {
        let (rounding, most) = (self.rounding(unit), self.most_buckets(unit));
        let (mut key, mut count) = (first, 0);
        while key < last && count <= most {
            key = rounding.next(key);
            count += 1;
        }
        count
    }

    /// How many units make one bucket so that so many buckets become no more than the target; 1 where none does.
    pub fn step(&self, unit: u32, buckets: usize) -> u32 {
        if buckets <= self.target {
            return 1;
        }
        let steps = UNITS.get(unit as usize).map_or(&[1][..], |unit| unit.steps);
        steps.iter().copied().find(|&step| buckets.div_ceil(step as usize) <= self.target).unwrap_or(1)
    }

    /// As the response names it: `7d`.
    pub fn interval(unit: u32, step: u32) -> String {
        format!("{step}{}", UNITS.get(unit as usize).map_or("y", |unit| unit.suffix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_fit_their_spans() {
        let units = Units::new(&TimeZone::UTC, 10).unwrap();
        assert_eq!(units.fitting(0, 299_000, 0), 0);
        assert_eq!(units.fitting(0, 301_000, 0), 1);
        assert_eq!((units.fitting(0, 4 * DAY_MS, 0), units.fitting(0, 10 * DAY_MS, 0)), (2, 3));
        assert_eq!(units.fitting(0, 100 * 365 * DAY_MS, 0), 5);
        assert_eq!(units.fitting(0, 1_000, 3), 3);
        assert_eq!((units.step(3, 10), units.step(3, 11), units.step(5, 95)), (1, 7, 10));
        assert_eq!(Units::interval(3, 7), "7d");
    }
}
