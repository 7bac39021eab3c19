//! Metrics beyond the common ones.

use super::{CalendarUnit, Source};
use quarry_base::deep_json::of_other_crate;
use quarry_plan::query::Query;
use quarry_plan::request::{SortKey, SortMode};
use quarry_script::ScriptSpec;
use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StringStats {
    pub source: Source,
    pub show_distribution: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatrixStats {
    pub sources: Vec<Source>,
    /// Which of a document's several values counts.
    pub mode: SortMode,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TTest {
    pub a: Population,
    pub b: Population,
    pub kind: TTestKind,
    /// 1 or 2.
    pub tails: u32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Population {
    pub source: Source,
    #[serde(default, deserialize_with = "of_other_crate")]
    pub filter: Option<Query>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TTestKind {
    Paired,
    /// Equal variances.
    Homoscedastic,
    Heteroscedastic,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopMetrics {
    pub metrics: Vec<Source>,
    #[serde(deserialize_with = "of_other_crate")]
    pub sort: Vec<SortKey>,
    pub size: u32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Absent: documents are counted.
    pub source: Option<Source>,
    pub unit: Option<CalendarUnit>,
    /// Values are counted instead of added.
    pub counts_values: bool,
}

/// Scripts whose `params` have those of the aggregation already.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptedMetric {
    /// Makes the state of a bucket ready.
    pub init: Option<ScriptSpec>,
    /// Runs for each document.
    pub map: ScriptSpec,
    /// Makes what a shard hands on of a state.
    pub combine: ScriptSpec,
    /// Makes the result of what the shards handed on.
    pub reduce: ScriptSpec,
}
