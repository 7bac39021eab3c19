//! What was read, to an instant.

use super::civil::{
    SECONDS_PER_DAY, civil_from_days, day_of_week, days_from_civil, days_from_iso_week, days_from_week_of_month,
    days_in_month, is_leap, week_of_month,
};
use super::format::Round;
use super::moment::Moment;
use super::parse::Parts;
use super::zone::{Zone, instant_of_local};
use jiff::tz::TimeZone;

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

/// `None` when the parts name no date (30 February), contradict each other, or lie outside of what a [`Moment`] holds.
/// Parts that were not read: month and day are the first, time is midnight or the last nanosecond by `missing`.
pub(super) fn resolve(parts: &Parts, missing: Round, default_zone: &TimeZone) -> Option<Moment> {
    let days = date(parts)?;
    let (second_of_day, nanos) = time(parts, missing)?;
    let local_seconds = days.checked_mul(SECONDS_PER_DAY)?.checked_add(second_of_day)?;
    let seconds = match &parts.zone {
        Some(Zone::Offset(offset)) => local_seconds - i64::from(*offset),
        Some(Zone::Named(zone)) => instant_of_local(zone, local_seconds),
        None => instant_of_local(default_zone, local_seconds),
    };
    Moment::new(seconds, nanos)
}

fn date(parts: &Parts) -> Option<i64> {
    let days = if parts.week_year.is_some() || parts.week.is_some() {
        let year = parts.week_year.or(parts.year).unwrap_or(1970);
        days_from_iso_week(year, parts.week.unwrap_or(1) as u32, parts.day_of_week.unwrap_or(1) as u32)?
    } else {
        let year = parts.year.map_or(1970, |year| if parts.is_before_common_era { 1 - year } else { year });
        match parts.day_of_year {
            Some(366) if !is_leap(year) => return None,
            Some(day_of_year) => days_from_civil(year, 1, 1) + day_of_year - 1,
            None => day_of_month(parts, year)?,
        }
    };
    let is_complete = parts.day.is_some() || parts.day_of_year.is_some() || parts.week.is_some();
    (!is_complete || agrees(parts, days)).then_some(days)
}

/// By day, or by week of the month and day of the week; the first of the month where neither is said.
fn day_of_month(parts: &Parts, year: i64) -> Option<i64> {
    let first_of_quarter = parts.quarter.map_or(1, |quarter| quarter * 3 - 2);
    let month = parts.month.unwrap_or(first_of_quarter) as u32;
    if let (None, Some(_), Some(week), Some(day_of_week)) =
        (parts.day, parts.month, parts.week_of_month, parts.day_of_week)
    {
        let first = days_from_civil(year, month, 1);
        let days = days_from_week_of_month(first, week, day_of_week);
        return (0..i64::from(days_in_month(year, month))).contains(&(days - first)).then_some(days);
    }
    let day = parts.day.unwrap_or(1) as u32;
    (day <= days_in_month(year, month)).then(|| days_from_civil(year, month, day))
}

/// Whether what was read beside the date is said of it.
fn agrees(parts: &Parts, days: i64) -> bool {
    let (_, month, day) = civil_from_days(days);
    let same = |read: Option<i64>, own: i64| read.is_none_or(|read| read == own);
    same(parts.day_of_week, day_of_week(days).into())
        && same(parts.quarter, i64::from((month - 1) / 3 + 1))
        && same(parts.week_of_month, week_of_month(days))
        && same(parts.aligned_week_of_month, i64::from((day - 1) / 7 + 1))
}

/// Second of the day and nanoseconds of the second.
fn time(parts: &Parts, missing: Round) -> Option<(i64, u32)> {
    if let Some(nano_of_day) = parts.nano_of_day {
        return Some((nano_of_day / SECOND, (nano_of_day % SECOND) as u32));
    }
    let fill = |last: i64| if missing == Round::Up { last } else { 0 };
    if let (Some(period), None, None) = (parts.day_period, parts.hour, parts.half_day_hour) {
        return Some((period.middle() * 60, 0));
    }
    let hour = match (parts.hour, parts.half_day_hour) {
        (Some(hour), _) => hour,
        (None, Some(hour)) => hour + 12 * i64::from(is_afternoon(parts, hour)),
        (None, None) => fill(23),
    };
    let minute = parts.minute.unwrap_or_else(|| fill(59));
    let second = parts.second.unwrap_or_else(|| fill(59));
    let nano = parts.nano.unwrap_or_else(|| fill(SECOND - 1));
    let is_in_period = parts.day_period.is_none_or(|period| period.includes(hour * 60 + parts.minute.unwrap_or(0)));
    is_in_period.then_some((hour * 3_600 + minute * 60 + second, nano as u32))
}

/// Of an hour from 0 to 11: as the half of the day or the part of the day says.
fn is_afternoon(parts: &Parts, hour: i64) -> bool {
    let minute = hour * 60 + parts.minute.unwrap_or(0);
    let by_period = || parts.day_period.is_some_and(|period| !period.includes(minute));
    parts.is_afternoon.unwrap_or_else(by_period)
}
