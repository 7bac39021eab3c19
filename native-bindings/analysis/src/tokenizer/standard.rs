//! `standard`: the words of Unicode Standard Annex #29.

use super::super::params::Params;
use super::super::token::TokenStream;
use super::super::words::rules::{KINDS, WordRules};
use super::{MAX_TOKEN_LENGTH_LIMIT, Tokenizer, WordScan};
use quarry_base::error::Result;
use quarry_base::limits::TOKEN_CHARS_MAX;

#[derive(Debug)]
pub struct Standard {
    max_token_length: usize,
}

impl Standard {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let max = params.bounded("max_token_length", TOKEN_CHARS_MAX, 1, MAX_TOKEN_LENGTH_LIMIT)?;
        Ok(Standard { max_token_length: max })
    }

    pub fn with_max_token_length(max_token_length: usize) -> Self {
        Standard { max_token_length }
    }
}

impl Tokenizer for Standard {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        WordRules::get().words(text, self.max_token_length, |word| {
            out.push(&text[word.start..word.end], word.start, word.end, KINDS[word.kind as usize]);
        });
        Ok(())
    }

    fn word_scan(&self) -> Option<WordScan> {
        Some(WordScan::Standard { max_length: self.max_token_length })
    }
}
