//! Values inside finished results, found by a path: what buckets are ordered by and pipelines compute with.

use super::digests;
use super::keys;
use crate::metrics::stats::Stats;
use crate::partial::{Bucket, Computed, Partial, PartialTopHits};
use crate::plan::{Aggregation, Kind, TTestKind};
use quarry_base::error::{Error, Result};

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Property {
    Number(f64),
    /// A metric of several numbers; the path does not say which.
    Several,
    /// Nothing that one can compute with, as the API's errors call it.
    Other(&'static str),
}

/// A bucket of an aggregation, as paths see it.
#[derive(Debug, Clone, Copy)]
pub struct BucketView<'b> {
    pub bucket: &'b Bucket,
    /// Of buckets that have numbers for keys.
    pub key: Option<f64>,
}

/// The property of a bucket whose sub-aggregations are `aggs`; `None` where the path leads nowhere.
///
/// `IllegalArgument` where it leads to an aggregation that has no such value.
pub fn of_bucket(aggs: &[Aggregation], view: BucketView<'_>, path: &[String]) -> Result<Option<Property>> {
    let Some((first, rest)) = path.split_first() else { return Ok(Some(Property::Other("Bucket"))) };
    match (first.as_str(), rest) {
        ("_count", []) => return Ok(Some(Property::Number(view.bucket.doc_count as f64))),
        ("_key", []) => return Ok(Some(view.key.map_or(Property::Other("String"), Property::Number))),
        _ => {}
    }
    let found = aggs.iter().zip(&view.bucket.aggs).find(|(aggregation, _)| aggregation.name == *first);
    found.map_or(Ok(None), |(aggregation, partial)| of_aggregation(aggregation, partial, rest))
}

fn of_aggregation(plan: &Aggregation, partial: &Partial, path: &[String]) -> Result<Option<Property>> {
    if let Partial::Single(bucket) = partial {
        return match path {
            [] => Ok(Some(Property::Other("InternalSingleBucketAggregation"))),
            path => of_bucket(&plan.aggs, BucketView { bucket, key: None }, path),
        };
    }
    if partial.is_multi_bucket() {
        return of_buckets(plan, partial, path);
    }
    match (partial, path) {
        (Partial::Absent, _) => Ok(None),
        (_, []) => Ok(Some(match values_of(&plan.kind) {
            Values::One => Property::Number(metric(&plan.kind, partial, None)),
            Values::Named(_) | Values::Keys(_) | Values::AnyKey | Values::Fields => Property::Several,
            Values::None => Property::Other(keys::class_name(plan, partial)),
        })),
        (_, [name]) if values_of(&plan.kind).has(name) => {
            Ok(Some(Property::Number(metric(&plan.kind, partial, Some(name)))))
        }
        (_, path) => {
            Err(Error::illegal_argument(format!("path not supported for [{}]: [{}]", plan.name, path.join(", "))))
        }
    }
}

fn of_buckets(plan: &Aggregation, partial: &Partial, path: &[String]) -> Result<Option<Property>> {
    let Some((first, rest)) = path.split_first() else {
        return Ok(Some(Property::Other(keys::class_name(plan, partial))));
    };
    if first == "_bucket_count" && rest.is_empty() {
        return Ok(Some(Property::Number(partial.buckets().len() as f64)));
    }
    let quoted = first.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let Some(key) = quoted else { return Ok(Some(Property::Other("Object[]"))) };
    let place = keys::texts(plan, partial)?.iter().position(|text| text == key);
    let Some(bucket) = place.and_then(|place| partial.buckets().get(place).copied()) else { return Ok(None) };
    of_bucket(&plan.aggs, BucketView { bucket, key: None }, rest)
}

/// The numbers that a metric has.
pub enum Values<'a> {
    /// It is no metric.
    None,
    One,
    Named(&'static [&'static str]),
    Keys(&'a [f64]),
    AnyKey,
    /// One for each field that the request names.
    Fields,
}

impl Values<'_> {
    pub fn has(&self, name: &str) -> bool {
        match self {
            Values::None => false,
            Values::One => name == "value",
            Values::Fields => true,
            Values::Named(names) => names.contains(&name),
            Values::AnyKey => name.parse::<f64>().is_ok(),
            Values::Keys(keys) => name.parse::<f64>().is_ok_and(|key| keys.contains(&key)),
        }
    }
}

const STATS: &[&str] = &["count", "min", "max", "avg", "sum"];
const BOXPLOT: &[&str] = &["min", "max", "q1", "q2", "q3", "lower", "upper"];
const STRING_STATS: &[&str] = &["count", "min_length", "max_length", "avg_length", "entropy"];
const EXTENDED_STATS: &[&str] = &[
    "count",
    "min",
    "max",
    "avg",
    "sum",
    "sum_of_squares",
    "variance",
    "variance_population",
    "variance_sampling",
    "std_deviation",
    "std_deviation_population",
    "std_deviation_sampling",
    "std_upper",
    "std_lower",
];

pub fn values_of(kind: &Kind) -> Values<'_> {
    use crate::plan::Pipeline;
    match kind {
        Kind::Min(_)
        | Kind::Max(_)
        | Kind::Sum(_)
        | Kind::Avg(_)
        | Kind::ValueCount(_)
        | Kind::WeightedAvg(_)
        | Kind::Cardinality(_)
        | Kind::MedianAbsoluteDeviation(_)
        | Kind::TTest(_)
        | Kind::ScriptedMetric(_)
        | Kind::Rate(_) => Values::One,
        Kind::Boxplot(_) => Values::Named(BOXPLOT),
        Kind::StringStats(_) => Values::Named(STRING_STATS),
        Kind::TopMetrics(_) => Values::Fields,
        Kind::GeoCentroid(_) => Values::Named(&["lat", "lon", "count"]),
        Kind::Stats(_) => Values::Named(STATS),
        Kind::ExtendedStats(_) => Values::Named(EXTENDED_STATS),
        Kind::Percentiles(of) | Kind::PercentileRanks(of) => Values::Keys(&of.keys),
        Kind::Pipeline(pipeline) => match pipeline {
            Pipeline::StatsBucket(_) => Values::Named(STATS),
            Pipeline::ExtendedStatsBucket(_) => Values::Named(EXTENDED_STATS),
            Pipeline::PercentilesBucket(of) => Values::Keys(&of.percents),
            Pipeline::BucketCountKsTest(_) => Values::Named(&["less", "greater", "two_sided"]),
            // Their percents are those of the aggregation that they are made of.
            Pipeline::MovingPercentiles(_) => Values::AnyKey,
            Pipeline::BucketSort(_) | Pipeline::BucketSelector(_) => Values::None,
            _ => Values::One,
        },
        _ => Values::None,
    }
}

/// A value of a metric, `value` where it has one alone; NaN without one.
pub fn metric(kind: &Kind, partial: &Partial, name: Option<&str>) -> f64 {
    let key = || name.and_then(|name| name.parse::<f64>().ok()).unwrap_or(f64::NAN);
    match partial {
        Partial::Single(bucket) => bucket.doc_count as f64,
        Partial::ValueCount(count) => *count as f64,
        Partial::Hdr { hdr, .. } => digests::hdr_value(kind, hdr, key()),
        Partial::Percentiles { digest, .. } if matches!(kind, Kind::Boxplot(_)) => {
            let values = digest.boxplot();
            values.iter().find(|(of, _)| Some(*of) == name).map_or(f64::NAN, |(_, value)| *value)
        }
        Partial::StringStats { stats, .. } => match name {
            Some("count") => stats.count as f64,
            Some("entropy") => stats.entropy(),
            _ if stats.count == 0 => f64::NAN,
            Some("min_length") => stats.shortest as f64,
            Some("max_length") => stats.longest as f64,
            _ => stats.average(),
        },
        Partial::Scripted(scripted) => scripted.value.as_ref().and_then(|value| value.parse().ok()).unwrap_or(f64::NAN),
        Partial::TTest(test) => match kind {
            Kind::TTest(of) => test.probability(of.tails, of.kind == TTestKind::Homoscedastic),
            _ => f64::NAN,
        },
        Partial::GeoCentroid(centroid) => match (name, centroid.place()) {
            (Some("lat"), Some(mean)) => mean.lat,
            (Some("lon"), Some(mean)) => mean.lon,
            (Some("count"), _) => centroid.count as f64,
            _ => f64::NAN,
        },
        Partial::Rate(rate) => rate.sum.value() / rate.units,
        Partial::TopHits(top) => top_metric(top, name).unwrap_or(f64::NAN),
        Partial::Percentiles { digest, .. } => digests::value(kind, digest, key()),
        Partial::WeightedAvg { average, .. } => average.value().unwrap_or(f64::NAN),
        Partial::Cardinality(sketch) => sketch.estimate() as f64,
        Partial::Stats { stats, .. } => stats_value(stats, kind, name),
        Partial::Computed(Computed::Probabilities(found)) => {
            found.iter().find(|(of, _)| Some(of.name()) == name).map_or(f64::NAN, |(_, value)| *value)
        }
        Partial::Computed(computed) => computed.value_of(key()),
        _ => f64::NAN,
    }
}

/// The number of a field in the first of `top_metrics`.
fn top_metric(top: &PartialTopHits, field: Option<&str>) -> Option<f64> {
    let first: serde_json::Value = quarry_base::deep_json::from_str(&top.hits.first()?.json).ok()?;
    first.get("metrics")?.get(field?)?.as_f64()
}

fn stats_value(stats: &Stats, kind: &Kind, value: Option<&str>) -> f64 {
    let name = match kind {
        Kind::Min(_) => "min",
        Kind::Max(_) => "max",
        Kind::Sum(_) => "sum",
        Kind::Avg(_) => "avg",
        _ => value.unwrap_or("count"),
    };
    let sigma = match kind {
        Kind::ExtendedStats(of) => of.sigma,
        Kind::Pipeline(crate::plan::Pipeline::ExtendedStatsBucket(of)) => of.sigma,
        _ => 0.0,
    };
    match name {
        "count" => stats.count as f64,
        "sum" => stats.sum.value(),
        "sum_of_squares" => stats.squares.value(),
        _ if stats.count == 0 => f64::NAN,
        "min" => stats.min,
        "max" => stats.max,
        "variance" | "variance_population" => stats.variance(),
        "variance_sampling" => stats.sampling_variance().unwrap_or(f64::NAN),
        "std_deviation" | "std_deviation_population" => stats.variance().sqrt(),
        "std_deviation_sampling" => stats.sampling_variance().map_or(f64::NAN, f64::sqrt),
        "std_upper" => stats.average() + sigma * stats.variance().sqrt(),
        "std_lower" => stats.average() - sigma * stats.variance().sqrt(),
        _ => stats.average(),
    }
}
