//! Packs the values of documents, window after window.

use super::document_set;
use super::packed::{DIRECTORY_ENTRY_BYTES, Header, WindowEntry};
use quarry_codec::bitpack;
use quarry_codec::window::{WINDOW, window_count};

/// What becomes of the values of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Order {
    /// They ascend; repeated ones are kept.
    #[default]
    Ascending,
    /// They ascend; repeated ones are dropped.
    Distinct,
    /// They stay as they are.
    Given,
}

/// The writer that numeric columns, ordinal columns and presence sections share. Memory: the packed bytes and one window.
#[derive(Debug, Default)]
pub(super) struct PackedWriter {
    order: Order,
    entries: Vec<WindowEntry>,
    data: Vec<u8>,
    /// In-window documents of the window being filled, where each one's values start, and the values.
    docs: Vec<u16>,
    starts: Vec<u32>,
    values: Vec<i64>,
    codes: Vec<u64>,
}

impl PackedWriter {
    pub(super) fn new(order: Order) -> Self {
        PackedWriter { order, ..Self::default() }
    }

    /// Values of `doc` in any order; documents strictly ascending. Without values the document is left out.
    pub(super) fn add(&mut self, doc: u32, values: impl Iterator<Item = i64>) {
        self.complete_windows_before(doc);
        let start = self.values.len();
        self.values.extend(values);
        if self.values.len() > start + 1 && self.order != Order::Given {
            self.values[start..].sort_unstable();
            if self.order == Order::Distinct {
                self.drop_repeated(start);
            }
        }
        if self.values.len() > start {
            let in_window = (doc as usize % WINDOW) as u16;
            debug_assert!(self.docs.last().is_none_or(|&last| last < in_window), "documents must ascend");
            self.docs.push(in_window);
            self.starts.push(start as u32);
        }
    }

    fn drop_repeated(&mut self, start: usize) {
        let mut kept = start;
        for index in start..self.values.len() {
            if kept == start || self.values[kept - 1] != self.values[index] {
                self.values[kept] = self.values[index];
                kept += 1;
            }
        }
        self.values.truncate(kept);
    }

    fn complete_windows_before(&mut self, doc: u32) {
        while self.entries.len() < doc as usize / WINDOW {
            self.complete_window();
        }
    }

    fn complete_window(&mut self) {
        let mut entry = WindowEntry { offset: self.data.len() as u64, ..WindowEntry::default() };
        if !self.docs.is_empty() {
            self.encode_window(&mut entry);
        }
        self.entries.push(entry);
        self.docs.clear();
        self.starts.clear();
        self.values.clear();
    }

    fn encode_window(&mut self, entry: &mut WindowEntry) {
        entry.doc_count = self.docs.len() as u16;
        entry.value_count = self.values.len() as u32;
        entry.min = self.values.iter().copied().min().unwrap_or(0);
        entry.max = self.values.iter().copied().max().unwrap_or(0);
        entry.set_form = document_set::write(&self.docs, &mut self.data);
        if !entry.is_single_valued() {
            self.codes.clear();
            self.codes.extend(self.starts.iter().map(|&start| u64::from(start)));
            bitpack::pack(&self.codes, entry.starts_width(), &mut self.data);
        }
        // Several values per document come through `starts`, which ranks do not go with.
        if entry.is_single_valued()
            && let Some(step) = constant_step(&self.values)
        {
            entry.codes_are_ranks = true;
            entry.divisor = step;
            return;
        }
        entry.divisor = common_divisor(&self.values, entry.min);
        let divisor = entry.divisor;
        self.codes.clear();
        if divisor == 1 {
            self.codes.extend(self.values.iter().map(|&value| distance(entry.min, value)));
        } else {
            self.codes.extend(self.values.iter().map(|&value| distance(entry.min, value) / divisor));
        }
        entry.width = bitpack::width_of(distance(entry.min, entry.max) / divisor).max(entry.least_width());
        bitpack::pack(&self.codes, entry.width, &mut self.data);
    }

    /// The section of a segment of `max_doc` documents.
    pub(super) fn finish(mut self, max_doc: u32) -> (Vec<u8>, Header) {
        let windows = window_count(max_doc) as usize;
        while self.entries.len() < windows {
            self.complete_window();
        }
        debug_assert_eq!(self.entries.len(), windows, "a document is not below max_doc");
        let header = Header::of(max_doc, &self.entries);
        let data_start = Header::BYTES + windows * DIRECTORY_ENTRY_BYTES;
        let mut out = Vec::with_capacity(data_start + self.data.len());
        header.write(&mut out);
        for entry in &self.entries {
            entry.write(&mut out);
        }
        out.append(&mut self.data);
        (out, header)
    }
}

/// How far `value` lies above `min`; both may be anywhere in `i64`.
#[inline]
pub(super) fn distance(min: i64, value: i64) -> u64 {
    value.wrapping_sub(min) as u64
}

/// The step of at least two values that rise by the same step each.
fn constant_step(values: &[i64]) -> Option<u64> {
    let (first, second) = (*values.first()?, *values.get(1)?);
    if second <= first {
        return None;
    }
    let step = distance(first, second);
    values.windows(2).all(|pair| pair[1] > pair[0] && distance(pair[0], pair[1]) == step).then_some(step)
}

/// The greatest number that divides every value's distance from `min`; 1 when there is none.
fn common_divisor(values: &[i64], min: i64) -> u64 {
    let mut divisor = 0;
    for &value in values {
        let mut remainder = distance(min, value);
        if divisor != 0 {
            remainder %= divisor;
        }
        divisor = greatest_common_divisor(divisor, remainder);
        if divisor == 1 {
            break;
        }
    }
    divisor.max(1)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
