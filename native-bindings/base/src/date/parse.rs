//! Reading a text by the elements of a format.

use super::day_period::{DAY_PERIODS, DayPeriod};
use super::pattern::{Element, Field, Name, ZoneStyle};
use super::zone::{self, Zone};

/// What a text said; what it did not say is absent.
#[derive(Clone, Default)]
pub(super) struct Parts {
    pub year: Option<i64>,
    pub month: Option<i64>,
    pub day: Option<i64>,
    pub day_of_year: Option<i64>,
    pub quarter: Option<i64>,
    pub week_year: Option<i64>,
    pub week: Option<i64>,
    pub week_of_month: Option<i64>,
    pub aligned_week_of_month: Option<i64>,
    pub day_of_week: Option<i64>,
    pub hour: Option<i64>,
    /// 0 to 11.
    pub half_day_hour: Option<i64>,
    pub is_afternoon: Option<bool>,
    pub day_period: Option<&'static DayPeriod>,
    pub is_before_common_era: bool,
    pub minute: Option<i64>,
    pub second: Option<i64>,
    pub nano: Option<i64>,
    pub nano_of_day: Option<i64>,
    pub zone: Option<Zone>,
}

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const DAYS_OF_WEEK: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
pub(super) const QUARTERS: [&str; 4] = ["1st quarter", "2nd quarter", "3rd quarter", "4th quarter"];
pub(super) const QUARTERS_SHORT: [&str; 4] = ["Q1", "Q2", "Q3", "Q4"];
/// Letters of a short month or day name.
pub(super) const SHORT_NAME: usize = 3;

/// Reads the whole text; `None` when it does not fit.
pub(super) fn parse(elements: &[Element], text: &str) -> Option<Parts> {
    let mut parts = Parts::default();
    let end = sequence(elements, text, 0, &mut parts)?;
    (end == text.len()).then_some(parts)
}

/// Reads the elements from byte `at` on; returns the byte after them.
fn sequence(elements: &[Element], text: &str, mut at: usize, parts: &mut Parts) -> Option<usize> {
    for (place, element) in elements.iter().enumerate() {
        at = match element {
            Element::Literal(character) => text[at..].starts_with(*character).then(|| at + character.len_utf8())?,
            Element::Number { field, width_min, width_max, is_padded } => {
                let reserved = adjacent_width(&elements[place + 1..]);
                let widths = (usize::from(*width_min), usize::from(*width_max));
                number(text, at, widths, *is_padded, reserved).and_then(|(value, end)| {
                    set_number(parts, *field, value)?;
                    Some(end)
                })?
            }
            Element::TwoDigitYear(field) => {
                let (value, end) = number(text, at, (2, 2), false, 0)?;
                set_number(parts, *field, 2_000 + value)?;
                end
            }
            Element::Fraction { digits_min, digits_max, mark } => {
                let (nano, end) = fraction(text, at, usize::from(*digits_min), usize::from(*digits_max), *mark)?;
                parts.nano = Some(nano);
                end
            }
            Element::Text(name) => named(text, at, *name, parts)?,
            Element::Zone { style, zulu } => {
                let (zone, end) = read_zone(text, at, *style, *zulu)?;
                parts.zone = Some(zone);
                end
            }
            Element::Optional(section) => {
                let mut attempt = parts.clone();
                match sequence(section, text, at, &mut attempt) {
                    Some(end) => {
                        *parts = attempt;
                        end
                    }
                    None => at,
                }
            }
        };
    }
    Some(at)
}

/// Digits that the fixed-width numbers directly after a number claim (`yyyyMMdd`).
fn adjacent_width(following: &[Element]) -> usize {
    let mut width = 0;
    for element in following {
        match element {
            Element::Number { width_min, width_max, .. } if width_min == width_max => width += usize::from(*width_min),
            Element::Fraction { digits_min, digits_max, mark: false } if digits_min == digits_max => {
                width += usize::from(*digits_min);
            }
            Element::TwoDigitYear(_) => width += 2,
            _ => break,
        }
    }
    width
}

/// A number of a width within `widths`; a padded one (a year) may have a sign, and then more digits.
fn number(text: &str, at: usize, widths: (usize, usize), is_padded: bool, reserved: usize) -> Option<(i64, usize)> {
    let bytes = text.as_bytes();
    let sign = match bytes.get(at) {
        Some(b'-') if is_padded => Some(-1),
        Some(b'+') if is_padded => Some(1),
        _ => None,
    };
    let start = at + usize::from(sign.is_some());
    let (width_min, width_max) = if sign.is_some() { (widths.0, 10) } else { widths };
    let available = bytes[start.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let width = if width_min == width_max {
        width_min
    } else {
        available.saturating_sub(reserved).max(width_min).min(width_max)
    };
    if width > available {
        return None;
    }
    let value: i64 = text[start..start + width].parse().ok()?;
    Some((value * sign.unwrap_or(1), start + width))
}

/// Nanoseconds of a fraction.
fn fraction(text: &str, at: usize, digits_min: usize, digits_max: usize, mark: bool) -> Option<(i64, usize)> {
    let bytes = text.as_bytes();
    let start = if mark { matches!(bytes.get(at), Some(b'.' | b',')).then_some(at + 1)? } else { at };
    let digits = bytes[start.min(bytes.len())..].iter().take(digits_max).take_while(|byte| byte.is_ascii_digit());
    let mut count = 0;
    let mut nano = 0i64;
    for digit in digits {
        nano = nano * 10 + i64::from(digit - b'0');
        count += 1;
    }
    if count < digits_min {
        return None;
    }
    Some((nano * 10i64.pow(9 - count as u32), start + count))
}

fn named(text: &str, at: usize, name: Name, parts: &mut Parts) -> Option<usize> {
    let rest = &text[at..];
    let choose = |names: &[&'static str], length: Option<usize>| {
        names.iter().enumerate().find_map(|(place, name)| {
            let name = length.map_or(*name, |length| &name[..length]);
            rest.starts_with(name).then_some((place, at + name.len()))
        })
    };
    let (place, end) = match name {
        Name::MonthShort => choose(&MONTHS, Some(SHORT_NAME))?,
        Name::MonthFull => choose(&MONTHS, None)?,
        Name::DayOfWeekShort => choose(&DAYS_OF_WEEK, Some(SHORT_NAME))?,
        Name::DayOfWeekFull => choose(&DAYS_OF_WEEK, None)?,
        Name::QuarterShort => choose(&QUARTERS_SHORT, None)?,
        Name::QuarterFull => choose(&QUARTERS, None)?,
        Name::DayPeriod => choose(&DAY_PERIODS.each_ref().map(|period| period.name), None)?,
        Name::DayPeriodNarrow => choose(&DAY_PERIODS.each_ref().map(|period| period.narrow), None)?,
        Name::HalfDay => choose(&["AM", "PM"], None)?,
        Name::EraShort => choose(&["AD", "BC"], None)?,
        Name::EraFull => choose(&["Anno Domini", "Before Christ"], None)?,
    };
    match name {
        Name::MonthShort | Name::MonthFull => parts.month = Some(place as i64 + 1),
        Name::DayOfWeekShort | Name::DayOfWeekFull => parts.day_of_week = Some(place as i64 + 1),
        Name::QuarterShort | Name::QuarterFull => parts.quarter = Some(place as i64 + 1),
        Name::DayPeriod | Name::DayPeriodNarrow => parts.day_period = DAY_PERIODS.get(place),
        Name::HalfDay => parts.is_afternoon = Some(place == 1),
        Name::EraShort | Name::EraFull => parts.is_before_common_era = place == 1,
    }
    Some(end)
}

fn read_zone(text: &str, at: usize, style: ZoneStyle, zulu: bool) -> Option<(Zone, usize)> {
    let rest = text.get(at..)?;
    if zulu && rest.starts_with('Z') {
        return Some((Zone::UTC, at + 1));
    }
    let (zone, length) = match style {
        ZoneStyle::Hours => zone::read_offset(rest, zone::Colons::Never)?,
        ZoneStyle::Minutes => zone::read_offset(rest, zone::Colons::Never)?,
        ZoneStyle::ColonMinutes => zone::read_offset(rest, zone::Colons::Always)?,
        ZoneStyle::Localized => {
            let offset = rest.strip_prefix("GMT")?;
            let (zone, length) = zone::read_offset(offset, zone::Colons::Maybe).unwrap_or((Zone::UTC, 0));
            (zone, length + 3)
        }
        ZoneStyle::Id | ZoneStyle::Any => zone::read_any(rest)?,
    };
    Some((zone, at + length))
}

/// `None` when the value is out of the field's range, or contradicts what was read before.
fn set_number(parts: &mut Parts, field: Field, value: i64) -> Option<()> {
    let (slot, range, value) = match field {
        Field::Year => (&mut parts.year, -999_999_999..=999_999_999, value),
        Field::WeekYear => (&mut parts.week_year, -999_999_999..=999_999_999, value),
        Field::Month => (&mut parts.month, 1..=12, value),
        Field::Day => (&mut parts.day, 1..=31, value),
        Field::DayOfYear => (&mut parts.day_of_year, 1..=366, value),
        Field::Quarter => (&mut parts.quarter, 1..=4, value),
        Field::Week => (&mut parts.week, 1..=53, value),
        Field::WeekOfMonth => (&mut parts.week_of_month, 0..=5, value),
        Field::AlignedWeekOfMonth => (&mut parts.aligned_week_of_month, 1..=5, value),
        Field::DayOfWeek => (&mut parts.day_of_week, 1..=7, value),
        Field::Hour => (&mut parts.hour, 0..=23, value),
        Field::ClockHour => {
            (&mut parts.hour, 0..=23, if value == 24 { 0 } else { value.checked_sub(i64::from(value == 0))? })
        }
        Field::HalfDayHour => (&mut parts.half_day_hour, 0..=11, value),
        Field::HalfDayClockHour => {
            (&mut parts.half_day_hour, 0..=11, if value == 12 { 0 } else { value.checked_sub(i64::from(value == 0))? })
        }
        Field::Minute => (&mut parts.minute, 0..=59, value),
        Field::Second => (&mut parts.second, 0..=59, value),
        Field::Nano => (&mut parts.nano, 0..=999_999_999, value),
        Field::MilliOfDay => (&mut parts.nano_of_day, 0..=86_399_999_999_999, value.checked_mul(1_000_000)?),
        Field::NanoOfDay => (&mut parts.nano_of_day, 0..=86_399_999_999_999, value),
    };
    let is_consistent = slot.is_none_or(|known| known == value);
    (range.contains(&value) && is_consistent).then(|| *slot = Some(value))
}
