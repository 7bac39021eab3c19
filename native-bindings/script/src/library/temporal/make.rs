//! Dates and times from texts and numbers, and the constants of their classes.

use super::adjust::{self, WITHOUT_ARGUMENTS};
use super::fields::in_zone;
use super::{FIELDS, MONTHS, Temporal, UNITS, WEEKDAYS, refused};
use crate::fault::{Exception, Fault, Res};
use crate::heap::Value;
use crate::run::Machine;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use quarry_base::date::{DateFormat, Moment, parse_time_zone};
use std::sync::LazyLock;

pub fn call_static(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
    machine.work(4)?;
    if arguments.is_empty() {
        return match constant(class, name) {
            Some(found) => machine.temporal(found).map(Some),
            None if class == "TextStyle" => machine.new_text(name),
            None => Ok(None),
        };
    }
    if class == "Year" {
        let [year] = arguments else { return Ok(None) };
        let year = machine.long_of(*year)?;
        return Machine::bool(year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
    }
    let made = match (class, name) {
        (_, "parse") if class != "Duration" => Some(parsed(machine, class, arguments)?),
        ("Duration" | "Period", _) => amount(machine, class, name, arguments)?,
        ("ZoneId" | "ZoneOffset", _) => Some(zone(machine, name, arguments)?),
        ("Instant", _) => Some(instant(machine, name, arguments)?),
        ("DayOfWeek" | "Month", _) => Some(named(machine, class, arguments)?),
        ("TemporalAdjusters", _) => adjust::made(machine, name, arguments)?,
        ("DateTimeFormatter", "ofPattern") => Some(formatter(machine, arguments)?),
        _ => dated(machine, class, name, arguments)?,
    };
    made.map(|made| machine.temporal(made)).transpose()
}

fn constant(class: &str, name: &str) -> Option<Temporal> {
    Some(match (class, name) {
        ("ChronoUnit", name) => Temporal::Unit(UNITS.iter().find(|(known, _)| *known == name)?.1),
        ("ChronoField", name) => Temporal::Field(FIELDS.iter().find(|(known, _)| *known == name)?.1),
        ("DayOfWeek", name) => weekday(WEEKDAYS.iter().position(|known| *known == name)? as i64 + 1)?,
        ("Month", name) => Temporal::Month(MONTHS.iter().position(|known| *known == name)? as i8 + 1),
        ("ZoneOffset", "UTC") => Temporal::Zone(TimeZone::UTC),
        ("Instant", "EPOCH") => Temporal::Instant(Timestamp::UNIX_EPOCH),
        ("LocalTime", "MIDNIGHT" | "MIN") => Temporal::Time(Time::midnight()),
        ("LocalTime", "NOON") => Temporal::Time(Time::constant(12, 0, 0, 0)),
        ("LocalTime", "MAX") => Temporal::Time(Time::MAX),
        ("TemporalAdjusters", name) => {
            Temporal::Adjuster(WITHOUT_ARGUMENTS.iter().find(|(known, _)| *known == name)?.1)
        }
        ("Duration", "ZERO") => Temporal::Duration(SignedDuration::ZERO),
        ("DateTimeFormatter", name) => {
            let pattern = match name {
                "ISO_LOCAL_DATE" | "ISO_DATE" => "uuuu-MM-dd",
                "ISO_LOCAL_TIME" | "ISO_TIME" => "HH:mm:ss",
                "ISO_LOCAL_DATE_TIME" => "uuuu-MM-dd'T'HH:mm:ss",
                "ISO_INSTANT" | "ISO_DATE_TIME" | "ISO_ZONED_DATE_TIME" | "ISO_OFFSET_DATE_TIME" => {
                    "strict_date_optional_time"
                }
                "BASIC_ISO_DATE" => "uuuuMMdd",
                _ => return None,
            };
            Temporal::Formatter(DateFormat::new(pattern).ok()?, None)
        }
        _ => return None,
    })
}

fn weekday(number: i64) -> Option<Temporal> {
    Weekday::from_monday_one_offset(i8::try_from(number).ok()?).ok().map(Temporal::Weekday)
}

fn named(machine: &mut Machine<'_>, class: &str, arguments: &[Value]) -> Res<Temporal> {
    let [value, ..] = arguments else { return Err(Fault::illegal("a number or a name is missing")) };
    if machine.is_text(*value) {
        let name = machine.chars_of(*value)?;
        let missing = || Fault::illegal(format!("No enum constant java.time.{class}.{name}"));
        return constant(class, &name).ok_or_else(missing);
    }
    let number = machine.long_of(*value)?;
    let found = match class {
        "DayOfWeek" => weekday(number),
        _ => i8::try_from(number).ok().filter(|month| (1..=12).contains(month)).map(Temporal::Month),
    };
    found.ok_or_else(|| Fault::new(Exception::DateTime, format!("Invalid value for {class}: {number}")))
}

fn formatter(machine: &mut Machine<'_>, arguments: &[Value]) -> Res<Temporal> {
    let [pattern, ..] = arguments else { return Err(Fault::illegal("a pattern is missing")) };
    let pattern = machine.chars_of(*pattern)?;
    machine.work(500)?;
    Ok(Temporal::Formatter(DateFormat::new(&pattern).map_err(|error| Fault::illegal(error.reason))?, None))
}

/// The zones that are UTC by their names, which are printed; as an offset it is `Z`.
fn region_of_utc(id: &str) -> Option<TimeZone> {
    static ZONES: LazyLock<Vec<(&str, TimeZone)>> = LazyLock::new(|| {
        // A file of the database of time zones, twice the same: no transition, one type of local time, of no offset.
        let block = [b"TZif2".as_slice(), &[0; 31], &[0, 0, 0, 1, 0, 0, 0, 4], &[0; 6], b"UTC\0"].concat();
        let file = [block.as_slice(), &block, b"\nUTC0\n"].concat();
        let zones = ["UTC", "GMT", "UT"].into_iter();
        zones.filter_map(|name| Some((name, TimeZone::tzif(name, &file).ok()?))).collect()
    });
    ZONES.iter().find(|(name, _)| *name == id).map(|(_, zone)| zone.clone())
}

fn zone(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Temporal> {
    let zone = match (name, arguments) {
        ("of", [id]) => {
            let id = machine.chars_of(*id)?;
            region_of_utc(&id)
                .map_or_else(|| parse_time_zone(&id), Ok)
                .map_err(|_| Fault::new(Exception::DateTime, format!("Invalid ID for region-based ZoneId: {id}")))?
        }
        (_, [hours, rest @ ..]) => {
            let minutes = rest.first().copied().unwrap_or(Value::Int(0));
            let (hours, minutes) = (machine.int_of(*hours)?, machine.int_of(minutes)?);
            if hours.abs() > 18 || minutes.abs() > 59 {
                return Err(Fault::new(Exception::DateTime, "Zone offset not in valid range: -18:00 to +18:00"));
            }
            TimeZone::fixed(jiff::tz::Offset::from_seconds(hours * 3_600 + minutes * 60).map_err(refused)?)
        }
        _ => return Err(Fault::illegal("a zone is missing")),
    };
    Ok(Temporal::Zone(zone))
}

fn instant(machine: &mut Machine<'_>, name: &str, arguments: &[Value]) -> Res<Temporal> {
    let [number, rest @ ..] = arguments else { return Err(Fault::illegal("a number is missing")) };
    let number = machine.long_of(*number)?;
    let moment = match name {
        "ofEpochMilli" => Timestamp::from_millisecond(number),
        _ => {
            let nanos = rest.first().copied().unwrap_or(Value::Int(0));
            let nanos = machine.long_of(nanos)?;
            Timestamp::from_nanosecond(i128::from(number) * 1_000_000_000 + i128::from(nanos))
        }
    };
    Ok(Temporal::Instant(moment.map_err(refused)?))
}

fn parsed(machine: &mut Machine<'_>, class: &str, arguments: &[Value]) -> Res<Temporal> {
    let [text, rest @ ..] = arguments else { return Err(Fault::illegal("a text is missing")) };
    let text = machine.chars_of(*text)?;
    let fails = |_| Fault::new(Exception::DateTimeParse, format!("Text '{text}' could not be parsed at index 0"));
    let plain = |error: jiff::Error| {
        let _ = error;
        Fault::new(Exception::DateTimeParse, format!("Text '{text}' could not be parsed at index 0"))
    };
    if let [given, ..] = rest {
        let Temporal::Formatter(format, zone) = machine.temporal_of(*given)? else {
            return Err(Fault::illegal("a DateTimeFormatter is wanted"));
        };
        let zone = zone.unwrap_or(TimeZone::UTC);
        let moment = format.parse_in(&text, quarry_base::date::Round::Down, &zone).map_err(fails)?;
        let zoned = timestamp(moment)?.to_zoned(zone);
        return Ok(match class {
            "LocalDate" => Temporal::Date(zoned.date()),
            "LocalTime" => Temporal::Time(zoned.time()),
            "LocalDateTime" => Temporal::DateTime(zoned.datetime()),
            "Instant" => Temporal::Instant(zoned.timestamp()),
            _ => Temporal::Zoned(zoned),
        });
    }
    Ok(match class {
        "LocalDate" => Temporal::Date(text.parse::<Date>().map_err(plain)?),
        "LocalTime" => Temporal::Time(text.parse::<Time>().map_err(plain)?),
        "LocalDateTime" => Temporal::DateTime(text.parse::<DateTime>().map_err(plain)?),
        "Instant" => Temporal::Instant(text.parse::<Timestamp>().map_err(plain)?),
        _ => Temporal::Zoned(zoned_of(&text).ok_or_else(|| {
            Fault::new(Exception::DateTimeParse, format!("Text '{text}' could not be parsed at index 0"))
        })?),
    })
}

/// `2020-01-01T00:00:00Z`, `..+01:00`, `..+01:00[Europe/Paris]`.
fn zoned_of(text: &str) -> Option<jiff::Zoned> {
    if text.ends_with(']') {
        return text.parse().ok();
    }
    let moment: Timestamp = text.parse().ok()?;
    let zone_at = text.rfind(['Z', 'z', '+', '-'])?;
    let zone = match &text[zone_at..] {
        "Z" | "z" => TimeZone::UTC,
        offset => parse_time_zone(offset).ok()?,
    };
    Some(moment.to_zoned(zone))
}

fn timestamp(moment: Moment) -> Res<Timestamp> {
    let nanos = i128::from(moment.seconds()) * 1_000_000_000 + i128::from(moment.subsecond_nanos());
    Timestamp::from_nanosecond(nanos).map_err(refused)
}

fn part<T: TryFrom<i32>>(machine: &Machine<'_>, numbers: &[Value], place: usize, what: &str) -> Res<T> {
    let value = numbers.get(place).copied().unwrap_or(Value::Int(0));
    if let Ok(Temporal::Month(month)) = machine.temporal_of(value) {
        return T::try_from(month.into()).map_err(|_| Fault::new(Exception::DateTime, "Invalid month"));
    }
    let number = machine.int_of(value)?;
    T::try_from(number).map_err(|_| Fault::new(Exception::DateTime, format!("Invalid value for {what}: {number}")))
}

pub(super) fn time(machine: &Machine<'_>, numbers: &[Value]) -> Res<Time> {
    let (hour, minute) = (part(machine, numbers, 0, "HourOfDay")?, part(machine, numbers, 1, "MinuteOfHour")?);
    let (second, nanos) = (part(machine, numbers, 2, "SecondOfMinute")?, part(machine, numbers, 3, "NanoOfSecond")?);
    Time::new(hour, minute, second, nanos).map_err(refused)
}

fn date(machine: &Machine<'_>, numbers: &[Value]) -> Res<Date> {
    let (year, month) = (part(machine, numbers, 0, "Year")?, part(machine, numbers, 1, "MonthOfYear")?);
    Date::new(year, month, part(machine, numbers, 2, "DayOfMonth")?).map_err(refused)
}

fn dated(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Temporal>> {
    Ok(Some(match (class, name, arguments) {
        ("LocalDate", "of", [_, _, _]) => Temporal::Date(date(machine, arguments)?),
        ("LocalDate", "ofEpochDay", [days]) => {
            let seconds = machine.long_of(*days)?.checked_mul(86_400);
            let seconds = seconds.ok_or_else(|| Fault::new(Exception::DateTime, "the date is out of range"))?;
            let moment = Timestamp::from_second(seconds).map_err(refused)?;
            Temporal::Date(moment.to_zoned(TimeZone::UTC).date())
        }
        ("LocalDate", "ofYearDay", [year, day]) => {
            let (year, day) = (machine.int_of(*year)?, machine.int_of(*day)?);
            let wrong = |_| Fault::new(Exception::DateTime, format!("Invalid date: {year}, {day}"));
            let first = Date::new(i16::try_from(year).map_err(wrong)?, 1, 1).map_err(refused)?;
            Temporal::Date(first.with().day_of_year(i16::try_from(day).map_err(wrong)?).build().map_err(refused)?)
        }
        ("LocalTime", "of", [_, _, ..]) => Temporal::Time(time(machine, arguments)?),
        ("LocalTime", "ofSecondOfDay" | "ofNanoOfDay", [number]) => {
            let number = machine.long_of(*number)?;
            let by = if name == "ofNanoOfDay" {
                SignedDuration::from_nanos(number)
            } else {
                SignedDuration::from_secs(number)
            };
            Temporal::Time(Time::midnight().checked_add(by).map_err(refused)?)
        }
        ("LocalDateTime", "of", [day, at]) => match (machine.temporal_of(*day)?, machine.temporal_of(*at)?) {
            (Temporal::Date(day), Temporal::Time(at)) => Temporal::DateTime(day.to_datetime(at)),
            _ => return Ok(None),
        },
        ("LocalDateTime", "of", [_, _, _, rest @ ..]) => {
            Temporal::DateTime(date(machine, arguments)?.to_datetime(time(machine, rest)?))
        }
        ("LocalDateTime", "ofEpochSecond", [seconds, nanos, _]) => {
            let Temporal::Instant(moment) = instant(machine, "ofEpochSecond", &[*seconds, *nanos])? else {
                return Ok(None);
            };
            Temporal::DateTime(moment.to_zoned(TimeZone::UTC).datetime())
        }
        (_, "ofInstant", [moment, zone]) => {
            let (moment, zone) = (machine.temporal_of(*moment)?, machine.zone_of(*zone)?);
            let Some(moment) = moment.moment() else { return Ok(None) };
            match class {
                "LocalDateTime" => Temporal::DateTime(moment.to_zoned(zone).datetime()),
                _ => in_zone(moment, zone),
            }
        }
        ("ZonedDateTime" | "OffsetDateTime", "of", [_, _, _, rest @ .., zone]) if rest.len() == 4 => {
            let local = date(machine, arguments)?.to_datetime(time(machine, rest)?);
            Temporal::Zoned(local.to_zoned(machine.zone_of(*zone)?).map_err(refused)?)
        }
        ("ZonedDateTime" | "OffsetDateTime", "of", [day, at, zone]) => {
            let zone = machine.zone_of(*zone)?;
            match (machine.temporal_of(*day)?, machine.temporal_of(*at)?) {
                (Temporal::Date(day), Temporal::Time(at)) => {
                    Temporal::Zoned(day.to_datetime(at).to_zoned(zone).map_err(refused)?)
                }
                _ => return Ok(None),
            }
        }
        ("ZonedDateTime" | "OffsetDateTime", "of", [local, zone]) => match machine.temporal_of(*local)? {
            Temporal::DateTime(local) => Temporal::Zoned(local.to_zoned(machine.zone_of(*zone)?).map_err(refused)?),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    }))
}

fn amount(machine: &mut Machine<'_>, class: &str, name: &str, arguments: &[Value]) -> Res<Option<Temporal>> {
    if name == "between" {
        let [first, second] = arguments else { return Ok(None) };
        let (first, second) = (machine.temporal_of(*first)?, machine.temporal_of(*second)?);
        return Ok(Some(match (class, &first, &second) {
            ("Period", Temporal::Date(first), Temporal::Date(second)) => {
                let span = first.until((jiff::Unit::Year, *second)).map_err(refused)?;
                Temporal::Period(span.get_years().into(), span.get_months(), span.get_days())
            }
            (_, first, second) => match (first.moment(), second.moment(), first, second) {
                (Some(first), Some(second), ..) => Temporal::Duration(second.duration_since(first)),
                (_, _, Temporal::DateTime(first), Temporal::DateTime(second)) => {
                    Temporal::Duration(second.duration_since(*first))
                }
                (_, _, Temporal::Time(first), Temporal::Time(second)) => {
                    Temporal::Duration(second.duration_since(*first))
                }
                _ => return Err(Fault::new(Exception::DateTime, "Unsupported unit: Seconds")),
            },
        }));
    }
    if name == "parse" {
        let [text] = arguments else { return Ok(None) };
        let text = machine.chars_of(*text)?;
        let fails = || Fault::new(Exception::DateTimeParse, "Text cannot be parsed to a Duration");
        let duration: SignedDuration = text.parse().map_err(|_| fails())?;
        return Ok(Some(Temporal::Duration(duration)));
    }
    let [first, rest @ ..] = arguments else { return Ok(None) };
    let number = machine.long_of(*first)?;
    if class == "Period" {
        let int = i32::try_from(number).map_err(|_| Fault::new(Exception::Arithmetic, "integer overflow"))?;
        return Ok(Some(match (name, rest) {
            ("ofDays", []) => Temporal::Period(0, 0, int),
            ("ofWeeks", []) => Temporal::Period(0, 0, int.wrapping_mul(7)),
            ("ofMonths", []) => Temporal::Period(0, int, 0),
            ("ofYears", []) => Temporal::Period(int, 0, 0),
            ("of", [months, days]) => Temporal::Period(int, machine.int_of(*months)?, machine.int_of(*days)?),
            _ => return Ok(None),
        }));
    }
    let length = match (name, rest) {
        ("ofDays", []) => SignedDuration::from_secs(86_400),
        ("ofHours", []) => SignedDuration::from_secs(3_600),
        ("ofMinutes", []) => SignedDuration::from_secs(60),
        ("ofSeconds", []) => SignedDuration::from_secs(1),
        ("ofMillis", []) => SignedDuration::from_millis(1),
        ("ofNanos", []) => SignedDuration::from_nanos(1),
        ("of", [unit]) => match machine.unit_of(*unit)? {
            super::Unit::Days => SignedDuration::from_secs(86_400),
            unit => match unit.length() {
                Some(length) => length,
                None => return Err(Fault::new(Exception::DateTime, "Unit must not have an estimated duration")),
            },
        },
        _ => return Ok(None),
    };
    let nanos = length.as_nanos().checked_mul(number.into());
    let parts =
        nanos.and_then(|nanos| Some((i64::try_from(nanos / 1_000_000_000).ok()?, (nanos % 1_000_000_000) as i32)));
    let (seconds, rest) = parts.ok_or_else(|| Fault::new(Exception::Arithmetic, "long overflow"))?;
    Ok(Some(Temporal::Duration(SignedDuration::new(seconds, rest))))
}
