//! `fingerprint`: all words of the text, sorted, each once, joined to one token.

use crate::filter::{StreamFilter, wrong};
use crate::offsets::utf16_length;
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;
use std::collections::BTreeSet;

#[derive(Debug)]
pub struct Fingerprint {
    separator: char,
    max_output_size: usize,
}

impl Fingerprint {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let separator = params.text("separator")?.unwrap_or_else(|| " ".to_owned());
        let mut characters = separator.chars();
        let (Some(separator), None) = (characters.next(), characters.next()) else {
            return Err(wrong("Setting [separator] must be a single, non-null character."));
        };
        Ok(Fingerprint { separator, max_output_size: params.bounded("max_output_size", 255, 1, usize::MAX)? })
    }
}

impl StreamFilter for Fingerprint {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let terms: BTreeSet<&str> = stream.tokens.iter().map(Token::text).collect();
        let mut joined = String::new();
        for (number, term) in terms.iter().enumerate() {
            if number > 0 {
                joined.push(self.separator);
            }
            joined.push_str(term);
        }
        let fits = utf16_length(&joined) as usize <= self.max_output_size;
        stream.tokens.clear();
        if fits && !joined.is_empty() {
            stream.tokens.push(Token {
                term: joined.into_bytes(),
                position: 0,
                position_length: 1,
                start_offset: 0,
                end_offset: stream.end_offset,
                kind: "fingerprint",
                keyword: false,
                payload: None,
            });
        }
        // Its end counts as one more word.
        stream.positions = 2 * stream.end_of_last();
        Ok(())
    }
}
