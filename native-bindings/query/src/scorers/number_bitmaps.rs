//! Documents with a number of a bitmap.

use super::bits;
use super::sets::DocSet;
use crate::number_bitmap::NumberBitmap;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WindowBits, window_count};
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};

pub struct NumberBitmapSet<'a> {
    column: &'a NumericColumn,
    wanted: &'a NumberBitmap,
    windows: u32,
    decoded: NumericWindow,
    docs: Vec<u16>,
}

impl<'a> NumberBitmapSet<'a> {
    pub fn new(column: &'a NumericColumn, wanted: &'a NumberBitmap, max_doc: u32) -> Self {
        let (windows, decoded) = (window_count(max_doc), NumericWindow::default());
        NumberBitmapSet { column, wanted, windows, decoded, docs: Vec::new() }
    }

    fn reaches(&self, window: u32) -> bool {
        self.column.window_range(window).is_some_and(|(low, high)| self.wanted.reaches(low, high))
    }
}

impl DocSet for NumberBitmapSet<'_> {
    fn cost(&self) -> u64 {
        u64::from(self.column.doc_count()).min(self.wanted.count())
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok((window..self.windows).find(|&window| self.reaches(window)).unwrap_or(NO_MORE_WINDOWS))
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        if !self.reaches(window) {
            return Ok(());
        }
        self.column.decode_window(window, &mut self.decoded);
        bits::list(&self.decoded.present, &mut self.docs);
        for &doc in &self.docs {
            if self.decoded.values_of(doc).iter().any(|&value| self.wanted.holds(value)) {
                bits::set(bits, doc);
            }
        }
        Ok(())
    }
}
