//! Nested documents in a request: queries about them, hits that show them, sorts by their values.

use super::query::Query;
use super::request::{FetchPlan, SortKey};
use serde::Deserialize;

fn one() -> f32 {
    1.0
}

/// How the scores of nested documents become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NestedScore {
    #[default]
    Avg,
    Sum,
    Min,
    Max,
    /// 0.
    None,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedQuery {
    pub path: String,
    pub query: Box<Query>,
    #[serde(default)]
    pub score_mode: NestedScore,
    /// A path that is not mapped matches nothing.
    #[serde(default)]
    pub ignore_unmapped: bool,
    /// Hits show the nested documents that matched.
    pub inner_hits: Option<Box<InnerHits>>,
    #[serde(default = "one")]
    pub boost: f32,
}

/// The nested documents of a hit that a `nested` query matched.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InnerHits {
    /// `None`: the path of the query.
    pub name: Option<String>,
    /// A path that is not mapped shows nothing.
    #[serde(default)]
    pub ignore_unmapped: bool,
    #[serde(default)]
    pub from: u32,
    pub size: u32,
    /// Empty: by descending score.
    #[serde(default)]
    pub sort: Vec<SortKey>,
    #[serde(default)]
    pub track_scores: bool,
    pub fetch: FetchPlan,
}

/// The nested documents whose values a document sorts by.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NestedSort {
    pub path: String,
    pub filter: Option<Query>,
    /// The first so many that have values.
    pub max_children: Option<u32>,
    /// Nested documents of those.
    pub nested: Option<Box<NestedSort>>,
}
