//! Histograms of histogram fields: what was counted, by interval.

use super::histogram::{KeyOf, histogram_partials};
use crate::collect::tables::keyed_buckets::KeyedBuckets;
use crate::collect::values::counted::CountedValues;
use crate::collect::{Batch, Children, Collector, Context};
use crate::partial::Partial;
use crate::source::FieldSource;
use quarry_base::error::Result;
use quarry_codec::sortable;
use quarry_query::view::SegmentView;

/// Buckets count what was counted, not documents.
pub struct CountedHistogramCollector<'a, K> {
    source: FieldSource,
    key: K,
    /// First and last key that `hard_bounds` lets through.
    bounds: (i64, i64),
    values: CountedValues<'a>,
    /// Without children: a part of a document's counts says nothing of its other values.
    buckets: KeyedBuckets<'a>,
}

impl<'a, K: KeyOf> CountedHistogramCollector<'a, K> {
    pub fn new(context: &Context<'a>, source: FieldSource, key: K, bounds: (i64, i64), children: Children<'a>) -> Self {
        CountedHistogramCollector {
            source,
            key,
            bounds,
            values: CountedValues::default(),
            buckets: KeyedBuckets::new(context, children),
        }
    }
}

impl<'a, K: KeyOf> Collector<'a> for CountedHistogramCollector<'a, K> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(&self.source, segment);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (key_of, (low, high), buckets) = (&self.key, self.bounds, &mut self.buckets);
        self.values.for_each(&batch, |place, number, count| {
            let key = key_of.key(sortable::from_f64(number));
            if key < low || key > high {
                return Ok(());
            }
            buckets.count(batch.owners.of(place), key, count).map(drop)
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        histogram_partials(&self.source, &mut self.buckets, owner_count)
    }
}
