//! What is wrong with a JSON text, and where.

use quarry_base::error::{Error, ErrorCode};
use std::borrow::Cow;

pub type Scan<T> = Result<T, Fault>;

/// A fault in a JSON text. Boxed, so that results stay small on the way where nothing is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(Box<Place>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    offset: usize,
    message: Cow<'static, str>,
}

/// Line and column of a byte, both from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    pub line: usize,
    pub column: usize,
}

impl Fault {
    #[cold]
    pub fn new(offset: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Fault(Box::new(Place { offset, message: message.into() }))
    }

    /// Byte offset in the scanned text.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// `[line:column] message`, as a `json_parse_exception`. `source` is the scanned text.
    pub fn into_error(self, source: &[u8]) -> Error {
        let LineColumn { line, column } = line_column(source, self.0.offset);
        Error::new(ErrorCode::JsonParse, format!("[{line}:{column}] {} (byte {})", self.0.message, self.0.offset))
    }
}

/// Where a byte of a text stands. An offset past the end means the end.
pub fn line_column(source: &[u8], offset: usize) -> LineColumn {
    let before = &source[..offset.min(source.len())];
    let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    // Continuation bytes do not start a character.
    let column = before[line_start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count() + 1;
    LineColumn { line: memchr::memchr_iter(b'\n', before).count() + 1, column }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let text = "{\n \"é\": x".as_bytes();
        let offset = text.iter().position(|&byte| byte == b'x').unwrap();
        assert_eq!(line_column(text, offset), LineColumn { line: 2, column: 7 });
        assert_eq!(line_column(text, 0), LineColumn { line: 1, column: 1 });
        assert_eq!(line_column(text, 1_000).line, 2);
    }
}
