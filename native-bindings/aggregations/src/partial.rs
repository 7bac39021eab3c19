//! What a shard hands to the reduction: one [`Partial`] for each aggregation of a level, in the plan's order.

mod buckets;
#[cfg(test)]
mod depth_tests;

use super::kinds::composite::PartialComposite;
use super::kinds::significance::PartialSignificant;
use super::metrics::geo::{Bounds, Centroid};
use super::metrics::hdr::Hdr;
use super::metrics::hll::{Sketch, hash_bytes, hash_number};
use super::metrics::matrix_stats::MatrixStats;
use super::metrics::stats::{Compensated, Stats, WeightedAverage};
use super::metrics::string_stats::StringStats;
use super::metrics::t_test::TTest;
use super::metrics::tdigest::TDigest;
use super::plan::Alternative;
use hashbrown::HashSet;
use quarry_base::error::Result;
use quarry_mapping::format::Format;
use quarry_query::sort::hit::Hit;
use quarry_query::sort::merge::merge_hits;
use quarry_query::sort::value::KeyOrder;
use serde::{Deserialize, Serialize};

/// The partial result of one aggregation in one bucket of its parent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Partial {
    Terms(PartialTerms),
    Histogram(PartialHistogram),
    /// `range`, `date_range`, `filters`: the plan's buckets in the plan's order.
    Buckets(PartialBuckets),
    /// `filter`, `missing`, `global`, `nested`, `reverse_nested`.
    Single(Bucket),
    Cardinality(Sketch),
    /// `min`, `max`, `sum`, `avg`, `stats`, `extended_stats`.
    Stats {
        stats: Stats,
        format: Format,
    },
    ValueCount(u64),
    /// `percentiles`, `percentile_ranks`, `median_absolute_deviation`; the digest is settled.
    Percentiles {
        digest: TDigest,
        format: Format,
    },
    /// As `Percentiles`, of several threads that are yet to be merged: digests with the numbers of their chunks.
    Digests {
        digests: Vec<(u64, TDigest)>,
        format: Format,
    },
    WeightedAvg {
        average: WeightedAverage,
        format: Format,
    },
    /// `top_hits`, `top_metrics`.
    TopHits(PartialTopHits),
    Composite(PartialComposite),
    AutoHistogram(PartialAutoHistogram),
    RareTerms(PartialRareTerms),
    Significant(PartialSignificant),
    VariableWidth(PartialVariableWidth),
    StringStats {
        stats: StringStats,
        format: Format,
    },
    MatrixStats(MatrixStats),
    TTest(TTest),
    Rate(PartialRate),
    /// As `Percentiles`, with an HDR histogram.
    Hdr {
        hdr: Hdr,
        format: Format,
    },
    Scripted(PartialScripted),
    GeoBounds(Bounds),
    GeoCentroid(Centroid),
    /// What a pipeline made of other results.
    Computed(Computed),
    /// A pipeline has no result in this bucket.
    Absent,
}

/// What scripts made of documents, as JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialScripted {
    /// One of each shard.
    pub states: Vec<String>,
    /// When all shards are reduced.
    pub value: Option<String>,
}

/// The result of a pipeline; `format` is a number pattern.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Computed {
    Number {
        value: f64,
        format: Option<String>,
    },
    Count {
        value: u64,
        format: Option<String>,
    },
    Derivative {
        value: f64,
        normalized: f64,
        format: Option<String>,
    },
    /// The keys of the buckets that have the value.
    Extreme {
        value: f64,
        keys: Vec<String>,
        format: Option<String>,
    },
    /// Percents and the values at them.
    Percentiles {
        values: Vec<(f64, f64)>,
        format: Option<String>,
    },
    /// The same of several digests together.
    MovingPercentiles {
        values: Vec<(f64, f64)>,
        keyed: bool,
        is_hdr: bool,
        format: Format,
    },
    /// NaN where there are too few documents.
    Probabilities(Vec<(Alternative, f64)>),
}

impl Computed {
    /// The number, or that of `percent`; NaN without one.
    pub fn value_of(&self, percent: f64) -> f64 {
        match self {
            Computed::Number { value, .. } | Computed::Derivative { value, .. } | Computed::Extreme { value, .. } => {
                *value
            }
            Computed::Count { value, .. } => *value as f64,
            Computed::Percentiles { values, .. } | Computed::MovingPercentiles { values, .. } => {
                values.iter().find(|(at, _)| *at == percent).map_or(f64::NAN, |(_, value)| *value)
            }
            Computed::Probabilities(_) => f64::NAN,
        }
    }
}

/// A count and what the aggregations below found in these documents.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Bucket {
    pub doc_count: u64,
    #[serde(deserialize_with = "quarry_base::wire::nested")]
    pub aggs: Vec<Partial>,
}

/// The key of a terms bucket. The order of variants is of no importance: one aggregation has one kind of keys, but for
/// indices that map the field differently, and those are refused in the reduction.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TermKey {
    /// A sortable number.
    Number(i64),
    Bytes(Vec<u8>),
    /// Keys of several fields.
    Tuple(#[serde(deserialize_with = "quarry_base::wire::nested")] Vec<TermKey>),
}

/// The same on all shards.
pub fn key_hash(key: &TermKey) -> u64 {
    match key {
        TermKey::Number(number) => hash_number(*number),
        TermKey::Bytes(term) => hash_bytes(term),
        TermKey::Tuple(parts) => parts.iter().fold(0, |hash, part| hash.rotate_left(7) ^ key_hash(part)),
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TermBucket {
    pub key: TermKey,
    pub bucket: Bucket,
    /// Documents that other shards may have left out of `bucket.doc_count`.
    pub error: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialTerms {
    /// `None`: no shard so far maps the field.
    pub format: Option<Format>,
    /// Of the fields of tuples; empty where keys are none, or no shard so far maps all of the fields.
    pub tuple_formats: Vec<Format>,
    pub buckets: Vec<TermBucket>,
    /// Documents in buckets that were cut off.
    pub other: u64,
    /// The largest count that a cut-off bucket can have; `None` where the order says nothing of counts.
    pub error: Option<u64>,
}

impl PartialTerms {
    pub fn empty() -> Self {
        PartialTerms { format: None, tuple_formats: Vec::new(), buckets: Vec::new(), other: 0, error: Some(0) }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialRareTerms {
    pub terms: PartialTerms,
    /// Hashes of keys that are not rare on some shard.
    pub frequent: HashSet<u64>,
}

/// Clusters of numbers, by ascending centre.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialVariableWidth {
    pub format: Format,
    pub buckets: Vec<Cluster>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cluster {
    pub min: f64,
    pub max: f64,
    pub centre: f64,
    pub bucket: Bucket,
}

/// Values of the documents of a bucket of dates, and how many units of time it is long.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialRate {
    pub sum: Compensated,
    pub format: Format,
    /// Known when the bucket that it lies in is finished.
    pub units: f64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialHistogram {
    pub format: Format,
    /// By ascending key. `histogram`: number of the interval; `date_histogram`: milliseconds of its beginning.
    pub buckets: Vec<(i64, Bucket)>,
}

/// Buckets of one unit of time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialAutoHistogram {
    pub format: Format,
    /// Place of the unit in the list of units.
    pub unit: u32,
    /// Units of one bucket: more than one in the finished result only.
    pub step: u32,
    /// By ascending key: milliseconds of the beginning.
    pub buckets: Vec<(i64, Bucket)>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialBuckets {
    pub format: Format,
    /// Resolved ends (`range`, `date_range` only).
    pub ends: Vec<(Option<f64>, Option<f64>)>,
    pub buckets: Vec<Bucket>,
}

/// The best documents of a bucket.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PartialTopHits {
    pub total: u64,
    pub max_score: Option<f32>,
    pub hits: Vec<PartialHit>,
}

/// One hit: what its place is compared by and, when it has been fetched, what the response shows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PartialHit {
    pub hit: Hit,
    pub json: String,
}

impl PartialTopHits {
    /// Keeps the first `k`; equal hits keep the order of the shards.
    pub fn merge(&mut self, other: PartialTopHits, orders: &[KeyOrder], k: usize) -> Result<()> {
        self.total += other.total;
        self.max_score = match (self.max_score, other.max_score) {
            (Some(mine), Some(theirs)) => Some(mine.max(theirs)),
            (mine, theirs) => mine.or(theirs),
        };
        let mine = std::mem::take(&mut self.hits);
        self.hits = merge_hits(orders, mine, other.hits, k, |hit| &hit.hit)?;
        Ok(())
    }

    /// Keeps the page that the request shows.
    pub fn cut(&mut self, from: usize, size: usize) {
        self.hits.truncate(from.saturating_add(size));
        self.hits.drain(..from.min(self.hits.len()));
    }
}
