//! Queries on text that compare documents or fields as a whole.

use super::query::{Operator, WeightedField, ZeroTerms};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

fn one() -> f32 {
    1.0
}

fn yes() -> bool {
    true
}

/// `combined_fields`: several fields searched as if they were one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CombinedFieldsQuery {
    pub query: String,
    pub fields: Vec<WeightedField>,
    #[serde(default)]
    pub operator: Operator,
    pub minimum_should_match: Option<String>,
    #[serde(default)]
    pub zero_terms: ZeroTerms,
    /// As that of [`super::query::MatchQuery`].
    #[serde(default = "yes")]
    pub synonym_phrases: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

/// `more_like_this`. Documents have been fetched: what is here are their sources.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MoreLikeThisQuery {
    /// `None`: every text and keyword field.
    pub fields: Option<Vec<String>>,
    pub like_texts: Vec<String>,
    pub like_documents: Vec<LikeDocument>,
    #[serde(default)]
    pub unlike_texts: Vec<String>,
    #[serde(default)]
    pub unlike_documents: Vec<LikeDocument>,
    pub max_query_terms: u32,
    pub min_term_freq: u32,
    pub min_doc_freq: u64,
    pub max_doc_freq: u64,
    pub min_word_length: u32,
    /// 0: any.
    pub max_word_length: u32,
    pub stop_words: Vec<String>,
    pub analyzer: Option<String>,
    pub minimum_should_match: String,
    /// 0: terms are not boosted.
    pub boost_terms: f32,
    /// Whether the documents themselves may be found.
    pub include: bool,
    pub fail_on_unsupported_field: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LikeDocument {
    /// Of a document that an index holds.
    pub id: Option<String>,
    pub index: Option<String>,
    /// `None`: there is no such document.
    pub source: Option<Value>,
    /// The fields of this document that count; `None`: those of the query.
    pub fields: Option<Vec<String>>,
    /// Names of analyzers by field; other fields have that of the query, or their own.
    #[serde(default)]
    pub analyzers: HashMap<String, String>,
}
