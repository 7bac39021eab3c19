//! Date formats: the built-in names and custom patterns, joined with `||`.

use crate::error::Result;
use jiff::tz::TimeZone;

/// An instant: seconds since 1970-01-01T00:00:00Z and nanoseconds within the second (0..1e9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    pub seconds: i64,
    pub nanos: u32,
}

impl Moment {
    /// Milliseconds since the epoch, rounded down.
    pub fn millis(self) -> i64 {
        todo!()
    }

    /// Nanoseconds since the epoch: what `date_nanos` holds (1970 to 2262). `IllegalArgument` outside.
    pub fn nanos_since_epoch(self) -> Result<i64> {
        todo!()
    }

    pub fn from_millis(_millis: i64) -> Self {
        todo!()
    }

    pub fn from_nanos(_nanos: i64) -> Self {
        todo!()
    }
}

/// One or several formats joined with `||`: the first that fits parses, the first prints.
#[derive(Debug, Clone)]
pub struct DateFormat {}

impl DateFormat {
    /// `IllegalArgument` `Invalid format: [..]: ..` when a part is neither a known name nor a pattern.
    pub fn new(_pattern: &str) -> Result<Self> {
        todo!()
    }

    /// As it was given.
    pub fn pattern(&self) -> &str {
        todo!()
    }

    /// Missing parts take their least value; a text without a zone is UTC.
    /// `IllegalArgument` `failed to parse date field [..] with format [..]`.
    pub fn parse(&self, _text: &str) -> Result<Moment> {
        todo!()
    }

    /// Appends the moment as the first format prints it, in `zone`.
    pub fn format(&self, _moment: Moment, _zone: &TimeZone, _out: &mut String) {
        todo!()
    }
}

/// `UTC`, `Z`, `+02:00`, `-0530`, `GMT+1`, `Europe/Paris`... `IllegalArgument` otherwise.
pub fn parse_time_zone(_text: &str) -> Result<TimeZone> {
    todo!()
}
