//! A checked `suggest` object.

use quarry_base::deep_json::of_other_crate;
use quarry_plan::request::{FetchPlan, SearchLimits};
use serde::Deserialize;
use serde_json::{Map, Value};

quarry_base::from_json!(SuggestPlan);

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuggestPlan {
    pub suggestions: Vec<Suggester>,
    /// What the documents of completions show.
    #[serde(deserialize_with = "of_other_crate")]
    pub fetch: FetchPlan,
    pub now_ms: i64,
    #[serde(default)]
    pub limits: SearchLimits,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Suggester {
    Term(TermPlan),
    Phrase(Box<PhrasePlan>),
    Completion(CompletionPlan),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TermPlan {
    pub text: String,
    pub field: String,
    pub analyzer: Option<String>,
    pub shard_size: usize,
    pub spell: SpellPlan,
}

/// Which terms are near enough to a word.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpellPlan {
    pub suggest_mode: SuggestMode,
    pub accuracy: f32,
    pub sort: SortBy,
    pub string_distance: StringDistance,
    pub max_edits: u8,
    pub max_inspections: usize,
    /// A share of the documents, or from 1 on their number: words of more are left alone.
    pub max_term_freq: f32,
    pub prefix_length: u32,
    pub min_word_length: usize,
    /// A share of the documents, or from 1 on their number, that suggested terms must at least be in.
    pub min_doc_freq: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SuggestMode {
    /// For words that are no terms.
    Missing,
    /// Terms of more documents than the word.
    Popular,
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortBy {
    Score,
    Frequency,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StringDistance {
    Internal,
    DamerauLevenshtein,
    Levenshtein,
    JaroWinkler,
    Ngram,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhrasePlan {
    pub text: String,
    pub field: String,
    pub analyzer: Option<String>,
    pub shard_size: usize,
    /// Empty: one on the field itself.
    pub generators: Vec<GeneratorPlan>,
    pub default_spell: SpellPlan,
    pub smoothing: Smoothing,
    /// Words of the longest terms; `None`: as the analyzer makes them.
    pub gram_size: Option<u32>,
    pub real_word_error_likelihood: f64,
    pub confidence: f64,
    /// A share of the words, or from 1 on their number.
    pub max_errors: f32,
    pub separator: String,
    pub force_unigrams: bool,
    pub token_limit: usize,
    /// Around corrected words.
    pub highlight: Option<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorPlan {
    pub field: String,
    pub size: usize,
    pub pre_filter: Option<String>,
    pub post_filter: Option<String>,
    pub spell: SpellPlan,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Smoothing {
    StupidBackoff { discount: f64 },
    Laplace { alpha: f64 },
    LinearInterpolation { trigram_lambda: f64, bigram_lambda: f64, unigram_lambda: f64 },
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompletionPlan {
    /// What the answer repeats.
    pub text: String,
    pub field: String,
    pub analyzer: Option<String>,
    pub size: usize,
    pub shard_size: usize,
    pub skip_duplicates: bool,
    pub wanted: Wanted,
    /// Values by name of the context, as the request has them: only the mapping knows what they are.
    pub contexts: Option<Map<String, Value>>,
}

/// What completions begin with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    Prefix {
        text: String,
    },
    Fuzzy {
        text: String,
        edits: u8,
        transpositions: bool,
        min_length: usize,
        prefix_length: usize,
        /// Lengths and edits are counted in characters, not in bytes.
        unicode_aware: bool,
    },
    Regex {
        pattern: String,
        flags: Vec<String>,
        max_determinized_states: u32,
    },
}
