//! A column of ordinals into the field's own term dictionary (term order is ordinal order).

use super::decode::{self, Scratch, Target};
use super::encode::{Order, PackedWriter};
use super::filter;
use super::packed::{CodeRun, PackedColumn, WindowData};
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits};

/// A finished column, ready for the segment writer.
#[derive(Debug, Clone)]
pub struct OrdinalColumnData {
    pub bytes: Vec<u8>,
}

/// Takes the ordinals of documents in ascending order and packs window after window.
#[derive(Debug)]
pub struct OrdinalColumnWriter {
    packed: PackedWriter,
}

impl Default for OrdinalColumnWriter {
    fn default() -> Self {
        OrdinalColumnWriter { packed: PackedWriter::new(Order::Distinct) }
    }
}

impl OrdinalColumnWriter {
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// The ordinals of `doc` in any order, duplicates are dropped; documents strictly ascending.
    #[inline]
    pub fn add(&mut self, doc: u32, ordinals: &[u32]) {
        self.packed.add(doc, ordinals.iter().map(|&ordinal| i64::from(ordinal)));
    }

    /// Every document given must be below `max_doc`.
    #[inline]
    pub fn finish(self, max_doc: u32) -> OrdinalColumnData {
        OrdinalColumnData { bytes: self.packed.finish(max_doc).0 }
    }
}

/// The decoded ordinals of one window; reused from window to window. As [`super::numeric::NumericWindow`].
#[derive(Debug)]
pub struct OrdinalWindow {
    /// Documents with at least one ordinal.
    pub present: WindowBits,
    /// By document in single-valued windows (0 where absent), else cut by `starts`.
    pub ordinals: Vec<u32>,
    /// Empty in a single-valued window.
    pub starts: Vec<u32>,
    scratch: Scratch<u32>,
}

impl Default for OrdinalWindow {
    fn default() -> Self {
        OrdinalWindow {
            present: [0; WINDOW_WORDS],
            ordinals: vec![0; WINDOW],
            starts: Vec::new(),
            scratch: Scratch::default(),
        }
    }
}

impl OrdinalWindow {
    #[inline]
    pub fn is_single_valued(&self) -> bool {
        self.starts.is_empty()
    }

    /// The ordinals of in-window document `doc`, ascending and distinct.
    #[inline]
    pub fn ordinals_of(&self, doc: u16) -> &[u32] {
        let doc = usize::from(doc);
        if !self.is_single_valued() {
            return &self.ordinals[self.starts[doc] as usize..self.starts[doc + 1] as usize];
        }
        let present = self.present[doc / 64] >> (doc % 64) & 1 == 1;
        if present { &self.ordinals[doc..doc + 1] } else { &[] }
    }
}

#[derive(Debug)]
pub struct OrdinalColumn {
    packed: PackedColumn,
    ordinal_count: u32,
}

impl OrdinalColumn {
    /// What it takes outside of its file.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.packed.heap_bytes()
    }

    /// Verifies that the bytes are a column of `max_doc` documents; afterwards no access can leave them, and every
    /// ordinal given out is below `ordinal_count`.
    pub fn open(bytes: SharedBytes, max_doc: u32, ordinal_count: u32) -> Result<Self> {
        let packed = PackedColumn::open(bytes, max_doc)?;
        let header = &packed.header;
        if header.doc_count > 0 && (header.min < 0 || header.max >= i64::from(ordinal_count)) {
            let range = (header.min, header.max);
            return Err(Error::corrupt(format!(
                "ordinals {range:?} are outside the dictionary of {ordinal_count} terms"
            )));
        }
        Ok(OrdinalColumn { packed, ordinal_count })
    }

    /// No document has more than one ordinal.
    #[inline]
    pub fn is_single_valued(&self) -> bool {
        self.packed.is_single_valued()
    }

    /// Terms of the field's dictionary.
    #[inline]
    pub fn ordinal_count(&self) -> u32 {
        self.ordinal_count
    }

    /// Documents with at least one ordinal.
    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.packed.header.doc_count
    }

    #[inline]
    pub fn value_count(&self) -> u64 {
        self.packed.header.value_count
    }

    /// Smallest and largest ordinal of the window; `None` when no document in it has one.
    #[inline]
    pub fn window_range(&self, window: u32) -> Option<(u32, u32)> {
        self.packed.entry(window).map(|entry| (entry.min as u32, entry.max as u32))
    }

    /// Number of documents of the window with an ordinal.
    #[inline]
    pub fn window_doc_count(&self, window: u32) -> u32 {
        self.packed.entry(window).map_or(0, |entry| u32::from(entry.doc_count))
    }

    #[inline]
    pub fn window_count(&self) -> u32 {
        self.packed.header.windows
    }

    /// Every document of the window has an ordinal.
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
    pub fn decode_window(&self, window: u32, out: &mut OrdinalWindow) {
        let target = Target {
            present: &mut out.present,
            values: &mut out.ordinals,
            starts: &mut out.starts,
            scratch: &mut out.scratch,
        };
        decode::decode_window(self.packed.window(window), target, decode_ranked);
    }

    /// Sets the bit of every document of the window that has an ordinal.
    #[inline]
    pub fn has_value(&self, window: u32, bits: &mut WindowBits) {
        self.packed.set_bits(window, bits);
    }

    /// Sets the bit of every document of the window with an ordinal in `low..=high`.
    #[inline]
    pub fn match_range(&self, window: u32, low: u32, high: u32, bits: &mut WindowBits) {
        if let Some(data) = self.packed.window(window) {
            filter::match_range(&data, i64::from(low), i64::from(high), bits);
        }
    }

    /// Appends the ordinals of one document, ascending.
    #[inline]
    pub fn get(&self, doc: u32, out: &mut Vec<u32>) {
        let Some(data) = self.packed.window(doc / WINDOW as u32) else { return };
        let Some(rank) = data.set.rank(doc as usize % WINDOW) else { return };
        out.extend(data.value_range(rank).map(|place| ordinal(&data, data.code(place))));
    }

    /// The smallest ordinal of one document.
    #[inline]
    pub fn first(&self, doc: u32) -> Option<u32> {
        let data = self.packed.window(doc / WINDOW as u32)?;
        let rank = data.set.rank(doc as usize % WINDOW)?;
        data.value_range(rank).next().map(|place| ordinal(&data, data.code(place)))
    }
}

/// The ordinal of a code: never more than the window's largest, which `open` compared with the dictionary.
#[inline]
fn ordinal(data: &WindowData<'_>, code: u64) -> u32 {
    let ordinal = (data.entry.min as u64).saturating_add(code.saturating_mul(data.entry.divisor));
    ordinal.min(data.entry.max as u64) as u32
}

/// Writes the ordinals in the order of documents to the front of `out`.
fn decode_ranked(data: &WindowData<'_>, out: &mut [u32]) {
    let (min, max) = (data.entry.min as u32, data.entry.max as u32);
    data.for_each_run(|first, run| match run {
        CodeRun::Narrow(run) if data.entry.divisor == 1 => {
            out[first..].iter_mut().zip(run).for_each(|(slot, &code)| *slot = min.saturating_add(code).min(max));
        }
        CodeRun::Narrow(run) => {
            out[first..].iter_mut().zip(run).for_each(|(slot, &code)| *slot = ordinal(data, u64::from(code)));
        }
        CodeRun::Wide(run) => out[first..].iter_mut().zip(run).for_each(|(slot, &code)| *slot = ordinal(data, code)),
    });
}
