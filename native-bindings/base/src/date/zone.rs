//! Time zones: offsets and ids of the IANA database.

use super::civil::SECONDS_PER_DAY;
use crate::error::{Error, Result};
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// The zone of a parsed date.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Zone {
    /// Seconds east of UTC.
    Offset(i32),
    Named(TimeZone),
}

impl Zone {
    pub(super) const UTC: Zone = Zone::Offset(0);
}

/// Whether `+HH:mm` has its colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colons {
    Always,
    Never,
    Maybe,
}

/// Largest offset that `java.time` and we accept.
const OFFSET_HOURS_MAX: i32 = 18;

/// `UTC`, `Z`, `+02:00`, `-0530`, `GMT+1`, `Europe/Paris`... `IllegalArgument` otherwise.
pub fn parse_time_zone(text: &str) -> Result<TimeZone> {
    let unknown = || Error::illegal_argument(format!("Unknown time-zone ID: {text}"));
    let (zone, length) = read_any(text).ok_or_else(unknown)?;
    if length != text.len() {
        return Err(unknown());
    }
    match zone {
        Zone::Named(zone) => Ok(zone),
        Zone::Offset(0) => Ok(TimeZone::UTC),
        Zone::Offset(seconds) => Offset::from_seconds(seconds).map(TimeZone::fixed).map_err(|_| unknown()),
    }
}

/// An offset (`+HH[[:]mm[[:]ss]]`) at the start of the text, with its length in bytes.
pub(super) fn read_offset(text: &str, colons: Colons) -> Option<(Zone, usize)> {
    let bytes = text.as_bytes();
    let sign = match bytes.first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let two_digits = |at: usize| {
        let pair = bytes.get(at..at + 2).filter(|pair| pair.iter().all(u8::is_ascii_digit))?;
        Some(i32::from(pair[0] - b'0') * 10 + i32::from(pair[1] - b'0'))
    };
    let (hours, mut end) = match two_digits(1) {
        Some(hours) => (hours, 3),
        // One digit only where the text is free in its form.
        None if colons == Colons::Maybe => (i32::from(bytes.get(1).filter(|digit| digit.is_ascii_digit())? - b'0'), 2),
        None => return None,
    };
    let mut minutes_and_seconds = [0, 0];
    for part in &mut minutes_and_seconds {
        let has_colon = bytes.get(end) == Some(&b':');
        let fits = if has_colon { colons != Colons::Never } else { colons != Colons::Always };
        let Some(value) = two_digits(end + usize::from(has_colon)).filter(|&value| fits && value < 60) else { break };
        *part = value;
        end += usize::from(has_colon) + 2;
    }
    let seconds = hours * 3_600 + minutes_and_seconds[0] * 60 + minutes_and_seconds[1];
    (seconds <= OFFSET_HOURS_MAX * 3_600).then_some((Zone::Offset(sign * seconds), end))
}

/// Any zone at the start of the text: `Z`, an offset, `UTC+1`, an id.
pub(super) fn read_any(text: &str) -> Option<(Zone, usize)> {
    if let Some(found) = read_offset(text, Colons::Maybe) {
        return Some(found);
    }
    let is_id = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'+' | b'.');
    let length = text.as_bytes().iter().take_while(|byte| is_id(byte)).count();
    let id = &text[..length];
    if matches!(id, "Z" | "UTC" | "GMT" | "UT") {
        return Some((Zone::UTC, length));
    }
    for prefix in ["UTC", "GMT", "UT"] {
        if let Some(offset) = text.strip_prefix(prefix)
            && let Some((zone, offset_length)) = read_offset(offset, Colons::Maybe)
        {
            return Some((zone, prefix.len() + offset_length));
        }
    }
    if id.is_empty() {
        return None;
    }
    TimeZone::get(id).ok().map(|zone| (Zone::Named(zone), length))
}

/// Seconds east of UTC at an instant; beyond the database's years the offset of its last one.
#[inline]
pub(super) fn offset_at(zone: &TimeZone, seconds: i64) -> i64 {
    // A day of room, so that local times stay in range as well.
    let first = Timestamp::MIN.as_second() + SECONDS_PER_DAY;
    let last = Timestamp::MAX.as_second() - SECONDS_PER_DAY;
    match Timestamp::from_second(seconds.clamp(first, last)) {
        Ok(timestamp) => i64::from(zone.to_offset(timestamp).seconds()),
        Err(_) => 0,
    }
}

/// The instant of a local time (both in seconds since the epoch). In a gap the later offset's time, in a fold the
/// earlier instant, as `java.time` resolves them.
pub(super) fn instant_of_local(zone: &TimeZone, local_seconds: i64) -> i64 {
    let before = offset_at(zone, local_seconds - SECONDS_PER_DAY);
    let after = offset_at(zone, local_seconds + SECONDS_PER_DAY);
    // A candidate is right when the zone has the offset there that was assumed.
    for offset in [before, after] {
        let candidate = local_seconds - offset;
        if offset_at(zone, candidate) == offset {
            return candidate;
        }
    }
    // A gap: shift forward by its length, which is what the offset before it gives.
    local_seconds - before
}
