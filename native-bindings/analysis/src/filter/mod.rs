//! Token filters: tokens to tokens.
pub mod chains;
pub mod characters;
mod joined;
mod pieces;
pub mod selected;
mod stems;

pub use joined::fixed_shingle::FixedShingle;

use super::chain::Analyzer;
use super::params::{Component, Params};
use super::registry::Limits;
use super::token::{Token, TokenStream};
use chains::{flatten_graph, scripted, synonym};
use characters::{case, classic, elision, fold, normalize, pattern_replace};
use joined::{cjk_bigram, common_grams, fingerprint, min_hash, shingle};
use pieces::{decompound, grams, pattern_capture, payload, word_delimiter};
use quarry_base::error::{Error, Result};
use selected::{length, select, stop, unique};
use serde_json::{Map, Value};
use std::fmt::Debug;
use stems::{keyword, phonetic, stemmer};

/// A filter that looks at one token at a time: what becomes of it depends on its term and its keyword mark alone.
/// Chains of these are what the indexing buffer does once per distinct word instead of once per token.
pub trait TermFilter: Debug + Send + Sync {
    /// Rewrites the token; `false` removes it and leaves its position empty.
    fn apply(&self, token: &mut Token) -> bool;

    /// Whether it also applies to single terms (normalizers, prefix and wildcard queries).
    fn is_normalizing(&self) -> bool {
        false
    }

    /// Whether it sets or heeds the keyword mark, which `_analyze` then shows.
    fn knows_keywords(&self) -> bool {
        false
    }
}

/// A filter that needs a token's neighbours, or makes several tokens of one.
pub trait StreamFilter: Debug + Send + Sync {
    fn apply(&self, stream: &mut TokenStream) -> Result<()>;

    /// Where it joins words: how.
    fn shingles(&self) -> Option<Shingles> {
        None
    }

    /// See [`TermFilter::knows_keywords`].
    fn knows_keywords(&self) -> bool {
        false
    }

    /// Whether it gives tokens payloads, which `_analyze` then shows.
    fn knows_payloads(&self) -> bool {
        false
    }

    /// The filter as it is behind `before`, where that makes a difference: rules are analysed as the text will be.
    fn behind(&self, _before: &Analyzer) -> Result<Option<TokenFilter>> {
        Ok(None)
    }
}

/// How words are joined to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shingles {
    /// Words of the longest.
    pub most: usize,
    /// Single words stay.
    pub has_unigrams: bool,
}

#[derive(Debug)]
pub enum TokenFilter {
    Term(Box<dyn TermFilter>),
    Stream(Box<dyn StreamFilter>),
}

impl TokenFilter {
    pub fn apply(&self, stream: &mut TokenStream) -> Result<()> {
        match self {
            TokenFilter::Term(filter) => {
                stream.tokens.retain_mut(|token| filter.apply(token));
                Ok(())
            }
            TokenFilter::Stream(filter) => filter.apply(stream),
        }
    }

    pub fn normalizing(&self) -> Option<&dyn TermFilter> {
        match self {
            TokenFilter::Term(filter) if filter.is_normalizing() => Some(filter.as_ref()),
            _ => None,
        }
    }

    pub fn knows_keywords(&self) -> bool {
        match self {
            TokenFilter::Term(filter) => filter.knows_keywords(),
            TokenFilter::Stream(filter) => filter.knows_keywords(),
        }
    }

    pub fn knows_payloads(&self) -> bool {
        match self {
            TokenFilter::Term(_) => false,
            TokenFilter::Stream(filter) => filter.knows_payloads(),
        }
    }

    /// See [`StreamFilter::behind`].
    pub fn behind(&self, before: &Analyzer) -> Result<Option<TokenFilter>> {
        match self {
            TokenFilter::Term(_) => Ok(None),
            TokenFilter::Stream(filter) => filter.behind(before),
        }
    }

    fn term(filter: impl TermFilter + 'static) -> TokenFilter {
        TokenFilter::Term(Box::new(filter))
    }

    fn stream(filter: impl StreamFilter + 'static) -> TokenFilter {
        TokenFilter::Stream(Box::new(filter))
    }
}

/// Builds the token filter of type `kind`; `None` when there is no such type.
pub fn build(kind: &str, name: &str, values: &Map<String, Value>, limits: &Limits) -> Result<Option<TokenFilter>> {
    let params = Params::new(Component::Filter, name, values);
    let filter = match kind {
        "lowercase" => case::lowercase_filter(&params)?,
        "uppercase" => TokenFilter::term(case::Uppercase),
        "stop" => stop::stop_filter(&params)?,
        "stemmer" => stemmer::stemmer_filter(&params)?,
        "snowball" => stemmer::snowball_filter(&params)?,
        "porter_stem" => stemmer::named(&params, "porter")?,
        "dutch_stem" => stemmer::named(&params, "dutch")?,
        "french_stem" => stemmer::named(&params, "french")?,
        "german_stem" => stemmer::named(&params, "german")?,
        "russian_stem" => stemmer::named(&params, "russian")?,
        "stemmer_override" => TokenFilter::term(stemmer::Override::new(&params)?),
        "arabic_stem" => stemmer::named(&params, "arabic")?,
        "brazilian_stem" => stemmer::named(&params, "brazilian")?,
        "czech_stem" => stemmer::named(&params, "czech")?,
        "asciifolding" => fold::ascii_folding(&params)?,
        "decimal_digit" => TokenFilter::term(fold::DecimalDigit),
        "cjk_width" => TokenFilter::term(fold::CjkWidth),
        "trim" => TokenFilter::term(length::Trim::new(&params)?),
        "length" => TokenFilter::term(length::Length::new(&params)?),
        "truncate" => TokenFilter::term(length::Truncate::new(&params)?),
        "limit" => TokenFilter::stream(length::Limit::new(&params)?),
        "unique" => TokenFilter::stream(unique::Unique::new(&params)?),
        "remove_duplicates" => TokenFilter::stream(unique::Unique::on_same_position()),
        "reverse" => TokenFilter::term(length::Reverse),
        "edge_ngram" => TokenFilter::stream(grams::Grams::edge(&params)?),
        "ngram" => TokenFilter::stream(grams::Grams::new(&params, limits)?),
        "shingle" => TokenFilter::stream(shingle::Shingle::new(&params, limits)?),
        "keyword_marker" => TokenFilter::term(keyword::Marker::new(&params)?),
        "keyword_repeat" => TokenFilter::stream(keyword::Repeat),
        "apostrophe" => TokenFilter::term(elision::Apostrophe),
        "elision" => TokenFilter::term(elision::Elision::new(&params)?),
        "pattern_capture" => TokenFilter::stream(pattern_capture::PatternCapture::new(&params)?),
        "pattern_replace" => TokenFilter::term(pattern_replace::PatternReplace::new(&params)?),
        "classic" => TokenFilter::term(classic::Classic),
        "delimited_payload" => TokenFilter::stream(payload::DelimitedPayload::new(&params)?),
        "flatten_graph" => TokenFilter::stream(flatten_graph::FlattenGraph),
        "min_hash" => TokenFilter::stream(min_hash::MinHash::new(&params)?),
        "predicate_token_filter" => TokenFilter::stream(scripted::PredicateFilter::new(&params)?),
        "keep" => TokenFilter::term(select::Keep::new(&params)?),
        "keep_types" => TokenFilter::stream(select::KeepTypes::new(&params)?),
        "fingerprint" => TokenFilter::stream(fingerprint::Fingerprint::new(&params)?),
        "synonym" => TokenFilter::stream(synonym::Synonym::new(&params, false)?),
        "synonym_graph" => TokenFilter::stream(synonym::Synonym::new(&params, true)?),
        "cjk_bigram" => TokenFilter::stream(cjk_bigram::CjkBigram::new(&params)?),
        "common_grams" => TokenFilter::stream(common_grams::CommonGrams::new(&params)?),
        "dictionary_decompounder" => TokenFilter::stream(decompound::Decompounder::new(&params)?),
        "phonetic" => TokenFilter::stream(phonetic::Phonetic::new(&params)?),
        "word_delimiter" => TokenFilter::stream(word_delimiter::WordDelimiter::new(&params, false)?),
        "word_delimiter_graph" => TokenFilter::stream(word_delimiter::WordDelimiter::new(&params, true)?),
        other => match normalize::named(other) {
            Some(filter) => filter,
            None => return Ok(None),
        },
    };
    params.finish()?;
    Ok(Some(filter))
}

/// The beginnings of words, of so many characters, and the words themselves.
pub fn edge_grams(least: usize, most: usize) -> TokenFilter {
    TokenFilter::stream(grams::Grams::with_original(least, most))
}

/// The filters that need no settings, by their own name.
pub fn preconfigured(name: &str, limits: &Limits) -> Result<Option<TokenFilter>> {
    let mut settings = Map::new();
    match name {
        "stemmer_override"
        | "keyword_marker"
        | "pattern_capture"
        | "pattern_replace"
        | "predicate_token_filter"
        | "keep"
        | "keep_types"
        | "synonym"
        | "synonym_graph"
        | "common_grams"
        | "dictionary_decompounder" => {
            return Ok(None);
        }
        "truncate" => {
            settings.insert("length".to_owned(), Value::from(10));
        }
        // By its name alone it gives first characters.
        "edge_ngram" => {
            settings.insert("max_gram".to_owned(), Value::from(1));
        }
        _ => {}
    }
    build(name, name, &settings, limits)
}

/// An error for a filter whose settings make no sense.
fn wrong(reason: impl Into<String>) -> Error {
    Error::illegal_argument(reason)
}

#[cfg(test)]
mod tests;
