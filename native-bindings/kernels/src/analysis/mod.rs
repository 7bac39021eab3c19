//! Text to tokens: char filters, a tokenizer, token filters; built-in and custom analyzers; normalizers.
//!
//! Contract for the other rooms:
//! - [`Registry::from_spec`] builds every analyzer and normalizer of an index from its checked `index.analysis` settings.
//! - [`Analyzer::analyze`] is exact and general; the indexing buffer has faster ways for the common analyzers.
//! - [`Registry::analyze_request`] answers `_analyze`.
pub mod token;

use crate::error::Result;
use std::sync::Arc;
pub use token::Token;

/// Analyzers and normalizers of one index, by name. Built once per shard and shared.
#[derive(Debug)]
pub struct Registry {}

/// A named chain. Immutable, usable from several threads.
#[derive(Debug)]
pub struct Analyzer {}

impl Registry {
    /// `spec` is the `index.analysis` object (`{"analyzer": {..}, "tokenizer": {..}, "filter": {..}, "char_filter": {..},
    /// "normalizer": {..}}`), or `{}`. Errors are `IllegalArgument` and name the component and parameter.
    pub fn from_spec(_spec: &serde_json::Value) -> Result<Self> {
        todo!()
    }

    /// Built-in or custom; `None` when there is no such name.
    pub fn analyzer(&self, _name: &str) -> Option<Arc<Analyzer>> {
        todo!()
    }

    pub fn normalizer(&self, _name: &str) -> Option<Arc<Analyzer>> {
        todo!()
    }

    /// Answers an `_analyze` body (`analyzer` | `normalizer` | `tokenizer`/`filter`/`char_filter`, `text`, `explain`,
    /// `attributes`; a `field` is resolved to `analyzer` or `normalizer` by the caller) with the response as JSON bytes.
    /// `max_token_count` is `index.analyze.max_token_count`.
    pub fn analyze_request(&self, _body: &serde_json::Value, _max_token_count: usize) -> Result<Vec<u8>> {
        todo!()
    }
}

impl Analyzer {
    pub fn name(&self) -> &str {
        todo!()
    }

    /// Appends the tokens of `text`; positions start at 0. Returns the number of positions the text takes, trailing
    /// removed tokens included: the next value of the same field starts there (plus its `position_increment_gap`).
    pub fn analyze(&self, _text: &str, _tokens: &mut Vec<Token>) -> Result<u32> {
        todo!()
    }

    /// The single term a normalizer makes of a keyword (for an analyzer: what prefix, wildcard and term queries apply:
    /// char filters and those token filters that work on characters).
    pub fn normalize(&self, _text: &str) -> Result<Vec<u8>> {
        todo!()
    }
}
