//! An instant as a format writes it.

use super::civil::{SECONDS_PER_DAY, civil_from_days, day_of_week, day_of_year, iso_week, week_of_month};
use super::day_period::DayPeriod;
use super::moment::Moment;
use super::parse::{DAYS_OF_WEEK, MONTHS, QUARTERS, QUARTERS_SHORT, SHORT_NAME};
use super::pattern::{Element, Field, Name, ZoneStyle};
use super::zone::offset_at;
use jiff::tz::TimeZone;
use std::fmt::Write;

/// A local date and time.
struct Local<'z> {
    days: i64,
    year: i64,
    month: u32,
    day: u32,
    second_of_day: i64,
    nanos: u32,
    /// Seconds east of UTC.
    offset: i64,
    zone: &'z TimeZone,
}

/// Appends the moment in `zone`. Optional sections are printed.
pub(super) fn print(elements: &[Element], moment: Moment, zone: &TimeZone, out: &mut String) {
    let offset = offset_at(zone, moment.seconds());
    let local_seconds = moment.seconds() + offset;
    let days = local_seconds.div_euclid(SECONDS_PER_DAY);
    let (year, month, day) = civil_from_days(days);
    let second_of_day = local_seconds.rem_euclid(SECONDS_PER_DAY);
    let local = Local { days, year, month, day, second_of_day, nanos: moment.subsecond_nanos(), offset, zone };
    local.sequence(elements, out);
}

impl Local<'_> {
    fn sequence(&self, elements: &[Element], out: &mut String) {
        for element in elements {
            match element {
                Element::Literal(character) => out.push(*character),
                Element::Number { field, width_min, width_max, is_padded } => {
                    let needs_sign = *is_padded && width_min == width_max;
                    number(self.value(*field), usize::from(*width_min), needs_sign, out);
                }
                Element::TwoDigitYear(field) => number(self.value(*field).rem_euclid(100), 2, false, out),
                Element::Fraction { digits_min, digits_max, mark } => {
                    self.fraction(usize::from(*digits_min), usize::from(*digits_max), *mark, out);
                }
                Element::Text(name) => out.push_str(self.name(*name)),
                Element::Zone { style, zulu } => self.zone(*style, *zulu, out),
                Element::Optional(section) => self.sequence(section, out),
            }
        }
    }

    fn value(&self, field: Field) -> i64 {
        let hour = self.second_of_day / 3_600;
        let nano_of_day = self.second_of_day * 1_000_000_000 + i64::from(self.nanos);
        match field {
            Field::Year => self.year,
            Field::Month => self.month.into(),
            Field::Day => self.day.into(),
            Field::DayOfYear => day_of_year(self.year, self.days).into(),
            Field::Quarter => self.quarter() as i64 + 1,
            Field::WeekYear => iso_week(self.days).0,
            Field::Week => iso_week(self.days).1.into(),
            Field::WeekOfMonth => week_of_month(self.days),
            Field::AlignedWeekOfMonth => i64::from((self.day - 1) / 7 + 1),
            Field::DayOfWeek => day_of_week(self.days).into(),
            Field::Hour => hour,
            Field::ClockHour => (hour + 23) % 24 + 1,
            Field::HalfDayHour => hour % 12,
            Field::HalfDayClockHour => (hour + 11) % 12 + 1,
            Field::Minute => self.second_of_day / 60 % 60,
            Field::Second => self.second_of_day % 60,
            Field::Nano => self.nanos.into(),
            Field::MilliOfDay => nano_of_day / 1_000_000,
            Field::NanoOfDay => nano_of_day,
        }
    }

    /// 0 to 3.
    fn quarter(&self) -> usize {
        (self.month as usize - 1) / 3
    }

    fn fraction(&self, digits_min: usize, digits_max: usize, mark: bool, out: &mut String) {
        let mut digits = format!("{:09}", self.nanos);
        digits.truncate(digits_max);
        let significant = digits.trim_end_matches('0').len().max(digits_min);
        if mark && significant > 0 {
            out.push('.');
        }
        out.push_str(&digits[..significant]);
    }

    fn name(&self, name: Name) -> &'static str {
        let month = MONTHS[self.month as usize - 1];
        let day_of_week = DAYS_OF_WEEK[day_of_week(self.days) as usize - 1];
        match name {
            Name::MonthShort => &month[..SHORT_NAME],
            Name::MonthFull => month,
            Name::DayOfWeekShort => &day_of_week[..SHORT_NAME],
            Name::DayOfWeekFull => day_of_week,
            Name::QuarterShort => QUARTERS_SHORT[self.quarter()],
            Name::QuarterFull => QUARTERS[self.quarter()],
            Name::DayPeriod => DayPeriod::of(self.second_of_day / 60).name,
            Name::DayPeriodNarrow => DayPeriod::of(self.second_of_day / 60).narrow,
            Name::HalfDay if self.second_of_day < 12 * 3_600 => "AM",
            Name::HalfDay => "PM",
            Name::EraShort if self.year > 0 => "AD",
            Name::EraShort => "BC",
            Name::EraFull if self.year > 0 => "Anno Domini",
            Name::EraFull => "Before Christ",
        }
    }

    fn zone(&self, style: ZoneStyle, zulu: bool, out: &mut String) {
        let named = self.zone.iana_name().filter(|_| style == ZoneStyle::Id && *self.zone != TimeZone::UTC);
        match (named, style) {
            (Some(id), _) => out.push_str(id),
            (None, _) if zulu && self.offset == 0 => out.push('Z'),
            (None, ZoneStyle::Localized) => {
                out.push_str("GMT");
                if self.offset != 0 {
                    self.offset_digits(":", true, out);
                }
            }
            (None, ZoneStyle::Hours) => self.offset_digits("", self.offset % 3_600 != 0, out),
            (None, ZoneStyle::Minutes) => self.offset_digits("", true, out),
            (None, ZoneStyle::ColonMinutes | ZoneStyle::Id | ZoneStyle::Any) => self.offset_digits(":", true, out),
        }
    }

    fn offset_digits(&self, colon: &str, with_minutes: bool, out: &mut String) {
        let magnitude = self.offset.abs();
        out.push(if self.offset < 0 { '-' } else { '+' });
        number(magnitude / 3_600, 2, false, out);
        if with_minutes {
            out.push_str(colon);
            number(magnitude / 60 % 60, 2, false, out);
        }
        if magnitude % 60 != 0 {
            out.push_str(colon);
            number(magnitude % 60, 2, false, out);
        }
    }
}

/// At least `width` digits; `needs_sign`: a number wider than that gets a plus.
fn number(value: i64, width: usize, needs_sign: bool, out: &mut String) {
    let start = out.len();
    // Writing to a string cannot fail.
    let _ = write!(out, "{:0width$}", value.unsigned_abs());
    if value < 0 {
        out.insert(start, '-');
    } else if needs_sign && out.len() - start > width {
        out.insert(start, '+');
    }
}
