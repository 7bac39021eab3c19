//! A column of sortable 64-bit numbers; zero, one or several per document.

use super::decode::{self, Scratch, Target};
use super::encode::{Order, PackedWriter};
use super::filter;
use super::packed::{CodeRun, PackedColumn, WindowData};
use quarry_base::error::Result;
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits};

/// A finished column, ready for the segment writer.
#[derive(Debug, Clone)]
pub struct NumericColumnData {
    pub bytes: Vec<u8>,
    range: Option<(i64, i64)>,
    doc_count: u32,
}

impl NumericColumnData {
    /// Documents with at least one value.
    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.doc_count
    }

    /// Smallest and largest value; `None` when there is none.
    #[inline]
    pub fn range(&self) -> Option<(i64, i64)> {
        self.range
    }
}

/// Takes the values of documents in ascending order and packs window after window.
#[derive(Debug)]
pub struct NumericColumnWriter {
    packed: PackedWriter,
}

impl Default for NumericColumnWriter {
    fn default() -> Self {
        NumericColumnWriter { packed: PackedWriter::new(Order::Ascending) }
    }
}

impl NumericColumnWriter {
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Values of a document stay in the order in which they are given: a column that goes with another one.
    pub(super) fn in_given_order() -> Self {
        NumericColumnWriter { packed: PackedWriter::new(Order::Given) }
    }

    /// The values of `doc` in any order, duplicates kept; documents strictly ascending; none for documents without value.
    #[inline]
    pub fn add(&mut self, doc: u32, values: &[i64]) {
        self.packed.add(doc, values.iter().copied());
    }

    /// Every document given must be below `max_doc`.
    #[inline]
    pub fn finish(self, max_doc: u32) -> NumericColumnData {
        let (bytes, header) = self.packed.finish(max_doc);
        let range = (header.doc_count > 0).then_some((header.min, header.max));
        NumericColumnData { bytes, range, doc_count: header.doc_count }
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
    scratch: Scratch<i64>,
}

impl Default for NumericWindow {
    fn default() -> Self {
        NumericWindow {
            present: [0; WINDOW_WORDS],
            values: vec![0; WINDOW],
            starts: Vec::new(),
            scratch: Scratch::default(),
        }
    }
}

impl NumericWindow {
    #[inline]
    pub fn is_single_valued(&self) -> bool {
        self.starts.is_empty()
    }

    /// The values of in-window document `doc`, ascending.
    #[inline]
    pub fn values_of(&self, doc: u16) -> &[i64] {
        let doc = usize::from(doc);
        if !self.is_single_valued() {
            return &self.values[self.starts[doc] as usize..self.starts[doc + 1] as usize];
        }
        let present = self.present[doc / 64] >> (doc % 64) & 1 == 1;
        if present { &self.values[doc..doc + 1] } else { &[] }
    }
}

/// Clones share the bytes.
#[derive(Debug, Clone)]
pub struct NumericColumn {
    packed: PackedColumn,
}

impl NumericColumn {
    /// What it takes outside of its file.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.packed.heap_bytes()
    }

    /// Verifies that the bytes are a column of `max_doc` documents; afterwards no access can leave them.
    #[inline]
    pub fn open(bytes: SharedBytes, max_doc: u32) -> Result<Self> {
        Ok(NumericColumn { packed: PackedColumn::open(bytes, max_doc)? })
    }

    /// No document has more than one value.
    #[inline]
    pub fn is_single_valued(&self) -> bool {
        self.packed.is_single_valued()
    }

    /// Documents with at least one value.
    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.packed.header.doc_count
    }

    #[inline]
    pub fn value_count(&self) -> u64 {
        self.packed.header.value_count
    }

    /// Smallest and largest value of the column; `None` when it is empty.
    #[inline]
    pub fn range(&self) -> Option<(i64, i64)> {
        let header = &self.packed.header;
        (header.doc_count > 0).then_some((header.min, header.max))
    }

    #[inline]
    pub fn window_count(&self) -> u32 {
        self.packed.header.windows
    }

    /// Smallest and largest value of the window; `None` when no document in it has one.
    #[inline]
    pub fn window_range(&self, window: u32) -> Option<(i64, i64)> {
        self.packed.entry(window).map(|entry| (entry.min, entry.max))
    }

    /// No document of the window has more than one value.
    #[inline]
    pub fn has_single_values(&self, window: u32) -> bool {
        self.packed.entry(window).is_none_or(|entry| entry.is_single_valued())
    }

    /// Number of documents of the window with a value.
    #[inline]
    pub fn window_doc_count(&self, window: u32) -> u32 {
        self.packed.entry(window).map_or(0, |entry| u32::from(entry.doc_count))
    }

    /// Every document of the window has a value.
    #[inline]
    pub fn is_full(&self, window: u32) -> bool {
        self.packed.is_full(window)
    }

    /// Reads everything; `open` proves only that no access can leave the bytes.
    #[inline]
    pub fn verify(&self) -> Result<()> {
        self.packed.verify()
    }

    #[inline]
    pub fn decode_window(&self, window: u32, out: &mut NumericWindow) {
        let target = Target {
            present: &mut out.present,
            values: &mut out.values,
            starts: &mut out.starts,
            scratch: &mut out.scratch,
        };
        decode::decode_window(self.packed.window(window), target, decode_ranked);
    }

    /// Sets the bit of every document of the window that has a value.
    #[inline]
    pub fn has_value(&self, window: u32, bits: &mut WindowBits) {
        self.packed.set_bits(window, bits);
    }

    /// Sets the bit of every document of the window with a value in `low..=high`.
    #[inline]
    pub fn match_range(&self, window: u32, low: i64, high: i64, bits: &mut WindowBits) {
        if let Some(data) = self.packed.window(window) {
            filter::match_range(&data, low, high, bits);
        }
    }

    /// For reading some documents of a window one by one; `None` where none of them has a value.
    #[inline]
    pub fn single_reads(&self, window: u32) -> Option<SingleReads<'_>> {
        self.packed.window(window).map(|data| SingleReads { data })
    }

    /// Appends the values of one document, ascending.
    #[inline]
    pub fn get(&self, doc: u32, out: &mut Vec<i64>) {
        if let Some(reads) = self.single_reads(doc / WINDOW as u32) {
            reads.get((doc as usize % WINDOW) as u16, out);
        }
    }

    /// The smallest value of one document.
    #[inline]
    pub fn first(&self, doc: u32) -> Option<i64> {
        let SingleReads { data } = self.single_reads(doc / WINDOW as u32)?;
        let rank = data.set.rank(doc as usize % WINDOW)?;
        data.value_range(rank).next().map(|place| value(&data, data.code(place)))
    }
}

/// The values of single documents of a window, looked up without decoding those of others.
#[derive(Debug)]
pub struct SingleReads<'a> {
    data: WindowData<'a>,
}

impl SingleReads<'_> {
    /// Appends the values of in-window document `doc`, ascending.
    #[inline]
    pub fn get(&self, doc: u16, out: &mut Vec<i64>) {
        let Some(rank) = self.data.set.rank(usize::from(doc)) else { return };
        out.extend(self.data.value_range(rank).map(|place| value(&self.data, self.data.code(place))));
    }
}

#[inline]
fn value(data: &WindowData<'_>, code: u64) -> i64 {
    data.entry.min.wrapping_add(data.entry.divisor.wrapping_mul(code) as i64)
}

/// Writes the values in the order of documents to the front of `out`.
fn decode_ranked(data: &WindowData<'_>, out: &mut [i64]) {
    let (min, divisor) = (data.entry.min, data.entry.divisor);
    data.for_each_run(|first, run| match run {
        CodeRun::Narrow(run) if divisor == 1 => {
            out[first..].iter_mut().zip(run).for_each(|(slot, &code)| *slot = min.wrapping_add(i64::from(code)));
        }
        CodeRun::Narrow(run) => {
            out[first..].iter_mut().zip(run).for_each(|(slot, &code)| *slot = value(data, u64::from(code)));
        }
        CodeRun::Wide(run) => out[first..].iter_mut().zip(run).for_each(|(slot, &code)| *slot = value(data, code)),
    });
}
