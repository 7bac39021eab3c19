//! Documents by their ranges.

use super::sets::DocSet;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WindowBits};
use quarry_segment::column::range::{RangeColumns, RangeMatch, RangeWindow};

/// Documents with a range that begins and ends where it should.
pub struct RangeSet<'a> {
    columns: &'a RangeColumns,
    wanted: &'a RangeMatch,
    decoded: RangeWindow,
}

impl<'a> RangeSet<'a> {
    pub fn new(columns: &'a RangeColumns, wanted: &'a RangeMatch) -> Self {
        RangeSet { columns, wanted, decoded: RangeWindow::default() }
    }
}

impl DocSet for RangeSet<'_> {
    fn cost(&self) -> u64 {
        self.columns.doc_count().into()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let found = (window..self.columns.window_count()).find(|&window| self.columns.may_match(window, self.wanted));
        Ok(found.unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.columns.match_window(window, self.wanted, &mut self.decoded, bits);
        Ok(())
    }
}
