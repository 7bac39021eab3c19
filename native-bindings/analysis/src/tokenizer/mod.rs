//! Tokenizers: text to tokens.
mod automaton;
mod char_class;
mod classic;
mod keyword;
mod ngram;
mod path_hierarchy;
mod pattern;
mod simple_pattern;
mod standard;
mod thai;
mod uax_url_email;

use super::params::{Component, Params};
use super::registry::Limits;
use super::token::TokenStream;
use quarry_base::error::Result;
use serde_json::{Map, Value};
use std::fmt::Debug;

pub use char_class::{CharClass, runs};
pub use classic::{ACRONYM, APOSTROPHE};
pub use ngram::gram_lengths;
pub use pattern::Pattern;
pub use standard::Standard;

/// Longest token that a setting may ask for, in UTF-16 code units.
pub const MAX_TOKEN_LENGTH_LIMIT: usize = 1_048_576;

/// Cuts a text in tokens. Offsets of the tokens are bytes of the text; the chain turns them into what the API reports.
pub trait Tokenizer: Debug + Send + Sync {
    fn tokenize(&self, text: &str, out: &mut TokenStream) -> Result<()>;

    /// How the indexing buffer may find the same tokens faster, if every token is a slice of the text, one after the
    /// other, at positions 0, 1, 2, ...
    fn word_scan(&self) -> Option<WordScan> {
        None
    }
}

/// Tokenizers that the indexing buffer has fast scanners for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordScan {
    /// UAX #29 words of at most so many UTF-16 code units.
    Standard { max_length: usize },
    /// Runs of characters of a class, of at most so many UTF-16 code units.
    Class { class: CharClass, max_length: usize },
}

/// Builds the tokenizer of type `kind`; `None` when there is no such type.
pub fn build(
    kind: &str,
    name: &str,
    values: &Map<String, Value>,
    limits: &Limits,
) -> Result<Option<Box<dyn Tokenizer>>> {
    let params = Params::new(Component::Tokenizer, name, values);
    let tokenizer: Box<dyn Tokenizer> = match kind {
        "standard" => Box::new(Standard::new(&params)?),
        "letter" => Box::new(char_class::CharTokenizer::letter(&params)?),
        "lowercase" => Box::new(char_class::CharTokenizer::lowercase(&params)?),
        "whitespace" => Box::new(char_class::CharTokenizer::whitespace(&params)?),
        "classic" => Box::new(classic::Classic::new(&params)?),
        "simple_pattern" => Box::new(simple_pattern::SimplePattern::new(&params, false)?),
        "simple_pattern_split" => Box::new(simple_pattern::SimplePattern::new(&params, true)?),
        "thai" => Box::new(thai::Thai),
        "char_group" => Box::new(char_class::CharGroup::new(&params)?),
        "keyword" => Box::new(keyword::Keyword::new(&params)?),
        "pattern" => Box::new(pattern::Pattern::new(&params)?),
        "ngram" => Box::new(ngram::NGram::new(&params, limits)?),
        "edge_ngram" => Box::new(ngram::NGram::edge(&params)?),
        "path_hierarchy" | "PathHierarchy" => Box::new(path_hierarchy::PathHierarchy::new(&params)?),
        "uax_url_email" => Box::new(uax_url_email::UrlEmail::new(&params)?),
        _ => return Ok(None),
    };
    params.finish()?;
    Ok(Some(tokenizer))
}

/// The tokenizers that need no settings: all of them.
pub fn preconfigured(name: &str, limits: &Limits) -> Result<Option<Box<dyn Tokenizer>>> {
    build(name, name, &Map::new(), limits)
}

#[cfg(test)]
mod tests;
