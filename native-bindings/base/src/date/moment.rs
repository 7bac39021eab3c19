//! An instant.

use super::format::DateFormat;
use crate::error::{Error, Result};
use jiff::tz::TimeZone;

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const NANOS_PER_MILLI: u32 = 1_000_000;

/// An instant: seconds since 1970-01-01T00:00:00Z and nanoseconds within the second (below 1e9). The seconds are such
/// that the instant has milliseconds in an `i64`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    seconds: i64,
    nanos: u32,
}

impl Moment {
    /// `None` where milliseconds since the epoch would not fit an `i64`, or `nanos` is not below 1e9.
    #[inline]
    pub fn new(seconds: i64, nanos: u32) -> Option<Self> {
        let in_range = seconds > i64::MIN / 1_000 && seconds < i64::MAX / 1_000;
        (in_range && i64::from(nanos) < NANOS_PER_SECOND).then_some(Moment { seconds, nanos })
    }

    #[inline]
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// Nanoseconds within the second.
    #[inline]
    pub fn subsecond_nanos(self) -> u32 {
        self.nanos
    }

    /// Milliseconds since the epoch, rounded down.
    #[inline]
    pub fn millis(self) -> i64 {
        self.seconds * 1_000 + i64::from(self.nanos / NANOS_PER_MILLI)
    }

    /// Nanoseconds since the epoch: what `date_nanos` holds (1970 to 2262). `IllegalArgument` outside.
    #[inline]
    pub fn nanos_since_epoch(self) -> Result<i64> {
        if self.seconds < 0 {
            let reason =
                format!("date[{self}] is before the epoch in 1970 and cannot be stored in nanosecond resolution");
            return Err(Error::illegal_argument(reason));
        }
        let nanos = self.seconds.checked_mul(NANOS_PER_SECOND).and_then(|nanos| nanos.checked_add(self.nanos.into()));
        nanos.ok_or_else(|| {
            let reason = format!(
                "date[{self}] is after 2262-04-11T23:47:16.854775807 and cannot be stored in nanosecond resolution"
            );
            Error::illegal_argument(reason)
        })
    }

    /// The few milliseconds at the ends that have no whole second in range are brought in.
    #[inline]
    pub fn from_millis(millis: i64) -> Self {
        let seconds = millis.div_euclid(1_000).clamp(i64::MIN / 1_000 + 1, i64::MAX / 1_000 - 1);
        Moment { seconds, nanos: millis.rem_euclid(1_000) as u32 * NANOS_PER_MILLI }
    }

    #[inline]
    pub fn from_nanos(nanos: i64) -> Self {
        Moment { seconds: nanos.div_euclid(NANOS_PER_SECOND), nanos: nanos.rem_euclid(NANOS_PER_SECOND) as u32 }
    }
}

/// ISO 8601 in UTC, as messages show it.
impl std::fmt::Display for Moment {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        DateFormat::iso_nanos().format(*self, &TimeZone::UTC, &mut text);
        out.write_str(&text)
    }
}
