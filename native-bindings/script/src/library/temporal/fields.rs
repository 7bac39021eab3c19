//! Getters of dates, times and durations.

use super::{Field, Temporal, WEEKDAYS};
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::run::Machine;
use jiff::civil::{Date, Time};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};

impl Temporal {
    /// The parts that it has.
    pub(super) fn parts(&self) -> (Option<Date>, Option<Time>) {
        match self {
            Temporal::Zoned(zoned) => (Some(zoned.date()), Some(zoned.time())),
            Temporal::DateTime(local) => (Some(local.date()), Some(local.time())),
            Temporal::Date(date) => (Some(*date), None),
            Temporal::Time(time) => (None, Some(*time)),
            Temporal::Instant(moment) => {
                let zoned = moment.to_zoned(TimeZone::UTC);
                (None, Some(zoned.time()))
            }
            _ => (None, None),
        }
    }

    pub(crate) fn moment(&self) -> Option<Timestamp> {
        match self {
            Temporal::Zoned(zoned) => Some(zoned.timestamp()),
            Temporal::Instant(moment) => Some(*moment),
            _ => None,
        }
    }

    /// A field as a number; `None` for one that it does not have.
    pub(super) fn number(&self, field: Field) -> Option<i64> {
        let (date, time) = self.parts();
        let of_day =
            |time: Time| i64::from(time.hour()) * 3_600 + i64::from(time.minute()) * 60 + i64::from(time.second());
        Some(match field {
            Field::Year => date?.year().into(),
            Field::Month => match self {
                Temporal::Month(month) => (*month).into(),
                _ => date?.month().into(),
            },
            Field::Day => date?.day().into(),
            Field::DayOfWeek => match self {
                Temporal::Weekday(day) => day.to_monday_one_offset().into(),
                _ => date?.weekday().to_monday_one_offset().into(),
            },
            Field::DayOfYear => date?.day_of_year().into(),
            Field::Hour => time?.hour().into(),
            Field::Minute => time?.minute().into(),
            Field::Second => time?.second().into(),
            Field::Milli => i64::from(time?.subsec_nanosecond() / 1_000_000),
            Field::Nano => time?.subsec_nanosecond().into(),
            Field::EpochDay => epoch_day(date?),
            Field::EpochSecond => self.moment()?.as_second(),
            Field::MinuteOfDay => of_day(time?) / 60,
            Field::SecondOfDay => of_day(time?),
            Field::MilliOfDay => of_day(time?) * 1_000 + i64::from(time?.subsec_nanosecond() / 1_000_000),
        })
    }
}

pub(super) fn epoch_day(date: Date) -> i64 {
    let start = date.to_zoned(TimeZone::UTC).map(|zoned| zoned.timestamp().as_second());
    start.map_or(0, |seconds| seconds.div_euclid(86_400))
}

/// A getter by its name; `None` when there is none.
pub(super) fn get(machine: &mut Machine<'_>, own: &Temporal, name: &str) -> Res<Option<Value>> {
    if let Temporal::Duration(duration) = own {
        return of_duration(machine, *duration, name);
    }
    if let Temporal::Period(years, months, days) = own {
        return Ok(match name {
            "getYears" => Some(Value::Int(*years)),
            "getMonths" => Some(Value::Int(*months)),
            "getDays" => Some(Value::Int(*days)),
            "toTotalMonths" => Some(Value::Long(i64::from(*years) * 12 + i64::from(*months))),
            _ => None,
        });
    }
    let field = match name {
        "getYear" => Field::Year,
        "getMonthValue" | "getMonthOfYear" => Field::Month,
        "getDayOfMonth" => Field::Day,
        "getDayOfYear" => Field::DayOfYear,
        "getHour" | "getHourOfDay" => Field::Hour,
        "getMinute" | "getMinuteOfHour" => Field::Minute,
        "getSecond" | "getSecondOfMinute" => Field::Second,
        "getNano" => Field::Nano,
        "getMillisOfSecond" => Field::Milli,
        "getMillisOfDay" => Field::MilliOfDay,
        "getMinuteOfDay" => Field::MinuteOfDay,
        "getSecondOfDay" | "toSecondOfDay" => Field::SecondOfDay,
        _ => return others(machine, own, name),
    };
    Ok(own.number(field).map(|number| Value::Int(number as i32)))
}

fn others(machine: &mut Machine<'_>, own: &Temporal, name: &str) -> Res<Option<Value>> {
    let (date, time) = own.parts();
    let found = match (name, own) {
        ("toInstant", _) => own.moment().map(Temporal::Instant),
        ("toEpochMilli" | "getMillis", _) => {
            return Ok(own.moment().map(|moment| Value::Long(moment.as_nanosecond().div_euclid(1_000_000) as i64)));
        }
        ("toEpochSecond" | "getEpochSecond", _) => {
            return Ok(own.moment().map(|moment| Value::Long(moment.as_nanosecond().div_euclid(1_000_000_000) as i64)));
        }
        ("toEpochDay", _) => return Ok(date.map(|date| Value::Long(epoch_day(date)))),
        ("toNanoOfDay", Temporal::Time(_)) => {
            let seconds = own.number(Field::SecondOfDay).unwrap_or(0);
            let nanos = own.number(Field::Nano).unwrap_or(0);
            return Ok(Some(Value::Long(seconds * 1_000_000_000 + nanos)));
        }
        ("toLocalDate", _) => date.map(Temporal::Date),
        ("toLocalTime", _) => time.map(Temporal::Time),
        ("toLocalDateTime", Temporal::Zoned(zoned)) => Some(Temporal::DateTime(zoned.datetime())),
        ("toOffsetDateTime" | "toZonedDateTime", Temporal::Zoned(_)) => Some(own.clone()),
        ("getZone" | "getOffset", Temporal::Zoned(zoned)) => Some(Temporal::Zone(if name == "getZone" {
            zoned.time_zone().clone()
        } else {
            TimeZone::fixed(zoned.offset())
        })),
        ("getDayOfWeekEnum", _) | ("getDayOfWeek", _) => date.map(|date| Temporal::Weekday(date.weekday())),
        ("getMonth", _) => date.map(|date| Temporal::Month(date.month())),
        ("getValue" | "ordinal", Temporal::Weekday(day)) => {
            let number = day.to_monday_one_offset() - i8::from(name == "ordinal");
            return Ok(Some(Value::Int(number.into())));
        }
        ("getValue" | "ordinal", Temporal::Month(month)) => {
            return Ok(Some(Value::Int(i32::from(*month) - i32::from(name == "ordinal"))));
        }
        ("name", Temporal::Weekday(_) | Temporal::Month(_)) => return machine.new_text(own.text()),
        ("getId" | "toString", Temporal::Zone(zone)) => return machine.new_text(super::zone_text(zone)),
        ("getTotalSeconds", Temporal::Zone(zone)) => {
            return Ok(Some(Value::Int(zone.to_offset(Timestamp::UNIX_EPOCH).seconds())));
        }
        ("isLeapYear", _) => return Ok(date.map(|date| Value::Bool(date.in_leap_year()))),
        ("lengthOfMonth", _) => return Ok(date.map(|date| Value::Int(date.days_in_month().into()))),
        ("lengthOfYear", _) => return Ok(date.map(|date| Value::Int(date.days_in_year().into()))),
        ("getWeekyear" | "getWeekOfWeekyear", _) => {
            return Ok(date.map(|date| {
                let week = date.iso_week_date();
                Value::Int(if name == "getWeekyear" { week.year().into() } else { week.week().into() })
            }));
        }
        ("atStartOfDay", Temporal::Date(date)) => Some(Temporal::DateTime(date.to_datetime(Time::midnight()))),
        ("getCenturyOfEra", _) => return Ok(date.map(|date| Value::Int(i32::from(date.year()) / 100))),
        ("hashCode", _) => return Ok(None),
        _ => None,
    };
    found.map(|found| machine.temporal(found)).transpose()
}

fn of_duration(machine: &mut Machine<'_>, duration: SignedDuration, name: &str) -> Res<Option<Value>> {
    let (seconds, nanos) = (duration.as_secs(), duration.subsec_nanos());
    let total = duration.as_nanos();
    let long = |number: i128| {
        i64::try_from(number).map(Value::Long).map_err(|_| Fault::new(Exception::Arithmetic, "long overflow"))
    };
    Ok(Some(match name {
        "getSeconds" | "toSeconds" => Value::Long(total.div_euclid(1_000_000_000) as i64),
        "getNano" => Value::Int(total.rem_euclid(1_000_000_000) as i32),
        "toMillis" => long(total.div_euclid(1_000_000))?,
        "toNanos" => long(total)?,
        "toMinutes" => Value::Long(seconds / 60),
        "toHours" => Value::Long(seconds / 3_600),
        "toDays" => Value::Long(seconds / 86_400),
        "toHoursPart" => Value::Int((seconds / 3_600 % 24) as i32),
        "toMinutesPart" => Value::Int((seconds / 60 % 60) as i32),
        "toSecondsPart" => Value::Int((seconds % 60) as i32),
        "toMillisPart" => Value::Int(nanos / 1_000_000),
        "isZero" => Value::Bool(duration.is_zero()),
        "isNegative" => Value::Bool(duration.is_negative()),
        "abs" => return machine.temporal(Temporal::Duration(duration.abs())).map(Some),
        "negated" => {
            let negated = duration.checked_neg().ok_or_else(|| Fault::new(Exception::Arithmetic, "long overflow"))?;
            return machine.temporal(Temporal::Duration(negated)).map(Some);
        }
        _ => return Ok(None),
    }))
}

/// `getDisplayName(style, locale)` in English.
pub(super) fn display_name(own: &Temporal, short: bool) -> Option<String> {
    let name = match own {
        Temporal::Weekday(day) => WEEKDAYS[(day.to_monday_zero_offset() as usize).min(6)],
        Temporal::Month(month) => super::MONTHS[(month.clamp(&1, &12) - 1) as usize],
        _ => return None,
    };
    let name = format!("{}{}", &name[..1], name[1..].to_lowercase());
    Some(if short { name[..3].to_owned() } else { name })
}

/// In a zone.
pub(super) fn in_zone(moment: Timestamp, zone: TimeZone) -> Temporal {
    Temporal::Zoned(Zoned::new(moment, zone))
}
