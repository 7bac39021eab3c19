//! The values of a batch's documents.

pub mod counted;
pub mod number_field;
pub mod slices;
pub mod term_ids;

use super::{Batch, Report};
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW, is_set};
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};
use quarry_segment::column::ordinal::{OrdinalColumn, OrdinalWindow};
use quarry_segment::column::range::{Range, RangeColumns, RangeWindow};
use slices::{Decoded, Gather, Slices};

/// How windows were read, for `profile`.
#[derive(Debug, Clone, Copy, Default)]
pub struct WindowCounts {
    /// Segments with a column, whose windows tell their least and greatest value.
    segments: u32,
    others: u32,
    /// Windows of which the values were read.
    read: u64,
    /// Windows whose least and greatest value said it all.
    pub told: u64,
}

impl WindowCounts {
    /// By the names that the reference has for leaves and inner nodes of its trees of points: here windows of a column, and what is
    /// decided above them.
    pub fn report(&self, report: &mut Report) {
        if self.segments > 0 {
            report.figure("optimized_segments", self.segments);
            report.figure("unoptimized_segments", self.others);
            report.figure("leaf_visited", self.read);
            report.figure("inner_visited", self.told);
        }
    }
}

/// Numbers of one field, window by window; a missing value stands in for documents without one.
pub struct NumberValues<'a> {
    column: Option<&'a NumericColumn>,
    missing: Option<i64>,
    window: NumericWindow,
    gather: Gather<i64>,
    pub counts: WindowCounts,
}

impl<'a> NumberValues<'a> {
    pub fn new(missing: Option<i64>) -> Self {
        NumberValues {
            column: None,
            missing,
            window: NumericWindow::default(),
            gather: Gather::default(),
            counts: WindowCounts::default(),
        }
    }

    pub fn start_segment(&mut self, column: Option<&'a NumericColumn>) {
        self.column = column;
        let kind = if column.is_some() { &mut self.counts.segments } else { &mut self.counts.others };
        *kind += 1;
    }

    /// No document can have a value here.
    pub fn is_void(&self) -> bool {
        self.column.is_none() && self.missing.is_none()
    }

    /// The column's values of the current segment all lie in this range, and the missing value too.
    pub fn range(&self) -> Option<(i64, i64)> {
        let column = self.column.and_then(NumericColumn::range);
        match (column, self.missing) {
            (Some((low, high)), Some(missing)) => Some((low.min(missing), high.max(missing))),
            (range, None) => range,
            (None, Some(missing)) => Some((missing, missing)),
        }
    }

    /// Smallest and largest value of a window whose documents have one value each.
    pub fn full_window_range(&self, window: u32) -> Option<(i64, i64)> {
        let column = self.column.filter(|column| column.is_single_valued() && column.is_full(window))?;
        column.window_range(window)
    }

    /// No document has more than one value.
    pub fn are_single(&self) -> bool {
        self.column.is_none_or(NumericColumn::is_single_valued)
    }

    /// The values of the batch's documents behind one another.
    pub fn slices(&mut self, batch: &Batch<'_>) -> Slices<'_, i64> {
        let Some(column) = self.column else {
            return match self.missing {
                Some(missing) => self.gather.repeated(batch.docs.len(), missing),
                None => Slices::empty(),
            };
        };
        column.decode_window(batch.window, &mut self.window);
        self.counts.read += 1;
        let NumericWindow { present, values, starts, .. } = &self.window;
        let decoded = Decoded { present, values, starts, is_full: column.is_full(batch.window) };
        self.gather.slices(batch.docs, decoded, self.missing)
    }

    /// Calls `take` with the place in the batch and the values, ascending, of each document that has any.
    #[inline]
    pub fn for_each(&mut self, batch: &Batch<'_>, mut take: impl FnMut(usize, &[i64]) -> Result<()>) -> Result<()> {
        let missing: &[i64] = self.missing.as_slice();
        let Some(column) = self.column else {
            if !missing.is_empty() {
                (0..batch.docs.len()).try_for_each(|place| take(place, missing))?;
            }
            return Ok(());
        };
        column.decode_window(batch.window, &mut self.window);
        self.counts.read += 1;
        let single = self.window.is_single_valued();
        for (place, &doc) in batch.docs.iter().enumerate() {
            if is_set(&self.window.present, doc) {
                if single {
                    let at = usize::from(doc);
                    take(place, &self.window.values[at..=at])?;
                } else {
                    take(place, self.window.values_of(doc))?;
                }
            } else if !missing.is_empty() {
                take(place, missing)?;
            }
        }
        Ok(())
    }
}

/// Ranges of one field, window by window.
#[derive(Default)]
pub struct RangeValues<'a> {
    columns: Option<&'a RangeColumns>,
    window: RangeWindow,
    ranges: Vec<Range>,
}

impl<'a> RangeValues<'a> {
    pub fn start_segment(&mut self, columns: Option<&'a RangeColumns>) {
        self.columns = columns;
    }

    /// Calls `take` with the place in the batch and the ranges, by beginning, of each document that has any.
    pub fn for_each(&mut self, batch: &Batch<'_>, mut take: impl FnMut(usize, &[Range]) -> Result<()>) -> Result<()> {
        let Some(columns) = self.columns else { return Ok(()) };
        columns.decode_window(batch.window, &mut self.window);
        for (place, &doc) in batch.docs.iter().enumerate().filter(|&(_, &doc)| is_set(self.window.present(), doc)) {
            self.ranges.clear();
            self.ranges.extend(self.window.ranges_of(doc));
            take(place, &self.ranges)?;
        }
        Ok(())
    }
}

/// Ordinals of one field, window by window.
pub struct OrdinalValues<'a> {
    column: Option<&'a OrdinalColumn>,
    window: OrdinalWindow,
    gather: Gather<u32>,
}

impl<'a> OrdinalValues<'a> {
    pub fn new() -> Self {
        OrdinalValues { column: None, window: OrdinalWindow::default(), gather: Gather::default() }
    }

    pub fn start_segment(&mut self, column: Option<&'a OrdinalColumn>) {
        self.column = column;
    }

    /// Of the current segment.
    pub fn column(&self) -> Option<&'a OrdinalColumn> {
        self.column
    }

    /// The ordinals of the batch's documents behind one another.
    pub fn slices(&mut self, batch: &Batch<'_>) -> Slices<'_, u32> {
        let Some(column) = self.column else { return Slices::empty() };
        column.decode_window(batch.window, &mut self.window);
        let OrdinalWindow { present, ordinals, starts, .. } = &self.window;
        let decoded = Decoded { present, values: ordinals, starts, is_full: column.is_full(batch.window) };
        self.gather.slices(batch.docs, decoded, None)
    }

    /// As [`OrdinalValues::for_each`] where documents have at most one ordinal, of those that have one. `false` where the field is not
    /// of that kind: nothing was taken.
    #[inline]
    pub fn for_each_single(
        &mut self,
        batch: &Batch<'_>,
        mut take: impl FnMut(usize, u32) -> Result<()>,
    ) -> Result<bool> {
        let Some(column) = self.column.filter(|column| column.is_single_valued()) else { return Ok(false) };
        column.decode_window(batch.window, &mut self.window);
        let ordinals = &self.window.ordinals[..WINDOW];
        for (place, &doc) in batch.docs.iter().enumerate() {
            if is_set(&self.window.present, doc) {
                take(place, ordinals[usize::from(doc) % WINDOW])?;
            }
        }
        Ok(true)
    }

    /// Calls `take` with the place in the batch and the ordinals, ascending and distinct, of each document; none for
    /// documents without a value.
    #[inline]
    pub fn for_each(&mut self, batch: &Batch<'_>, mut take: impl FnMut(usize, &[u32]) -> Result<()>) -> Result<()> {
        let Some(column) = self.column else {
            return (0..batch.docs.len()).try_for_each(|place| take(place, &[]));
        };
        column.decode_window(batch.window, &mut self.window);
        let single = self.window.is_single_valued();
        for (place, &doc) in batch.docs.iter().enumerate() {
            if !is_set(&self.window.present, doc) {
                take(place, &[])?;
            } else if single {
                let at = usize::from(doc);
                take(place, &self.window.ordinals[at..=at])?;
            } else {
                take(place, self.window.ordinals_of(doc))?;
            }
        }
        Ok(())
    }
}
