//! A column of sortable 64-bit numbers; zero, one or several per document.

use crate::codec::shared_bytes::SharedBytes;
use crate::error::Result;
use crate::window::{WINDOW, WindowBits};

/// A finished column, ready for the segment writer.
#[derive(Debug, Clone)]
pub struct NumericColumnData {
    pub(crate) bytes: Vec<u8>,
}

/// Takes the values of documents in ascending order and packs window after window.
#[derive(Debug, Default)]
pub struct NumericColumnWriter {}

impl NumericColumnWriter {
    pub fn new() -> Self {
        Self::default()
    }

    /// The values of `doc` in any order, duplicates kept; documents strictly ascending; none for documents without value.
    pub fn add(&mut self, _doc: u32, _values: &[i64]) {
        todo!()
    }

    pub fn finish(self, _max_doc: u32) -> NumericColumnData {
        todo!()
    }
}

/// The decoded values of one window; reused from window to window.
#[derive(Debug)]
pub struct NumericWindow {
    /// Documents with at least one value.
    pub present: WindowBits,
    /// Single-valued windows: the value of in-window document `i` at place `i` (0 where absent), always [`WINDOW`] long.
    /// Windows where some document has several: all values, document after document, cut by `starts`.
    pub values: Vec<i64>,
    /// Empty in a single-valued window; else `starts[i]..starts[i + 1]` are document `i`'s values, ascending.
    pub starts: Vec<u32>,
}

impl Default for NumericWindow {
    fn default() -> Self {
        NumericWindow { present: [0; WINDOW / 64], values: Vec::new(), starts: Vec::new() }
    }
}

impl NumericWindow {
    pub fn is_single_valued(&self) -> bool {
        self.starts.is_empty()
    }

    /// The values of in-window document `doc`, ascending.
    pub fn values_of(&self, _doc: u16) -> &[i64] {
        todo!()
    }
}

#[derive(Debug, Clone)]
pub struct NumericColumn {}

impl NumericColumn {
    /// Verifies that the bytes are a column of `max_doc` documents; afterwards no access can leave them.
    pub fn open(_bytes: SharedBytes, _max_doc: u32) -> Result<Self> {
        todo!()
    }

    /// No document has more than one value.
    pub fn is_single_valued(&self) -> bool {
        todo!()
    }

    /// Documents with at least one value, and the number of values.
    pub fn doc_count(&self) -> u32 {
        todo!()
    }

    pub fn value_count(&self) -> u64 {
        todo!()
    }

    /// Smallest and largest value of the column; `None` when it is empty.
    pub fn range(&self) -> Option<(i64, i64)> {
        todo!()
    }

    /// Smallest and largest value of the window; `None` when no document in it has one.
    pub fn window_range(&self, _window: u32) -> Option<(i64, i64)> {
        todo!()
    }

    /// Number of documents of the window with a value.
    pub fn window_doc_count(&self, _window: u32) -> u32 {
        todo!()
    }

    pub fn decode_window(&self, _window: u32, _out: &mut NumericWindow) {
        todo!()
    }

    /// Sets the bit of every document of the window that has a value.
    pub fn has_value(&self, _window: u32, _bits: &mut WindowBits) {
        todo!()
    }

    /// Sets the bit of every document of the window with a value in `low..=high`.
    pub fn match_range(&self, _window: u32, _low: i64, _high: i64, _bits: &mut WindowBits) {
        todo!()
    }

    /// Appends the values of one document, ascending.
    pub fn get(&self, _doc: u32, _out: &mut Vec<i64>) {
        todo!()
    }

    /// The smallest value of one document.
    pub fn first(&self, _doc: u32) -> Option<i64> {
        todo!()
    }
}
