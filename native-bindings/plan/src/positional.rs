//! Queries about the places of terms: span queries and intervals.

use super::query::{Bound, Fuzziness, Query};
use quarry_script::ScriptSpec;
use serde::Deserialize;
use serde_json::Value;

fn one() -> f32 {
    1.0
}

fn yes() -> bool {
    true
}

/// A span query; the queries inside it have no boosts.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpanRoot {
    pub query: SpanQuery,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SpanQuery {
    Term {
        field: String,
        value: Value,
    },
    Or {
        clauses: Vec<SpanQuery>,
    },
    Near {
        clauses: Vec<SpanQuery>,
        slop: i32,
        #[serde(default = "yes")]
        in_order: bool,
    },
    /// Places between two clauses of a `near` that count as filled.
    Gap {
        field: String,
        width: u32,
    },
    Not {
        include: Box<SpanQuery>,
        exclude: Box<SpanQuery>,
        pre: i32,
        post: i32,
    },
    First {
        query: Box<SpanQuery>,
        end: u32,
    },
    Containing {
        big: Box<SpanQuery>,
        little: Box<SpanQuery>,
    },
    Within {
        big: Box<SpanQuery>,
        little: Box<SpanQuery>,
    },
    /// A query on many terms, any of which is meant.
    Multi {
        query: Box<Query>,
    },
    FieldMasking {
        query: Box<SpanQuery>,
        field: String,
    },
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntervalsQuery {
    pub field: String,
    pub rule: IntervalRule,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMode {
    Ordered,
    #[default]
    Unordered,
    UnorderedNoOverlap,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntervalRule {
    pub kind: IntervalKind,
    /// Where to look instead of the query's field.
    pub use_field: Option<String>,
    pub analyzer: Option<String>,
    pub filter: Option<IntervalFilter>,
    /// Says of each interval whether it counts.
    pub script: Option<ScriptSpec>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum IntervalKind {
    Match {
        query: String,
        /// -1: any.
        max_gaps: i32,
        mode: IntervalMode,
    },
    Prefix {
        prefix: String,
    },
    Wildcard {
        pattern: String,
        max_expansions: u32,
    },
    Regexp {
        pattern: String,
        flags: Vec<String>,
        case_insensitive: bool,
        max_expansions: u32,
    },
    Range {
        from: Option<Bound>,
        to: Option<Bound>,
    },
    Fuzzy {
        term: String,
        fuzziness: Fuzziness,
        prefix_length: u32,
        transpositions: bool,
    },
    AllOf {
        intervals: Vec<IntervalRule>,
        max_gaps: i32,
        mode: IntervalMode,
    },
    AnyOf {
        intervals: Vec<IntervalRule>,
    },
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IntervalFilter {
    pub relation: FilterRelation,
    pub rule: Box<IntervalRule>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterRelation {
    Containing,
    NotContaining,
    ContainedBy,
    NotContainedBy,
    Overlapping,
    NotOverlapping,
    Before,
    After,
}
