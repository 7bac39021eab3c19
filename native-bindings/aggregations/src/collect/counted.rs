//! Values of histogram fields: numbers with how often each was counted; and the histogram of them.

use super::histogram::{KeyOf, histogram_partials};
use super::keyed_buckets::KeyedBuckets;
use super::{Batch, Children, Collector, Context};
use crate::partial::Partial;
use crate::source::FieldSource;
use quarry_base::error::Result;
use quarry_codec::sortable;
use quarry_codec::window::is_set;
use quarry_query::view::SegmentView;
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};

/// Numbers and counts of one field, window by window.
#[derive(Default)]
pub struct CountedValues<'a> {
    columns: Option<(&'a NumericColumn, &'a NumericColumn)>,
    numbers: NumericWindow,
    totals: NumericWindow,
}

impl<'a> CountedValues<'a> {
    pub fn start_segment(&mut self, source: &FieldSource, segment: &'a SegmentView) {
        self.columns = source.counted.as_ref().and_then(|counted| {
            let column = |name: &str| segment.field(name)?.numeric();
            Some((column(&counted.values)?, column(&counted.totals)?))
        });
    }

    /// Calls `take` with the place in the batch, and a number and its count, ascending by number within a document.
    pub fn for_each(&mut self, batch: &Batch<'_>, mut take: impl FnMut(usize, f64, u64) -> Result<()>) -> Result<()> {
        let Some((numbers, totals)) = self.columns else { return Ok(()) };
        numbers.decode_window(batch.window, &mut self.numbers);
        totals.decode_window(batch.window, &mut self.totals);
        for (place, &doc) in batch.docs.iter().enumerate() {
            if !is_set(&self.numbers.present, doc) || !is_set(&self.totals.present, doc) {
                continue;
            }
            let mut before = 0;
            for (&number, &total) in self.numbers.values_of(doc).iter().zip(self.totals.values_of(doc)) {
                take(place, sortable::to_f64(number), u64::try_from(total.saturating_sub(before)).unwrap_or(0))?;
                before = total;
            }
        }
        Ok(())
    }
}

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
