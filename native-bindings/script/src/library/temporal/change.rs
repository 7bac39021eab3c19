//! Dates that follow from others: plus, minus, with, truncation, zones; comparison and formatting.

use super::fields::{display_name, in_zone};
use super::{Field, Temporal, Unit, refused};
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::run::Machine;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, Zoned};
use quarry_base::date::Moment;

pub(super) fn call(machine: &mut Machine<'_>, own: &Temporal, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    if let Some(found) = compared(machine, own, name, arguments)? {
        return Ok(Some(found));
    }
    if let Some(found) = printed(machine, own, name, arguments)? {
        return Ok(Some(found));
    }
    let Some(made) = changed(machine, own, name, arguments)? else { return Ok(None) };
    machine.temporal(made).map(Some)
}

fn compared(machine: &mut Machine<'_>, own: &Temporal, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("isAfter" | "isBefore" | "isEqual" | "compareTo", [other]) => {
            let other = machine.temporal_of(*other)?;
            let order = match (own.moment(), other.moment()) {
                (Some(own), Some(other)) => Some(own.cmp(&other)),
                _ => own.compare(&other),
            };
            let order = order.ok_or_else(|| {
                let (own, other) = (own.class(), other.class());
                Fault::class_cast(format!("Cannot cast from [java.time.{other}] to [java.time.{own}]."))
            })?;
            Ok(Some(match name {
                "isAfter" => Value::Bool(order.is_gt()),
                "isBefore" => Value::Bool(order.is_lt()),
                "isEqual" => Value::Bool(order.is_eq()),
                _ => Value::Int(order as i32),
            }))
        }
        ("get" | "getLong" | "isSupported", [field]) => {
            let Temporal::Field(field) = machine.temporal_of(*field)? else { return Ok(None) };
            let number = own.number(field);
            if name == "isSupported" {
                return Machine::bool(number.is_some());
            }
            let number = number.ok_or_else(|| Fault::new(Exception::DateTime, "Unsupported field"))?;
            Ok(Some(if name == "get" { Value::Int(number as i32) } else { Value::Long(number) }))
        }
        ("until", [other, unit]) => {
            let (other, unit) = (machine.temporal_of(*other)?, machine.unit_of(*unit)?);
            between(own, &other, unit).map(|number| Some(Value::Long(number)))
        }
        ("between", [first, second]) => {
            let Temporal::Unit(unit) = own else { return Ok(None) };
            let (first, second) = (machine.temporal_of(*first)?, machine.temporal_of(*second)?);
            between(&first, &second, *unit).map(|number| Some(Value::Long(number)))
        }
        _ => Ok(None),
    }
}

/// Whole units from one to the other.
fn between(first: &Temporal, second: &Temporal, unit: Unit) -> Res<i64> {
    let too_far = || Fault::new(Exception::Arithmetic, "long overflow");
    let exact = unit.length().or(match (first, unit) {
        (Temporal::Instant(_), Unit::Days) => Some(SignedDuration::from_secs(86_400)),
        _ => None,
    });
    if let Some(length) = exact {
        let nanos = match (first.moment(), second.moment()) {
            (Some(first), Some(second)) => second.as_nanosecond() - first.as_nanosecond(),
            _ => local_of(second)?.duration_since(local_of(first)?).as_nanos(),
        };
        return i64::try_from(nanos / length.as_nanos()).map_err(|_| too_far());
    }
    let (first, second) = match (first, second) {
        (Temporal::Zoned(first), Temporal::Zoned(second)) => {
            (first.datetime(), second.with_time_zone(first.time_zone().clone()).datetime())
        }
        _ => (local_of(first)?, local_of(second)?),
    };
    let largest = match unit {
        Unit::Days => jiff::Unit::Day,
        Unit::Weeks => jiff::Unit::Week,
        Unit::Months => jiff::Unit::Month,
        _ => jiff::Unit::Year,
    };
    let span = first.until((largest, second)).map_err(refused)?;
    Ok(match unit {
        Unit::Days => span.get_days().into(),
        Unit::Weeks => span.get_weeks().into(),
        Unit::Months => span.get_months().into(),
        Unit::Decades => i64::from(span.get_years()) / 10,
        Unit::Centuries => i64::from(span.get_years()) / 100,
        _ => span.get_years().into(),
    })
}

fn local_of(temporal: &Temporal) -> Res<DateTime> {
    match temporal.parts() {
        (Some(date), time) => Ok(date.to_datetime(time.unwrap_or_else(Time::midnight))),
        (None, Some(time)) => Ok(Date::constant(1970, 1, 1).to_datetime(time)),
        _ => Err(Fault::new(Exception::DateTime, format!("Unable to obtain a date from a {}", temporal.class()))),
    }
}

fn printed(machine: &mut Machine<'_>, own: &Temporal, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    match (name, arguments) {
        ("format", [other]) => {
            // Of a date with a formatter, or of a formatter with a date.
            let other = machine.temporal_of(*other)?;
            let (date, format, zone) = match (own, &other) {
                (Temporal::Formatter(format, zone), date) | (date, Temporal::Formatter(format, zone)) => {
                    (date, format, zone.clone())
                }
                _ => return Ok(None),
            };
            let (moment, zone) = match date {
                Temporal::Zoned(zoned) => (zoned.timestamp(), zone.unwrap_or_else(|| zoned.time_zone().clone())),
                Temporal::Instant(moment) => (*moment, zone.unwrap_or(TimeZone::UTC)),
                other => {
                    let zoned = local_of(other)?.to_zoned(TimeZone::UTC).map_err(refused)?;
                    (zoned.timestamp(), TimeZone::UTC)
                }
            };
            let mut out = String::new();
            format.format(moment_of(moment), &zone, &mut out);
            machine.new_text(out)
        }
        ("getDisplayName", [style, _]) => {
            let short = machine.is_text(*style) && machine.chars_of(*style)?.starts_with("SHORT");
            match display_name(own, short) {
                Some(name) => machine.new_text(name),
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

fn moment_of(moment: Timestamp) -> Moment {
    let nanos = moment.as_nanosecond();
    let (seconds, rest) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
    Moment::new(seconds as i64, rest as u32).unwrap_or_else(|| Moment::from_millis(0))
}

fn changed(machine: &mut Machine<'_>, own: &Temporal, name: &str, arguments: &[Value]) -> Res<Option<Temporal>> {
    if let Some(found) = moved(machine, own, name, arguments)? {
        return Ok(Some(found));
    }
    Ok(Some(match (name, arguments, own) {
        ("withZoneSameInstant" | "atZoneSameInstant" | "withOffsetSameInstant", [zone], Temporal::Zoned(zoned)) => {
            in_zone(zoned.timestamp(), machine.zone_of(*zone)?)
        }
        ("withZoneSameLocal", [zone], Temporal::Zoned(zoned)) => {
            Temporal::Zoned(zoned.datetime().to_zoned(machine.zone_of(*zone)?).map_err(refused)?)
        }
        ("atZone" | "atOffset", [zone], Temporal::Instant(moment)) => in_zone(*moment, machine.zone_of(*zone)?),
        ("atZone" | "atOffset", [zone], Temporal::DateTime(local)) => {
            Temporal::Zoned(local.to_zoned(machine.zone_of(*zone)?).map_err(refused)?)
        }
        ("toInstant", [zone], Temporal::DateTime(local)) => {
            Temporal::Instant(local.to_zoned(machine.zone_of(*zone)?).map_err(refused)?.timestamp())
        }
        ("atStartOfDay", [zone], Temporal::Date(date)) => {
            Temporal::Zoned(date.to_zoned(machine.zone_of(*zone)?).map_err(refused)?)
        }
        ("atTime", [time], Temporal::Date(date)) => match machine.temporal_of(*time)? {
            Temporal::Time(time) => Temporal::DateTime(date.to_datetime(time)),
            _ => return Ok(None),
        },
        ("atTime", [hour, minute, rest @ ..], Temporal::Date(date)) => {
            let numbers = [*hour, *minute, rest.first().copied().unwrap_or(Value::Int(0))];
            Temporal::DateTime(date.to_datetime(super::make::time(machine, &numbers)?))
        }
        ("truncatedTo", [unit], own) => {
            let unit = machine.unit_of(*unit)?;
            truncated(own, unit)?
        }
        ("withZone", [zone], Temporal::Formatter(format, _)) => {
            Temporal::Formatter(format.clone(), Some(machine.zone_of(*zone)?))
        }
        ("withLocale", [_], Temporal::Formatter(..)) => own.clone(),
        ("normalized", [], Temporal::Zone(_) | Temporal::Period(..)) => own.clone(),
        ("plus" | "minus", [days], Temporal::Weekday(day)) => {
            let days = machine.long_of(*days)?.rem_euclid(7);
            let days = if name == "minus" { 7 - days } else { days };
            let place = (i64::from(day.to_monday_zero_offset()) + days) % 7;
            Temporal::Weekday(Weekday::from_monday_zero_offset(place as i8).map_err(refused)?)
        }
        ("plus" | "minus", [months], Temporal::Month(month)) => {
            let months = machine.long_of(*months)?.rem_euclid(12);
            let months = if name == "minus" { 12 - months } else { months };
            Temporal::Month(((i64::from(*month) - 1 + months) % 12 + 1) as i8)
        }
        ("with", [adjuster], own) => adjusted(own, &machine.temporal_of(*adjuster)?)?,
        ("adjustInto", [other], own) => adjusted(&machine.temporal_of(*other)?, own)?,
        (_, [number], own) => match with_field(name) {
            Some(field) => {
                let number = machine.long_of(*number)?;
                with(own, field, number)?
            }
            None => return Ok(None),
        },
        ("with", [field, number], own) => match machine.temporal_of(*field)? {
            Temporal::Field(field) => with(own, field, machine.long_of(*number)?)?,
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

/// What an adjuster makes of a date: one of `TemporalAdjusters`, or parts that take the place of its own.
fn adjusted(own: &Temporal, adjuster: &Temporal) -> Res<Temporal> {
    match adjuster {
        Temporal::Adjuster(adjuster) => {
            let local = local_of(own)?;
            rebuilt(own, adjuster.of(local.date())?.to_datetime(local.time()))
        }
        Temporal::Date(date) => rebuilt(own, date.to_datetime(local_of(own)?.time())),
        Temporal::Time(time) => rebuilt(own, local_of(own)?.date().to_datetime(*time)),
        Temporal::DateTime(local) => rebuilt(own, *local),
        Temporal::Month(month) => with(own, Field::Month, (*month).into()),
        Temporal::Weekday(day) => with(own, Field::DayOfWeek, day.to_monday_one_offset().into()),
        other => Err(Fault::class_cast(format!("[java.time.{}] is no adjuster of dates", other.class()))),
    }
}

/// `plus..` and `minus..`.
fn moved(machine: &mut Machine<'_>, own: &Temporal, name: &str, arguments: &[Value]) -> Res<Option<Temporal>> {
    let Some((sign, rest)) = name
        .strip_prefix("plus")
        .map(|rest| (1, rest))
        .or_else(|| name.strip_prefix("minus").map(|rest| (-1i64, rest)))
    else {
        return Ok(None);
    };
    if matches!(own, Temporal::Weekday(_) | Temporal::Month(_)) {
        return Ok(None);
    }
    let overflow = || Fault::new(Exception::Arithmetic, "long overflow");
    let (number, unit) = match (rest, arguments) {
        ("", [amount]) => {
            return match machine.temporal_of(*amount)? {
                Temporal::Duration(duration) => {
                    let duration = if sign < 0 { duration.checked_neg().ok_or_else(overflow)? } else { duration };
                    later(own, duration).map(Some)
                }
                Temporal::Period(years, months, days) => {
                    let sign = sign as i32;
                    let parts = [(years, Unit::Years), (months, Unit::Months), (days, Unit::Days)];
                    let mut moved = own.clone();
                    for (number, unit) in parts {
                        moved = shifted(&moved, i64::from(number) * i64::from(sign), unit)?;
                    }
                    Ok(Some(moved))
                }
                _ => Ok(None),
            };
        }
        ("", [number, unit]) => (machine.long_of(*number)?, machine.unit_of(*unit)?),
        (unit, [number]) => {
            let unit = match unit {
                "Nanos" => Unit::Nanos,
                "Millis" => Unit::Millis,
                "Seconds" => Unit::Seconds,
                "Minutes" => Unit::Minutes,
                "Hours" => Unit::Hours,
                "Days" => Unit::Days,
                "Weeks" => Unit::Weeks,
                "Months" => Unit::Months,
                "Years" => Unit::Years,
                _ => return Ok(None),
            };
            (machine.long_of(*number)?, unit)
        }
        _ => return Ok(None),
    };
    let number = number.checked_mul(sign).ok_or_else(overflow)?;
    shifted(own, number, unit).map(Some)
}

fn later(own: &Temporal, by: SignedDuration) -> Res<Temporal> {
    Ok(match own {
        Temporal::Zoned(zoned) => Temporal::Zoned(zoned.checked_add(by).map_err(refused)?),
        Temporal::Instant(moment) => Temporal::Instant(moment.checked_add(by).map_err(refused)?),
        Temporal::DateTime(local) => Temporal::DateTime(local.checked_add(by).map_err(refused)?),
        Temporal::Time(time) => Temporal::Time(time.wrapping_add(by)),
        Temporal::Duration(own) => {
            Temporal::Duration(own.checked_add(by).ok_or_else(|| Fault::new(Exception::Arithmetic, "long overflow"))?)
        }
        other => return Err(unsupported(other)),
    })
}

fn unsupported(own: &Temporal) -> Box<Fault> {
    Fault::new(Exception::DateTime, format!("Unsupported unit for a {}", own.class()))
}

fn shifted(own: &Temporal, number: i64, unit: Unit) -> Res<Temporal> {
    let overflow = || Fault::new(Exception::DateTime, "the date is out of range");
    let is_exact =
        matches!(own, Temporal::Instant(_) | Temporal::Duration(_)) && matches!(unit, Unit::Days | Unit::Weeks);
    let length = match unit {
        Unit::Days if is_exact => Some(SignedDuration::from_secs(86_400)),
        Unit::Weeks if is_exact => Some(SignedDuration::from_secs(604_800)),
        unit => unit.length(),
    };
    if let Some(length) = length {
        let nanos = length.as_nanos().checked_mul(number.into()).ok_or_else(overflow)?;
        let seconds = i64::try_from(nanos / 1_000_000_000).map_err(|_| overflow())?;
        return later(own, SignedDuration::new(seconds, (nanos % 1_000_000_000) as i32));
    }
    let number = match unit {
        Unit::Decades => number.checked_mul(10).ok_or_else(overflow)?,
        Unit::Centuries => number.checked_mul(100).ok_or_else(overflow)?,
        _ => number,
    };
    if let Temporal::Period(years, months, days) = own {
        let by = i32::try_from(number).map_err(|_| overflow())?;
        let (mut years, mut months, mut days) = (*years, *months, *days);
        let part = match unit {
            Unit::Days => &mut days,
            Unit::Months => &mut months,
            _ => &mut years,
        };
        *part = part.checked_add(by).ok_or_else(overflow)?;
        return Ok(Temporal::Period(years, months, days));
    }
    let span = Span::new();
    let span = match unit {
        Unit::Days => span.try_days(number),
        Unit::Weeks => span.try_weeks(number),
        Unit::Months => span.try_months(number),
        _ => span.try_years(number),
    };
    let span = span.map_err(refused)?;
    Ok(match own {
        Temporal::Zoned(zoned) => Temporal::Zoned(zoned.checked_add(span).map_err(refused)?),
        Temporal::DateTime(local) => Temporal::DateTime(local.checked_add(span).map_err(refused)?),
        Temporal::Date(date) => Temporal::Date(date.checked_add(span).map_err(refused)?),
        other => return Err(unsupported(other)),
    })
}

fn with_field(name: &str) -> Option<Field> {
    Some(match name {
        "withYear" => Field::Year,
        "withMonth" => Field::Month,
        "withDayOfMonth" => Field::Day,
        "withDayOfYear" => Field::DayOfYear,
        "withHour" => Field::Hour,
        "withMinute" => Field::Minute,
        "withSecond" => Field::Second,
        "withNano" => Field::Nano,
        _ => return None,
    })
}

/// The same with one part another.
fn with(own: &Temporal, field: Field, number: i64) -> Res<Temporal> {
    let wrong = || Fault::new(Exception::DateTime, format!("Invalid value for {field:?}: {number}"));
    let small = || i8::try_from(number).map_err(|_| wrong());
    let local = local_of(own)?;
    let (date, time) = (local.date(), local.time());
    let date = match field {
        Field::Year => {
            let year = i16::try_from(number).map_err(|_| wrong())?;
            let last = Date::new(year, date.month(), 1).map_err(refused)?.days_in_month();
            Date::new(year, date.month(), date.day().min(last))
        }
        Field::Month => {
            let month = small()?;
            let last = Date::new(date.year(), month, 1).map_err(refused)?.days_in_month();
            Date::new(date.year(), month, date.day().min(last))
        }
        Field::Day => Date::new(date.year(), date.month(), small()?),
        Field::DayOfYear => date.with().day_of_year(i16::try_from(number).map_err(|_| wrong())?).build(),
        Field::DayOfWeek => {
            let days = number - i64::from(date.weekday().to_monday_one_offset());
            Span::new().try_days(days).and_then(|span| date.checked_add(span))
        }
        _ => Ok(date),
    };
    let time = match field {
        Field::Hour => time.with().hour(small()?).build(),
        Field::Minute => time.with().minute(small()?).build(),
        Field::Second => time.with().second(small()?).build(),
        Field::Nano => time.with().subsec_nanosecond(i32::try_from(number).map_err(|_| wrong())?).build(),
        Field::Milli => {
            let nanos =
                i32::try_from(number).ok().and_then(|number| number.checked_mul(1_000_000)).ok_or_else(wrong)?;
            time.with().subsec_nanosecond(nanos).build()
        }
        _ => Ok(time),
    };
    rebuilt(own, date.map_err(refused)?.to_datetime(time.map_err(refused)?))
}

/// Of the same kind, at another local time.
fn rebuilt(own: &Temporal, local: DateTime) -> Res<Temporal> {
    Ok(match own {
        Temporal::Zoned(zoned) => Temporal::Zoned(local.to_zoned(zoned.time_zone().clone()).map_err(refused)?),
        Temporal::Instant(_) => Temporal::Instant(local.to_zoned(TimeZone::UTC).map_err(refused)?.timestamp()),
        Temporal::DateTime(_) => Temporal::DateTime(local),
        Temporal::Date(_) => Temporal::Date(local.date()),
        Temporal::Time(_) => Temporal::Time(local.time()),
        other => return Err(unsupported(other)),
    })
}

fn truncated(own: &Temporal, unit: Unit) -> Res<Temporal> {
    let local = match own {
        Temporal::Instant(moment) => Zoned::new(*moment, TimeZone::UTC).datetime(),
        other => local_of(other)?,
    };
    let time = local.time();
    let (hour, minute, second, nanos) = (time.hour(), time.minute(), time.second(), time.subsec_nanosecond());
    let time = match unit {
        Unit::Nanos => Ok(time),
        Unit::Micros => Time::new(hour, minute, second, nanos / 1_000 * 1_000),
        Unit::Millis => Time::new(hour, minute, second, nanos / 1_000_000 * 1_000_000),
        Unit::Seconds => Time::new(hour, minute, second, 0),
        Unit::Minutes => Time::new(hour, minute, 0, 0),
        Unit::Hours => Time::new(hour, 0, 0, 0),
        Unit::HalfDays => Time::new(if hour < 12 { 0 } else { 12 }, 0, 0, 0),
        Unit::Days => Ok(Time::midnight()),
        _ => return Err(Fault::new(Exception::DateTime, "Unit is too large to be used for truncation")),
    };
    rebuilt(own, local.date().to_datetime(time.map_err(refused)?))
}
