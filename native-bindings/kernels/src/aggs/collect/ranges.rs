//! `range` and `date_range`.

use super::bucket_table::ChildBatch;
use super::metrics::entry;
use super::values::NumberValues;
use super::{Batch, Children, Collector, Context, build};
use crate::aggs::partial::{Partial, PartialBuckets};
use crate::aggs::plan::{Aggregation, Range};
use crate::aggs::source::{Accepts, FieldSource};
use crate::error::Result;
use crate::search::view::SegmentView;

type Ends = (Option<f64>, Option<f64>);

pub struct RangeCollector<'a> {
    source: FieldSource,
    values: NumberValues<'a>,
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
        let now_ms = context.env.now_ms;
        let source = FieldSource::resolve(context.view, &plan.source, name, accepts, now_ms)?;
        let end =
            |value: &Option<serde_json::Value>| value.as_ref().map(|value| source.number(value, now_ms)).transpose();
        let ends = plan.ranges.iter().map(|range| Ok((end(&range.from)?, end(&range.to)?))).collect::<Result<_>>()?;
        Ok(RangeCollector {
            values: NumberValues::new(source.missing_number()),
            source,
            ends,
            counts: Vec::new(),
            batch: ChildBatch::default(),
            children: build(context, aggs)?,
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
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        let value_type = self.source.format.value_type;
        let width = self.ends.len() as u32;
        let (ends, counts, sent, nested) = (&self.ends, &mut self.counts, &mut self.batch, !self.children.is_empty());
        sent.clear();
        self.values.for_each(&batch, |place, values| {
            let first = batch.owners.of(place) * width;
            for (range, ends) in ends.iter().enumerate() {
                if values.iter().any(|&value| holds(ends, value_type.number(value))) {
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
        let partials = (0..owner_count).map(|_| {
            let buckets = buckets.by_ref().take(width).collect();
            Partial::Buckets(PartialBuckets { format: self.source.format.clone(), ends: self.ends.clone(), buckets })
        });
        Ok(partials.collect())
    }
}
