//! Queries on parents and children.

use super::nested::InnerHits;
use super::query::Query;
use serde::Deserialize;

fn one() -> f32 {
    1.0
}

fn at_least() -> u32 {
    1
}

fn at_most() -> u32 {
    u32::MAX
}

/// How the scores of children become that of their parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChildScore {
    /// Every match scores the boost.
    #[default]
    None,
    Avg,
    Sum,
    Min,
    Max,
}

/// Parents with children that match.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HasChildQuery {
    /// Kind of the children.
    #[serde(rename = "type")]
    pub kind: String,
    pub query: Box<Query>,
    #[serde(default)]
    pub score_mode: ChildScore,
    #[serde(default = "at_least")]
    pub min_children: u32,
    #[serde(default = "at_most")]
    pub max_children: u32,
    /// An index without the relation matches nothing.
    #[serde(default)]
    pub ignore_unmapped: bool,
    pub inner_hits: Option<Box<InnerHits>>,
    #[serde(default = "one")]
    pub boost: f32,
}

/// Children whose parent matches.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HasParentQuery {
    pub parent_type: String,
    pub query: Box<Query>,
    /// Children score what their parent does, not just the boost.
    #[serde(default)]
    pub score: bool,
    #[serde(default)]
    pub ignore_unmapped: bool,
    pub inner_hits: Option<Box<InnerHits>>,
    #[serde(default = "one")]
    pub boost: f32,
}

/// Children of one parent.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParentIdQuery {
    #[serde(rename = "type")]
    pub kind: String,
    pub id: String,
    #[serde(default)]
    pub ignore_unmapped: bool,
    #[serde(default = "one")]
    pub boost: f32,
}
