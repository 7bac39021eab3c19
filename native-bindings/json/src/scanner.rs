//! The cursor over a JSON text.

use super::fault::{Fault, Scan};
use super::keys::KeyFrames;
use super::number::{JsonNumber, name_of, read_number};
use super::special::find_special;
use super::string::{JsonString, read_escape};
use quarry_base::limits::JSON_DEPTH_MAX;

/// What kind of value comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

impl Token {
    /// As messages of the API call it.
    pub fn name(self) -> &'static str {
        match self {
            Token::Object => "START_OBJECT",
            Token::Array => "START_ARRAY",
            Token::String => "VALUE_STRING",
            Token::Number => "VALUE_NUMBER",
            Token::True | Token::False => "VALUE_BOOLEAN",
            Token::Null => "VALUE_NULL",
        }
    }
}

/// A position in a JSON text. Methods move it past what they read and leave it anywhere after a fault.
#[derive(Debug, Clone)]
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Scanner { text, at: 0 }
    }

    /// Byte offset of the next unread byte.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_whitespace(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte() {
            self.at += 1;
        }
    }

    /// The next byte that is not whitespace; not read yet.
    #[inline]
    fn next_byte(&mut self) -> Scan<u8> {
        match self.byte() {
            Some(byte) if byte > b' ' => Ok(byte),
            _ => {
                self.skip_whitespace();
                self.byte().ok_or_else(|| Fault::new(self.at, "Unexpected end-of-input"))
            }
        }
    }

    #[cold]
    fn unexpected(&self, expected: &str) -> Fault {
        match self.byte() {
            Some(byte) => {
                Fault::new(self.at, format!("Unexpected character ({}): was expecting {expected}", name_of(byte)))
            }
            None => Fault::new(self.at, format!("Unexpected end-of-input: was expecting {expected}")),
        }
    }

    /// The kind of the next value, judged by its first byte; the value is not read yet.
    #[inline]
    pub fn peek(&mut self) -> Scan<Token> {
        match self.next_byte()? {
            b'"' => Ok(Token::String),
            b'-' | b'0'..=b'9' => Ok(Token::Number),
            b'{' => Ok(Token::Object),
            b'[' => Ok(Token::Array),
            b't' => Ok(Token::True),
            b'f' => Ok(Token::False),
            b'n' => Ok(Token::Null),
            _ => Err(self
                .unexpected("a valid value (JSON String, Number, Array, Object or token 'null', 'true' or 'false')")),
        }
    }

    /// Reads `{`; `false` when the object is empty (and read to its end).
    #[inline]
    pub fn enter_object(&mut self) -> Scan<bool> {
        self.enter(b'{', b'}', "an object")
    }

    /// Reads `[`; `false` when the array is empty (and read to its end).
    #[inline]
    pub fn enter_array(&mut self) -> Scan<bool> {
        self.enter(b'[', b']', "an array")
    }

    #[inline]
    fn enter(&mut self, open: u8, close: u8, expected: &str) -> Scan<bool> {
        if self.next_byte()? != open {
            return Err(self.unexpected(expected));
        }
        self.at += 1;
        let is_empty = self.next_byte()? == close;
        self.at += usize::from(is_empty);
        Ok(!is_empty)
    }

    /// After a member: `true` when another follows, `false` when the object ended.
    #[inline]
    pub fn next_member(&mut self) -> Scan<bool> {
        self.separator(b'}', "comma to separate Object entries")
    }

    /// After an element: `true` when another follows, `false` when the array ended.
    #[inline]
    pub fn next_element(&mut self) -> Scan<bool> {
        self.separator(b']', "comma to separate Array entries")
    }

    #[inline]
    fn separator(&mut self, close: u8, expected: &str) -> Scan<bool> {
        match self.next_byte()? {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    /// Reads a key with its colon when the text goes on with exactly `quoted` (see [`quoted_key`]); else reads nothing
    /// but whitespace.
    #[inline]
    pub fn key_if(&mut self, quoted: &[u8]) -> bool {
        if !matches!(self.next_byte(), Ok(b'"')) {
            return false;
        }
        let end = self.at + quoted.len();
        let fits = !quoted.is_empty() && self.text.as_bytes().get(self.at..end) == Some(quoted);
        if fits {
            self.at = end;
        }
        fits
    }

    /// Reads a key and its colon; returns it with the offset of its text.
    #[inline]
    pub fn key(&mut self) -> Scan<(JsonString<'a>, usize)> {
        if self.next_byte()? != b'"' {
            return Err(self.unexpected("double-quote to start field name"));
        }
        let offset = self.at + 1;
        let key = self.string()?;
        if self.next_byte()? != b':' {
            return Err(self.unexpected("a colon to separate field name and value"));
        }
        self.at += 1;
        Ok((key, offset))
    }

    /// Reads a string.
    #[inline]
    pub fn string(&mut self) -> Scan<JsonString<'a>> {
        if self.next_byte()? != b'"' {
            return Err(self.unexpected("a string"));
        }
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        let mut escaped = false;
        loop {
            end = find_special(bytes, end);
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    end += read_escape(bytes, end)?.1;
                }
                Some(&control) => return Err(control_character(end, control)),
                None => {
                    return Err(Fault::new(end, "Unexpected end-of-input in a string: was expecting closing quote"));
                }
            }
        }
        self.at = end + 1;
        Ok(JsonString { raw: &self.text[start..end], escaped })
    }

    /// Reads a number.
    #[inline]
    pub fn number(&mut self) -> Scan<JsonNumber<'a>> {
        self.next_byte()?;
        let (number, end) = read_number(self.text, self.at)?;
        self.at = end;
        Ok(number)
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self) -> Scan<bool> {
        let value = self.next_byte()? == b't';
        self.literal(if value { "true" } else { "false" })?;
        Ok(value)
    }

    /// Reads `null`.
    pub fn null(&mut self) -> Scan<()> {
        self.next_byte()?;
        self.literal("null")
    }

    fn literal(&mut self, word: &'static str) -> Scan<()> {
        let end = self.at + word.len();
        if self.text.as_bytes().get(self.at..end) != Some(word.as_bytes()) {
            return Err(Fault::new(self.at, format!("Unrecognized token: was expecting '{word}'")));
        }
        self.at = end;
        Ok(())
    }

    /// Reads a whole value and returns its text. `depth` is the number of objects and arrays around it.
    pub fn skip(&mut self, keys: &mut KeyFrames, depth: usize) -> Scan<&'a str> {
        let token = self.peek()?;
        let start = self.at;
        match token {
            Token::String => drop(self.string()?),
            Token::Number => drop(self.number()?),
            Token::True | Token::False => drop(self.boolean()?),
            Token::Null => self.null()?,
            Token::Object => self.skip_object(keys, depth)?,
            Token::Array => self.skip_array(keys, depth)?,
        }
        Ok(&self.text[start..self.at])
    }

    fn skip_object(&mut self, keys: &mut KeyFrames, depth: usize) -> Scan<()> {
        self.check_depth(depth)?;
        let frame = keys.open();
        let mut more = self.enter_object()?;
        while more {
            let (key, offset) = self.key()?;
            keys.add(key, offset);
            self.skip(keys, depth + 1)?;
            more = self.next_member()?;
        }
        keys.close(frame, self.text)
    }

    fn skip_array(&mut self, keys: &mut KeyFrames, depth: usize) -> Scan<()> {
        self.check_depth(depth)?;
        let mut more = self.enter_array()?;
        while more {
            self.skip(keys, depth + 1)?;
            more = self.next_element()?;
        }
        Ok(())
    }

    /// Refuses a value that would be the `depth + 1`st object or array around its members.
    #[inline]
    pub fn check_depth(&self, depth: usize) -> Scan<()> {
        if depth < JSON_DEPTH_MAX {
            return Ok(());
        }
        let message = format!("Document nesting depth ({}) exceeds the maximum allowed ({JSON_DEPTH_MAX})", depth + 1);
        Err(Fault::new(self.at, message))
    }

    /// Whether only whitespace is left.
    pub fn is_at_end(&mut self) -> bool {
        self.skip_whitespace();
        self.byte().is_none()
    }

    /// Refuses anything but whitespace up to the end.
    pub fn finish(&mut self) -> Scan<()> {
        if self.is_at_end() {
            return Ok(());
        }
        Err(self.unexpected("the end of the content"))
    }
}

/// `"name":`, for [`Scanner::key_if`]; empty for a name that can only be written with escapes.
pub fn quoted_key(name: &str) -> Box<[u8]> {
    if find_special(name.as_bytes(), 0) < name.len() {
        return Box::default();
    }
    format!("\"{name}\":").into_bytes().into()
}

#[cold]
fn control_character(at: usize, byte: u8) -> Fault {
    let message = format!("Illegal unquoted character ({}): has to be escaped using backslash", name_of(byte));
    Fault::new(at, message)
}
