//! A column of ordinals into the field's own term dictionary (term order is ordinal order).

use crate::codec::shared_bytes::SharedBytes;
use crate::error::Result;
use crate::window::{WINDOW, WindowBits};

/// A finished column, ready for the segment writer.
#[derive(Debug, Clone)]
pub struct OrdinalColumnData {
    pub(crate) bytes: Vec<u8>,
}

/// Takes the ordinals of documents in ascending order and packs window after window.
#[derive(Debug, Default)]
pub struct OrdinalColumnWriter {}

impl OrdinalColumnWriter {
    pub fn new() -> Self {
        Self::default()
    }

    /// The ordinals of `doc` in any order, duplicates are dropped; documents strictly ascending.
    pub fn add(&mut self, _doc: u32, _ordinals: &[u32]) {
        todo!()
    }

    /// `ordinal_count`: terms of the field's dictionary; every ordinal must be below it.
    pub fn finish(self, _max_doc: u32, _ordinal_count: u32) -> OrdinalColumnData {
        todo!()
    }
}

/// The decoded ordinals of one window; reused from window to window. As [`super::numeric::NumericWindow`].
#[derive(Debug)]
pub struct OrdinalWindow {
    pub present: WindowBits,
    pub ordinals: Vec<u32>,
    pub starts: Vec<u32>,
}

impl Default for OrdinalWindow {
    fn default() -> Self {
        OrdinalWindow { present: [0; WINDOW / 64], ordinals: Vec::new(), starts: Vec::new() }
    }
}

impl OrdinalWindow {
    pub fn is_single_valued(&self) -> bool {
        self.starts.is_empty()
    }

    /// The ordinals of in-window document `doc`, ascending and distinct.
    pub fn ordinals_of(&self, _doc: u16) -> &[u32] {
        todo!()
    }
}

#[derive(Debug, Clone)]
pub struct OrdinalColumn {}

impl OrdinalColumn {
    /// Verifies that the bytes are a column of `max_doc` documents; afterwards no access can leave them, and every
    /// ordinal given out is below `ordinal_count`.
    pub fn open(_bytes: SharedBytes, _max_doc: u32, _ordinal_count: u32) -> Result<Self> {
        todo!()
    }

    pub fn is_single_valued(&self) -> bool {
        todo!()
    }

    pub fn ordinal_count(&self) -> u32 {
        todo!()
    }

    pub fn doc_count(&self) -> u32 {
        todo!()
    }

    pub fn value_count(&self) -> u64 {
        todo!()
    }

    /// Smallest and largest ordinal of the window; `None` when no document in it has one.
    pub fn window_range(&self, _window: u32) -> Option<(u32, u32)> {
        todo!()
    }

    pub fn window_doc_count(&self, _window: u32) -> u32 {
        todo!()
    }

    pub fn decode_window(&self, _window: u32, _out: &mut OrdinalWindow) {
        todo!()
    }

    pub fn has_value(&self, _window: u32, _bits: &mut WindowBits) {
        todo!()
    }

    /// Sets the bit of every document of the window with an ordinal in `low..=high`.
    pub fn match_range(&self, _window: u32, _low: u32, _high: u32, _bits: &mut WindowBits) {
        todo!()
    }

    /// Appends the ordinals of one document, ascending.
    pub fn get(&self, _doc: u32, _out: &mut Vec<u32>) {
        todo!()
    }

    /// The smallest ordinal of one document.
    pub fn first(&self, _doc: u32) -> Option<u32> {
        todo!()
    }
}
