//! `ngram` and `edge_ngram`: all pieces of so many characters, or those at the start of each word.

use super::super::params::Params;
use super::super::registry::Limits;
use super::super::token::{TokenStream, WORD};
use super::Tokenizer;
use super::char_class::{class_named, runs};
use quarry_base::error::{Error, Result};

/// Longest gram that a setting may ask for, in characters.
const GRAM_MAX: usize = 4_096;

#[derive(Debug)]
pub struct NGram {
    least: usize,
    most: usize,
    edge: bool,
    /// What words are made of; empty: everything.
    classes: Vec<fn(char) -> bool>,
    custom: Vec<char>,
}

impl NGram {
    pub fn new(params: &Params<'_>, limits: &Limits) -> Result<Self> {
        let grams = Self::read(params, false)?;
        let difference = grams.most - grams.least;
        if difference > limits.max_ngram_diff {
            return Err(Error::illegal_argument(format!(
                "The difference between max_gram and min_gram in NGram Tokenizer must be less than or equal to: [{}] but \
                 was [{difference}]. This limit can be set by changing the [index.max_ngram_diff] index level setting.",
                limits.max_ngram_diff
            )));
        }
        Ok(grams)
    }

    pub fn edge(params: &Params<'_>) -> Result<Self> {
        Self::read(params, true)
    }

    fn read(params: &Params<'_>, edge: bool) -> Result<Self> {
        let least = params.bounded("min_gram", 1, 1, GRAM_MAX)?;
        let most = params.bounded("max_gram", 2, 1, GRAM_MAX)?;
        if least > most {
            return Err(Error::illegal_argument("minGram must not be greater than maxGram"));
        }
        let mut grams = NGram { least, most, edge, classes: Vec::new(), custom: Vec::new() };
        let custom = params.text("custom_token_chars")?;
        for name in params.list("token_chars")?.unwrap_or_default() {
            let name = name.to_lowercase();
            match (class_named(&name), name.as_str()) {
                (Some(class), _) => grams.classes.push(class),
                (None, "custom") => {
                    let listed = custom.as_deref().ok_or_else(|| {
                        Error::illegal_argument("Token type: 'custom' requires setting `custom_token_chars`")
                    })?;
                    grams.custom.extend(listed.chars());
                }
                _ => {
                    return Err(Error::illegal_argument(format!(
                        "Unknown token type: '{name}', must be one of [letter, digit, whitespace, punctuation, symbol, custom]"
                    )));
                }
            }
        }
        Ok(grams)
    }

    fn belongs(&self, character: char) -> bool {
        (self.classes.is_empty() && self.custom.is_empty())
            || self.custom.contains(&character)
            || self.classes.iter().any(|contains| contains(character))
    }
}

impl Tokenizer for NGram {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()> {
        runs(
            text,
            usize::MAX,
            |character| self.belongs(character),
            |start, end| {
                let word = &text[start..end];
                let starts = word.char_indices().map(|(at, _)| at).take(if self.edge { 1 } else { usize::MAX });
                for from in starts {
                    for length in gram_lengths(&word[from..], self.least, self.most) {
                        let (first, last) = (start + from, start + from + length);
                        out.push(&text[first..last], first, last, WORD);
                    }
                }
            },
        );
        Ok(())
    }
}

/// Byte lengths of the grams of `least` to `most` characters at the start of `text`, ascending.
pub fn gram_lengths(text: &str, least: usize, most: usize) -> impl Iterator<Item = usize> {
    let ends = text.char_indices().map(|(at, character)| at + character.len_utf8());
    ends.take(most).skip(least.saturating_sub(1))
}
