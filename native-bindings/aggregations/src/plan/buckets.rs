//! Bucket aggregations beyond those that search pages are made of.

use super::{DateInterval, GeoBox, Source};
use quarry_base::deep_json::of_other_crate;
use quarry_plan::query::Query;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdjacencyMatrix {
    /// By ascending name.
    pub names: Vec<String>,
    #[serde(deserialize_with = "of_other_crate")]
    pub filters: Vec<Query>,
    pub separator: String,
    /// Buckets of single filters are left out.
    pub only_intersections: bool,
}

/// The nested documents at a path of the parent's documents.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nested {
    pub path: String,
}

/// The documents that the parent's documents are part of.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReverseNested {
    /// `None`: the roots.
    pub path: Option<String>,
}

/// The children of this kind of the parent's documents, or the parents of those that are children of this kind.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Joined {
    /// Of the children.
    #[serde(rename = "type")]
    pub kind: String,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IpRange {
    pub source: Source,
    pub ranges: Vec<IpRangeBucket>,
    pub keyed: bool,
}

/// `from` inclusive, `to` exclusive; or all addresses of a network.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IpRangeBucket {
    pub key: Option<String>,
    pub from: Option<String>,
    pub to: Option<String>,
    pub mask: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IpPrefix {
    pub source: Source,
    /// Leading bits that a bucket's addresses share, of an address of the version that `is_ipv6` names.
    pub prefix_length: u32,
    pub is_ipv6: bool,
    pub append_prefix_length: bool,
    pub keyed: bool,
    pub min_doc_count: u64,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoDateHistogram {
    pub source: Source,
    /// Most buckets that the answer shows.
    pub buckets: u32,
    /// Place in the list of units (second, minute, hour, day, month, year) of the smallest that is allowed.
    pub minimum_unit: u32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableWidthHistogram {
    pub source: Source,
    pub buckets: u32,
    /// Clusters that each shard hands on.
    pub shard_size: u32,
    /// Values that each shard keeps apart before it makes clusters of them.
    pub initial_buffer: u32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Composite {
    pub sources: Vec<CompositeSource>,
    pub size: u32,
    /// One value for each source: buckets come strictly after it.
    pub after: Option<Vec<Value>>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompositeSource {
    pub name: String,
    pub source: Source,
    pub keys: CompositeKeys,
    pub ascending: bool,
    /// Documents without a value get a key of their own.
    pub missing_bucket: bool,
    pub missing_first: bool,
}

/// How the values of a field become keys.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompositeKeys {
    Terms,
    Histogram {
        interval: f64,
    },
    DateHistogram {
        interval: DateInterval,
        offset_ms: i64,
    },
    /// Tiles of places.
    Geotile {
        precision: u32,
        bounds: Option<GeoBox>,
    },
}
