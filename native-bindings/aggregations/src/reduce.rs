//! Merging the partial results of several shards, and cutting the merged ones to what the request shows.

pub mod auto_date;
mod clusters;
mod metrics;
mod terms;

use super::buckets::order::Ordering;
use super::budget::too_many_buckets;
use super::dates::rounding::Rounding;
use super::kinds::composite::{self, PartialComposite};
use super::kinds::rate;
use super::kinds::scripted;
use super::kinds::significance::PartialSignificant;
use super::partial::*;
use super::pipeline;
use super::plan::{Aggregation, Bounds, GeoDistance, Kind, OrderBy, SignificantText, TermsCut};
use hashbrown::HashSet;
use jiff::tz::TimeZone;
use quarry_base::allocation;
use quarry_base::error::{Error, Result};
use quarry_mapping::date::{DateFormat, parse_time_zone};
use quarry_mapping::date_math;
use quarry_mapping::date_math::Round;
use quarry_mapping::format::{Format, ValueType};
use serde_json::Value;

/// Merges the shards' results of one level; every shard's list is in the plan's order.
///
/// `IllegalArgument` when shards hold values of different kinds under one aggregation.
pub fn merge(plan: &[Aggregation], shards: Vec<Vec<Partial>>) -> Result<Vec<Partial>> {
    let mut shards = shards.into_iter();
    let Some(mut merged) = shards.next() else { return Ok(Vec::new()) };
    for shard in shards {
        for ((aggregation, mine), theirs) in plan.iter().zip(&mut merged).zip(shard) {
            merge_one(aggregation, mine, theirs)?;
        }
    }
    Ok(merged)
}

fn merge_one(plan: &Aggregation, mine: &mut Partial, theirs: Partial) -> Result<()> {
    allocation::check()?;
    match (mine, theirs) {
        (Partial::Terms(mine), Partial::Terms(theirs)) => terms::merge(plan, mine, theirs),
        (Partial::Histogram(mine), Partial::Histogram(theirs)) => merge_histogram(plan, mine, theirs),
        (Partial::Buckets(mine), Partial::Buckets(theirs)) => {
            if mine.buckets.iter().all(|bucket| bucket.doc_count == 0) {
                (mine.format, mine.ends) = (theirs.format, theirs.ends);
            }
            for (mine, theirs) in mine.buckets.iter_mut().zip(theirs.buckets) {
                merge_bucket(plan, mine, theirs)?;
            }
            Ok(())
        }
        (Partial::Single(mine), Partial::Single(theirs)) => merge_bucket(plan, mine, theirs),
        (Partial::AutoHistogram(mine), Partial::AutoHistogram(theirs)) => match &plan.kind {
            Kind::AutoDateHistogram(of) => auto_date::merge(plan, of, mine, theirs),
            _ => Err(different_kinds(&plan.name)),
        },
        (Partial::Composite(mine), Partial::Composite(theirs)) => match &plan.kind {
            Kind::Composite(of) => composite::merge(plan, of, mine, theirs),
            _ => Err(different_kinds(&plan.name)),
        },
        (Partial::RareTerms(mine), Partial::RareTerms(theirs)) => {
            mine.frequent.extend(theirs.frequent);
            terms::merge(plan, &mut mine.terms, theirs.terms)
        }
        (Partial::Significant(mine), Partial::Significant(theirs)) => mine.merge(plan, theirs),
        (Partial::VariableWidth(mine), Partial::VariableWidth(theirs)) => clusters::merge(plan, mine, theirs),
        (mine, theirs) => metrics::merge(plan, mine, theirs),
    }
}

pub(super) fn different_kinds(name: &str) -> Error {
    Error::illegal_argument(format!(
        "Merging/Reducing the aggregations failed when computing the aggregation [{name}] because the field you gave in the \
         aggregation query existed as two different types in two different indices"
    ))
}

pub fn merge_bucket(plan: &Aggregation, mine: &mut Bucket, theirs: Bucket) -> Result<()> {
    mine.doc_count += theirs.doc_count;
    for ((aggregation, mine), theirs) in plan.aggs.iter().zip(&mut mine.aggs).zip(theirs.aggs) {
        merge_one(aggregation, mine, theirs)?;
    }
    Ok(())
}

fn merge_histogram(plan: &Aggregation, mine: &mut PartialHistogram, theirs: PartialHistogram) -> Result<()> {
    if mine.buckets.is_empty() {
        mine.format = theirs.format;
    }
    let mut merged = Vec::with_capacity(mine.buckets.len().max(theirs.buckets.len()));
    let mut left = std::mem::take(&mut mine.buckets).into_iter().peekable();
    let mut right = theirs.buckets.into_iter().peekable();
    loop {
        let key = match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) => *a.min(b),
            (Some((key, _)), None) | (None, Some((key, _))) => *key,
            (None, None) => break,
        };
        match (left.next_if(|(a, _)| *a == key), right.next_if(|(b, _)| *b == key)) {
            (Some((_, mut a)), Some((_, b))) => {
                merge_bucket(plan, &mut a, b)?;
                merged.push((key, a));
            }
            (Some(bucket), None) | (None, Some(bucket)) => merged.push(bucket),
            (None, None) => {}
        }
    }
    mine.buckets = merged;
    Ok(())
}

/// Brings merged results to what the response shows: terms ordered and cut, empty histogram buckets filled in.
///
/// `shard_count` is the number of shards merged; `TooManyBuckets` past `max_buckets`.
pub fn finish(
    plan: &[Aggregation],
    partials: &mut Vec<Partial>,
    shard_count: usize,
    max_buckets: u32,
    now_ms: i64,
) -> Result<()> {
    let mut finisher = Finisher { shard_count, max_buckets, buckets: 0, now_ms };
    finisher.level(plan, partials)?;
    pipeline::run_at_top(plan, partials)
}

struct Finisher {
    shard_count: usize,
    max_buckets: u32,
    buckets: u64,
    now_ms: i64,
}

impl Finisher {
    fn level(&mut self, plan: &[Aggregation], partials: &mut [Partial]) -> Result<()> {
        plan.iter().zip(partials).try_for_each(|(aggregation, partial)| self.one(aggregation, partial))
    }

    fn one(&mut self, plan: &Aggregation, partial: &mut Partial) -> Result<()> {
        self.buckets(plan, partial)?;
        rate::measure(plan, partial)?;
        scripted::reduce(plan, partial)?;
        pipeline::run_below(plan, partial)
    }

    fn buckets(&mut self, plan: &Aggregation, partial: &mut Partial) -> Result<()> {
        match (partial, &plan.kind) {
            (Partial::Terms(terms), Kind::Terms(of)) => self.terms(plan, of.cut(), terms),
            (Partial::Terms(terms), Kind::MultiTerms(of)) => self.terms(plan, of.cut(), terms),
            (Partial::Terms(terms), Kind::GeoGrid(of)) => self.terms(plan, of.cut(), terms),
            (Partial::Terms(terms), Kind::AdjacencyMatrix(_)) => self.by_key(plan, 1, terms),
            (Partial::Terms(terms), Kind::IpPrefix(of)) => self.by_key(plan, of.min_doc_count, terms),
            (Partial::RareTerms(rare), Kind::RareTerms(of)) => self.rare_terms(plan, of.max_doc_count, rare),
            (
                Partial::Significant(terms),
                Kind::SignificantTerms(of) | Kind::SignificantText(SignificantText { terms: of, .. }),
            ) => {
                terms.keep_best(of, of.size as usize, of.min_doc_count)?;
                terms.buckets.retain(|term| term.score > 0.0);
                self.count(terms.buckets.len())?;
                terms.buckets.iter_mut().try_for_each(|term| self.level(&plan.aggs, &mut term.bucket.aggs))
            }
            (Partial::VariableWidth(histogram), Kind::VariableWidthHistogram(of)) => self.clusters(plan, of, histogram),
            (Partial::Histogram(histogram), _) => self.histogram(plan, histogram),
            (Partial::AutoHistogram(histogram), Kind::AutoDateHistogram(of)) => self.auto_date(plan, of, histogram),
            (Partial::Composite(composite), _) => {
                self.count(composite.buckets.len())?;
                composite.after = composite.buckets.last().map(|(key, _)| key.clone());
                composite.buckets.iter_mut().try_for_each(|(_, bucket)| self.level(&plan.aggs, &mut bucket.aggs))
            }
            (Partial::Buckets(buckets), _) => {
                self.count(buckets.buckets.len())?;
                buckets.buckets.iter_mut().try_for_each(|bucket| self.level(&plan.aggs, &mut bucket.aggs))
            }
            (Partial::Single(bucket), _) => self.level(&plan.aggs, &mut bucket.aggs),
            (Partial::TopHits(hits), Kind::TopHits(of)) => {
                hits.cut(of.from as usize, of.size as usize);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn count(&mut self, buckets: usize) -> Result<()> {
        self.buckets += buckets as u64;
        if self.buckets > u64::from(self.max_buckets) {
            return Err(too_many_buckets(self.max_buckets, self.buckets));
        }
        Ok(())
    }

    /// All buckets of enough documents, by ascending key.
    fn by_key(&mut self, plan: &Aggregation, min_doc_count: u64, terms: &mut PartialTerms) -> Result<()> {
        terms.buckets.retain(|bucket| bucket.bucket.doc_count >= min_doc_count);
        terms.buckets.sort_by(|a, b| a.key.cmp(&b.key));
        self.count(terms.buckets.len())?;
        terms.buckets.iter_mut().try_for_each(|bucket| self.level(&plan.aggs, &mut bucket.bucket.aggs))
    }

    /// By ascending count, then key; without those that are frequent on one shard or on all together.
    fn rare_terms(&mut self, plan: &Aggregation, most: u64, rare: &mut PartialRareTerms) -> Result<()> {
        let frequent = &rare.frequent;
        let buckets = &mut rare.terms.buckets;
        buckets.retain(|term| term.bucket.doc_count <= most && !frequent.contains(&key_hash(&term.key)));
        buckets.sort_by(|a, b| a.bucket.doc_count.cmp(&b.bucket.doc_count).then_with(|| a.key.cmp(&b.key)));
        self.count(buckets.len())?;
        buckets.iter_mut().try_for_each(|term| self.level(&plan.aggs, &mut term.bucket.aggs))
    }

    fn terms(&mut self, plan: &Aggregation, of: TermsCut<'_>, terms: &mut PartialTerms) -> Result<()> {
        terms.buckets.retain(|bucket| bucket.bucket.doc_count >= of.min_doc_count);
        Ordering::new(of.order, &plan.aggs)?.sort(&mut terms.buckets);
        let keep = (of.size as usize).min(terms.buckets.len());
        terms.other += terms.buckets[keep..].iter().map(|bucket| bucket.bucket.doc_count).sum::<u64>();
        terms.buckets.truncate(keep);
        if self.shard_count == 1 {
            terms.error = Some(0);
            terms.buckets.iter_mut().for_each(|bucket| bucket.error = 0);
        }
        self.count(keep)?;
        terms.buckets.iter_mut().try_for_each(|bucket| self.level(&plan.aggs, &mut bucket.bucket.aggs))
    }

    fn histogram(&mut self, plan: &Aggregation, histogram: &mut PartialHistogram) -> Result<()> {
        let (min_doc_count, extended, order) = match &plan.kind {
            Kind::Histogram(of) => (of.min_doc_count, &of.extended_bounds, &of.order),
            Kind::DateHistogram(of) => (of.min_doc_count, &of.extended_bounds, &of.order),
            _ => return Ok(()),
        };
        if min_doc_count == 0 {
            self.fill(plan, extended.as_ref(), histogram)?;
        } else {
            histogram.buckets.retain(|(_, bucket)| bucket.doc_count >= min_doc_count);
        }
        self.count(histogram.buckets.len())?;
        if !matches!(order.first(), Some(order) if order.by == OrderBy::Key && order.ascending) {
            let ordering = Ordering::new(order, &plan.aggs)?;
            histogram.buckets.sort_by(|a, b| ordering.compare((&a.0, &a.1), (&b.0, &b.1)));
        }
        histogram.buckets.iter_mut().try_for_each(|(_, bucket)| self.level(&plan.aggs, &mut bucket.aggs))
    }

    /// Adds the empty buckets between the first and the last key, and out to the extended bounds.
    fn fill(&mut self, plan: &Aggregation, extended: Option<&Bounds>, histogram: &mut PartialHistogram) -> Result<()> {
        let steps = Steps::new(plan, histogram)?;
        let bound = |value: Option<&Value>| value.map(|value| steps.key_of(value, self.now_ms)).transpose();
        let low = bound(extended.and_then(|bounds| bounds.min.as_ref()))?;
        let high = bound(extended.and_then(|bounds| bounds.max.as_ref()))?;
        let first = histogram.buckets.first().map(|(key, _)| *key);
        let last = histogram.buckets.last().map(|(key, _)| *key);
        let (Some(mut key), Some(end)) = (first.min_some(low), last.max_some(high)) else { return Ok(()) };
        let empty = Bucket { doc_count: 0, aggs: empty_level(&plan.aggs) };
        let mut filled = Vec::with_capacity(histogram.buckets.len());
        let mut present = std::mem::take(&mut histogram.buckets).into_iter().peekable();
        loop {
            // What has documents is never stepped over.
            key = present.peek().map_or(key, |(at, _)| key.min(*at));
            if key > end {
                break;
            }
            filled.push(present.next_if(|(at, _)| *at == key).unwrap_or_else(|| (key, empty.clone())));
            if filled.len() as u64 + self.buckets > u64::from(self.max_buckets) {
                return Err(too_many_buckets(self.max_buckets, filled.len() as u64 + self.buckets));
            }
            let next = steps.next(key);
            if next <= key {
                break;
            }
            key = next;
        }
        histogram.buckets = filled;
        Ok(())
    }
}

trait Extremes {
    fn min_some(self, other: Self) -> Self;
    fn max_some(self, other: Self) -> Self;
}

impl Extremes for Option<i64> {
    fn min_some(self, other: Self) -> Self {
        self.map_or(other, |a| Some(other.map_or(a, |b| a.min(b))))
    }

    fn max_some(self, other: Self) -> Self {
        self.max(other)
    }
}

/// From one histogram key to the next.
enum Steps {
    Numbers { interval: f64, offset: f64 },
    Dates { rounding: Rounding, format: DateFormat, zone: TimeZone },
}

impl Steps {
    fn new(plan: &Aggregation, histogram: &PartialHistogram) -> Result<Self> {
        match &plan.kind {
            Kind::DateHistogram(of) => {
                let zone = histogram.format.time_zone.as_deref().map_or(Ok(TimeZone::UTC), parse_time_zone)?;
                let pattern = histogram.format.pattern.as_deref().unwrap_or("strict_date_optional_time||epoch_millis");
                let rounding = Rounding::new(of.interval, zone.clone(), of.offset_ms)?;
                Ok(Steps::Dates { rounding, format: DateFormat::new(pattern)?, zone })
            }
            Kind::Histogram(of) => Ok(Steps::Numbers { interval: of.interval, offset: of.offset }),
            _ => Ok(Steps::Numbers { interval: 1.0, offset: 0.0 }),
        }
    }

    fn next(&self, key: i64) -> i64 {
        match self {
            Steps::Numbers { .. } => key.saturating_add(1),
            Steps::Dates { rounding, .. } => rounding.next(key),
        }
    }

    fn key_of(&self, value: &Value, now_ms: i64) -> Result<i64> {
        match (self, value) {
            (Steps::Dates { rounding, format, zone }, Value::String(text)) => {
                Ok(rounding.round_bound(date_math::resolve(text, format, now_ms, Round::Down, zone)?.millis()))
            }
            (Steps::Dates { rounding, .. }, value) => {
                value.as_i64().map(|instant| rounding.round_bound(instant)).ok_or_else(|| not_a_bound(value))
            }
            (Steps::Numbers { interval, offset }, value) => value
                .as_f64()
                .map(|value| ((value - offset) / interval).floor() as i64)
                .ok_or_else(|| not_a_bound(value)),
        }
    }
}

fn not_a_bound(value: &Value) -> Error {
    Error::illegal_argument(format!("[{value}] cannot be a bound of a histogram"))
}

/// What the aggregations of a level hold in a bucket without documents.
pub fn empty_level(plan: &[Aggregation]) -> Vec<Partial> {
    plan.iter().filter(|aggregation| !aggregation.is_pipeline()).map(empty).collect()
}

fn empty(plan: &Aggregation) -> Partial {
    let single = || Bucket { doc_count: 0, aggs: empty_level(&plan.aggs) };
    let format = Format::plain(ValueType::Double);
    match &plan.kind {
        Kind::Terms(_) | Kind::AdjacencyMatrix(_) | Kind::MultiTerms(_) | Kind::IpPrefix(_) | Kind::GeoGrid(_) => {
            Partial::Terms(PartialTerms::empty())
        }
        Kind::RareTerms(_) => {
            Partial::RareTerms(PartialRareTerms { terms: PartialTerms::empty(), frequent: HashSet::new() })
        }
        Kind::SignificantTerms(_) | Kind::SignificantText(_) => {
            Partial::Significant(PartialSignificant { format: None, subset: 0, superset: 0, buckets: Vec::new() })
        }
        Kind::VariableWidthHistogram(_) => Partial::VariableWidth(PartialVariableWidth { format, buckets: Vec::new() }),
        Kind::Histogram(_) | Kind::DateHistogram(_) => {
            Partial::Histogram(PartialHistogram { format, buckets: Vec::new() })
        }
        Kind::Range(of) | Kind::DateRange(of) | Kind::GeoDistance(GeoDistance { range: of, .. }) => {
            Partial::Buckets(PartialBuckets {
                format,
                ends: of.ranges.iter().map(|range| (plain_end(&range.from), plain_end(&range.to))).collect(),
                buckets: of.ranges.iter().map(|_| single()).collect(),
            })
        }
        Kind::IpRange(of) => Partial::Buckets(PartialBuckets {
            format,
            ends: Vec::new(),
            buckets: of.ranges.iter().map(|_| single()).collect(),
        }),
        Kind::AutoDateHistogram(of) => Partial::AutoHistogram(PartialAutoHistogram {
            format: Format::plain(ValueType::DateMillis),
            unit: of.minimum_unit,
            step: 1,
            buckets: Vec::new(),
        }),
        Kind::Composite(of) => Partial::Composite(PartialComposite {
            formats: of.sources.iter().map(|_| None).collect(),
            buckets: Vec::new(),
            after: None,
        }),
        Kind::Filters(of) => Partial::Buckets(PartialBuckets {
            format,
            ends: Vec::new(),
            buckets: (0..of.filters.len() + usize::from(of.other_bucket.is_some())).map(|_| single()).collect(),
        }),
        Kind::Filter(_)
        | Kind::Missing(_)
        | Kind::Global(_)
        | Kind::Sampler(_)
        | Kind::Nested(_)
        | Kind::ReverseNested(_)
        | Kind::Children(_)
        | Kind::Parent(_) => Partial::Single(single()),
        kind => metrics::empty(kind, format),
    }
}

fn plain_end(value: &Option<Value>) -> Option<f64> {
    value.as_ref().and_then(Value::as_f64)
}
