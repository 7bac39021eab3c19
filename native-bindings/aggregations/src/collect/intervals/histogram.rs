//! `histogram` and `date_histogram`: buckets by the number of the interval, or by the beginning of the period.

use super::counted_histogram::CountedHistogramCollector;
use super::range_histogram::RangeHistogramCollector;
use crate::collect::tables::keyed_buckets::KeyedBuckets;
use crate::collect::values::NumberValues;
use crate::collect::values::slices::{KeyBatch, leading};
use crate::collect::{Batch, Children, Collector, Context, Report, build};
use crate::dates::rounding::Rounding;
use crate::partial::{Partial, PartialHistogram};
use crate::plan::{Aggregation, DateHistogram, Histogram};
use crate::source::{Accepts, FieldSource};
use quarry_base::error::{Error, Result};
use quarry_mapping::format::ValueType;
use quarry_mapping::spec::FieldType;
use quarry_query::view::SegmentView;
use std::cell::Cell;

/// Keys that pass where there are no `hard_bounds`.
const UNBOUNDED: (i64, i64) = (i64::MIN, i64::MAX);
/// Widest range of values whose keys are worked out once for a segment, and how many documents have to be there for each.
const TOLD_VALUES_MAX: usize = 1 << 14;
const TOLD_VALUE_DOCUMENTS: usize = 8;
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
    /// Appends the key of each value.
    fn append_keys(&self, values: &[i64], keys: &mut Vec<i64>) {
        keys.extend(values.iter().map(|&value| self.key(value)));
    }
    /// How many of the first values have the key of the first.
    fn run_length(&self, values: &[i64]) -> usize {
        let Some(&first) = values.first() else { return 0 };
        let key = self.key(first);
        values.iter().position(|&value| self.key(value) != key).unwrap_or(values.len())
    }
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

    /// Without a choice for each value.
    fn append_keys(&self, values: &[i64], keys: &mut Vec<i64>) {
        let (offset, interval) = (self.offset, self.interval);
        match self.value_type {
            ValueType::Long => {
                keys.extend(values.iter().map(|&value| ((value as f64 - offset) / interval).floor() as i64));
            }
            _ => keys.extend(values.iter().map(|&value| self.key(value))),
        }
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

    /// All that lie in the period of the first.
    fn run_length(&self, values: &[i64]) -> usize {
        let Some(&first) = values.first() else { return 0 };
        self.key(first);
        let (beginning, next) = self.last.get();
        let unit = if self.nanos { NANOS } else { 1 };
        let (low, high) = (beginning.saturating_mul(unit), next.saturating_mul(unit));
        leading(values, |&value| low <= value && value < high)
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
    let bounds = if source.ranges.is_some() {
        // Ranges are cut off at the bounds, and lie in the intervals of what is left of them.
        let interval_of = |value: f64| ((value - plan.offset) / plan.interval).floor() as i64;
        (low.map_or(i64::MIN, interval_of), high.map_or(i64::MAX, interval_of))
    } else {
        bounded_keys(low, high, plan.interval)
    };
    let children = build(context, aggs)?;
    Ok(collector(context, source, key, bounds, children))
}

/// First and last interval whose beginning, the offset left aside, is within the bounds.
fn bounded_keys(low: Option<f64>, high: Option<f64>, interval: f64) -> (i64, i64) {
    let first = low.map_or(i64::MIN, |low| {
        let key = (low / interval).ceil();
        (if (key - 1.0) * interval >= low { key - 1.0 } else { key }) as i64
    });
    let last = high.map_or(i64::MAX, |high| {
        let key = (high / interval).floor();
        (if (key + 1.0) * interval <= high { key + 1.0 } else { key }) as i64
    });
    (first, last)
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
    let low = bound(hard.and_then(|bounds| bounds.min.as_ref()))?;
    let high = bound(hard.and_then(|bounds| bounds.max.as_ref()))?;
    let bounds = if source.ranges.is_some() {
        let period_of = |instant: f64| rounding.round(instant as i64);
        (low.map_or(i64::MIN, period_of), high.map_or(i64::MAX, period_of))
    } else {
        // Bounds are beginnings of periods without the offset, and the upper one is left out.
        let beginning = |instant: f64| rounding.round_without_offset(instant as i64);
        (low.map_or(i64::MIN, beginning), high.map_or(i64::MAX, |high| beginning(high).saturating_sub(1)))
    };
    let nanos = source.format.value_type == ValueType::DateNanos;
    let key = PeriodKey { rounding, nanos, last: Cell::new((0, 0)) };
    let children = build(context, aggs)?;
    Ok(collector(context, source, key, bounds, children))
}

struct HistogramCollector<'a, K> {
    source: FieldSource,
    key: K,
    /// First and last key that `hard_bounds` lets through.
    bounds: (i64, i64),
    values: NumberValues<'a>,
    keys: KeyBatch,
    /// Least value of the segment, and the keys of values from it on; empty where they are many.
    told: (i64, Vec<i64>),
    buckets: KeyedBuckets<'a>,
}

impl<'a, K: KeyOf> HistogramCollector<'a, K> {
    fn new(context: &Context<'a>, source: FieldSource, key: K, bounds: (i64, i64), children: Children<'a>) -> Self {
        HistogramCollector {
            values: NumberValues::new(source.missing_number()),
            source,
            key,
            bounds,
            keys: KeyBatch::default(),
            told: (0, Vec::new()),
            buckets: KeyedBuckets::new(context, children),
        }
    }

    /// Works out the keys of all values of a segment that has few.
    fn tell_keys(&mut self, (low, high): (i64, i64), documents: u32) {
        self.told.1.clear();
        let width = high.abs_diff(low) as usize;
        if width < TOLD_VALUES_MAX.min(documents as usize / TOLD_VALUE_DOCUMENTS) {
            self.told.0 = low;
            let values: Vec<i64> = (low..=high).collect();
            self.key.append_keys(&values, &mut self.told.1);
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
}

/// Counts documents that have one owner and one value each: those behind one another often have the same key.
fn collect_runs(
    key: &impl KeyOf,
    values: &[i64],
    owner: u32,
    batch: &Batch<'_>,
    buckets: &mut KeyedBuckets<'_>,
) -> Result<()> {
    buckets.begin();
    let mut start = 0;
    while start < values.len() {
        let end = start + key.run_length(&values[start..]).max(1);
        buckets.add_run(owner, key.key(values[start]), (start, end))?;
        start = end;
    }
    buckets.send_runs(batch)
}

impl<'a, K: KeyOf> Collector<'a> for HistogramCollector<'a, K> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        if let Some((low, high)) = self.values.range() {
            self.buckets.expect_keys(self.key.key(low), self.key.key(high));
            self.tell_keys((low, high), segment.max_doc());
        }
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        let one = batch.owners.one().filter(|_| !batch.docs.is_empty());
        if let Some(owner) = one
            && let Some(key) = self.key_of_window(batch.window)
        {
            return self.collect_window(key, owner, &batch);
        }
        let slices = self.values.slices(&batch);
        let is_bounded = self.bounds != UNBOUNDED;
        if let Some(owner) = one
            && slices.places.is_none()
            && !is_bounded
            && !self.buckets.has_dense_keys()
        {
            return collect_runs(&self.key, slices.values, owner, &batch, &mut self.buckets);
        }
        let (low, told) = (self.told.0, &self.told.1);
        self.keys.load(slices, |values, keys| match told.is_empty() {
            true => self.key.append_keys(values, keys),
            false => keys.extend(values.iter().map(|&value| {
                let known = told.get(value.wrapping_sub(low) as usize);
                known.copied().unwrap_or_else(|| self.key.key(value))
            })),
        });
        if is_bounded {
            let (low, high) = self.bounds;
            self.keys.retain(|key| low <= key && key <= high);
        }
        self.buckets.take(&batch, &self.keys)
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
