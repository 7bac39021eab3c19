//! What analysis produces, and what its stages hand to each other.

use quarry_base::error::{Error, Result};
use std::sync::Arc;

/// Tokens that one text may become: a bound on what a chain of n-gram filters can ask for.
pub const TOKENS_MAX: usize = 1 << 26;

/// One token. Offsets are UTF-16 code units of the original text (what the API reports); `position` counts from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub term: Vec<u8>,
    pub position: u32,
    pub position_length: u32,
    pub start_offset: u32,
    pub end_offset: u32,
    /// `<ALPHANUM>`, `<NUM>`, `word`, ... as the API prints it.
    pub kind: &'static str,
    /// Set by `keyword_marker`: stemmers leave the term alone.
    pub keyword: bool,
    /// Bytes that go with the token (`delimited_payload`).
    pub payload: Option<Arc<[u8]>>,
}

/// The token type of everything but the standard tokenizer's tokens.
pub const WORD: &str = "word";

impl Token {
    /// An empty token to fill in.
    pub fn word() -> Self {
        Token {
            term: Vec::new(),
            position: 0,
            position_length: 1,
            start_offset: 0,
            end_offset: 0,
            kind: WORD,
            keyword: false,
            payload: None,
        }
    }

    /// The term as text. Analysis only makes valid UTF-8; a term that is not is treated as empty.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.term).unwrap_or("")
    }

    /// Replaces the term, keeping its memory.
    pub fn set_text(&mut self, text: &str) {
        self.term.clear();
        self.term.extend_from_slice(text.as_bytes());
    }
}

/// The tokens of one text on their way through the filters, positions never descending.
#[derive(Debug, Default)]
pub struct TokenStream {
    pub tokens: Vec<Token>,
    /// Positions that the text takes, removed tokens included, also those after the last one kept.
    pub positions: u32,
    /// Length of the original text in UTF-16 code units.
    pub end_offset: u32,
}

/// For filters that make many tokens of one: called as they are made, since the chain looks only at what a filter leaves.
pub fn check_made(tokens: &[Token]) -> Result<()> {
    if tokens.len() > TOKENS_MAX {
        return Err(Error::illegal_argument(format!("more than [{TOKENS_MAX}] tokens are made of one text")));
    }
    Ok(())
}

impl TokenStream {
    /// Empty positions after the last token.
    pub fn trailing(&self) -> u32 {
        self.positions.saturating_sub(self.end_of_last())
    }

    /// The position behind the last token.
    pub fn end_of_last(&self) -> u32 {
        self.tokens.last().map_or(0, |last| last.position + 1)
    }

    /// Appends a token at the next position. Offsets are bytes while the tokenizer runs.
    pub fn push(&mut self, term: &str, start: usize, end: usize, kind: &'static str) {
        let position = self.positions;
        self.positions += 1;
        self.push_at(position, term, start, end, kind);
    }

    /// Appends a token at a position of the caller's choice, which must be one already taken.
    pub fn push_at(&mut self, position: u32, term: &str, start: usize, end: usize, kind: &'static str) {
        self.tokens.push(Token {
            term: term.as_bytes().to_vec(),
            position,
            position_length: 1,
            start_offset: start as u32,
            end_offset: end as u32,
            kind,
            keyword: false,
            payload: None,
        });
    }
}
