//! Date math: `now-1d/d`, `2020-01-01||+1M/d`.

pub use super::date::Round;
use super::date::{DateFormat, Moment};
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};
use quarry_base::error::{Error, ErrorCode, Result};

/// Resolves a date expression. Texts without a zone, and roundings, are read in `zone`; `now_ms` is in milliseconds
/// since the epoch. With [`Round::Up`] a rounding ends on the last millisecond of its period, and a date without a time
/// on the last nanosecond of what it names (only where no math follows it).
///
/// `Parse` errors: `operator not supported for date math [..]`, `unit [..] not supported for date math [..]`,
/// `truncated date math [..]`, or the format's own message.
pub fn resolve(text: &str, format: &DateFormat, now_ms: i64, round: Round, zone: &TimeZone) -> Result<Moment> {
    let (start, math) = match text.strip_prefix("now") {
        Some(math) => (Moment::from_millis(now_ms), math),
        None => match text.split_once("||") {
            Some((date, math)) => (parse_date(date, format, Round::Down, zone)?, math),
            None => return parse_date(text, format, round, zone),
        },
    };
    if math.is_empty() {
        return Ok(start);
    }
    let mut at = to_zoned(start, zone)?;
    let mut rest = math;
    while !rest.is_empty() {
        let (operation, remaining) = read_operation(rest, math)?;
        at = operation.apply(&at, round).map_err(|_| out_of_range(text))?;
        rest = remaining;
    }
    let timestamp = at.timestamp();
    let nanos = timestamp.as_nanosecond();
    let seconds = nanos.div_euclid(1_000_000_000) as i64;
    Moment::new(seconds, nanos.rem_euclid(1_000_000_000) as u32).ok_or_else(|| out_of_range(text))
}

fn parse_error(reason: String) -> Error {
    Error::new(ErrorCode::Parse, reason)
}

fn out_of_range(text: &str) -> Error {
    parse_error(format!("date math [{text}] leaves the years -9999 to 9999"))
}

fn parse_date(text: &str, format: &DateFormat, round: Round, zone: &TimeZone) -> Result<Moment> {
    if text.is_empty() {
        return Err(parse_error("cannot parse empty date".into()));
    }
    format.parse_in(text, round, zone).map_err(|cause| {
        let reason = format!("{}: [{}]", cause.reason, cause.reason);
        parse_error(reason).caused_by(cause)
    })
}

fn to_zoned(moment: Moment, zone: &TimeZone) -> Result<Zoned> {
    Timestamp::new(moment.seconds(), moment.subsecond_nanos() as i32)
        .map(|timestamp| timestamp.to_zoned(zone.clone()))
        .map_err(|_| out_of_range(&moment.to_string()))
}

#[derive(Debug, Clone, Copy)]
enum Unit {
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
}

#[derive(Debug, Clone, Copy)]
enum Operation {
    Add { amount: i64, unit: Unit },
    Round(Unit),
}

/// One of `+1d`, `-M`, `/y` at the start of `rest`, and what follows it. `math` is the whole expression, for messages.
fn read_operation<'m>(rest: &'m str, math: &str) -> Result<(Operation, &'m str)> {
    let truncated = || parse_error(format!("truncated date math [{math}]"));
    let mut characters = rest.chars();
    let operator = characters.next().ok_or_else(truncated)?;
    if !matches!(operator, '+' | '-' | '/') {
        return Err(parse_error(format!("operator not supported for date math [{math}]")));
    }
    let after_operator = characters.as_str();
    let after_digits = after_operator.trim_start_matches(|character: char| character.is_ascii_digit());
    let digits = &after_operator[..after_operator.len() - after_digits.len()];
    let amount = match digits {
        "" => 1,
        _ => i64::from(
            digits
                .parse::<i32>()
                .map_err(|_| parse_error(format!("number [{digits}] is too large for date math [{math}]")))?,
        ),
    };
    let mut characters = after_digits.chars();
    let unit = match characters.next().ok_or_else(truncated)? {
        'y' => Unit::Year,
        'M' => Unit::Month,
        'w' => Unit::Week,
        'd' => Unit::Day,
        'h' | 'H' => Unit::Hour,
        'm' => Unit::Minute,
        's' => Unit::Second,
        other => return Err(parse_error(format!("unit [{other}] not supported for date math [{math}]"))),
    };
    let operation = match operator {
        '/' if amount != 1 => {
            return Err(parse_error(format!("rounding `/` can only be used on single unit types [{math}]")));
        }
        '/' => Operation::Round(unit),
        '-' => Operation::Add { amount: -amount, unit },
        _ => Operation::Add { amount, unit },
    };
    Ok((operation, characters.as_str()))
}

impl Operation {
    fn apply(self, at: &Zoned, round: Round) -> std::result::Result<Zoned, jiff::Error> {
        match self {
            Operation::Add { amount, unit } => at.checked_add(unit.span(amount)?),
            Operation::Round(unit) => {
                let floor = unit.floor(at)?;
                match round {
                    Round::Down => Ok(floor),
                    Round::Up => floor.checked_add(unit.span(1)?)?.checked_sub(Span::new().milliseconds(1)),
                }
            }
        }
    }
}

impl Unit {
    fn span(self, amount: i64) -> std::result::Result<Span, jiff::Error> {
        let span = Span::new();
        match self {
            Unit::Year => span.try_years(amount),
            Unit::Month => span.try_months(amount),
            Unit::Week => span.try_weeks(amount),
            Unit::Day => span.try_days(amount),
            Unit::Hour => span.try_hours(amount),
            Unit::Minute => span.try_minutes(amount),
            Unit::Second => span.try_seconds(amount),
        }
    }

    /// The first instant of the period that holds `at`.
    fn floor(self, at: &Zoned) -> std::result::Result<Zoned, jiff::Error> {
        let date = at.date();
        let midnight = |date: Date| at.time_zone().to_zoned(date.to_datetime(Time::midnight()));
        match self {
            Unit::Year => midnight(date.first_of_year()),
            Unit::Month => midnight(date.first_of_month()),
            Unit::Week => {
                let days_since_monday = date.weekday().since(Weekday::Monday);
                midnight(date.checked_sub(Span::new().days(days_since_monday))?)
            }
            Unit::Day => midnight(date),
            // Within an hour the offset is kept, so that the two hours of a fold stay apart.
            Unit::Hour => same_offset(at, Time::new(at.hour(), 0, 0, 0)?),
            Unit::Minute => same_offset(at, Time::new(at.hour(), at.minute(), 0, 0)?),
            Unit::Second => same_offset(at, Time::new(at.hour(), at.minute(), at.second(), 0)?),
        }
    }
}

fn same_offset(at: &Zoned, time: Time) -> std::result::Result<Zoned, jiff::Error> {
    let local = DateTime::from_parts(at.date(), time);
    Ok(at.offset().to_timestamp(local)?.to_zoned(at.time_zone().clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::parse_time_zone;
    use proptest::prelude::*;

    /// 2014-11-18T14:27:32.123Z, a Tuesday.
    const NOW: i64 = 1_416_320_852_123;

    fn resolved(text: &str, round: Round, zone: &str) -> Result<String> {
        let format = DateFormat::new("strict_date_optional_time||epoch_millis").unwrap();
        resolve(text, &format, NOW, round, &parse_time_zone(zone)?).map(|moment| moment.to_string())
    }

    #[test]
    fn expressions() {
        for (text, round, zone, expected) in [
            ("now", Round::Down, "UTC", "2014-11-18T14:27:32.123Z"),
            ("now-1d", Round::Down, "UTC", "2014-11-17T14:27:32.123Z"),
            ("now/d", Round::Down, "UTC", "2014-11-18T00:00:00.000Z"),
            ("now/d", Round::Up, "UTC", "2014-11-18T23:59:59.999Z"),
            ("now/d", Round::Down, "+02:00", "2014-11-17T22:00:00.000Z"),
            ("now-1M/M", Round::Down, "UTC", "2014-10-01T00:00:00.000Z"),
            ("now/w", Round::Down, "UTC", "2014-11-17T00:00:00.000Z"),
            ("now/w", Round::Up, "UTC", "2014-11-23T23:59:59.999Z"),
            ("now/y", Round::Up, "UTC", "2014-12-31T23:59:59.999Z"),
            ("now+1h/h", Round::Up, "UTC", "2014-11-18T15:59:59.999Z"),
            ("now/m-10s", Round::Down, "UTC", "2014-11-18T14:26:50.000Z"),
            ("now/s", Round::Down, "UTC", "2014-11-18T14:27:32.000Z"),
            ("2014-01-31||+1M", Round::Down, "UTC", "2014-02-28T00:00:00.000Z"),
            ("2014-11-18||/M", Round::Up, "UTC", "2014-11-30T23:59:59.999Z"),
            ("2014-11-18||+1y+2w-3H", Round::Down, "UTC", "2015-12-01T21:00:00.000Z"),
            ("2014-11-18", Round::Up, "UTC", "2014-11-18T23:59:59.999999999Z"),
            ("2014-11-18T10:00||", Round::Up, "UTC", "2014-11-18T10:00:00.000Z"),
            ("2014-07-18", Round::Down, "Europe/Paris", "2014-07-17T22:00:00.000Z"),
            ("2014-07-18||/d", Round::Up, "Europe/Paris", "2014-07-18T21:59:59.999Z"),
            ("2024-10-27T00:00||+1d", Round::Down, "Europe/Paris", "2024-10-27T23:00:00.000Z"),
            ("1416320852123||/h", Round::Down, "UTC", "2014-11-18T14:00:00.000Z"),
        ] {
            assert_eq!(resolved(text, round, zone).unwrap(), expected, "{text} {round:?} {zone}");
        }
    }

    #[test]
    fn refusals() {
        for (text, reason) in [
            ("now/3d", "rounding `/` can only be used on single unit types [/3d]"),
            ("now*1d", "operator not supported for date math [*1d]"),
            ("now+1", "truncated date math [+1]"),
            ("now+", "truncated date math [+]"),
            ("now+1x", "unit [x] not supported for date math [+1x]"),
            ("", "cannot parse empty date"),
            ("now+2000000000y", "date math [now+2000000000y] leaves the years -9999 to 9999"),
        ] {
            let error = resolved(text, Round::Down, "UTC").unwrap_err();
            assert_eq!((error.code, error.reason.as_str()), (ErrorCode::Parse, reason));
        }
        let reason = resolved("yesterday", Round::Down, "UTC").unwrap_err().reason;
        assert!(reason.starts_with("failed to parse date field [yesterday] with format ["), "{reason}");
    }

    proptest! {
        #[test]
        fn rounding_brackets_the_instant(seconds in -100_000_000_000i64..200_000_000_000, unit in "[yMwdhms]", zone in prop::sample::select(vec!["UTC", "Europe/Paris", "America/New_York", "+05:45"])) {
            let format = DateFormat::new("epoch_millis").unwrap();
            let zone = parse_time_zone(zone).unwrap();
            let text = format!("now/{unit}");
            let now_ms = seconds * 1_000 + 7;
            let down = resolve(&text, &format, now_ms, Round::Down, &zone).unwrap().millis();
            let up = resolve(&text, &format, now_ms, Round::Up, &zone).unwrap().millis();
            prop_assert!(down <= now_ms && now_ms <= up, "{} {} {}", down, now_ms, up);
            let again = resolve(&text, &format, down, Round::Down, &zone).unwrap().millis();
            prop_assert_eq!(again, down);
        }

        #[test]
        fn no_expression_panics(text: String, math in "[-+/0-9yMwdhHms|]{0,16}") {
            let format = DateFormat::new("date_optional_time").unwrap();
            for text in [text, format!("now{math}"), format!("2020-01-01||{math}")] {
                let _ = resolve(&text, &format, NOW, Round::Up, &TimeZone::UTC);
            }
        }
    }
}
