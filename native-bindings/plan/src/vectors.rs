//! Queries for the nearest vectors.

use super::nested::InnerHits;
use super::query::Query;
use serde::{Deserialize, Deserializer};
use std::sync::Arc;

fn one() -> f32 {
    1.0
}

/// A list that copies of the plan have together.
fn shared<'de, T: Deserialize<'de>, D: Deserializer<'de>>(plan: D) -> std::result::Result<Arc<[T]>, D::Error> {
    Vec::deserialize(plan).map(Arc::from)
}

/// The documents of a shard whose vectors are nearest to one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnnQuery {
    pub field: String,
    #[serde(deserialize_with = "shared")]
    pub query_vector: Arc<[f32]>,
    /// Documents of the shard. Searches say it; elsewhere it may be left to [`KnnQuery::sizes`].
    pub k: Option<u32>,
    /// Of each segment so many are kept while its graph is walked; not fewer than `k`.
    pub num_candidates: Option<u32>,
    /// Only documents that match all of these are counted.
    #[serde(default)]
    pub filter: Vec<Query>,
    /// Filters of an alias: about whole documents, whatever fields they name.
    #[serde(default)]
    pub alias_filter: Vec<Query>,
    /// The least cosine or product, the greatest distance.
    pub similarity: Option<f32>,
    #[serde(default = "one")]
    pub boost: f32,
    /// How many times `k` are compared by their vectors where these are quantised. `None`: what the mapping says.
    pub oversample: Option<f32>,
}

impl KnnQuery {
    /// `k` and the number of candidates, by the API's defaults for a search that does not say how many hits it wants.
    pub fn sizes(&self) -> (u32, u32) {
        let k = self.k.unwrap_or_else(|| self.num_candidates.unwrap_or(u32::MAX).min(10)).max(1);
        (k, self.num_candidates.unwrap_or_else(|| k.saturating_add(k / 2)).max(k))
    }
}

/// Documents that an earlier search of the shard found, with the scores that they had there.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundQuery {
    #[serde(deserialize_with = "shared")]
    pub documents: Arc<[FoundDocument]>,
    /// Hits show their nested documents.
    pub shown: Option<Box<ShownVectors>>,
}

/// Nested documents that hits show by how near they are.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShownVectors {
    /// One for the nearest vectors of the nested documents.
    pub query: Query,
    pub inner_hits: InnerHits,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundDocument {
    pub id: String,
    /// One that was changed since is another document.
    pub seq_no: i64,
    pub score: f32,
}
