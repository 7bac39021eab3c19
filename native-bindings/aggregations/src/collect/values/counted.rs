//! Values of histogram fields: numbers with how often each was counted.

use crate::collect::Batch;
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
