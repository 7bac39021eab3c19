//! `range`, `date_range` and `geo_distance`.

use crate::budget::{Budget, too_many_buckets};
use crate::collect::tables::bucket_table::{ChildBatch, count_each};
use crate::collect::tables::recent_buckets::NO_BUCKET;
use crate::collect::values::NumberValues;
use crate::collect::values::counted::CountedValues;
use crate::collect::{Batch, Children, Collector, Context, Report, build};
use crate::partial::{Partial, PartialBuckets};
use crate::plan::{Aggregation, GeoDistance, Range};
use crate::source::{Accepts, FieldSource};
use quarry_base::error::{Error, Result};
use quarry_geo::distance::DistanceType;
use quarry_geo::point::GeoPoint;
use quarry_mapping::format::{Format, ValueType};
use quarry_query::view::SegmentView;
use std::rc::Rc;

type Ends = (Option<f64>, Option<f64>);

/// What of a value has to lie between the ends.
#[derive(Debug, Clone, Copy)]
enum Measure {
    Number,
    Distance { origin: GeoPoint, unit: f64, distance_type: DistanceType },
}

impl Measure {
    #[inline]
    fn of(self, value: i64, value_type: ValueType) -> f64 {
        match self {
            Measure::Number => value_type.number(value),
            Measure::Distance { origin, unit, distance_type } => {
                distance_type.metres(GeoPoint::of_column(value), origin) / unit
            }
        }
    }
}

pub struct RangeCollector<'a> {
    source: FieldSource,
    measure: Measure,
    values: NumberValues<'a>,
    counted: CountedValues<'a>,
    /// In the plan's order; `from` inclusive, `to` exclusive.
    ends: Vec<Ends>,
    /// The same as first and last value of the column; none of distances.
    bounds: Vec<(i64, i64)>,
    /// The bounds are known, and no value lies within two of them.
    are_apart: bool,
    /// Of the values of a batch.
    buckets: Vec<u32>,
    /// Of the ranges of each of the parent's buckets.
    counts: Vec<u64>,
    budget: Rc<Budget>,
    batch: ChildBatch,
    children: Children<'a>,
}

impl<'a> RangeCollector<'a> {
    pub fn new(
        context: &Context<'a>,
        plan: &Range,
        accepts: Accepts,
        name: &str,
        aggs: &'a [Aggregation],
    ) -> Result<Self> {
        let source = FieldSource::resolve(context.view, &plan.source, name, accepts, context.env.now_ms)?;
        Self::of_source(context, plan, source, Measure::Number, aggs)
    }

    pub fn of_distances(
        context: &Context<'a>,
        plan: &GeoDistance,
        name: &str,
        aggs: &'a [Aggregation],
    ) -> Result<Self> {
        let range = &plan.range;
        let source = FieldSource::resolve(context.view, &range.source, name, Accepts::Places, context.env.now_ms)?;
        let measure = Measure::Distance { origin: plan.origin, unit: plan.unit, distance_type: plan.distance_type };
        Self::of_source(context, range, source, measure, aggs)
    }

    fn of_source(
        context: &Context<'a>,
        plan: &Range,
        source: FieldSource,
        measure: Measure,
        aggs: &'a [Aggregation],
    ) -> Result<Self> {
        let now_ms = context.env.now_ms;
        if source.counted.is_some() && !aggs.is_empty() {
            let reason = "Range aggregation on histogram fields does not support sub-aggregations";
            return Err(Error::illegal_argument(reason));
        }
        let end =
            |value: &Option<serde_json::Value>| value.as_ref().map(|value| source.number(value, now_ms)).transpose();
        let ends: Vec<Ends> =
            plan.ranges.iter().map(|range| Ok((end(&range.from)?, end(&range.to)?))).collect::<Result<_>>()?;
        let bounds = match measure {
            Measure::Number => ends.iter().map(|ends| column_bounds(ends, source.format.value_type)).collect(),
            Measure::Distance { .. } => Vec::new(),
        };
        Ok(RangeCollector {
            values: NumberValues::new(source.missing_number()),
            counted: CountedValues::default(),
            source,
            measure,
            ends,
            are_apart: !bounds.is_empty() && are_apart(&bounds),
            bounds,
            buckets: Vec::new(),
            counts: Vec::new(),
            budget: Rc::clone(&context.budget),
            batch: ChildBatch::default(),
            children: build(context, aggs)?,
        })
    }
}

impl RangeCollector<'_> {
    /// Makes room for the counts of so many of the parent's buckets. Buckets have numbers of 32 bits.
    fn hold_owners(&mut self, owners: usize) -> Result<()> {
        let wanted = owners.saturating_mul(self.ends.len());
        if wanted > self.counts.len() {
            if u32::try_from(wanted).is_err() {
                return Err(too_many_buckets(self.budget.max(), wanted as u64));
            }
            self.budget.hold(wanted - self.counts.len())?;
            self.counts.resize(wanted, 0);
        }
        Ok(())
    }

    /// Buckets count what was counted, not documents.
    fn collect_counted(&mut self, batch: &Batch<'_>) -> Result<()> {
        let (ends, counts) = (&self.ends, &mut self.counts);
        self.counted.for_each(batch, |place, number, count| {
            let first = batch.owners.of(place) * ends.len() as u32;
            for (range, _) in ends.iter().enumerate().filter(|(_, ends)| holds(ends, number)) {
                counts[(first + range as u32) as usize] += count;
            }
            Ok(())
        })
    }
}

impl<'a> RangeCollector<'a> {
    /// Takes documents that have one number each, which lies in at most one of the ranges. `false` where that is not so: nothing
    /// was taken.
    fn collect_singles(&mut self, batch: &Batch<'_>) -> Result<bool> {
        if !self.are_apart {
            return Ok(false);
        }
        let slices = self.values.slices(batch);
        if slices.has_several {
            return Ok(false);
        }
        self.buckets.clear();
        self.buckets.resize(slices.values.len(), NO_BUCKET);
        for (range, &(low, high)) in (0..).zip(&self.bounds) {
            for (bucket, &value) in self.buckets.iter_mut().zip(slices.values) {
                *bucket = if (low <= value) & (value <= high) { range } else { *bucket };
            }
        }
        let width = self.bounds.len() as u32;
        if batch.owners.one() != Some(0) {
            for (at, bucket) in self.buckets.iter_mut().enumerate().filter(|(_, bucket)| **bucket != NO_BUCKET) {
                *bucket += width * batch.owners.of(slices.places.map_or(at, |places| places[at] as usize));
            }
        }
        self.batch.fill(batch, slices.places, &self.buckets);
        count_each(&mut self.counts, self.batch.owners());
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)?;
        Ok(true)
    }
}

/// No two of these ranges have a value in common.
fn are_apart(bounds: &[(i64, i64)]) -> bool {
    let mut filled: Vec<_> = bounds.iter().filter(|(low, high)| low <= high).collect();
    filled.sort_unstable();
    filled.windows(2).all(|pair| pair[0].1 < pair[1].0)
}

/// First and last value of a column that lie between the ends; the first above the last where none does.
fn column_bounds((from, to): &Ends, value_type: ValueType) -> (i64, i64) {
    let all = (value_type.sortable(f64::NEG_INFINITY), value_type.sortable(f64::INFINITY));
    let first_from = |end: f64| first_where(all, |value| value_type.number(value) >= end);
    let low = from.map_or(Some(all.0), first_from);
    let behind = to.map(first_from);
    match (low, behind) {
        (None, _) => (1, 0),
        (Some(low), None | Some(None)) => (low, all.1),
        (Some(low), Some(Some(behind))) => behind.checked_sub(1).map_or((1, 0), |high| (low, high)),
    }
}

/// The first number of `low..=high` that the condition holds for, where it holds for all from one number on.
fn first_where((mut low, mut high): (i64, i64), holds: impl Fn(i64) -> bool) -> Option<i64> {
    if !holds(high) {
        return None;
    }
    while low < high {
        let middle = (i128::from(low) + i128::from(high)).div_euclid(2) as i64;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

#[inline]
fn holds(ends: &Ends, value: f64) -> bool {
    ends.0.is_none_or(|from| value >= from) && ends.1.is_none_or(|to| value < to)
}

impl<'a> Collector<'a> for RangeCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        self.counted.start_segment(&self.source, segment);
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.hold_owners(batch.owners.end())?;
        if self.source.counted.is_some() {
            return self.collect_counted(&batch);
        }
        if self.values.is_void() {
            return Ok(());
        }
        if self.collect_singles(&batch)? {
            return Ok(());
        }
        let nested = !self.children.is_empty();
        self.batch.clear_for(if nested { batch.docs.len() } else { 0 });
        let (value_type, measure) = (self.source.format.value_type, self.measure);
        let width = self.ends.len() as u32;
        let (ends, counts, sent) = (&self.ends, &mut self.counts, &mut self.batch);
        self.values.for_each(&batch, |place, values| {
            let first = batch.owners.of(place) * width;
            for (range, ends) in ends.iter().enumerate() {
                if values.iter().any(|&value| holds(ends, measure.of(value, value_type))) {
                    let bucket = first + range as u32;
                    counts[bucket as usize] += 1;
                    if nested {
                        sent.push(&batch, place, bucket);
                    }
                }
            }
            Ok(())
        })?;
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let width = self.ends.len();
        self.hold_owners(owner_count)?;
        self.counts.truncate(owner_count * width);
        let mut buckets = self.children.finish_buckets(&self.counts)?.into_iter();
        let format = match self.measure {
            Measure::Number => self.source.format.clone(),
            Measure::Distance { .. } => Format::plain(ValueType::Double),
        };
        let partials = (0..owner_count).map(|_| {
            let buckets = buckets.by_ref().take(width).collect();
            Partial::Buckets(PartialBuckets { format: format.clone(), ends: self.ends.clone(), buckets })
        });
        Ok(partials.collect())
    }

    fn report(&self, report: &mut Report) {
        self.values.counts.report(report);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quarry_codec::sortable;

    fn end() -> impl Strategy<Value = Option<f64>> {
        let number = prop_oneof![-5.0..5.0f64, (-5..5i64).prop_map(|number| number as f64), any::<f64>()];
        prop::option::of(number.prop_filter("a number", |number| !number.is_nan()))
    }

    proptest! {
        #[test]
        fn columns_are_cut_where_numbers_are(ends in (end(), end()), whole in prop_oneof![-6..6i64, any::<i64>()], number in -6.0..6.0f64) {
            let cases = [
                (ValueType::Long, whole),
                (ValueType::DateNanos, whole),
                (ValueType::Scaled(100.0), whole),
                (ValueType::UnsignedLong, whole),
                (ValueType::Double, sortable::from_f64(number)),
                (ValueType::Float, sortable::from_f32(number as f32)),
            ];
            for (value_type, value) in cases {
                let (low, high) = column_bounds(&ends, value_type);
                let expected = holds(&ends, value_type.number(value));
                prop_assert_eq!(low <= value && value <= high, expected, "{:?} {}", value_type, value);
            }
        }
    }
}
