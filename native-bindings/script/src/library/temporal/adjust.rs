//! `TemporalAdjusters`: dates that are found from others.

use super::{Temporal, refused};
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::run::Machine;
use jiff::civil::{Date, Weekday};

/// Which date of those around is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjuster {
    FirstDayOfMonth,
    LastDayOfMonth,
    FirstDayOfNextMonth,
    FirstDayOfYear,
    LastDayOfYear,
    FirstDayOfNextYear,
    /// The so-manyth such day of the month; below 0 from its end, 0 the last one before it.
    InMonth(i32, Weekday),
    Next(Weekday),
    NextOrSame(Weekday),
    Previous(Weekday),
    PreviousOrSame(Weekday),
}

pub(super) const WITHOUT_ARGUMENTS: [(&str, Adjuster); 6] = [
    ("firstDayOfMonth", Adjuster::FirstDayOfMonth),
    ("lastDayOfMonth", Adjuster::LastDayOfMonth),
    ("firstDayOfNextMonth", Adjuster::FirstDayOfNextMonth),
    ("firstDayOfYear", Adjuster::FirstDayOfYear),
    ("lastDayOfYear", Adjuster::LastDayOfYear),
    ("firstDayOfNextYear", Adjuster::FirstDayOfNextYear),
];

/// Those that are about a day of the week.
pub(super) fn made(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Option<Temporal>> {
    let (number, day) = match arguments {
        [day] => (None, *day),
        [number, day] => (Some(machine.int_of(*number)?), *day),
        _ => return Ok(None),
    };
    let Temporal::Weekday(day) = machine.temporal_of(day)? else {
        return Err(Fault::class_cast("a DayOfWeek is wanted"));
    };
    let adjuster = match (name, number) {
        ("dayOfWeekInMonth", Some(number)) => Adjuster::InMonth(number, day),
        ("firstInMonth", None) => Adjuster::InMonth(1, day),
        ("lastInMonth", None) => Adjuster::InMonth(-1, day),
        ("next", None) => Adjuster::Next(day),
        ("nextOrSame", None) => Adjuster::NextOrSame(day),
        ("previous", None) => Adjuster::Previous(day),
        ("previousOrSame", None) => Adjuster::PreviousOrSame(day),
        _ => return Ok(None),
    };
    Ok(Some(Temporal::Adjuster(adjuster)))
}

impl Adjuster {
    pub(super) fn of(self, date: Date) -> Res<Date> {
        let days_until = |day: Weekday| i32::from(date.weekday().until(day));
        let days_since = |day: Weekday| i32::from(date.weekday().since(day));
        // A week is never no week.
        let whole = |days: i32| if days == 0 { 7 } else { days };
        match self {
            Adjuster::FirstDayOfMonth => Ok(date.first_of_month()),
            Adjuster::LastDayOfMonth => Ok(date.last_of_month()),
            Adjuster::FirstDayOfNextMonth => moved(date.last_of_month(), 1),
            Adjuster::FirstDayOfYear => Ok(date.first_of_year()),
            Adjuster::LastDayOfYear => Ok(date.last_of_year()),
            Adjuster::FirstDayOfNextYear => moved(date.last_of_year(), 1),
            Adjuster::InMonth(number, day) => in_month(date, number, day),
            Adjuster::Next(day) => moved(date, whole(days_until(day))),
            Adjuster::NextOrSame(day) => moved(date, days_until(day)),
            Adjuster::Previous(day) => moved(date, -whole(days_since(day))),
            Adjuster::PreviousOrSame(day) => moved(date, -days_since(day)),
        }
    }
}

fn moved(date: Date, days: i32) -> Res<Date> {
    date.checked_add(jiff::Span::new().try_days(days).map_err(refused)?).map_err(refused)
}

fn in_month(date: Date, number: i32, day: Weekday) -> Res<Date> {
    let weeks = |weeks: i32| weeks.checked_mul(7).ok_or_else(|| Fault::new(Exception::Arithmetic, "int overflow"));
    if number >= 0 {
        let first = date.first_of_month();
        let days = i32::from(first.weekday().until(day));
        return moved(first, days + weeks(number - 1)?);
    }
    let last = date.last_of_month();
    let days = i32::from(last.weekday().since(day));
    moved(last, weeks(number + 1)? - days)
}
