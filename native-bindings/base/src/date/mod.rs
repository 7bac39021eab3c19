//! Date formats: the built-in names and custom patterns, joined with `||`.
//!
//! A format is compiled to a list of elements ([`pattern`]) that both reads ([`parse`]) and prints ([`print`]); what was
//! read becomes a [`Moment`] in [`resolve`]. ISO timestamps, nearly all that is ever parsed, take a short cut ([`iso`]).

mod civil;
mod day_period;
mod format;
mod iso;
mod moment;
mod names;
mod parse;
mod pattern;
mod print;
mod resolve;
mod zone;

#[cfg(test)]
mod tests;

pub use format::{DateFormat, Round};
pub use moment::Moment;
pub use zone::parse_time_zone;

/// The format of a date field whose mapping names none.
pub const DEFAULT_DATE_FORMAT: &str = "strict_date_optional_time||epoch_millis";
