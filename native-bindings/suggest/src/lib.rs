//! Suggestions for a text: terms that are near its words, phrases that are likelier than it, inputs that it is the beginning of.
//!
//! One call for each shard ([`suggest`]); what shards answer is merged by `src/search/suggest/reduce.ts`.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`plan`] | a checked request |
//! | [`field_terms`] | frequencies of terms over all segments of the shard |
//! | [`words`] | what an analyzer makes of the text |
//! | [`spell`] | terms of a field that are near a word |
//! | [`term`] | the suggester `term` |
//! | [`phrase`] | the suggester `phrase` |
//! | [`completion`] | the suggester `completion` |
pub mod completion;
mod field_terms;
mod phrase;
pub mod plan;
mod spell;
mod term;
mod words;

use plan::{SuggestPlan, Suggester};
use quarry_base::control::{IsCancelled, cancelled};
use quarry_base::error::{Error, Result};
use quarry_query::view::ShardView;
use serde::Serialize;
use std::collections::BTreeMap;

/// What a suggester found for a part of the text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Entry {
    pub text: String,
    /// In UTF-16 code units of the text.
    pub offset: u32,
    pub length: u32,
    /// Phrases: what options have to score more than.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cutoff: Option<f64>,
    pub options: Vec<SuggestOption>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct SuggestOption {
    pub text: String,
    pub score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub highlighted: Option<String>,
    /// Completions: the document as a hit shows it, a JSON object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit: Option<String>,
    /// Completions: values of contexts by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub contexts: BTreeMap<String, Vec<String>>,
}

/// The suggestions of one shard: JSON, a list of entries for each suggestion of the plan, in its order.
///
/// Errors: what the plan asks that the mapping does not allow; `TaskCancelled`; damage in a segment.
pub fn suggest(view: &ShardView, plan: &SuggestPlan, is_cancelled: IsCancelled<'_>) -> Result<Vec<u8>> {
    let mut found = Vec::with_capacity(plan.suggestions.len());
    for suggester in &plan.suggestions {
        check_cancelled(is_cancelled)?;
        found.push(match suggester {
            Suggester::Term(wanted) => term::suggest(view, wanted, is_cancelled)?,
            Suggester::Phrase(wanted) => phrase::suggest(view, wanted, is_cancelled)?,
            Suggester::Completion(wanted) => completion::suggest(view, wanted, plan, is_cancelled)?,
        });
    }
    serde_json::to_vec(&found).map_err(|error| Error::internal(error.to_string()))
}

fn check_cancelled(is_cancelled: IsCancelled<'_>) -> Result<()> {
    if is_cancelled() { Err(cancelled()) } else { Ok(()) }
}

fn utf16_length(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}
