//! Numbers as they stand in the text.

use super::fault::{Fault, Scan};

/// A number that follows the JSON grammar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JsonNumber<'a> {
    pub text: &'a str,
    /// Neither a fraction nor an exponent.
    pub is_integer: bool,
    /// The value of an integer that fits.
    pub as_i64: Option<i64>,
}

impl JsonNumber<'_> {
    /// The nearest double; infinite where the number is too large for one.
    #[inline]
    pub fn as_f64(&self) -> f64 {
        match self.as_i64 {
            Some(value) => value as f64,
            // Every JSON number is in the grammar of Rust's floats.
            None => self.text.parse().unwrap_or(f64::NAN),
        }
    }
}

/// Decimal digits that cannot overflow an `i64`.
const SAFE_DIGITS: usize = 18;

/// Reads the number that starts at `at` (a minus or a digit); returns it with the position after it.
pub(super) fn read_number(text: &str, at: usize) -> Scan<(JsonNumber<'_>, usize)> {
    let bytes = text.as_bytes();
    let negative = bytes.get(at) == Some(&b'-');
    let digits_start = at + usize::from(negative);
    let mut end = digits_start;
    let mut magnitude = 0u64;
    while let Some(digit) = digit_at(bytes, end) {
        magnitude = magnitude.wrapping_mul(10).wrapping_add(digit);
        end += 1;
    }
    let digit_count = end - digits_start;
    if digit_count == 0 {
        return Err(bad_number(bytes, end));
    }
    if digit_count > 1 && bytes[digits_start] == b'0' {
        return Err(Fault::new(digits_start, "Invalid numeric value: Leading zeroes not allowed"));
    }
    let integer_end = end;
    if bytes.get(end) == Some(&b'.') {
        end = skip_digits(bytes, end + 1)?;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = skip_digits(bytes, end + 1 + sign)?;
    }
    let is_integer = end == integer_end;
    let as_i64 = match (is_integer, digit_count <= SAFE_DIGITS) {
        (false, _) => None,
        (true, true) => Some(if negative { -(magnitude as i64) } else { magnitude as i64 }),
        (true, false) => text[at..end].parse().ok(),
    };
    Ok((JsonNumber { text: &text[at..end], is_integer, as_i64 }, end))
}

#[inline]
fn digit_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10).map(u64::from)
}

/// At least one digit.
fn skip_digits(bytes: &[u8], from: usize) -> Scan<usize> {
    let mut end = from;
    while digit_at(bytes, end).is_some() {
        end += 1;
    }
    if end == from { Err(bad_number(bytes, end)) } else { Ok(end) }
}

#[cold]
fn bad_number(bytes: &[u8], at: usize) -> Fault {
    match bytes.get(at) {
        Some(&byte) => Fault::new(at, format!("Unexpected character ({}) in numeric value", name_of(byte))),
        None => Fault::new(at, "Unexpected end-of-input in a numeric value"),
    }
}

/// `'x' (code 120)`, as messages name an unexpected character.
pub(super) fn name_of(byte: u8) -> String {
    if byte.is_ascii_graphic() || byte == b' ' {
        format!("'{}' (code {byte})", char::from(byte))
    } else {
        format!("code {byte}")
    }
}
