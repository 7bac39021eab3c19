//! Filters by or on length: `trim`, `length`, `truncate`, `limit`, `reverse`. Lengths are UTF-16 code units.

use crate::filter::{StreamFilter, TermFilter, wrong};
use crate::offsets::utf16_length;
use crate::params::Params;
use crate::token::{Token, TokenStream};
use quarry_base::error::Result;

#[derive(Debug)]
pub struct Trim;

impl Trim {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        if params.text("update_offsets")?.is_some() {
            return Err(wrong("[update_offsets] is not supported anymore. Please fix your analysis chain"));
        }
        Ok(Trim)
    }
}

impl TermFilter for Trim {
    fn apply(&self, token: &mut Token) -> bool {
        // As Java's `trim`, which takes every character up to the space for white space.
        let trimmed = token.text().trim_matches(|character| character <= ' ').to_owned();
        token.set_text(&trimmed);
        true
    }

    fn is_normalizing(&self) -> bool {
        true
    }
}

#[derive(Debug)]
pub struct Length {
    min: usize,
    max: usize,
}

impl Length {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let (min, max) =
            (params.bounded("min", 0, 0, usize::MAX)?, params.bounded("max", i32::MAX as usize, 0, usize::MAX)?);
        if min > max {
            return Err(wrong("maximum length must not be greater than minimum length"));
        }
        Ok(Length { min, max })
    }
}

impl TermFilter for Length {
    fn apply(&self, token: &mut Token) -> bool {
        (self.min..=self.max).contains(&(utf16_length(token.text()) as usize))
    }
}

#[derive(Debug)]
pub struct Truncate {
    length: usize,
}

impl Truncate {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        let length = params.number("length", -1)?;
        let length = usize::try_from(length).ok().filter(|&length| length > 0);
        Ok(Truncate { length: length.ok_or_else(|| wrong("length parameter must be provided"))? })
    }
}

impl TermFilter for Truncate {
    fn apply(&self, token: &mut Token) -> bool {
        let mut units = 0;
        let cut = token.text().char_indices().find_map(|(at, character)| {
            units += character.len_utf16();
            (units > self.length).then_some(at)
        });
        if let Some(at) = cut {
            token.term.truncate(at);
        }
        true
    }
}

#[derive(Debug)]
pub struct Reverse;

impl TermFilter for Reverse {
    fn apply(&self, token: &mut Token) -> bool {
        let reversed: String = token.text().chars().rev().collect();
        token.set_text(&reversed);
        true
    }
}

/// `limit`: the first so many tokens.
#[derive(Debug)]
pub struct Limit {
    max_token_count: usize,
}

impl Limit {
    pub fn new(params: &Params<'_>) -> Result<Self> {
        // Only says whether the rest is read before it is dropped; here it always is.
        params.flag("consume_all_tokens", false)?;
        Ok(Limit { max_token_count: params.bounded("max_token_count", 1, 1, usize::MAX)? })
    }
}

impl StreamFilter for Limit {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        stream.tokens.truncate(self.max_token_count);
        Ok(())
    }
}
