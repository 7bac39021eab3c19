//! What was read, to an instant.

use super::civil::{SECONDS_PER_DAY, day_of_week, days_from_civil, days_from_iso_week, days_in_month, is_leap};
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
            None => {
                let first_of_quarter = parts.quarter.map_or(1, |quarter| quarter * 3 - 2);
                let month = parts.month.unwrap_or(first_of_quarter) as u32;
                let day = parts.day.unwrap_or(1) as u32;
                (day <= days_in_month(year, month)).then(|| days_from_civil(year, month, day))?
            }
        }
    };
    let is_complete = parts.day.is_some() || parts.day_of_year.is_some() || parts.week.is_some();
    let contradicts = parts.day_of_week.is_some_and(|named| is_complete && named != i64::from(day_of_week(days)));
    (!contradicts).then_some(days)
}

/// Second of the day and nanoseconds of the second.
fn time(parts: &Parts, missing: Round) -> Option<(i64, u32)> {
    if let Some(nano_of_day) = parts.nano_of_day {
        return Some((nano_of_day / SECOND, (nano_of_day % SECOND) as u32));
    }
    let fill = |last: i64| if missing == Round::Up { last } else { 0 };
    let hour = match (parts.hour, parts.half_day_hour, parts.is_afternoon) {
        (Some(hour), _, _) => hour,
        (None, Some(hour), is_afternoon) => hour + 12 * i64::from(is_afternoon.unwrap_or(false)),
        (None, None, _) => fill(23),
    };
    let minute = parts.minute.unwrap_or_else(|| fill(59));
    let second = parts.second.unwrap_or_else(|| fill(59));
    let nano = parts.nano.unwrap_or_else(|| fill(SECOND - 1));
    Some((hour * 3_600 + minute * 60 + second, nano as u32))
}
