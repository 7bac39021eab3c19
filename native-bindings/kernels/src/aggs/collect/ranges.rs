//! `range`, `date_range` and `geo_distance`.

use super::bucket_table::ChildBatch;
use super::counted::CountedValues;
use super::metrics::entry;
use super::values::NumberValues;
use super::{Batch, Children, Collector, Context, Report, build};
use crate::aggs::format::{Format, ValueType};
use crate::aggs::partial::{Partial, PartialBuckets};
use crate::aggs::plan::{Aggregation, GeoDistance, Range};
use crate::aggs::source::{Accepts, FieldSource};
use crate::error::{Error, Result};
use crate::geo::distance::DistanceType;
use crate::geo::point::GeoPoint;
use crate::search::view::SegmentView;

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
    counts: Vec<u64>,
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
        let ends = plan.ranges.iter().map(|range| Ok((end(&range.from)?, end(&range.to)?))).collect::<Result<_>>()?;
        Ok(RangeCollector {
            values: NumberValues::new(source.missing_number()),
            counted: CountedValues::default(),
            source,
            measure,
            ends,
            counts: Vec::new(),
            batch: ChildBatch::default(),
            children: build(context, aggs)?,
        })
    }
}

impl RangeCollector<'_> {
    /// Buckets count what was counted, not documents.
    fn collect_counted(&mut self, batch: &Batch<'_>) -> Result<()> {
        let (ends, counts) = (&self.ends, &mut self.counts);
        self.counted.for_each(batch, |place, number, count| {
            let first = batch.owners.of(place) * ends.len() as u32;
            for (range, _) in ends.iter().enumerate().filter(|(_, ends)| holds(ends, number)) {
                *entry(counts, first + range as u32) += count;
            }
            Ok(())
        })
    }
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
        if self.source.counted.is_some() {
            return self.collect_counted(&batch);
        }
        if self.values.is_void() {
            return Ok(());
        }
        let (value_type, measure) = (self.source.format.value_type, self.measure);
        let width = self.ends.len() as u32;
        let (ends, counts, sent, nested) = (&self.ends, &mut self.counts, &mut self.batch, !self.children.is_empty());
        sent.clear();
        self.values.for_each(&batch, |place, values| {
            let first = batch.owners.of(place) * width;
            for (range, ends) in ends.iter().enumerate() {
                if values.iter().any(|&value| holds(ends, measure.of(value, value_type))) {
                    let bucket = first + range as u32;
                    *entry(counts, bucket) += 1;
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
        self.counts.resize(owner_count * width, 0);
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
