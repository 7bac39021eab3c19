//! `ngram` and `edge_ngram` as filters: the pieces of a token, all at its position and with its offsets.

use crate::filter::{StreamFilter, wrong};
use crate::params::Params;
use crate::registry::Limits;
use crate::token::{Token, TokenStream};
use crate::tokenizer::gram_lengths;
use quarry_base::error::Result;

/// Longest gram that a setting may ask for, in characters.
const GRAM_MAX: usize = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    Everywhere,
    Front,
    Back,
}

#[derive(Debug)]
pub struct Grams {
    least: usize,
    most: usize,
    from: From,
    preserve_original: bool,
}

impl Grams {
    pub fn new(params: &Params<'_>, limits: &Limits) -> Result<Self> {
        let grams = Self::read(params, From::Everywhere)?;
        let difference = grams.most - grams.least;
        if difference > limits.max_ngram_diff {
            return Err(wrong(format!(
                "The difference between max_gram and min_gram in NGram Tokenizer must be less than or equal to: [{}] but \
                 was [{difference}]. This limit can be set by changing the [index.max_ngram_diff] index level setting.",
                limits.max_ngram_diff
            )));
        }
        Ok(grams)
    }

    pub fn edge(params: &Params<'_>) -> Result<Self> {
        let from = match params.text("side")?.as_deref() {
            None | Some("front") => From::Front,
            Some("back") => From::Back,
            Some(other) => return Err(wrong(format!("invalid side: {other}"))),
        };
        Self::read(params, from)
    }

    /// Those at the front, and tokens that are longer.
    pub fn with_original(least: usize, most: usize) -> Self {
        Grams { least, most, from: From::Front, preserve_original: true }
    }

    fn read(params: &Params<'_>, from: From) -> Result<Self> {
        let least = params.bounded("min_gram", 1, 1, GRAM_MAX)?;
        let most = params.bounded("max_gram", 2, 1, GRAM_MAX)?;
        if least > most {
            return Err(wrong("minGram must not be greater than maxGram"));
        }
        Ok(Grams { least, most, from, preserve_original: params.flag("preserve_original", false)? })
    }

    /// The grams of `token`, in the order in which Lucene gives them.
    fn grams(&self, token: &Token, out: &mut Vec<Token>) {
        let text = token.text();
        let with_term = |term: &str| Token { term: term.as_bytes().to_vec(), ..token.clone() };
        match self.from {
            From::Everywhere => {
                for (at, _) in text.char_indices() {
                    let rest = &text[at..];
                    out.extend(gram_lengths(rest, self.least, self.most).map(|length| with_term(&rest[..length])));
                }
            }
            From::Front => {
                out.extend(gram_lengths(text, self.least, self.most).map(|length| with_term(&text[..length])))
            }
            From::Back => {
                let starts = text.char_indices().rev().map(|(at, _)| at);
                out.extend(starts.take(self.most).skip(self.least - 1).map(|at| with_term(&text[at..])));
            }
        }
        let characters = text.chars().count();
        if self.preserve_original && !(self.least..=self.most).contains(&characters) {
            out.push(token.clone());
        }
    }
}

impl StreamFilter for Grams {
    fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        let mut grams = Vec::with_capacity(stream.tokens.len() * 2);
        for token in &stream.tokens {
            self.grams(token, &mut grams);
        }
        // Empty places after the last token are not told of.
        stream.positions = stream.end_of_last();
        stream.tokens = grams;
        Ok(())
    }
}
