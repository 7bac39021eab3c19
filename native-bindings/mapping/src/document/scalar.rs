//! A JSON value that is not an object or array.

use quarry_json::{Fault, JsonNumber, KeyFrames, Scan, Scanner, Token};

/// A scalar with its text decoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    Null,
    Boolean(bool),
    Number(JsonNumber<'a>),
    String(&'a str),
}

impl<'a> Scalar<'a> {
    /// The value as text, as text and keyword fields and date formats see it. `None` for null.
    pub fn text(&self) -> Option<&'a str> {
        match self {
            Scalar::Null => None,
            Scalar::Boolean(true) => Some("true"),
            Scalar::Boolean(false) => Some("false"),
            Scalar::Number(number) => Some(number.text),
            Scalar::String(text) => Some(text),
        }
    }
}

/// Reads the next value, which is a number, a boolean or null.
#[inline]
pub(super) fn read<'a>(scanner: &mut Scanner<'a>, token: Token) -> Scan<Scalar<'a>> {
    match token {
        Token::Number => Ok(Scalar::Number(scanner.number()?)),
        Token::True | Token::False => Ok(Scalar::Boolean(scanner.boolean()?)),
        Token::Null => scanner.null().map(|()| Scalar::Null),
        Token::String | Token::Object | Token::Array => Err(Fault::new(scanner.offset(), "Unexpected value")),
    }
}

/// As [`read`], for texts as well. `buffer` takes the text of a string with escapes.
pub(super) fn read_any<'b, 'a: 'b>(
    scanner: &mut Scanner<'a>,
    token: Token,
    buffer: &'b mut String,
) -> Scan<Scalar<'b>> {
    match token {
        Token::String => Ok(Scalar::String(scanner.string()?.decode(buffer))),
        _ => read(scanner, token),
    }
}

/// Characters of a preview in a message.
const PREVIEW_CHARS_MAX: usize = 1_000;

/// The next value as messages show it: texts bare, objects `{a=1, b=[x, y]}`.
pub(super) fn preview(scanner: &mut Scanner<'_>) -> Scan<String> {
    let mut out = String::new();
    write_preview(scanner, 0, &mut out)?;
    if let Some((cut, _)) = out.char_indices().nth(PREVIEW_CHARS_MAX) {
        out.truncate(cut);
        out.push_str("...");
    }
    Ok(out)
}

fn write_preview(scanner: &mut Scanner<'_>, depth: usize, out: &mut String) -> Scan<()> {
    scanner.check_depth(depth)?;
    match scanner.peek()? {
        Token::String => scanner.string()?.decode_onto(out),
        Token::Object => {
            out.push('{');
            let mut more = scanner.enter_object()?;
            while more {
                let (key, _) = scanner.key()?;
                key.decode_onto(out);
                out.push('=');
                write_preview(scanner, depth + 1, out)?;
                more = scanner.next_member()?;
                out.push_str(if more { ", " } else { "" });
            }
            out.push('}');
        }
        Token::Array => {
            out.push('[');
            let mut more = scanner.enter_array()?;
            while more {
                write_preview(scanner, depth + 1, out)?;
                more = scanner.next_element()?;
                out.push_str(if more { ", " } else { "" });
            }
            out.push(']');
        }
        _ => out.push_str(scanner.skip(&mut KeyFrames::default(), depth)?),
    }
    Ok(())
}
