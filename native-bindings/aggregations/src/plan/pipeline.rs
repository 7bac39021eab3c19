//! Aggregations computed from the results of others, when these are reduced.

use quarry_script::ScriptSpec;
use serde::{Deserialize, Serialize};

/// What is computed, and from what.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pipeline {
    AvgBucket(Input),
    SumBucket(Input),
    MinBucket(Input),
    MaxBucket(Input),
    StatsBucket(Input),
    ExtendedStatsBucket(ExtendedStatsBucket),
    PercentilesBucket(PercentilesBucket),
    BucketCorrelation(BucketCorrelation),
    BucketCountKsTest(BucketCountKsTest),
    Derivative(Derivative),
    CumulativeSum(Input),
    CumulativeCardinality(Input),
    SerialDiff(SerialDiff),
    MovingFn(MovingFn),
    MovingPercentiles(MovingPercentiles),
    Normalize(Normalize),
    BucketSort(BucketSort),
    BucketScript(BucketScript),
    BucketSelector(BucketScript),
}

/// Where the values come from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// `buckets_path`, cut into names and keys.
    pub path: Vec<String>,
    pub gaps: GapPolicy,
    /// A number pattern for the results.
    pub format: Option<String>,
}

/// What stands for a value that a bucket does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapPolicy {
    Skip,
    InsertZeros,
    /// The value that the aggregation has even in an empty bucket, where that is a number.
    KeepValues,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExtendedStatsBucket {
    pub input: Input,
    pub sigma: f64,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PercentilesBucket {
    pub input: Input,
    pub percents: Vec<f64>,
    pub keyed: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Derivative {
    pub input: Input,
    /// Of the keys: present, the derivative by this unit is shown as well.
    pub unit: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SerialDiff {
    pub input: Input,
    pub lag: u32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovingFn {
    pub input: Input,
    pub window: u32,
    pub shift: i32,
    pub script: ScriptSpec,
}

/// The percentiles of the buckets of a window together.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MovingPercentiles {
    pub input: Input,
    pub window: u32,
    pub shift: i32,
}

/// How the counts of buckets go along with what was expected of them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketCorrelation {
    pub input: Input,
    /// A number for each bucket, at least two.
    pub expectations: Vec<f64>,
    /// Shares of the documents that the expectations are of; `None`: all alike.
    pub fractions: Option<Vec<f64>>,
    /// Documents that the expectations are of; above 0.
    pub doc_count: u64,
}

/// Whether documents lie in buckets as was expected.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketCountKsTest {
    pub input: Input,
    /// Shares of the documents that are expected in each bucket; `None`: all alike.
    pub fractions: Option<Vec<f64>>,
    pub alternatives: Vec<Alternative>,
    pub sampling_method: SamplingMethod,
}

/// What the documents may be besides as expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alternative {
    Less,
    Greater,
    TwoSided,
}

impl Alternative {
    pub fn name(self) -> &'static str {
        match self {
            Alternative::Less => "less",
            Alternative::Greater => "greater",
            Alternative::TwoSided => "two_sided",
        }
    }
}

/// Where distributions are looked at most closely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SamplingMethod {
    UpperTail,
    LowerTail,
    Uniform,
}

/// `bucket_script` and `bucket_selector`: a script over values of a bucket.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketScript {
    pub inputs: Vec<ScriptInput>,
    pub gaps: GapPolicy,
    pub format: Option<String>,
    pub script: ScriptSpec,
}

/// A value under the name by which the script's `params` have it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptInput {
    pub name: String,
    pub path: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Normalize {
    pub input: Input,
    pub method: NormalizeMethod,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum NormalizeMethod {
    #[serde(rename = "rescale_0_1")]
    RescaleToOne,
    #[serde(rename = "rescale_0_100")]
    RescaleToHundred,
    #[serde(rename = "percent_of_sum")]
    PercentOfSum,
    #[serde(rename = "mean")]
    Mean,
    #[serde(rename = "z-score")]
    ZScore,
    #[serde(rename = "softmax")]
    Softmax,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketSort {
    pub sort: Vec<BucketSortKey>,
    pub from: u32,
    /// `None`: all that remain.
    pub size: Option<u32>,
    pub gaps: GapPolicy,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketSortKey {
    /// `_key`, `_count`, or a path as in [`Input`].
    pub path: Vec<String>,
    pub ascending: bool,
}
