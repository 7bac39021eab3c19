//! `keyword`: the whole text is one token.

use super::super::params::Params;
use super::super::token::{TokenStream, WORD};
use super::Tokenizer;
use quarry_base::error::Result;

#[derive(Debug)]
pub struct Keyword;

impl Keyword {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        // The size of a read buffer in the reference; it never changed what comes out.
        params.bounded("buffer_size", 256, 1, usize::MAX)?;
        Ok(Keyword)
    }
}

impl Tokenizer for Keyword {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        if !text.is_empty() {
            out.push(text, 0, text.len(), WORD);
        }
        Ok(())
    }
}
