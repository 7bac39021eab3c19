//! Histograms over ranges: a document is in every bucket that one of its ranges reaches into, once.

use super::histogram::{KeyOf, histogram_partials};
use crate::collect::tables::keyed_buckets::KeyedBuckets;
use crate::collect::values::RangeValues;
use crate::collect::{Batch, Children, Collector, Context, Report};
use crate::partial::Partial;
use crate::source::FieldSource;
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use quarry_segment::reader::FieldReader;

pub struct RangeHistogramCollector<'a, K> {
    source: FieldSource,
    key: K,
    /// First and last key that `hard_bounds` lets through.
    bounds: (i64, i64),
    values: RangeValues<'a>,
    buckets: KeyedBuckets<'a>,
}

impl<'a, K: KeyOf> RangeHistogramCollector<'a, K> {
    pub fn new(context: &Context<'a>, source: FieldSource, key: K, bounds: (i64, i64), children: Children<'a>) -> Self {
        RangeHistogramCollector {
            source,
            key,
            bounds,
            values: RangeValues::default(),
            buckets: KeyedBuckets::new(context, children),
        }
    }
}

impl<'a, K: KeyOf> Collector<'a> for RangeHistogramCollector<'a, K> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.reader(segment).and_then(FieldReader::ranges));
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (key_of, (low, high), buckets) = (&self.key, self.bounds, &mut self.buckets);
        buckets.begin();
        self.values.for_each(&batch, |place, ranges| {
            // Ranges ascend by their beginning: what is behind this key was not counted yet.
            let mut last: Option<i64> = None;
            let mut count = 0;
            for &(from, to) in ranges {
                // Ends of numbers and dates are column values.
                let first = key_of.key_of_end(from as i64).max(low);
                let end = key_of.key_of_end(to as i64).min(high);
                let mut next = match last {
                    Some(last) if last >= first => key_of.next(last),
                    _ => Some(first),
                };
                while let Some(key) = next.filter(|&key| key <= end) {
                    count += 1;
                    buckets.budget().check_document(count)?;
                    buckets.add(&batch, place, key)?;
                    last = Some(key);
                    next = key_of.next(key);
                }
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
    }
}
