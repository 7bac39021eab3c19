//! The search request around the query: what to collect, how to order it, what to render.

use super::geo::GeoDistanceSort;
use super::highlight::Highlight;
use super::nested::NestedSort;
use super::query::Query;
use quarry_base::deep_json::of_other_crate;
use quarry_base::error::ErrorCode;
use quarry_mapping::spec::RuntimeSpec;
use quarry_script::ScriptSpec;
use serde::Deserialize;
use serde_json::Value;

/// A checked `_search` request, the same for every shard it goes to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchPlan {
    pub query: Query,
    /// What the aliases in the request's path let through; the query has it already, a `global` aggregation needs it.
    pub alias_filter: Option<Query>,
    /// Narrows hits and total after the aggregations have seen the query's matches.
    pub post_filter: Option<Query>,
    #[serde(default)]
    pub from: u32,
    pub size: u32,
    /// Empty: by descending score.
    #[serde(default)]
    pub sort: Vec<SortKey>,
    /// Fields of 32 bits and fewer sort missing values by the least or greatest number of 32 bits, not of 64.
    #[serde(default)]
    pub int_missing: bool,
    /// One value for each sort key; hits come strictly after it.
    pub search_after: Option<Vec<Value>>,
    /// Trailing sort keys that hits do not show: what breaks ties of a scroll, the score that collapsed hits go by.
    #[serde(default)]
    pub hidden_keys: u32,
    /// Place of this shard among those of the request: the upper half of `_shard_doc`.
    #[serde(default)]
    pub shard_ordinal: u32,
    pub slice: Option<Slice>,
    /// Field of which only the first hit of each value is shown.
    pub collapse: Option<String>,
    /// Only with hits by score.
    #[serde(default)]
    pub rescore: Vec<Rescore>,
    pub track_total_hits: TrackTotalHits,
    /// Computes scores although the order does not need them.
    #[serde(default)]
    pub track_scores: bool,
    pub min_score: Option<f32>,
    pub timeout_ms: Option<u64>,
    /// What a shard fails with that takes longer. Without it the shard answers with what it found in time.
    pub late_error: Option<LateError>,
    /// Stop after this many matches in the shard; 0 for never.
    #[serde(default)]
    pub terminate_after: u64,
    /// The moment `now` stands for in date expressions.
    pub now_ms: i64,
    /// The request's `aggs` object as checked by `src/search/aggs/`; read by [`quarry_aggregations`].
    pub aggregations: Option<Value>,
    /// The answer tells how long the parts of the search took.
    #[serde(default)]
    pub profile: bool,
    /// `typed_keys`: aggregation names are printed with their type.
    #[serde(default)]
    pub typed_keys: bool,
    /// `runtime_mappings` of the request.
    #[serde(default, deserialize_with = "of_other_crate")]
    pub runtime: Vec<RuntimeSpec>,
    /// Counts of all shards that scores are computed from ([`quarry_query::statistics::merge`]); `None`: each shard counts for itself.
    pub statistics: Option<String>,
    #[serde(default)]
    pub limits: SearchLimits,
    pub fetch: FetchPlan,
}

impl SearchPlan {
    /// All matches of a query counted, none of them shown.
    pub fn of(query: Query, now_ms: i64, limits: SearchLimits) -> Self {
        SearchPlan {
            query,
            alias_filter: None,
            post_filter: None,
            from: 0,
            size: 0,
            sort: Vec::new(),
            int_missing: false,
            search_after: None,
            hidden_keys: 0,
            shard_ordinal: 0,
            slice: None,
            collapse: None,
            rescore: Vec::new(),
            track_total_hits: TrackTotalHits::Exact,
            track_scores: false,
            min_score: None,
            timeout_ms: None,
            late_error: None,
            terminate_after: 0,
            now_ms,
            aggregations: None,
            profile: false,
            typed_keys: false,
            runtime: Vec::new(),
            statistics: None,
            limits,
            fetch: FetchPlan::default(),
        }
    }
}

/// The references name it differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LateError {
    SearchTimeoutException,
    QueryPhaseExecutionException,
}

impl LateError {
    pub fn code(self) -> ErrorCode {
        match self {
            LateError::SearchTimeoutException => ErrorCode::SearchTimeout,
            LateError::QueryPhaseExecutionException => ErrorCode::QueryPhaseExecution,
        }
    }
}

/// One of `max` disjoint parts of a shard's documents.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    pub id: u32,
    /// Greater than `id`.
    pub max: u32,
    pub by: SliceBy,
}

/// What decides to which slice a document belongs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SliceBy {
    /// The document's id: the same in every view.
    Id,
    /// Its number: the same in one view.
    Doc,
    /// The first value of a numeric field.
    Field(String),
}

/// A second query over the best hits.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rescore {
    pub window: usize,
    pub query: Query,
    pub query_weight: f32,
    pub rescore_weight: f32,
    pub mode: RescoreMode,
}

/// How the two scores become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RescoreMode {
    Total,
    Multiply,
    Avg,
    Max,
    Min,
}

/// Index and node settings that bound a search.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchLimits {
    /// `indices.query.bool.max_clause_count`: terms and clauses of the whole query after expansion.
    pub max_clauses: u32,
    /// `search.max_buckets`.
    pub max_buckets: u32,
    /// `indices.breaker.request.limit`: memory that the aggregations of all searches of the process may hold together.
    #[serde(default = "unlimited")]
    pub request_breaker_bytes: u64,
    /// `search.allow_expensive_queries`: false refuses prefix, wildcard, regexp, fuzzy and the like.
    pub allow_expensive_queries: bool,
}

impl Default for SearchLimits {
    fn default() -> Self {
        SearchLimits {
            max_clauses: 1024,
            max_buckets: 65_535,
            request_breaker_bytes: u64::MAX,
            allow_expensive_queries: true,
        }
    }
}

fn unlimited() -> u64 {
    u64::MAX
}

/// How exactly matches are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackTotalHits {
    /// `false`: no total in the answer.
    Disabled,
    /// `true`.
    Exact,
    /// Exact up to this many, then "at least".
    UpTo(u64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortOrder {
    #[serde(rename = "asc")]
    Ascending,
    #[serde(rename = "desc")]
    Descending,
}

/// Which of a document's several values a sort compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortMode {
    Min,
    Max,
    Sum,
    Avg,
    Median,
}

/// Where documents without a value go.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    First,
    Last,
    /// As if the document had this value.
    Value(Value),
}

/// One key of `sort`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SortKey {
    Score {
        order: SortOrder,
    },
    /// Index order.
    Doc {
        order: SortOrder,
    },
    /// Index order over all shards of the request.
    ShardDoc {
        order: SortOrder,
    },
    Field(FieldSort),
    Script(Box<ScriptSort>),
    GeoDistance(Box<GeoDistanceSort>),
}

/// `_script`: what a script makes of each document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptSort {
    pub script: ScriptSpec,
    pub order: SortOrder,
    /// Numbers are computed for the matches alone, with their scores; texts are the values of this field.
    pub computed: Option<RuntimeSpec>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldSort {
    pub field: String,
    pub order: SortOrder,
    /// `None`: `min` when ascending, `max` when descending.
    pub mode: Option<SortMode>,
    pub missing: Missing,
    pub unmapped_type: Option<String>,
    /// What the request names as such, where there is no type of that name.
    pub unknown_type: Option<String>,
    /// Date format of the values printed in `sort`.
    pub format: Option<String>,
    /// `long`, `double`, `date` or `date_nanos`: compare as this type.
    pub numeric_type: Option<String>,
    /// The values are those of nested documents.
    pub nested: Option<Box<NestedSort>>,
}

/// What each hit shows.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FetchPlan {
    pub source: SourceFilter,
    #[serde(default)]
    pub docvalue_fields: Vec<FieldAndFormat>,
    /// Names or patterns of `store: true` fields.
    #[serde(default)]
    pub stored_fields: Vec<String>,
    /// `stored_fields: _none_`: neither metadata nor `_id`.
    #[serde(default)]
    pub no_stored_fields: bool,
    /// Mapping-aware values taken from `_source`.
    #[serde(default)]
    pub fields: Vec<FieldAndFormat>,
    /// In the order of the request.
    #[serde(default)]
    pub script_fields: Vec<ScriptField>,
    #[serde(default)]
    pub version: bool,
    #[serde(default)]
    pub seq_no_primary_term: bool,
    /// Each hit tells how its score came about.
    #[serde(default)]
    pub explain: bool,
    pub highlight: Option<Highlight>,
    /// `matched_queries` is an object of scores instead of a list of names.
    #[serde(default)]
    pub named_queries_score: bool,
    /// `hits.total` is a number, as before the API's version 7.
    #[serde(default)]
    pub total_hits_as_int: bool,
}

/// Which part of `_source` a hit shows. Patterns may hold `*`; both lists empty and enabled: the stored bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceFilter {
    pub enabled: bool,
    #[serde(default)]
    pub includes: Vec<String>,
    #[serde(default)]
    pub excludes: Vec<String>,
}

impl Default for SourceFilter {
    fn default() -> Self {
        SourceFilter { enabled: true, includes: Vec::new(), excludes: Vec::new() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldAndFormat {
    /// A field name or pattern with `*`.
    pub field: String,
    pub format: Option<String>,
}

/// One of `script_fields`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptField {
    pub name: String,
    pub script: ScriptSpec,
    #[serde(default)]
    pub ignore_failure: bool,
}

/// A checked `_count` request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountPlan {
    pub query: Query,
    pub min_score: Option<f32>,
    #[serde(default)]
    pub terminate_after: u64,
    pub now_ms: i64,
    /// `runtime_mappings` of the request.
    #[serde(default, deserialize_with = "of_other_crate")]
    pub runtime: Vec<RuntimeSpec>,
    #[serde(default)]
    pub limits: SearchLimits,
}

/// A checked `_explain` or `_validate/query` request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueryCheckPlan {
    pub query: Query,
    /// `_explain`: the document.
    pub id: Option<String>,
    pub now_ms: i64,
    /// `runtime_mappings` of the request.
    #[serde(default, deserialize_with = "of_other_crate")]
    pub runtime: Vec<RuntimeSpec>,
    #[serde(default)]
    pub limits: SearchLimits,
}
