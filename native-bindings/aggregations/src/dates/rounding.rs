//! Date histogram keys: the beginning of the interval that an instant falls in, in milliseconds, and the next beginning.

use super::zone_offsets::{OffsetPeriod, ZoneOffsets};
use crate::plan::{CalendarUnit, DateInterval};
use jiff::civil::{Date, Time, Weekday};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{Timestamp, ToSpan};
use quarry_base::error::{Error, Result};

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// 1970-01-05, a Monday: weeks are counted from here.
const FIRST_MONDAY_MS: i64 = 4 * DAY_MS;

/// Rounds instants down to interval beginnings in a time zone, shifted by an offset.
///
/// In a zone whose clocks change, intervals that divide the day begin when local clocks show a multiple of them, so that one interval may
/// be shorter or longer than the others: nothing before a change is counted on behind it. See [`Rounding::round_clock`].
#[derive(Debug, Clone)]
pub struct Rounding {
    interval: DateInterval,
    offsets: ZoneOffsets,
    /// The zone's offset when it never changes.
    fixed_offset_ms: Option<i64>,
    offset_ms: i64,
}

/// What tells where an interval begins.
#[derive(Clone, Copy)]
enum Beginning {
    /// Local clocks show a multiple of so many milliseconds.
    Clock { length: i64 },
    /// A local day begins, and on it a week, month, quarter or year.
    Midnight(CalendarUnit),
}

impl Rounding {
    /// `IllegalArgument` when a fixed interval is not positive.
    pub fn new(interval: DateInterval, zone: TimeZone, offset_ms: i64) -> Result<Self> {
        if matches!(interval, DateInterval::FixedMs(length) if length <= 0) {
            return Err(Error::illegal_argument("Zero or negative time interval not supported"));
        }
        let offsets = ZoneOffsets::new(zone);
        Ok(Rounding { interval, fixed_offset_ms: offsets.fixed_ms(), offsets, offset_ms })
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
            _ => match self.beginning() {
                Beginning::Clock { length } => self.round_clock(instant, length),
                Beginning::Midnight(unit) => self.round_to_midnight(instant, unit),
            },
        };
        rounded.saturating_add(self.offset_ms)
    }

    /// The beginning that follows `beginning`, which must be one.
    pub fn next(&self, beginning: i64) -> i64 {
        let from = beginning.saturating_sub(self.offset_ms);
        let next = match (self.constant_length(), self.fixed_offset_ms) {
            (Some((length, _)), Some(_)) => from.saturating_add(length),
            _ => match self.beginning() {
                Beginning::Clock { length } => self.next_clock(from, length),
                Beginning::Midnight(unit) => self.next_midnight(from, unit),
            },
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

    fn beginning(&self) -> Beginning {
        match self.interval {
            DateInterval::FixedMs(length) => Beginning::Clock { length },
            DateInterval::Calendar(CalendarUnit::Second) => Beginning::Clock { length: SECOND_MS },
            DateInterval::Calendar(CalendarUnit::Minute) => Beginning::Clock { length: MINUTE_MS },
            DateInterval::Calendar(CalendarUnit::Hour) => Beginning::Clock { length: HOUR_MS },
            DateInterval::Calendar(unit) => Beginning::Midnight(unit),
        }
    }

    /// The last instant, `instant` or one before it, at which local clocks show a multiple of `length`. A fixed interval begins where clocks
    /// are put forward over a multiple, too; one of the calendar goes on there.
    fn round_clock(&self, instant: i64, length: i64) -> i64 {
        let mut period = self.offsets.period_at(instant);
        let mut latest = instant;
        loop {
            let multiple = floor_to(period.local(latest), length, 0);
            if period.instant(multiple) >= period.start {
                return period.instant(multiple);
            }
            let Some(before) = self.offsets.before(&period) else { return period.instant(multiple) };
            if self.begins_behind_skipped(multiple, &before) {
                return period.start;
            }
            latest = period.start - 1;
            period = before;
        }
    }

    /// The first instant after `beginning` that [`Rounding::round_clock`] leaves as it is.
    fn next_clock(&self, beginning: i64, length: i64) -> i64 {
        let mut period = self.offsets.period_at(beginning);
        let after = |period: &OffsetPeriod, instant: i64| {
            period.instant(floor_to(period.local(instant), length, 0).saturating_add(length))
        };
        let mut next = after(&period, beginning);
        while next >= period.end {
            let Some(behind) = self.offsets.behind(&period) else { break };
            let multiple = floor_to(behind.local(behind.start), length, 0);
            next = match behind.instant(multiple) == behind.start || self.begins_behind_skipped(multiple, &period) {
                true => behind.start,
                false => after(&behind, behind.start),
            };
            period = behind;
        }
        next
    }

    /// Whether the change at the end of `before` skips this local time, and an interval begins there for it. The local time must be one that
    /// the clocks show no more behind the change.
    fn begins_behind_skipped(&self, local: i64, before: &OffsetPeriod) -> bool {
        matches!(self.interval, DateInterval::FixedMs(_)) && local >= before.local(before.end)
    }

    fn round_to_midnight(&self, instant: i64, unit: CalendarUnit) -> i64 {
        let midnight = self.local_date(instant).and_then(|date| first_date(date, unit));
        midnight.and_then(|date| self.begin_of_day(date)).unwrap_or(instant)
    }

    fn next_midnight(&self, beginning: i64, unit: CalendarUnit) -> i64 {
        let span = match unit {
            CalendarUnit::Week => 7.days(),
            CalendarUnit::Month => 1.month(),
            CalendarUnit::Quarter => 3.months(),
            CalendarUnit::Year => 1.year(),
            _ => 1.day(),
        };
        // A date of its own: where clocks skip midnight the beginning is an hour into the day.
        let next = self.local_date(beginning).and_then(|date| first_date(date, unit)?.checked_add(span).ok());
        next.and_then(|date| self.begin_of_day(date)).unwrap_or(i64::MAX)
    }

    fn local_date(&self, instant: i64) -> Option<Date> {
        let local = self.offsets.period_at(instant).local(instant);
        Timestamp::from_millisecond(local).ok().map(|timestamp| TimeZone::UTC.to_datetime(timestamp).date())
    }

    /// The first midnight of the day, or the change of clocks that skips it.
    fn begin_of_day(&self, date: Date) -> Option<i64> {
        let midnight = date.to_datetime(Time::midnight());
        let local = TimeZone::UTC.to_timestamp(midnight).ok()?.as_millisecond();
        let since = |offset: Offset| local - i64::from(offset.seconds()) * SECOND_MS;
        Some(match self.offsets.zone().to_ambiguous_timestamp(midnight).offset() {
            AmbiguousOffset::Unambiguous { offset } => since(offset),
            AmbiguousOffset::Fold { before, .. } => since(before),
            AmbiguousOffset::Gap { before, .. } => self.offsets.period_at(since(before)).start,
        })
    }
}

/// The first day of the week, month, quarter or year that the date is in.
fn first_date(date: Date, unit: CalendarUnit) -> Option<Date> {
    match unit {
        CalendarUnit::Week => date.checked_sub(i64::from(date.weekday().since(Weekday::Monday)).days()).ok(),
        CalendarUnit::Month => Some(date.first_of_month()),
        CalendarUnit::Quarter => Date::new(date.year(), (date.month() - 1) / 3 * 3 + 1, 1).ok(),
        CalendarUnit::Year => Some(date.first_of_year()),
        _ => Some(date),
    }
}

/// The largest `origin + n * length` that is not above `value`.
fn floor_to(value: i64, length: i64, origin: i64) -> i64 {
    let above = (value as i128 - i128::from(origin)).rem_euclid(i128::from(length));
    (i128::from(value) - above).max(i128::from(i64::MIN)) as i64
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
    /// The zones of the tests below: changes of an hour, of half an hour, at midnight, of a whole day, and several in a year.
    const CHANGING: [&str; 12] = [
        "Europe/Berlin",
        "America/New_York",
        "Australia/Lord_Howe",
        "Africa/Casablanca",
        "Africa/Cairo",
        "America/Santiago",
        "America/Havana",
        "Asia/Beirut",
        "America/Sao_Paulo",
        "Pacific/Apia",
        "Antarctica/Troll",
        "Pacific/Chatham",
    ];

    /// Walks the minutes from `from` to `instant` and watches the clocks: the last beginning, and the first behind `instant`.
    fn watched(zone: &TimeZone, length: i64, is_fixed: bool, (from, instant): (i64, i64)) -> (i64, i64) {
        let local = |minute: i64| {
            let at = Timestamp::from_millisecond(minute).unwrap();
            minute + i64::from(zone.to_offset(at).seconds()) * SECOND_MS
        };
        let begins = |minute: i64| {
            let (shown, before) = (local(minute), local(minute - MINUTE_MS));
            let skipped = shown.div_euclid(length) * length;
            shown.rem_euclid(length) == 0 || (is_fixed && before + MINUTE_MS < shown && skipped >= before + MINUTE_MS)
        };
        let mut minute = floor_to(from, MINUTE_MS, 0);
        let mut last = None;
        loop {
            if begins(minute) {
                if minute > instant {
                    return (last.unwrap(), minute);
                }
                last = Some(minute);
            }
            minute += MINUTE_MS;
        }
    }

    #[test]
    fn intervals_of_clocks_begin_where_a_walk_through_the_minutes_sees_them() {
        let mut dice = quarry_testing::Dice::new(42);
        for round in 0..600 {
            let name = CHANGING[dice.below(CHANGING.len() as u64) as usize];
            let zone = TimeZone::get(name).unwrap();
            let minutes = [1, 7, 20, 30, 45, 60, 90, 120, 180, 300, 360, 700, 720, 1_380, 1_440, 4_320];
            let is_fixed = round % 4 != 0;
            let length = if is_fixed { minutes[dice.below(16) as usize] * MINUTE_MS } else { HOUR_MS };
            let interval =
                if is_fixed { DateInterval::FixedMs(length) } else { DateInterval::Calendar(CalendarUnit::Hour) };
            let offset = [0, 0, 1, -1, 5][dice.below(5) as usize] * 10 * MINUTE_MS;
            let rounding = Rounding::new(interval, zone.clone(), offset).unwrap();
            // Not far from a change.
            let some = ms("1995-01-01T00:00:00Z") + dice.below(35 * 365 * 24) as i64 * HOUR_MS;
            let change = zone.following(Timestamp::from_millisecond(some).unwrap()).next();
            let near = change.map_or(some, |change| change.timestamp().as_millisecond());
            let instant = near - length - DAY_MS / 4 + dice.below(2 * length as u64 + DAY_MS as u64 / 2) as i64;
            let (beginning, next) = watched(&zone, length, is_fixed, (instant - 2 * length - 2 * DAY_MS, instant));
            let told = format!("{name} {interval:?} {offset} {instant}");
            assert_eq!(rounding.round(instant + offset), beginning + offset, "{told}");
            assert_eq!(rounding.next(beginning + offset), next + offset, "{told}");
        }
    }

    #[test]
    fn every_beginning_follows_the_one_before_it() {
        use CalendarUnit::*;
        for name in CHANGING {
            for unit in [Hour, Day, Week, Month, Quarter, Year] {
                let rounding = rounding(DateInterval::Calendar(unit), name, 0);
                let since = if unit == Hour { "2024-01-01T00:00:00Z" } else { "2009-01-01T00:00:00Z" };
                let (mut walked, mut instant) = (rounding.round(ms(since)), 0);
                while instant < ms("2026-01-01T00:00:00Z") {
                    instant = instant.max(walked) + if unit == Hour { 31 * MINUTE_MS } else { 7 * HOUR_MS };
                    let beginning = rounding.round(instant);
                    while walked < beginning {
                        walked = rounding.next(walked);
                    }
                    assert_eq!(walked, beginning, "{unit:?} {name} {instant}");
                }
            }
        }
    }

    #[test]
    fn days_without_midnight_begin_with_the_change() {
        for (zone, instant, beginning, next) in [
            ("Africa/Cairo", "2024-04-26T12:00:00Z", "2024-04-25T22:00:00Z", "2024-04-26T21:00:00Z"),
            ("Pacific/Apia", "2011-12-30T09:00:00Z", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"),
            ("America/Toronto", "1919-03-31T12:00:00Z", "1919-03-31T04:30:00Z", "1919-04-01T04:00:00Z"),
        ] {
            let rounding = rounding(DateInterval::Calendar(CalendarUnit::Day), zone, 0);
            assert_eq!(rounding.round(ms(instant)), ms(beginning), "{zone}");
            assert_eq!(rounding.next(ms(beginning)), ms(next), "{zone}");
        }
    }
}
