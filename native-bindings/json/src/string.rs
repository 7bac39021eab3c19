//! Strings as they stand in the text, and what their escapes mean.

use super::fault::{Fault, Scan};

/// The inside of a JSON string, checked but not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonString<'a> {
    /// Between the quotes.
    pub raw: &'a str,
    /// Whether `raw` holds a backslash; when not, `raw` is the text itself.
    pub escaped: bool,
}

impl<'a> JsonString<'a> {
    /// The text; `buffer` is used (and overwritten) only when there are escapes.
    pub fn decode<'b>(&self, buffer: &'b mut String) -> &'b str
    where
        'a: 'b,
    {
        if !self.escaped {
            return self.raw;
        }
        buffer.clear();
        self.decode_onto(buffer);
        buffer
    }

    /// Appends the text.
    pub fn decode_onto(&self, out: &mut String) {
        let mut rest = self.raw;
        while let Some(backslash) = memchr::memchr(b'\\', rest.as_bytes()) {
            out.push_str(&rest[..backslash]);
            // The scanner has checked every escape, so the fallback is never taken.
            let (character, length) = read_escape(rest.as_bytes(), backslash).unwrap_or(('\u{FFFD}', 1));
            out.push(character);
            rest = rest.get(backslash + length..).unwrap_or_default();
        }
        out.push_str(rest);
    }
}

/// Reads the escape whose backslash is at `at`: the character and the bytes it took. Faults are at the offset of the
/// backslash in `bytes`.
pub(super) fn read_escape(bytes: &[u8], at: usize) -> Scan<(char, usize)> {
    let simple = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return read_unicode_escape(bytes, at),
        Some(&other) => {
            let message = format!("Unrecognized character escape '{}' (code {other})", char::from(other));
            return Err(Fault::new(at, message));
        }
        None => return Err(Fault::new(at, "Unexpected end-of-input in character escape sequence")),
    };
    Ok((simple, 2))
}

/// `\uXXXX`, or a pair of them for a character outside the basic plane.
fn read_unicode_escape(bytes: &[u8], at: usize) -> Scan<(char, usize)> {
    let first = read_hex(bytes, at + 2)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, 6));
    }
    // Only surrogates are not characters below 0x10000.
    let is_high = first < 0xDC00;
    if is_high && bytes.get(at + 6..at + 8) == Some(b"\\u") {
        let second = read_hex(bytes, at + 8)?;
        if (0xDC00..0xE000).contains(&second) {
            let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            if let Some(character) = char::from_u32(code) {
                return Ok((character, 12));
            }
        }
    }
    Err(Fault::new(at, format!("Incomplete surrogate pair: \\u{first:04x} stands alone")))
}

fn read_hex(bytes: &[u8], at: usize) -> Scan<u32> {
    let mut code = 0;
    for place in at..at + 4 {
        let digit = bytes
            .get(place)
            .and_then(|&byte| char::from(byte).to_digit(16))
            .ok_or_else(|| Fault::new(place.min(bytes.len()), "expected a hex-digit for character escape sequence"))?;
        code = code << 4 | digit;
    }
    Ok(code)
}
