//! Words of so many words each: what the parts of a `search_as_you_type` field are made of.
//!
//! Unlike `shingle` it follows the ways through a graph of tokens, and leaves a word of one place for each of them.

use crate::filter::{StreamFilter, wrong};
use crate::token::{Token, TokenStream, check_made};
use quarry_base::error::Result;

/// Ways that may begin at one word, those that end before they are long enough included.
const WAYS_MAX: usize = 1_000;
const SEPARATOR: char = ' ';

#[derive(Debug)]
pub struct FixedShingle {
    size: usize,
    /// As many places follow the last word as it takes to make a word of every one.
    is_padded: bool,
}

impl FixedShingle {
    pub fn new(size: usize, is_padded: bool) -> Self {
        FixedShingle { size, is_padded }
    }
}

impl StreamFilter for FixedShingle {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let padding = if self.is_padded { self.size as u32 - 1 } else { stream.trailing() };
        let mut ways =
            Ways { tokens: &stream.tokens, size: self.size, padding: padding as usize, begun: 0, out: Vec::new() };
        for at in 0..stream.tokens.len() {
            ways.from(at)?;
        }
        stream.tokens = ways.out;
        // The places of words that begin no shingle are given up.
        stream.positions = stream.end_of_last() + padding;
        Ok(())
    }
}

struct Ways<'a> {
    tokens: &'a [Token],
    size: usize,
    /// Empty places after the last token.
    padding: usize,
    /// Ways from the word at hand so far.
    begun: usize,
    out: Vec<Token>,
}

impl Ways<'_> {
    fn from(&mut self, at: usize) -> Result<()> {
        let first = &self.tokens[at];
        self.begun = 0;
        self.walk(&Way { start: at, last: at, text: first.text().to_owned(), places: 1 })?;
        check_made(&self.out)
    }

    /// A way from the word at hand ends, with a shingle or too early.
    fn end(&mut self, shingle: Option<Token>) -> Result<()> {
        self.begun += 1;
        if self.begun > WAYS_MAX {
            return Err(wrong(format!("Too many graph paths (> {WAYS_MAX})")));
        }
        self.out.extend(shingle);
        Ok(())
    }

    /// Appends a shingle for each way on from here.
    fn walk(&mut self, way: &Way) -> Result<()> {
        if way.places >= self.size {
            return self.end(Some(self.made(way)));
        }
        let Some(next) = self.next_place(way.last) else {
            let is_long_enough = way.places + self.padding >= self.size;
            let shingle = is_long_enough.then(|| self.made(&way.filled(self.size - way.places)));
            return self.end(shingle);
        };
        let position = self.tokens[next].position;
        let mut advance = self.advance_to(next);
        for other in (next..self.tokens.len()).take_while(|&other| self.tokens[other].position == position) {
            if way.places + advance > self.size {
                self.end(Some(self.made(&way.filled(self.size - way.places))))?;
            } else {
                let filled = way.filled(advance - 1);
                let text = format!("{}{SEPARATOR}{}", filled.text, self.tokens[other].text());
                self.walk(&Way { last: other, text, places: filled.places + 1, ..filled })?;
            }
            // Only the first token at a place tells how far it is from the one before.
            advance = 1;
        }
        Ok(())
    }

    /// The first token where `at` ends, or behind.
    fn next_place(&self, at: usize) -> Option<usize> {
        let end = self.tokens[at].position + self.tokens[at].position_length.max(1);
        (at + 1..self.tokens.len()).find(|&next| self.tokens[next].position >= end)
    }

    /// Places from the token before to this one.
    fn advance_to(&self, at: usize) -> usize {
        (self.tokens[at].position - self.tokens[at - 1].position) as usize
    }

    fn made(&self, way: &Way) -> Token {
        let (first, last) = (&self.tokens[way.start], &self.tokens[way.last]);
        Token {
            term: way.text.clone().into_bytes(),
            position_length: 1,
            end_offset: last.end_offset,
            kind: "shingle",
            keyword: false,
            payload: None,
            ..first.clone()
        }
    }
}

/// Tokens one behind the other.
struct Way {
    start: usize,
    last: usize,
    text: String,
    /// Places it takes, empty ones included.
    places: usize,
}

impl Way {
    /// With so many empty places behind it.
    fn filled(&self, places: usize) -> Way {
        let separators = std::iter::repeat_n(SEPARATOR, places);
        Way { text: self.text.chars().chain(separators).collect(), places: self.places + places, ..*self }
    }
}
