//! The short cut for `yyyy-MM-dd[THH:mm:ss[.f{1,9}]][Z|+HH:mm]`, which every ISO-like built-in format reads alike.

use super::civil::{SECONDS_PER_DAY, days_from_civil, days_in_month};
use super::moment::Moment;

/// The instant, or `None` for any text that is not exactly of this form (the general parser then decides). A date alone,
/// and a time without a zone, are UTC.
pub(super) fn parse(text: &str) -> Option<Moment> {
    let bytes = text.as_bytes();
    let days = date(bytes.get(..10)?)?;
    if bytes.len() == 10 {
        return Moment::new(days * SECONDS_PER_DAY, 0);
    }
    let time = bytes.get(10..19)?;
    if time[0] != b'T' || time[3] != b':' || time[6] != b':' {
        return None;
    }
    let (hour, minute, second) = (two(time, 1)?, two(time, 4)?, two(time, 7)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (nanos, zone_start) = fraction(bytes, 19)?;
    let offset = zone(&bytes[zone_start..])?;
    let second_of_day = i64::from(hour * 3_600 + minute * 60 + second);
    Moment::new(days * SECONDS_PER_DAY + second_of_day - offset, nanos)
}

fn date(bytes: &[u8]) -> Option<i64> {
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return None;
    }
    let year = i64::from(two(bytes, 0)? * 100 + two(bytes, 2)?);
    let (month, day) = (two(bytes, 5)?, two(bytes, 8)?);
    let is_real = (1..=12).contains(&month) && day >= 1 && day <= days_in_month(year, month);
    is_real.then(|| days_from_civil(year, month, day))
}

/// Two digits at `at`, which is in bounds.
#[inline]
fn two(bytes: &[u8], at: usize) -> Option<u32> {
    let (tens, ones) = (bytes[at].wrapping_sub(b'0'), bytes[at + 1].wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| u32::from(tens) * 10 + u32::from(ones))
}

/// Nanoseconds of a fraction at `at`, or zero, and where it ends.
fn fraction(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    if bytes.get(at) != Some(&b'.') {
        return Some((0, at));
    }
    let mut nanos = 0;
    let mut scale = 1_000_000_000;
    let mut end = at + 1;
    while let Some(digit) = bytes.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        scale /= 10;
        if scale == 0 {
            return None;
        }
        nanos += u32::from(digit) * scale;
        end += 1;
    }
    (end > at + 1).then_some((nanos, end))
}

/// Seconds east of UTC.
fn zone(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [] | [b'Z'] => Some(0),
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let (hours, minutes) = (two(bytes, 1)?, two(bytes, 4)?);
            let seconds = i64::from(hours * 3_600 + minutes * 60);
            (minutes < 60 && seconds <= 18 * 3_600).then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}
