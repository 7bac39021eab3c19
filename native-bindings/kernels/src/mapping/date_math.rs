//! Date math: `now-1d/d`, `2020-01-01||+1M/d`.

use super::date::{DateFormat, Moment};
use crate::error::Result;
use jiff::tz::TimeZone;

/// Which end of the named or rounded period is meant: `gte` and `lt` mean the first instant, `gt` and `lte` the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    Down,
    Up,
}

/// Resolves a date expression. Texts without a zone, and roundings, are read in `zone`.
/// `IllegalArgument` (`operator not supported for date math [..]`, `unit [..] not supported for date math [..]`,
/// `truncated date math [..]`, or the format's own message).
pub fn resolve(_text: &str, _format: &DateFormat, _now_ms: i64, _round: Round, _zone: &TimeZone) -> Result<Moment> {
    todo!()
}
