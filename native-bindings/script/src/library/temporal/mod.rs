//! Dates, times, durations and zones (`java.time`).
//!
//! | file | what it does |
//! | --- | --- |
//! | [`adjust`] | `TemporalAdjusters` |
//! | [`make`] | static methods: parse, of, constants |
//! | [`fields`] | getters |
//! | [`change`] | plus, minus, with, truncation, zones, comparison, formatting |
mod adjust;
mod change;
mod fields;
mod make;

use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::heap::object::Object;
use crate::run::Machine;
use adjust::Adjuster;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
pub use make::call_static;
use quarry_base::date::DateFormat;
use std::cmp::Ordering;

#[derive(Debug, Clone)]
pub enum Temporal {
    Zoned(Zoned),
    Instant(Timestamp),
    DateTime(DateTime),
    Date(Date),
    Time(Time),
    Duration(SignedDuration),
    /// Years, months, days.
    Period(i32, i32, i32),
    Zone(TimeZone),
    Weekday(Weekday),
    /// 1 to 12.
    Month(i8),
    Unit(Unit),
    Field(Field),
    Formatter(DateFormat, Option<TimeZone>),
    Adjuster(Adjuster),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    Nanos,
    Micros,
    Millis,
    Seconds,
    Minutes,
    Hours,
    HalfDays,
    Days,
    Weeks,
    Months,
    Years,
    Decades,
    Centuries,
}

/// Names as the language has them.
pub(crate) const UNITS: [(&str, Unit); 13] = [
    ("NANOS", Unit::Nanos),
    ("MICROS", Unit::Micros),
    ("MILLIS", Unit::Millis),
    ("SECONDS", Unit::Seconds),
    ("MINUTES", Unit::Minutes),
    ("HOURS", Unit::Hours),
    ("HALF_DAYS", Unit::HalfDays),
    ("DAYS", Unit::Days),
    ("WEEKS", Unit::Weeks),
    ("MONTHS", Unit::Months),
    ("YEARS", Unit::Years),
    ("DECADES", Unit::Decades),
    ("CENTURIES", Unit::Centuries),
];

impl Unit {
    /// Seconds and nanoseconds, for those that are always as long.
    pub fn length(self) -> Option<SignedDuration> {
        Some(match self {
            Unit::Nanos => SignedDuration::from_nanos(1),
            Unit::Micros => SignedDuration::from_micros(1),
            Unit::Millis => SignedDuration::from_millis(1),
            Unit::Seconds => SignedDuration::from_secs(1),
            Unit::Minutes => SignedDuration::from_secs(60),
            Unit::Hours => SignedDuration::from_secs(3_600),
            Unit::HalfDays => SignedDuration::from_secs(43_200),
            _ => return None,
        })
    }
}

/// What can be asked of a date: `ChronoField`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Year,
    Month,
    Day,
    DayOfWeek,
    DayOfYear,
    Hour,
    Minute,
    Second,
    Milli,
    Nano,
    EpochDay,
    EpochSecond,
    MinuteOfDay,
    SecondOfDay,
    MilliOfDay,
}

pub(crate) const FIELDS: [(&str, Field); 15] = [
    ("YEAR", Field::Year),
    ("MONTH_OF_YEAR", Field::Month),
    ("DAY_OF_MONTH", Field::Day),
    ("DAY_OF_WEEK", Field::DayOfWeek),
    ("DAY_OF_YEAR", Field::DayOfYear),
    ("HOUR_OF_DAY", Field::Hour),
    ("MINUTE_OF_HOUR", Field::Minute),
    ("SECOND_OF_MINUTE", Field::Second),
    ("MILLI_OF_SECOND", Field::Milli),
    ("NANO_OF_SECOND", Field::Nano),
    ("EPOCH_DAY", Field::EpochDay),
    ("INSTANT_SECONDS", Field::EpochSecond),
    ("MINUTE_OF_DAY", Field::MinuteOfDay),
    ("SECOND_OF_DAY", Field::SecondOfDay),
    ("MILLI_OF_DAY", Field::MilliOfDay),
];

pub(crate) const WEEKDAYS: [&str; 7] = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
pub(crate) const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];

/// What the calendar library refuses.
pub(crate) fn refused(error: jiff::Error) -> Box<Fault> {
    Fault::new(Exception::DateTime, error.to_string())
}

impl PartialEq for Temporal {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Temporal::Zoned(left), Temporal::Zoned(right)) => left == right && left.offset() == right.offset(),
            (Temporal::Zone(left), Temporal::Zone(right)) => zone_text(left) == zone_text(right),
            (Temporal::Weekday(left), Temporal::Weekday(right)) => left == right,
            (Temporal::Period(..), Temporal::Period(..)) | (Temporal::Unit(_), Temporal::Unit(_)) => {
                self.text() == other.text()
            }
            _ => self.compare(other) == Some(Ordering::Equal),
        }
    }
}

impl Temporal {
    /// In UTC, as the values of a document's date fields are.
    pub fn from_epoch_nanos(nanos: i128) -> Res<Temporal> {
        let moment = Timestamp::from_nanosecond(nanos).map_err(refused)?;
        Ok(Temporal::Zoned(moment.to_zoned(TimeZone::UTC)))
    }

    /// Simple name of its class.
    pub fn class(&self) -> &'static str {
        match self {
            Temporal::Zoned(_) => "ZonedDateTime",
            Temporal::Instant(_) => "Instant",
            Temporal::DateTime(_) => "LocalDateTime",
            Temporal::Date(_) => "LocalDate",
            Temporal::Time(_) => "LocalTime",
            Temporal::Duration(_) => "Duration",
            Temporal::Period(..) => "Period",
            Temporal::Zone(_) => "ZoneId",
            Temporal::Weekday(_) => "DayOfWeek",
            Temporal::Month(_) => "Month",
            Temporal::Unit(_) => "ChronoUnit",
            Temporal::Field(_) => "ChronoField",
            Temporal::Formatter(..) => "DateTimeFormatter",
            Temporal::Adjuster(_) => "temporal.TemporalAdjuster",
        }
    }

    /// `None`: not comparable.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        Some(match (self, other) {
            (Temporal::Zoned(left), Temporal::Zoned(right)) => left.cmp(right),
            (Temporal::Instant(left), Temporal::Instant(right)) => left.cmp(right),
            (Temporal::DateTime(left), Temporal::DateTime(right)) => left.cmp(right),
            (Temporal::Date(left), Temporal::Date(right)) => left.cmp(right),
            (Temporal::Time(left), Temporal::Time(right)) => left.cmp(right),
            (Temporal::Duration(left), Temporal::Duration(right)) => left.cmp(right),
            (Temporal::Weekday(left), Temporal::Weekday(right)) => {
                left.to_monday_one_offset().cmp(&right.to_monday_one_offset())
            }
            (Temporal::Month(left), Temporal::Month(right)) => left.cmp(right),
            _ => return None,
        })
    }

    /// As JSON has it: dates with times as the format `strict_date_optional_time_nanos` prints them, others as `toString` does.
    pub fn json_text(&self) -> String {
        match self {
            Temporal::Zoned(zoned) => {
                format!("{}{}", exact_text(zoned.datetime()), offset_text(zoned.offset().seconds()))
            }
            Temporal::Instant(moment) => format!("{}Z", exact_text(moment.to_zoned(TimeZone::UTC).datetime())),
            Temporal::DateTime(local) => format!("{}Z", exact_text(*local)),
            Temporal::Time(time) => exact_time_text(*time, 3),
            _ => self.text(),
        }
    }

    /// As `toString` gives it.
    pub fn text(&self) -> String {
        match self {
            Temporal::Zoned(zoned) => {
                let zone = zone_text(zoned.time_zone());
                let offset = offset_text(zoned.offset().seconds());
                let local = date_time_text(zoned.datetime());
                if zone == "Z" || zone == offset {
                    format!("{local}{offset}")
                } else {
                    format!("{local}{offset}[{zone}]")
                }
            }
            Temporal::Instant(moment) => {
                let local = moment.to_zoned(TimeZone::UTC).datetime();
                let time = local.time();
                let seconds = if time.second() == 0 && time.subsec_nanosecond() == 0 { ":00" } else { "" };
                format!("{}{seconds}Z", date_time_text(local))
            }
            Temporal::DateTime(local) => date_time_text(*local),
            Temporal::Date(date) => date_text(*date),
            Temporal::Time(time) => time_text(*time),
            Temporal::Duration(duration) => duration_text(*duration),
            Temporal::Period(years, months, days) => {
                let mut out = String::from("P");
                for (number, letter) in [(years, 'Y'), (months, 'M'), (days, 'D')] {
                    if *number != 0 {
                        out.push_str(&format!("{number}{letter}"));
                    }
                }
                if out.len() == 1 { "P0D".into() } else { out }
            }
            Temporal::Zone(zone) => zone_text(zone),
            Temporal::Weekday(day) => WEEKDAYS[(day.to_monday_zero_offset() as usize).min(6)].into(),
            Temporal::Month(month) => MONTHS[(month.clamp(&1, &12) - 1) as usize].into(),
            Temporal::Unit(unit) => {
                let name = UNITS.iter().find(|(_, known)| known == unit).map_or("", |(name, _)| name);
                let mut letters = name.to_lowercase();
                letters[..1.min(name.len())].make_ascii_uppercase();
                letters
            }
            Temporal::Field(field) => {
                FIELDS.iter().find(|(_, known)| known == field).map_or("", |(name, _)| name).to_owned()
            }
            Temporal::Formatter(format, _) => format.pattern().to_owned(),
            Temporal::Adjuster(_) => self.class().to_owned(),
        }
    }
}

fn date_text(date: Date) -> String {
    let year = date.year();
    let sign = if year < 0 { "-" } else { "" };
    format!("{sign}{:04}-{:02}-{:02}", year.unsigned_abs(), date.month(), date.day())
}

fn time_text(time: Time) -> String {
    let mut out = format!("{:02}:{:02}", time.hour(), time.minute());
    let nanos = time.subsec_nanosecond();
    if time.second() != 0 || nanos != 0 {
        out.push_str(&format!(":{:02}", time.second()));
    }
    if nanos != 0 {
        out.push_str(&match () {
            () if nanos % 1_000_000 == 0 => format!(".{:03}", nanos / 1_000_000),
            () if nanos % 1_000 == 0 => format!(".{:06}", nanos / 1_000),
            () => format!(".{nanos:09}"),
        });
    }
    out
}

fn date_time_text(local: DateTime) -> String {
    format!("{}T{}", date_text(local.date()), time_text(local.time()))
}

/// With seconds, and a fraction of three to nine digits.
fn exact_text(local: DateTime) -> String {
    let digits = format!("{:09}", local.subsec_nanosecond());
    let digits_count = digits.trim_end_matches('0').len().max(3);
    format!("{}T{}", date_text(local.date()), exact_time_text(local.time(), digits_count))
}

/// With seconds, and so many digits of their fraction.
fn exact_time_text(time: Time, digits_count: usize) -> String {
    let digits = format!("{:09}", time.subsec_nanosecond());
    format!("{:02}:{:02}:{:02}.{}", time.hour(), time.minute(), time.second(), &digits[..digits_count.min(9)])
}

fn offset_text(seconds: i32) -> String {
    if seconds == 0 {
        return "Z".into();
    }
    let (sign, rest) = (if seconds < 0 { '-' } else { '+' }, seconds.unsigned_abs());
    let mut out = format!("{sign}{:02}:{:02}", rest / 3_600, rest / 60 % 60);
    if !rest.is_multiple_of(60) {
        out.push_str(&format!(":{:02}", rest % 60));
    }
    out
}

pub(crate) fn zone_text(zone: &TimeZone) -> String {
    match zone.iana_name() {
        _ if *zone == TimeZone::UTC => "Z".into(),
        Some(name) => name.into(),
        None => offset_text(zone.to_offset(Timestamp::UNIX_EPOCH).seconds()),
    }
}

fn duration_text(duration: SignedDuration) -> String {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    if seconds == 0 && nanos == 0 {
        return "PT0S".into();
    }
    let mut out = String::from("PT");
    for (number, letter) in [(seconds / 3_600, 'H'), (seconds % 3_600 / 60, 'M')] {
        if number != 0 {
            out.push_str(&format!("{number}{letter}"));
        }
    }
    let rest = seconds % 60;
    if rest == 0 && nanos == 0 {
        return out;
    }
    let sign = if rest < 0 || nanos < 0 { "-" } else { "" };
    out.push_str(&format!("{sign}{}", rest.unsigned_abs()));
    if nanos != 0 {
        let digits = format!("{:09}", nanos.unsigned_abs());
        out.push('.');
        out.push_str(digits.trim_end_matches('0'));
    }
    out.push('S');
    out
}

impl Machine<'_> {
    pub(crate) fn temporal(&mut self, temporal: Temporal) -> Res<Value> {
        self.state.heap.alloc(Object::Temporal(Box::new(temporal)))
    }

    pub(crate) fn temporal_of(&self, value: Value) -> Res<Temporal> {
        if let Value::Ref(place) = value
            && let Object::Temporal(temporal) = self.state.heap.get(place)
        {
            return Ok((**temporal).clone());
        }
        match value {
            Value::Null => Err(Fault::without_message(Exception::NullPointer)),
            _ => Err(Fault::class_cast(format!(
                "Cannot cast from [{}] to [java.time.temporal.Temporal].",
                self.class_of(value)
            ))),
        }
    }

    pub(crate) fn zone_of(&mut self, value: Value) -> Res<TimeZone> {
        match self.temporal_of(value)? {
            Temporal::Zone(zone) => Ok(zone),
            other => {
                Err(Fault::class_cast(format!("Cannot cast from [java.time.{}] to [java.time.ZoneId].", other.class())))
            }
        }
    }

    pub(crate) fn unit_of(&self, value: Value) -> Res<Unit> {
        match self.temporal_of(value)? {
            Temporal::Unit(unit) => Ok(unit),
            other => Err(Fault::class_cast(format!("Cannot cast from [java.time.{}] to [ChronoUnit].", other.class()))),
        }
    }
}

/// Methods of a date, a time, a duration or a zone.
pub fn call(machine: &mut Machine<'_>, own: &Temporal, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(2)?;
    if arguments.is_empty()
        && let Some(found) = fields::get(machine, own, name)?
    {
        return Ok(Some(found));
    }
    change::call(machine, own, name, arguments)
}
