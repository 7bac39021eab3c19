//! Date histogram keys: the beginning of the interval that an instant falls in, in milliseconds, and the next beginning.

use super::plan::{CalendarUnit, DateInterval};
use crate::error::{Error, Result};
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// 1970-01-05, a Monday: weeks are counted from here.
const FIRST_MONDAY_MS: i64 = 4 * DAY_MS;

/// Rounds instants down to interval beginnings in a time zone, shifted by an offset.
#[derive(Debug, Clone)]
pub struct Rounding {
    interval: DateInterval,
    zone: TimeZone,
    /// The zone's offset when it never changes.
    fixed_offset_ms: Option<i64>,
    offset_ms: i64,
}

impl Rounding {
    /// `IllegalArgument` when a fixed interval is not positive.
    pub fn new(interval: DateInterval, zone: TimeZone, offset_ms: i64) -> Result<Self> {
        if matches!(interval, DateInterval::FixedMs(length) if length <= 0) {
            return Err(Error::illegal_argument("Zero or negative time interval not supported"));
        }
        let fixed_offset_ms = zone.to_fixed_offset().ok().map(|offset| i64::from(offset.seconds()) * SECOND_MS);
        Ok(Rounding { interval, zone, fixed_offset_ms, offset_ms })
    }

    /// As [`Rounding::round`], where there is no offset.
    pub fn round_without_offset(&self, instant: i64) -> i64 {
        self.round_bound(instant).saturating_sub(self.offset_ms)
    }

    /// The beginning that an extended bound means: rounded without the offset, then moved by it.
    pub fn round_bound(&self, instant: i64) -> i64 {
        self.round(instant.saturating_add(self.offset_ms))
    }

    /// The largest beginning that is not after `instant`.
    #[inline]
    pub fn round(&self, instant: i64) -> i64 {
        let instant = instant.saturating_sub(self.offset_ms);
        let rounded = match (self.constant_length(), self.fixed_offset_ms) {
            (Some((length, origin)), Some(zone_ms)) => {
                floor_to(instant.saturating_add(zone_ms), length, origin).saturating_sub(zone_ms)
            }
            _ => self.round_civil(instant),
        };
        rounded.saturating_add(self.offset_ms)
    }

    /// The beginning that follows `beginning`, which must be one.
    pub fn next(&self, beginning: i64) -> i64 {
        let from = beginning.saturating_sub(self.offset_ms);
        let next = match (self.constant_length(), self.fixed_offset_ms) {
            (Some((length, _)), Some(_)) => from.saturating_add(length),
            _ => self.next_civil(from),
        };
        next.saturating_add(self.offset_ms)
    }

    /// Length and origin of intervals that all have the same local length.
    fn constant_length(&self) -> Option<(i64, i64)> {
        match self.interval {
            DateInterval::FixedMs(length) => Some((length, 0)),
            DateInterval::Calendar(CalendarUnit::Second) => Some((SECOND_MS, 0)),
            DateInterval::Calendar(CalendarUnit::Minute) => Some((MINUTE_MS, 0)),
            DateInterval::Calendar(CalendarUnit::Hour) => Some((HOUR_MS, 0)),
            DateInterval::Calendar(CalendarUnit::Day) => Some((DAY_MS, 0)),
            DateInterval::Calendar(CalendarUnit::Week) => Some((7 * DAY_MS, FIRST_MONDAY_MS)),
            DateInterval::Calendar(_) => None,
        }
    }

    fn zone_offset_ms(&self, instant: i64) -> i64 {
        match Timestamp::from_millisecond(instant) {
            Ok(timestamp) => i64::from(self.zone.to_offset(timestamp).seconds()) * SECOND_MS,
            Err(_) => 0,
        }
    }

    /// Rounding where local lengths vary: months and longer, or a zone whose offset changes.
    fn round_civil(&self, instant: i64) -> i64 {
        let local = instant.saturating_add(self.zone_offset_ms(instant));
        if let Some((length, origin)) = self.constant_length()
            && length < DAY_MS
        {
            // Within a day the local clock may run twice through an hour: keep the instant's own offset.
            let rounded = floor_to(local, length, origin);
            return instant - (local - rounded);
        }
        match civil(local).and_then(|moment| self.civil_beginning(moment)) {
            Some(beginning) => self.to_instant(beginning).unwrap_or(instant),
            None => instant,
        }
    }

    fn civil_beginning(&self, moment: DateTime) -> Option<DateTime> {
        let date = moment.date();
        match self.interval {
            DateInterval::Calendar(CalendarUnit::Week) => {
                let since_monday = date.weekday().since(Weekday::Monday);
                date.checked_sub(i64::from(since_monday).days()).ok()
            }
            DateInterval::Calendar(CalendarUnit::Month) => Some(date.first_of_month()),
            DateInterval::Calendar(CalendarUnit::Quarter) => {
                Date::new(date.year(), (date.month() - 1) / 3 * 3 + 1, 1).ok()
            }
            DateInterval::Calendar(CalendarUnit::Year) => Some(date.first_of_year()),
            DateInterval::FixedMs(length) => return civil(floor_to(local_ms(moment)?, length, 0)),
            DateInterval::Calendar(_) => Some(date),
        }
        .map(|date| date.to_datetime(Time::midnight()))
    }

    fn next_civil(&self, beginning: i64) -> i64 {
        let local = beginning.saturating_add(self.zone_offset_ms(beginning));
        if let Some((length, _)) = self.constant_length()
            && length < DAY_MS
        {
            return beginning.saturating_add(length);
        }
        let span = match self.interval {
            DateInterval::Calendar(CalendarUnit::Week) => 7.days(),
            DateInterval::Calendar(CalendarUnit::Month) => 1.month(),
            DateInterval::Calendar(CalendarUnit::Quarter) => 3.months(),
            DateInterval::Calendar(CalendarUnit::Year) => 1.year(),
            DateInterval::FixedMs(length) => length.milliseconds(),
            DateInterval::Calendar(_) => 1.day(),
        };
        let next = civil(local).and_then(|moment| moment.checked_add(span).ok());
        next.and_then(|moment| self.to_instant(moment)).unwrap_or(i64::MAX)
    }

    /// The first instant at which local clocks show this, or the first after it where they skip it.
    fn to_instant(&self, moment: DateTime) -> Option<i64> {
        let zoned = self.zone.to_zoned(moment).ok()?;
        Some(zoned.timestamp().as_millisecond())
    }
}

/// The largest `origin + n * length` that is not above `value`.
fn floor_to(value: i64, length: i64, origin: i64) -> i64 {
    let above = (value as i128 - i128::from(origin)).rem_euclid(i128::from(length));
    (i128::from(value) - above).max(i128::from(i64::MIN)) as i64
}

/// Local milliseconds as a date and time.
fn civil(local_ms: i64) -> Option<DateTime> {
    Timestamp::from_millisecond(local_ms).ok().map(|timestamp| TimeZone::UTC.to_datetime(timestamp))
}

fn local_ms(moment: DateTime) -> Option<i64> {
    TimeZone::UTC.to_zoned(moment).ok().map(|zoned| zoned.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    fn rounding(interval: DateInterval, zone: &str, offset_ms: i64) -> Rounding {
        let zone = if zone == "UTC" { TimeZone::UTC } else { TimeZone::get(zone).unwrap() };
        Rounding::new(interval, zone, offset_ms).unwrap()
    }

    #[test]
    fn beginnings() {
        use CalendarUnit::*;
        for (unit, zone, instant, beginning, next) in [
            (Month, "UTC", "2016-02-29T12:00:00Z", "2016-02-01T00:00:00Z", "2016-03-01T00:00:00Z"),
            (Quarter, "UTC", "2016-06-30T23:59:59Z", "2016-04-01T00:00:00Z", "2016-07-01T00:00:00Z"),
            (Year, "UTC", "1969-06-30T23:59:59Z", "1969-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
            (Week, "UTC", "2024-05-05T10:00:00Z", "2024-04-29T00:00:00Z", "2024-05-06T00:00:00Z"),
            (Day, "Europe/Paris", "2024-03-31T12:00:00Z", "2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z"),
            (Month, "America/New_York", "2024-03-31T12:00:00Z", "2024-03-01T05:00:00Z", "2024-04-01T04:00:00Z"),
            (Hour, "Asia/Kolkata", "2024-01-01T00:10:00Z", "2023-12-31T23:30:00Z", "2024-01-01T00:30:00Z"),
            (Week, "America/New_York", "2024-03-13T00:00:00Z", "2024-03-11T04:00:00Z", "2024-03-18T04:00:00Z"),
        ] {
            let rounding = rounding(DateInterval::Calendar(unit), zone, 0);
            assert_eq!(rounding.round(ms(instant)), ms(beginning), "{unit:?} {zone} {instant}");
            assert_eq!(rounding.next(ms(beginning)), ms(next), "{unit:?} {zone} {instant}");
        }
    }

    #[test]
    fn offsets_shift_beginnings() {
        let rounding = rounding(DateInterval::Calendar(CalendarUnit::Month), "UTC", DAY_MS);
        assert_eq!(rounding.round(ms("2016-01-01T00:00:00Z")), ms("2015-12-02T00:00:00Z"));
        assert_eq!(rounding.next(ms("2015-12-02T00:00:00Z")), ms("2016-01-02T00:00:00Z"));
    }

    #[test]
    fn rounding_is_idempotent_and_covers_time_without_gaps() {
        let units =
            [CalendarUnit::Hour, CalendarUnit::Day, CalendarUnit::Week, CalendarUnit::Month, CalendarUnit::Year];
        for zone in ["UTC", "Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"] {
            for unit in units {
                let rounding = rounding(DateInterval::Calendar(unit), zone, 0);
                let mut instant = ms("2023-01-01T00:00:00Z");
                while instant < ms("2025-01-01T00:00:00Z") {
                    let beginning = rounding.round(instant);
                    assert!(beginning <= instant);
                    assert_eq!(rounding.round(beginning), beginning, "{unit:?} {zone} {instant}");
                    instant += 7 * HOUR_MS + 13 * MINUTE_MS;
                }
            }
        }
    }
}
