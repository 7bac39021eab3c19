//! What a search asks of its highlights; every option is filled in.

use super::query::Query;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Highlight {
    pub fields: Vec<HighlightField>,
    /// `index.highlight.max_analyzed_offset`.
    pub max_analyzed_offset: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HighlighterKind {
    Unified,
    Plain,
    Fvh,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Boundary {
    Sentence,
    Word,
    Chars,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fragmenter {
    Span,
    Simple,
}

/// One entry of `fields`. Sizes and offsets are UTF-16 code units.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HighlightField {
    /// A name or a pattern.
    pub field: String,
    pub kind: HighlighterKind,
    pub pre_tags: Vec<String>,
    pub post_tags: Vec<String>,
    pub fragment_size: u32,
    /// 0: the whole values.
    pub number_of_fragments: u32,
    pub by_score: bool,
    /// Encodes the text as HTML.
    pub html: bool,
    /// `false`: words that the query looks for in other fields are marked too.
    pub require_field_match: bool,
    #[serde(default)]
    pub matched_fields: Vec<String>,
    pub no_match_size: u32,
    /// Instead of the search's own.
    pub query: Option<Query>,
    pub boundary: Boundary,
    pub boundary_chars: String,
    pub boundary_max_scan: u32,
    /// Text behind it is not analysed.
    pub max_analyzer_offset: Option<u32>,
    pub fragmenter: Fragmenter,
    /// Of the fast vector highlighter: room that is left before what was found.
    #[serde(default = "default_margin")]
    pub fragment_offset: u32,
    /// Of the fast vector highlighter: words and phrases of a text that are looked at.
    #[serde(default = "default_phrase_limit")]
    pub phrase_limit: u32,
}

fn default_margin() -> u32 {
    6
}

fn default_phrase_limit() -> u32 {
    256
}
