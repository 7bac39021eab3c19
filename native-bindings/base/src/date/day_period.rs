//! Parts of the day as English names them (`B`).

const MINUTES_PER_DAY: i64 = 24 * 60;

/// A stretch of the day, or an instant of it.
pub(super) struct DayPeriod {
    pub name: &'static str,
    pub narrow: &'static str,
    /// First minute, and the one behind the last; the same for an instant, and less than the first over midnight.
    minutes: (i64, i64),
}

const fn period(name: &'static str, narrow: &'static str, minutes: (i64, i64)) -> DayPeriod {
    DayPeriod { name, narrow, minutes }
}

/// Instants are before the stretches that they are in.
pub(super) static DAY_PERIODS: [DayPeriod; 6] = [
    period("midnight", "mi", (0, 0)),
    period("noon", "n", (720, 720)),
    period("in the morning", "in the morning", (360, 720)),
    period("in the afternoon", "in the afternoon", (720, 1_080)),
    period("in the evening", "in the evening", (1_080, 1_260)),
    period("at night", "at night", (1_260, 360)),
];

impl DayPeriod {
    /// The one that a minute of the day is in.
    pub fn of(minute: i64) -> &'static DayPeriod {
        let [.., night] = &DAY_PERIODS;
        DAY_PERIODS.iter().find(|period| period.includes(minute)).unwrap_or(night)
    }

    pub fn includes(&self, minute: i64) -> bool {
        let (first, end) = self.minutes;
        match () {
            () if first == end => minute == first,
            () if first < end => first <= minute && minute < end,
            () => minute >= first || minute < end,
        }
    }

    /// The minute in its middle.
    pub fn middle(&self) -> i64 {
        let (first, end) = self.minutes;
        (first + (end - first).rem_euclid(MINUTES_PER_DAY) / 2) % MINUTES_PER_DAY
    }
}
