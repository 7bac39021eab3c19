//! The checked aggregations of a request, as `src/search/aggs/` (TypeScript) hands them down.

mod buckets;
mod geo;
mod kind_name;
mod metrics;
mod pipeline;
mod terms;

pub use buckets::*;
pub use geo::*;
pub use metrics::*;
pub use pipeline::*;
use quarry_base::deep_json::of_other_crate;
use quarry_mapping::spec::RuntimeSpec;
use quarry_plan::query::Query;
use quarry_plan::request::{FetchPlan, SortKey};
use serde::Deserialize;
use serde_json::Value;
pub use terms::*;

/// One named aggregation with those below it. In a level of the plan those that are computed from others come last, in the
/// order in which they are computed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Aggregation {
    pub name: String,
    /// Given back in the response as it is.
    pub meta: Option<Value>,
    pub kind: Kind,
    #[serde(default)]
    pub aggs: Vec<Aggregation>,
}

impl Aggregation {
    /// Computed from the results of others.
    pub fn is_pipeline(&self) -> bool {
        matches!(self.kind, Kind::Pipeline(_))
    }
}

/// What an aggregation computes. Serialised as `{"terms": {..}}`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Terms(Terms),
    Cardinality(Cardinality),
    Min(Metric),
    Max(Metric),
    Sum(Metric),
    Avg(Metric),
    Stats(Metric),
    ExtendedStats(ExtendedStats),
    ValueCount(Metric),
    WeightedAvg(WeightedAvg),
    Percentiles(Percentiles),
    PercentileRanks(Percentiles),
    MedianAbsoluteDeviation(MedianAbsoluteDeviation),
    Histogram(Histogram),
    DateHistogram(DateHistogram),
    Range(Range),
    DateRange(Range),
    Filter(#[serde(deserialize_with = "of_other_crate")] Query),
    Filters(Filters),
    Missing(Missing),
    Global(Global),
    Nested(Nested),
    ReverseNested(ReverseNested),
    Children(Joined),
    Parent(Joined),
    TopHits(TopHits),
    AdjacencyMatrix(AdjacencyMatrix),
    IpRange(IpRange),
    AutoDateHistogram(AutoDateHistogram),
    Composite(Composite),
    MultiTerms(MultiTerms),
    RareTerms(RareTerms),
    SignificantTerms(SignificantTerms),
    SignificantText(SignificantText),
    Sampler(Sampler),
    IpPrefix(IpPrefix),
    VariableWidthHistogram(VariableWidthHistogram),
    StringStats(StringStats),
    Boxplot(MedianAbsoluteDeviation),
    MatrixStats(MatrixStats),
    TTest(Box<TTest>),
    TopMetrics(TopMetrics),
    Rate(Rate),
    ScriptedMetric(Box<ScriptedMetric>),
    GeoDistance(GeoDistance),
    GeoGrid(GeoGrid),
    GeoBounds(GeoBounds),
    GeoCentroid(Metric),
    Pipeline(Pipeline),
}

/// A field with what a document counts as that has no value in it, and how values are printed.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub field: String,
    pub missing: Option<Value>,
    pub format: Option<String>,
    pub time_zone: Option<String>,
    /// What the field is taken for in an index that does not map it.
    pub value_type: Option<ValueTypeHint>,
    /// A script gives the values: what [`quarry_query::derived`] makes the field of.
    pub computed: Option<RuntimeSpec>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueTypeHint {
    String,
    Ip,
    Boolean,
    Date,
    UnsignedLong,
    /// Whole or fractional, as the missing value is.
    Number,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    pub source: Source,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtendedStats {
    pub source: Source,
    pub sigma: f64,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WeightedAvg {
    pub value: Source,
    /// At most one weight a document.
    pub weight: Source,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Percentiles {
    pub source: Source,
    /// Ascending: percents from 0 to 100, or the values whose ranks are asked for.
    pub keys: Vec<f64>,
    pub keyed: bool,
    /// Accuracy, and memory, of the digest.
    pub compression: f64,
    /// Present: an HDR histogram of so many significant digits instead of the digest.
    pub hdr_digits: Option<u32>,
    /// See [`crate::parts`].
    #[serde(skip)]
    pub in_parts: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MedianAbsoluteDeviation {
    pub source: Source,
    pub compression: f64,
    /// See [`crate::parts`].
    #[serde(skip)]
    pub in_parts: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cardinality {
    pub source: Source,
    /// Counts up to here are close to exact.
    pub precision_threshold: u32,
}

/// One criterion of a bucket order.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    pub by: OrderBy,
    pub ascending: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderBy {
    Key,
    Count,
    /// Names of single-bucket aggregations down to a metric, then the metric's value (`avg` of a `stats`) where it has several.
    Path {
        aggregations: Vec<String>,
        value: Option<String>,
    },
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Histogram {
    pub source: Source,
    pub interval: f64,
    pub offset: f64,
    pub min_doc_count: u64,
    pub extended_bounds: Option<Bounds>,
    pub hard_bounds: Option<Bounds>,
    pub order: Vec<Order>,
    pub keyed: bool,
}

/// Ends in the field's own terms: numbers, or date expressions for dates.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    pub min: Option<Value>,
    pub max: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DateHistogram {
    pub source: Source,
    pub interval: DateInterval,
    pub offset_ms: i64,
    pub min_doc_count: u64,
    pub extended_bounds: Option<Bounds>,
    pub hard_bounds: Option<Bounds>,
    pub order: Vec<Order>,
    pub keyed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateInterval {
    FixedMs(i64),
    Calendar(CalendarUnit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalendarUnit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    pub source: Source,
    pub ranges: Vec<RangeBucket>,
    pub keyed: bool,
}

/// `from` inclusive, `to` exclusive; numbers, or date expressions in a `date_range`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RangeBucket {
    pub key: Option<String>,
    pub from: Option<Value>,
    pub to: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Filters {
    #[serde(deserialize_with = "of_other_crate")]
    pub filters: Vec<Query>,
    /// One name for each filter; `None` for anonymous filters, which come back as an array.
    pub names: Option<Vec<String>>,
    /// Present: a bucket of this name for documents that no filter matches.
    pub other_bucket: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    pub field: String,
    /// A value stands in for absent ones: no document lacks one.
    #[serde(default)]
    pub has_substitute: bool,
}

/// Every live document, whatever the query; at the top level only.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Global {}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopHits {
    pub from: u32,
    pub size: u32,
    /// Empty: by descending score.
    #[serde(deserialize_with = "of_other_crate")]
    pub sort: Vec<SortKey>,
    pub track_scores: bool,
    #[serde(deserialize_with = "of_other_crate")]
    pub fetch: FetchPlan,
}

impl TopHits {
    /// Hits that each bucket keeps.
    pub fn window(&self) -> usize {
        (self.from as usize).saturating_add(self.size as usize)
    }

    /// The order, or the answer, needs the score of every document.
    pub fn needs_scores(&self) -> bool {
        self.track_scores || self.sort.is_empty() || self.sort.iter().any(|key| matches!(key, SortKey::Score { .. }))
    }
}
