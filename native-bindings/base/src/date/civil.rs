//! Days since the epoch and the proleptic Gregorian calendar, for any year an `i64` of milliseconds can reach.
//!
//! The era arithmetic is Howard Hinnant's ("chrono-compatible low-level date algorithms").

pub(super) const SECONDS_PER_DAY: i64 = 86_400;

/// Days from 1970-01-01 to the first of `month` (1..=12) of `year`, plus `day - 1`.
#[inline]
pub(super) fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month (1..=12) and day (1..=31) of a day since 1970-01-01.
#[inline]
pub(super) fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(super) fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

pub(super) fn day_of_year(year: i64, days: i64) -> u32 {
    (days - days_from_civil(year, 1, 1) + 1) as u32
}

/// 1 = Monday .. 7 = Sunday.
pub(super) fn day_of_week(days: i64) -> u32 {
    ((days + 3).rem_euclid(7) + 1) as u32
}

/// ISO week-based year and week of a day.
pub(super) fn iso_week(days: i64) -> (i64, u32) {
    // The Thursday of a week decides the year it belongs to.
    let thursday = days - i64::from(day_of_week(days)) + 4;
    let (year, _, _) = civil_from_days(thursday);
    (year, (day_of_year(year, thursday) - 1) / 7 + 1)
}

/// Days from the first of a month to the Monday of its first week: one that has at least four days of the month.
fn first_week_of_month(first: i64) -> i64 {
    let day_of_week = i64::from(day_of_week(first));
    if day_of_week <= 4 { 1 - day_of_week } else { 8 - day_of_week }
}

/// Week of the month that a day is in, of weeks from Monday on; 0 before the first.
pub(super) fn week_of_month(days: i64) -> i64 {
    let (_, _, day) = civil_from_days(days);
    let first = days - i64::from(day - 1);
    (days - first - first_week_of_month(first)).div_euclid(7) + 1
}

/// The day of the week in a week of the month that begins with `first`.
pub(super) fn days_from_week_of_month(first: i64, week: i64, day_of_week: i64) -> i64 {
    first + first_week_of_month(first) + (week - 1) * 7 + day_of_week - 1
}

/// The day of an ISO week date; `None` for a week that the year does not have.
pub(super) fn days_from_iso_week(year: i64, week: u32, day_of_week_: u32) -> Option<i64> {
    let january_4 = days_from_civil(year, 1, 4);
    let monday_of_first_week = january_4 - i64::from(day_of_week(january_4)) + 1;
    let days = monday_of_first_week + i64::from(week - 1) * 7 + i64::from(day_of_week_ - 1);
    let monday = days - i64::from(day_of_week_ - 1);
    (iso_week(monday).0 == year).then_some(days)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::Date;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_the_calendar_library(days in -3_000_000i64..2_900_000) {
            let (year, month, day) = civil_from_days(days);
            prop_assert_eq!(days_from_civil(year, month, day), days);
            let date = Date::new(year as i16, month as i8, day as i8).unwrap();
            let epoch = Date::new(1970, 1, 1).unwrap();
            prop_assert_eq!(i64::from(epoch.until(date).unwrap().get_days()), days);
            prop_assert_eq!(day_of_year(year, days), date.day_of_year() as u32);
            prop_assert_eq!(days_in_month(year, month), date.days_in_month() as u32);
            let week = date.iso_week_date();
            prop_assert_eq!(iso_week(days), (i64::from(week.year()), week.week() as u32));
            prop_assert_eq!(day_of_week(days), week.weekday().to_monday_one_offset() as u32);
            prop_assert_eq!(days_from_iso_week(i64::from(week.year()), week.week() as u32, day_of_week(days)), Some(days));
        }

        #[test]
        fn far_years_round_trip(days in -100_000_000_000i64..100_000_000_000) {
            let (year, month, day) = civil_from_days(days);
            prop_assert_eq!(days_from_civil(year, month, day), days);
        }
    }

    #[test]
    fn weeks_that_a_year_lacks_are_refused() {
        assert!(days_from_iso_week(2020, 53, 1).is_some());
        assert_eq!(days_from_iso_week(2021, 53, 1), None);
    }
}
