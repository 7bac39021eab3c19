//! The order of buckets: by key, by count, or by a metric of the aggregations below.

use super::property::{Values, metric, values_of};
use crate::partial::{Bucket, Partial, TermBucket};
use crate::plan::{Aggregation, Kind, Order, OrderBy};
use quarry_base::error::{Error, Result};
use std::cmp::Ordering as Compared;

/// Number of a term, in the order of terms, and the documents that have it.
pub type CountedTerm = (u32, u64);

/// A plan's order, resolved against the aggregations below it.
#[derive(Debug)]
pub struct Ordering<'a> {
    criteria: Vec<Criterion<'a>>,
}

#[derive(Debug)]
struct Criterion<'a> {
    by: By<'a>,
    ascending: bool,
}

#[derive(Debug)]
enum By<'a> {
    Key,
    Count,
    /// Places of the aggregations from level to level, then which value of the metric.
    Metric {
        places: Vec<usize>,
        kind: &'a Kind,
        value: Option<&'a str>,
    },
}

impl<'a> Ordering<'a> {
    /// `IllegalArgument` when a path leads nowhere, or not to a metric.
    pub fn new(orders: &'a [Order], aggs: &'a [Aggregation]) -> Result<Self> {
        let criteria = orders.iter().map(|order| {
            let by = match &order.by {
                OrderBy::Key => By::Key,
                OrderBy::Count => By::Count,
                OrderBy::Path { aggregations, value } => path_to(aggregations, value.as_deref(), aggs)?,
            };
            Ok(Criterion { by, ascending: order.ascending })
        });
        Ok(Ordering { criteria: criteria.collect::<Result<_>>()? })
    }

    /// The largest count that a bucket may have which other shards keep and this one cut off behind a bucket of `last`
    /// documents; `None` where the order does not tell. An order by key cuts the same buckets everywhere.
    pub fn largest_cut_off(&self, last: u64) -> Option<u64> {
        match self.criteria.first() {
            Some(Criterion { by: By::Count, ascending: false }) => Some(last),
            Some(Criterion { by: By::Key, .. }) | None => Some(0),
            Some(_) => None,
        }
    }

    /// Buckets with more documents come first, whatever else is asked for.
    pub fn leads_with_most_documents(&self) -> bool {
        matches!(self.criteria.first(), Some(Criterion { by: By::Count, ascending: false }))
    }

    /// As [`Ordering::compare`] of buckets without aggregations. `None` where the order asks for more than these.
    pub fn compare_counted(&self) -> Option<impl Fn(&CountedTerm, &CountedTerm) -> Compared> {
        let is_plain = self.criteria.iter().all(|criterion| matches!(criterion.by, By::Key | By::Count));
        is_plain.then_some(move |a: &CountedTerm, b: &CountedTerm| {
            let compared = self.criteria.iter().map(|Criterion { by, ascending }| {
                let compared = if matches!(by, By::Count) { a.1.cmp(&b.1) } else { a.0.cmp(&b.0) };
                if *ascending { compared } else { compared.reverse() }
            });
            compared.fold(Compared::Equal, Compared::then).then(a.0.cmp(&b.0))
        })
    }

    pub fn sort(&self, buckets: &mut [TermBucket]) {
        buckets.sort_by(|a, b| self.compare((&a.key, &a.bucket), (&b.key, &b.bucket)));
    }

    /// Compares by the criteria, then by key so that the order is total.
    pub fn compare<K: Ord>(&self, a: (&K, &Bucket), b: (&K, &Bucket)) -> Compared {
        for Criterion { by, ascending } in &self.criteria {
            let compared = match by {
                By::Key => a.0.cmp(b.0),
                By::Count => a.1.doc_count.cmp(&b.1.doc_count),
                By::Metric { places, kind, value } => {
                    let of = |bucket: &Bucket| metric_of(&bucket.aggs, places, kind, *value);
                    compare_metrics(of(a.1), of(b.1), *ascending)
                }
            };
            let compared = if *ascending { compared } else { compared.reverse() };
            if compared != Compared::Equal {
                return compared;
            }
        }
        a.0.cmp(b.0)
    }
}

/// Buckets without a value come last, whichever way the order goes.
fn compare_metrics(a: f64, b: f64, ascending: bool) -> Compared {
    match (a.is_nan(), b.is_nan()) {
        (true, true) => Compared::Equal,
        (true, false) if ascending => Compared::Greater,
        (true, false) => Compared::Less,
        (false, true) if ascending => Compared::Less,
        (false, true) => Compared::Greater,
        (false, false) => a.total_cmp(&b),
    }
}

fn path_to<'a>(path: &[String], value: Option<&'a str>, aggs: &'a [Aggregation]) -> Result<By<'a>> {
    let mut level = aggs;
    let mut places = Vec::with_capacity(path.len());
    for (depth, name) in path.iter().enumerate() {
        let place = level.iter().position(|aggregation| aggregation.name == *name && !aggregation.is_pipeline()).ok_or_else(|| {
            Error::illegal_argument(format!(
                "Invalid aggregation order path [{}]. The provided aggregation [{name}] either does not exist, or is a pipeline \
                 aggregation and cannot be used to sort the buckets.",
                path.join(">")
            ))
        })?;
        places.push(place);
        let aggregation = &level[place];
        if depth + 1 == path.len() {
            check_metric(&aggregation.kind, value, path)?;
            return Ok(By::Metric { places, kind: &aggregation.kind, value });
        }
        if !is_single_bucket(&aggregation.kind) {
            return Err(not_a_path(
                path,
                "buckets can only be sorted on a sub-aggregator path that is built out of zero or more single-bucket aggregations within the path and a final single-bucket or a metrics aggregation at the path end",
            ));
        }
        level = &aggregation.aggs;
    }
    Err(not_a_path(path, "the path is empty"))
}

fn is_single_bucket(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Filter(_)
            | Kind::Missing(_)
            | Kind::Sampler(_)
            | Kind::Nested(_)
            | Kind::ReverseNested(_)
            | Kind::Children(_)
            | Kind::Parent(_)
    )
}

fn check_metric(kind: &Kind, value: Option<&str>, path: &[String]) -> Result<()> {
    if is_single_bucket(kind) {
        return match value {
            None | Some("doc_count" | "_count") => Ok(()),
            Some(value) => Err(not_a_path(path, &format!("Unknown metric name [{value}]"))),
        };
    }
    match (values_of(kind), value) {
        (Values::None, _) => Err(not_a_path(path, "the last aggregation is not a metric")),
        (Values::One, None) => Ok(()),
        (values, Some(value)) if values.has(value) => Ok(()),
        (_, None) => {
            Err(not_a_path(path, "When ordering on a multi-value metrics aggregation a metric name must be specified."))
        }
        (_, Some(value)) => Err(not_a_path(path, &format!("Unknown metric name [{value}]"))),
    }
}

fn not_a_path(path: &[String], why: &str) -> Error {
    Error::illegal_argument(format!("Invalid aggregation order path [{}]. {why}", path.join(">")))
}

/// The least and the greatest of no values are the greatest and the least number there is; other metrics have none then.
fn ordered_value(kind: &Kind, partial: &Partial, value: Option<&str>) -> f64 {
    if let Partial::Stats { stats, .. } = partial
        && stats.count == 0
    {
        match (kind, value) {
            (Kind::Min(_), _) | (_, Some("min")) => return f64::INFINITY,
            (Kind::Max(_), _) | (_, Some("max")) => return f64::NEG_INFINITY,
            _ => {}
        }
    }
    metric(kind, partial, value)
}

/// The value that a bucket is ordered by; NaN where it has none.
fn metric_of(aggs: &[Partial], places: &[usize], kind: &Kind, value: Option<&str>) -> f64 {
    let Some((&place, rest)) = places.split_first() else { return f64::NAN };
    match (aggs.get(place), rest.is_empty()) {
        (Some(Partial::Single(bucket)), false) => metric_of(&bucket.aggs, rest, kind, value),
        (Some(partial), true) => ordered_value(kind, partial, value),
        _ => f64::NAN,
    }
}
