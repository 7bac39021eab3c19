//! `histogram` and `date_histogram`: buckets by the number of the interval, or by the beginning of the period.

use super::counted::CountedHistogramCollector;
use super::keyed_buckets::KeyedBuckets;
use super::range_histogram::RangeHistogramCollector;
use super::values::NumberValues;
use super::{Batch, Children, Collector, Context, Report, build};
use crate::aggs::format::ValueType;
use crate::aggs::partial::{Partial, PartialHistogram};
use crate::aggs::plan::{Aggregation, DateHistogram, Histogram};
use crate::aggs::rounding::Rounding;
use crate::aggs::source::{Accepts, FieldSource};
use crate::error::{Error, Result};
use crate::mapping::spec::FieldType;
use crate::search::view::SegmentView;
use crate::window::WINDOW;
use std::cell::Cell;

/// Keys that pass where there are no `hard_bounds`.
const UNBOUNDED: (i64, i64) = (i64::MIN, i64::MAX);
/// Nanoseconds of a millisecond.
const NANOS: i64 = 1_000_000;

/// First and last millisecond that calendars count: open ranges begin and end there.
const CALENDAR: (i64, i64) = (-377_705_023_201_000, 253_402_207_200_000);

/// From a column value to the bucket's key, monotone.
pub(super) trait KeyOf {
    fn key(&self, value: i64) -> i64;
    /// The key of the end of a range, which may be open.
    fn key_of_end(&self, value: i64) -> i64 {
        self.key(value)
    }
    /// The key after this one; `None` behind the last.
    fn next(&self, key: i64) -> Option<i64>;
}

struct IntervalKey {
    value_type: ValueType,
    interval: f64,
    offset: f64,
}

impl KeyOf for IntervalKey {
    #[inline]
    fn key(&self, value: i64) -> i64 {
        ((self.value_type.number(value) - self.offset) / self.interval).floor() as i64
    }

    fn next(&self, key: i64) -> Option<i64> {
        key.checked_add(1)
    }
}

struct PeriodKey {
    rounding: Rounding,
    nanos: bool,
    /// The period of the last value, `begin..next`: documents come in about the order of their dates.
    last: Cell<(i64, i64)>,
}

impl KeyOf for PeriodKey {
    #[inline]
    fn key(&self, value: i64) -> i64 {
        let instant = if self.nanos { value.div_euclid(NANOS) } else { value };
        let (beginning, next) = self.last.get();
        if instant >= beginning && instant < next {
            return beginning;
        }
        let beginning = self.rounding.round(instant);
        self.last.set((beginning, self.rounding.next(beginning)));
        beginning
    }

    fn key_of_end(&self, value: i64) -> i64 {
        match value {
            i64::MIN => self.key(CALENDAR.0),
            i64::MAX => self.key(CALENDAR.1),
            value => self.key(value),
        }
    }

    fn next(&self, key: i64) -> Option<i64> {
        Some(self.rounding.next(key)).filter(|&next| next > key && next < i64::MAX)
    }
}

/// The numeric histogram of a plan.
pub fn numeric<'a>(
    context: &Context<'a>,
    plan: &Histogram,
    name: &str,
    aggs: &'a [Aggregation],
) -> Result<Box<dyn Collector<'a> + 'a>> {
    let source = FieldSource::resolve(context.view, &plan.source, name, Accepts::NumbersOrObjects, context.env.now_ms)?;
    if source.ranges == Some(FieldType::IpRange) {
        return Err(Error::illegal_argument("Expected numeric range type but found non-numeric range [ip_range]"));
    }
    if source.counted.is_some() && !aggs.is_empty() {
        let reason = "Histogram aggregation on histogram fields does not support sub-aggregations";
        return Err(Error::illegal_argument(reason));
    }
    let key = IntervalKey { value_type: source.format.value_type, interval: plan.interval, offset: plan.offset };
    let bound = |value: Option<&serde_json::Value>| value.map(|value| source.number(value, context.env.now_ms));
    let hard = plan.hard_bounds.as_ref();
    let low = bound(hard.and_then(|bounds| bounds.min.as_ref())).transpose()?;
    let high = bound(hard.and_then(|bounds| bounds.max.as_ref())).transpose()?;
    let interval_of = |value: f64| ((value - plan.offset) / plan.interval).floor() as i64;
    let bounds = (low.map_or(i64::MIN, interval_of), high.map_or(i64::MAX, interval_of));
    let children = build(context, aggs)?;
    Ok(collector(context, source, key, bounds, children))
}

fn collector<'a, K: KeyOf + 'a>(
    context: &Context<'a>,
    source: FieldSource,
    key: K,
    bounds: (i64, i64),
    children: Children<'a>,
) -> Box<dyn Collector<'a> + 'a> {
    if source.counted.is_some() {
        return Box::new(CountedHistogramCollector::new(context, source, key, bounds, children));
    }
    if source.ranges.is_some() {
        return Box::new(RangeHistogramCollector::new(context, source, key, bounds, children));
    }
    Box::new(HistogramCollector::new(context, source, key, bounds, children))
}

/// The date histogram of a plan.
pub fn date<'a>(
    context: &Context<'a>,
    plan: &DateHistogram,
    name: &str,
    aggs: &'a [Aggregation],
) -> Result<Box<dyn Collector<'a> + 'a>> {
    let now_ms = context.env.now_ms;
    let source = FieldSource::resolve(context.view, &plan.source, name, Accepts::DatesOrRanges, now_ms)?;
    if let Some(ranges) = source.ranges.filter(|&ranges| ranges != FieldType::DateRange) {
        let kind = ranges.name();
        return Err(Error::illegal_argument(format!("Expected date range type but found range type [{kind}]")));
    }
    if !source.unmapped && !source.format.value_type.is_date() && source.format.value_type != ValueType::Long {
        return Err(Error::illegal_argument(format!(
            "Field [{}] is not a date and is not supported for aggregation [{name}]",
            source.name
        )));
    }
    let rounding = Rounding::new(plan.interval, source.zone()?, plan.offset_ms)?;
    let bound = |value: Option<&serde_json::Value>| value.map(|value| source.number(value, now_ms)).transpose();
    let hard = plan.hard_bounds.as_ref();
    let low = bound(hard.and_then(|bounds| bounds.min.as_ref()))?.map_or(i64::MIN, |low| rounding.round(low as i64));
    let high = bound(hard.and_then(|bounds| bounds.max.as_ref()))?.map_or(i64::MAX, |high| rounding.round(high as i64));
    let nanos = source.format.value_type == ValueType::DateNanos;
    let key = PeriodKey { rounding, nanos, last: Cell::new((0, 0)) };
    let children = build(context, aggs)?;
    Ok(collector(context, source, key, (low, high), children))
}

struct HistogramCollector<'a, K> {
    source: FieldSource,
    key: K,
    /// First and last key that `hard_bounds` lets through.
    bounds: (i64, i64),
    values: NumberValues<'a>,
    buckets: KeyedBuckets<'a>,
}

impl<'a, K: KeyOf> HistogramCollector<'a, K> {
    fn new(context: &Context<'a>, source: FieldSource, key: K, bounds: (i64, i64), children: Children<'a>) -> Self {
        HistogramCollector {
            values: NumberValues::new(source.missing_number()),
            source,
            key,
            bounds,
            buckets: KeyedBuckets::new(context, children),
        }
    }

    /// The key of all values of the window, where it is one and every document has one value.
    fn key_of_window(&self, window: u32) -> Option<i64> {
        let (low, high) = self.values.full_window_range(window)?;
        let key = self.key.key(low);
        (key == self.key.key(high)).then_some(key)
    }

    /// Counts a window's documents at once and hands them on as they came.
    fn collect_window(&mut self, key: i64, owner: u32, batch: &Batch<'_>) -> Result<()> {
        self.values.counts.told += 1;
        if key < self.bounds.0 || key > self.bounds.1 {
            return Ok(());
        }
        self.buckets.add_all(owner, key, batch)
    }

    /// Takes a window whose documents have one value each: those behind one another often have the same key. `false` where it is
    /// not of that kind, or where `hard_bounds` leave documents out.
    fn collect_runs(&mut self, owner: u32, batch: &Batch<'_>) -> Result<bool> {
        let docs = batch.docs;
        if self.bounds != UNBOUNDED {
            return Ok(false);
        }
        let Some(values) = self.values.full_window(batch.window) else { return Ok(false) };
        let key_at = |place: usize| self.key.key(values[usize::from(docs[place]) % WINDOW]);
        self.buckets.begin();
        let mut end = 0;
        let mut next = key_at(0);
        while end < docs.len() {
            let (start, key) = (end, next);
            end += 1;
            while end < docs.len() {
                next = key_at(end);
                if next != key {
                    break;
                }
                end += 1;
            }
            self.buckets.add_run(owner, key, (start, end))?;
        }
        self.buckets.send_runs(batch)?;
        Ok(true)
    }
}

impl<'a, K: KeyOf> Collector<'a> for HistogramCollector<'a, K> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        if let Some((low, high)) = self.values.range() {
            self.buckets.expect_keys(self.key.key(low), self.key.key(high));
        }
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        if let Some(owner) = batch.owners.one().filter(|_| !batch.docs.is_empty()) {
            if let Some(key) = self.key_of_window(batch.window) {
                return self.collect_window(key, owner, &batch);
            }
            if self.collect_runs(owner, &batch)? {
                return Ok(());
            }
        }
        let (key_of, (low, high), buckets) = (&self.key, self.bounds, &mut self.buckets);
        buckets.begin();
        self.values.for_each(&batch, |place, values| {
            let mut before = None;
            for &value in values {
                let key = key_of.key(value);
                // Values ascend, so a document's equal keys are neighbours: it counts once.
                if before.replace(key) == Some(key) || key < low || key > high {
                    continue;
                }
                buckets.add(&batch, place, key)?;
            }
            Ok(())
        })?;
        self.buckets.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        histogram_partials(&self.source, &mut self.buckets, owner_count)
    }

    fn report(&self, report: &mut Report) {
        report.figure("total_buckets", self.buckets.bucket_count());
        self.values.counts.report(report);
    }
}

/// The buckets of each bucket of the parent, by key.
pub(super) fn histogram_partials(
    source: &FieldSource,
    buckets: &mut KeyedBuckets<'_>,
    owner_count: usize,
) -> Result<Vec<Partial>> {
    let partial = |buckets| Partial::Histogram(PartialHistogram { format: source.format.clone(), buckets });
    Ok(buckets.finish(owner_count)?.into_iter().map(partial).collect())
}
