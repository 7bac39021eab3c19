//! A compiled date format.

use super::moment::Moment;
use super::names::{Builtin, builtin};
use super::pattern::{Element, compile};
use super::{iso, parse, print, resolve};
use crate::error::{Error, Result};
use jiff::tz::TimeZone;
use std::fmt::Write;
use std::sync::{Arc, LazyLock};

/// Which end of the named or rounded period is meant: `gte` and `lt` mean the first instant, `gt` and `lte` the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    Down,
    Up,
}

/// One or several formats joined with `||`: the first that fits parses, the first prints. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DateFormat {
    pattern: Arc<str>,
    parts: Arc<[SingleFormat]>,
}

#[derive(Debug)]
enum SingleFormat {
    EpochMillis,
    EpochSecond,
    Pattern {
        parse: Vec<Element>,
        print: Vec<Element>,
        /// Reads whatever [`iso::parse`] reads, with the same result.
        reads_iso: bool,
    },
}

/// Formats for which the ISO short cut gives what their elements would. Those that demand a zone are not among them.
const ISO_NAMES: [&str; 5] = [
    "strict_date_optional_time",
    "date_optional_time",
    "strict_date_optional_time_nanos",
    "date_optional_time_nanos",
    "iso8601",
];

/// Formats joined in one pattern.
const FORMATS_MAX: usize = 64;

impl DateFormat {
    /// `IllegalArgument` `Invalid format: [..]: ..` when a part is neither a known name nor a pattern.
    pub fn new(pattern: &str) -> Result<Self> {
        // Mappings of old began patterns of this kind with an 8.
        let pattern = pattern.strip_prefix('8').unwrap_or(pattern);
        let parts: Vec<&str> = pattern.split("||").collect();
        if parts.len() > FORMATS_MAX {
            return Err(Error::illegal_argument(format!("Invalid format: more than {FORMATS_MAX} formats in one")));
        }
        let parts = parts.into_iter().map(SingleFormat::new).collect::<Result<Vec<_>>>()?;
        Ok(DateFormat { pattern: pattern.into(), parts: parts.into() })
    }

    /// ISO 8601 with up to nine digits of fraction.
    pub(super) fn iso_nanos() -> &'static Self {
        static FORMAT: LazyLock<DateFormat> = LazyLock::new(|| {
            DateFormat::new("strict_date_optional_time_nanos").unwrap_or_else(|error| unreachable!("{error}"))
        });
        &FORMAT
    }

    /// As it was given, but for an 8 before it.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// Missing parts take their least value; a text without a zone is UTC.
    /// `IllegalArgument` `failed to parse date field [..] with format [..]`.
    #[inline]
    pub fn parse(&self, text: &str) -> Result<Moment> {
        let is_iso_first = matches!(self.parts.first(), Some(SingleFormat::Pattern { reads_iso: true, .. }));
        let short_cut = if is_iso_first { iso::parse(text) } else { None };
        short_cut.map_or_else(|| self.parse_in(text, Round::Down, &TimeZone::UTC), Ok)
    }

    /// As [`DateFormat::parse`]; missing parts of the time are those of the end of the period for [`Round::Up`], and a
    /// text without a zone is in `zone`.
    pub fn parse_in(&self, text: &str, missing: Round, zone: &TimeZone) -> Result<Moment> {
        self.parts.iter().find_map(|part| part.parse(text, missing, zone)).ok_or_else(|| {
            let pattern = &self.pattern;
            Error::illegal_argument(format!("failed to parse date field [{text}] with format [{pattern}]"))
        })
    }

    /// Appends the moment as the first format prints it, in `zone`.
    pub fn format(&self, moment: Moment, zone: &TimeZone, out: &mut String) {
        match self.parts.first() {
            Some(SingleFormat::Pattern { print, .. }) => print::print(print, moment, zone, out),
            Some(SingleFormat::EpochSecond) => print_epoch(moment.seconds(), moment.subsecond_nanos(), 9, out),
            Some(SingleFormat::EpochMillis) | None => {
                print_epoch(moment.millis(), moment.subsecond_nanos() % 1_000_000, 6, out);
            }
        }
    }
}

impl SingleFormat {
    fn new(name: &str) -> Result<Self> {
        let invalid = |error: Error| Error::illegal_argument(format!("Invalid format: [{name}]: {}", error.reason));
        if name.is_empty() {
            return Err(Error::illegal_argument("No date pattern provided"));
        }
        match builtin(name).map_err(invalid)? {
            Some(Builtin::EpochMillis) => Ok(SingleFormat::EpochMillis),
            Some(Builtin::EpochSecond) => Ok(SingleFormat::EpochSecond),
            Some(Builtin::Pattern { print, parse }) => {
                Ok(SingleFormat::Pattern { parse, print, reads_iso: ISO_NAMES.contains(&name) })
            }
            None => {
                let elements = compile(name).map_err(invalid)?;
                Ok(SingleFormat::Pattern { parse: elements.clone(), print: elements, reads_iso: false })
            }
        }
    }

    fn parse(&self, text: &str, missing: Round, zone: &TimeZone) -> Option<Moment> {
        match self {
            SingleFormat::EpochMillis => parse_epoch(text, 1_000),
            SingleFormat::EpochSecond => parse_epoch(text, 1),
            SingleFormat::Pattern { parse, .. } => resolve::resolve(&parse::parse(parse, text)?, missing, zone),
        }
    }
}

/// A decimal number of seconds (`per_second` 1) or milliseconds (1,000), with a fraction down to nanoseconds.
fn parse_epoch(text: &str, per_second: i64) -> Option<Moment> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let fraction_digits_max = if per_second == 1 { 9 } else { 6 };
    let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(digits) || !all_digits(fraction) || fraction.len() > fraction_digits_max {
        return None;
    }
    let unit_nanos = 1_000_000_000 / i128::from(per_second);
    let fraction_nanos = fraction.parse::<i128>().ok()? * 10i128.pow((fraction_digits_max - fraction.len()) as u32);
    let magnitude = i128::from(digits.parse::<i64>().ok()?) * unit_nanos + fraction_nanos;
    let nanos = if whole.starts_with('-') { -magnitude } else { magnitude };
    let seconds = i64::try_from(nanos.div_euclid(1_000_000_000)).ok()?;
    Moment::new(seconds, nanos.rem_euclid(1_000_000_000) as u32)
}

/// Whole units and the nanoseconds above them, as a decimal number with as few digits as it takes.
fn print_epoch(units: i64, nanos: u32, digits: usize, out: &mut String) {
    // A negative number with a fraction counts away from zero.
    let unit = 10u32.pow(digits as u32);
    let (units, nanos, sign) = if units < 0 && nanos > 0 { (units + 1, unit - nanos, "-") } else { (units, nanos, "") };
    // Writing to a string cannot fail.
    let _ = if units < 0 { write!(out, "{units}") } else { write!(out, "{sign}{units}") };
    if nanos > 0 {
        let fraction = format!("{nanos:0digits$}");
        let _ = write!(out, ".{}", fraction.trim_end_matches('0'));
    }
}
