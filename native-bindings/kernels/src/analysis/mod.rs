//! Text to tokens: char filters, a tokenizer, token filters; built-in and custom analyzers; normalizers.
//!
//! Contract for the other rooms (the implementation lives in sibling files):
//! - [`Registry::from_spec`] builds every analyzer and normalizer of an index from its checked `index.analysis` settings.
//! - [`Analyzer::analyze`] is exact and general; the indexing buffer has faster ways for the common analyzers.

use crate::error::Result;
use std::sync::Arc;

/// One token. Offsets are UTF-16 code units of the original text (what the API reports); `position` counts from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub term: Vec<u8>,
    pub position: u32,
    pub position_length: u32,
    pub start_offset: u32,
    pub end_offset: u32,
    /// `<ALPHANUM>`, `<NUM>`, `word`, ... as the API prints it.
    pub kind: &'static str,
}

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
}

impl Analyzer {
    /// Appends the tokens of `text`; positions start at 0.
    pub fn analyze(&self, _text: &str, _tokens: &mut Vec<Token>) -> Result<()> {
        todo!()
    }

    /// The single term a normalizer makes of a keyword (for an analyzer: what prefix, wildcard and term queries apply:
    /// char filters and those token filters that work on characters).
    pub fn normalize(&self, _text: &str) -> Result<Vec<u8>> {
        todo!()
    }
}
