//! The bytes of a column: header, directory of windows, data. Opening proves that no later access can leave them.

use super::document_set::{DocumentSet, SetForm};
use quarry_base::error::{Error, Result};
use quarry_codec::bitpack;
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WindowBits, window_count};
use std::sync::Arc;

/// What is known of the whole column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Header {
    pub max_doc: u32,
    pub doc_count: u32,
    pub value_count: u64,
    pub min: i64,
    pub max: i64,
    pub windows: u32,
}

impl Header {
    pub(super) const BYTES: usize = 40;

    pub(super) fn of(max_doc: u32, entries: &[WindowEntry]) -> Self {
        let filled = || entries.iter().filter(|entry| entry.doc_count > 0);
        Header {
            max_doc,
            doc_count: entries.iter().map(|entry| u32::from(entry.doc_count)).sum(),
            value_count: entries.iter().map(|entry| u64::from(entry.value_count)).sum(),
            min: filled().map(|entry| entry.min).min().unwrap_or(0),
            max: filled().map(|entry| entry.max).max().unwrap_or(0),
            windows: entries.len() as u32,
        }
    }

    /// Documents of a window, with a value or without.
    #[inline]
    fn documents_in(&self, window: usize) -> usize {
        (self.max_doc as usize).saturating_sub(window * WINDOW).min(WINDOW)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.max_doc.to_le_bytes());
        out.extend_from_slice(&self.doc_count.to_le_bytes());
        out.extend_from_slice(&self.value_count.to_le_bytes());
        out.extend_from_slice(&self.min.to_le_bytes());
        out.extend_from_slice(&self.max.to_le_bytes());
        out.extend_from_slice(&self.windows.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
    }

    fn read(bytes: &[u8; Self::BYTES]) -> Self {
        Header {
            max_doc: u32::from_le_bytes(part(bytes, 0)),
            doc_count: u32::from_le_bytes(part(bytes, 4)),
            value_count: u64::from_le_bytes(part(bytes, 8)),
            min: i64::from_le_bytes(part(bytes, 16)),
            max: i64::from_le_bytes(part(bytes, 24)),
            windows: u32::from_le_bytes(part(bytes, 32)),
        }
    }
}

pub(crate) const DIRECTORY_ENTRY_BYTES: usize = 40;
const CODES_ARE_RANKS: u8 = 0x80;

/// What is known of one window. An empty window has `doc_count` 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WindowEntry {
    pub min: i64,
    pub max: i64,
    pub divisor: u64,
    /// From the start of the data.
    pub offset: u64,
    pub value_count: u32,
    pub doc_count: u16,
    pub width: u8,
    pub set_form: SetForm,
    /// Value `i` of the window is `min + divisor * i`; nothing is stored.
    pub codes_are_ranks: bool,
}

impl Default for WindowEntry {
    fn default() -> Self {
        WindowEntry {
            min: 0,
            max: 0,
            divisor: 1,
            offset: 0,
            value_count: 0,
            doc_count: 0,
            width: 0,
            set_form: SetForm::Prefix,
            codes_are_ranks: false,
        }
    }
}

impl WindowEntry {
    #[inline]
    pub(super) fn is_single_valued(&self) -> bool {
        self.value_count == u32::from(self.doc_count)
    }

    #[inline]
    pub(super) fn starts_width(&self) -> u8 {
        bitpack::width_of(u64::from(self.value_count))
    }

    /// Codes that all are 0 take no bits; where documents have several values they take one all the same, so that a
    /// window never claims more values than its bytes could hold.
    pub(super) fn least_width(&self) -> u8 {
        u8::from(!self.is_single_valued())
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.min.to_le_bytes());
        out.extend_from_slice(&self.max.to_le_bytes());
        out.extend_from_slice(&self.divisor.to_le_bytes());
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.value_count.to_le_bytes());
        out.extend_from_slice(&self.doc_count.to_le_bytes());
        out.push(self.width);
        out.push(self.set_form as u8 | if self.codes_are_ranks { CODES_ARE_RANKS } else { 0 });
    }

    fn read(bytes: &[u8; DIRECTORY_ENTRY_BYTES]) -> Option<Self> {
        Some(WindowEntry {
            min: i64::from_le_bytes(part(bytes, 0)),
            max: i64::from_le_bytes(part(bytes, 8)),
            divisor: u64::from_le_bytes(part(bytes, 16)),
            offset: u64::from_le_bytes(part(bytes, 24)),
            value_count: u32::from_le_bytes(part(bytes, 32)),
            doc_count: u16::from_le_bytes(part(bytes, 36)),
            width: bytes[38],
            set_form: SetForm::from_code(bytes[39] & !CODES_ARE_RANKS)?,
            codes_are_ranks: bytes[39] & CODES_ARE_RANKS != 0,
        })
    }

    #[inline]
    fn set_len(&self) -> usize {
        self.set_form.stored_len(usize::from(self.doc_count))
    }

    #[inline]
    fn starts_len(&self) -> usize {
        if self.is_single_valued() {
            return 0;
        }
        bitpack::packed_len(usize::from(self.doc_count), self.starts_width()).unwrap_or(usize::MAX)
    }

    /// Where the window's bytes end in the data; `None` where that overflows.
    fn end(&self) -> Option<usize> {
        let codes = if self.codes_are_ranks { 0 } else { bitpack::packed_len(self.value_count as usize, self.width)? };
        let front = usize::try_from(self.offset).ok()?.checked_add(self.set_len())?;
        front.checked_add(self.starts_len())?.checked_add(codes)
    }

    /// What of the window's description contradicts itself; `documents` is the number of documents in the window.
    fn contradiction(&self, documents: usize, header: &Header) -> Option<&'static str> {
        if usize::from(self.doc_count) > documents || self.value_count < u32::from(self.doc_count) {
            return Some("counts");
        }
        if self.doc_count == 0 {
            return (self.value_count != 0).then_some("counts");
        }
        if self.min > self.max || self.min < header.min || self.max > header.max {
            return Some("range");
        }
        let ranks_of_several = self.codes_are_ranks && !self.is_single_valued();
        if self.divisor == 0 || ranks_of_several || !(self.least_width()..=64).contains(&self.width) {
            return Some("form");
        }
        None
    }
}

/// An opened column.
#[derive(Debug, Clone)]
pub(super) struct PackedColumn {
    pub header: Header,
    entries: Arc<[WindowEntry]>,
    data: SharedBytes,
    single_valued: bool,
}

/// The parts of one window's data.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowData<'a> {
    pub entry: &'a WindowEntry,
    pub set: DocumentSet<'a>,
    starts: &'a [u8],
    codes: &'a [u8],
}

/// Consecutive codes of a window.
#[derive(Debug, Clone, Copy)]
pub(super) enum CodeRun<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
}

impl PackedColumn {
    /// What it takes outside of its file.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.entries)
    }

    pub(super) fn open(bytes: SharedBytes, max_doc: u32) -> Result<Self> {
        let header = bytes.first_chunk().map(Header::read).ok_or_else(|| Error::corrupt("column header is cut off"))?;
        if header.max_doc != max_doc || header.windows != window_count(max_doc) {
            return Err(Error::corrupt(format!(
                "column is of {} documents in {} windows, the segment has {max_doc} documents",
                header.max_doc, header.windows
            )));
        }
        let data_start = Header::BYTES + header.windows as usize * DIRECTORY_ENTRY_BYTES;
        let directory = bytes
            .get(Header::BYTES..data_start)
            .ok_or_else(|| Error::corrupt(format!("column directory is cut off at byte {}", bytes.len())))?;
        let data = bytes.slice(data_start..bytes.len())?;
        let mut entries = Vec::with_capacity(header.windows as usize);
        for (window, entry) in directory.as_chunks().0.iter().enumerate() {
            entries.push(read_entry(entry, window, &header, data.len())?);
        }
        let counted = Header::of(max_doc, &entries);
        if counted != header {
            return Err(Error::corrupt("column header and directory do not agree"));
        }
        let single_valued = entries.iter().all(WindowEntry::is_single_valued);
        Ok(PackedColumn { header, entries: entries.into(), data, single_valued })
    }

    #[inline]
    pub(super) fn is_single_valued(&self) -> bool {
        self.single_valued
    }

    /// Every document of the window has a value.
    #[inline]
    pub(super) fn is_full(&self, window: u32) -> bool {
        self.entry(window).map_or(0, |entry| usize::from(entry.doc_count)) == self.header.documents_in(window as usize)
    }

    /// `None` when no document of the window has a value.
    #[inline]
    pub(super) fn entry(&self, window: u32) -> Option<&WindowEntry> {
        self.entries.get(window as usize).filter(|entry| entry.doc_count > 0)
    }

    #[inline]
    pub(super) fn window(&self, window: u32) -> Option<WindowData<'_>> {
        let entry = self.entry(window)?;
        // `open` proved that the three parts lie in the data.
        let bytes = self.data.tail(entry.offset as usize, || entry.end().unwrap_or(usize::MAX))?;
        let (set, rest) = bytes.split_at(entry.set_len());
        let (starts, codes) = rest.split_at(entry.starts_len());
        let set = DocumentSet::new(entry.set_form, usize::from(entry.doc_count), set);
        Some(WindowData { entry, set, starts, codes })
    }

    /// Reads all values: sets are ascending and of the size that the directory says, and starts and values are within what
    /// it says. `open` does not look at these.
    pub(super) fn verify(&self) -> Result<()> {
        let mut starts = Vec::new();
        for (window, entry) in self.entries.iter().enumerate() {
            let Some(data) = self.window(window as u32) else { continue };
            if data.set.ascending_within(self.header.documents_in(window)) != Some(usize::from(entry.doc_count)) {
                return Err(damaged(window, "set of documents"));
            }
            if !entry.is_single_valued() {
                data.read_starts(&mut starts);
                if starts[0] != 0 || !starts.is_sorted_by(|a, b| a < b) {
                    return Err(damaged(window, "list of starts"));
                }
            }
            verify_codes(window, &data)?;
        }
        Ok(())
    }

    #[inline]
    pub(super) fn set_bits(&self, window: u32, bits: &mut WindowBits) {
        if let Some(data) = self.window(window) {
            data.set.set_bits(bits);
        }
    }
}

fn read_entry(bytes: &[u8; DIRECTORY_ENTRY_BYTES], window: usize, header: &Header, data: usize) -> Result<WindowEntry> {
    let entry = WindowEntry::read(bytes).ok_or_else(|| damaged(window, "form"))?;
    if let Some(what) = entry.contradiction(header.documents_in(window), header) {
        return Err(damaged(window, what));
    }
    match entry.end() {
        Some(end) if end <= data => Ok(entry),
        _ => Err(damaged(window, "data range")),
    }
}

/// The greatest code must give the greatest value.
fn verify_codes(window: usize, data: &WindowData<'_>) -> Result<()> {
    let entry = data.entry;
    let mut greatest = 0;
    data.for_each_run(|_, run| {
        let of_run = match run {
            CodeRun::Narrow(run) => run.iter().copied().max().map(u64::from),
            CodeRun::Wide(run) => run.iter().copied().max(),
        };
        greatest = greatest.max(of_run.unwrap_or(0));
    });
    let value = greatest.checked_mul(entry.divisor).map(|distance| entry.min.wrapping_add(distance as i64));
    if value == Some(entry.max) { Ok(()) } else { Err(damaged(window, "value")) }
}

fn damaged(window: usize, what: &str) -> Error {
    Error::corrupt(format!("column has an impossible {what} in window {window}"))
}

impl WindowData<'_> {
    /// The places of the values of the document with this rank. Stays inside on damaged starts.
    #[inline]
    pub(super) fn value_range(&self, rank: usize) -> std::ops::Range<usize> {
        let docs = usize::from(self.entry.doc_count);
        if self.entry.is_single_valued() {
            return if rank < docs { rank..rank + 1 } else { 0..0 };
        }
        let values = self.entry.value_count as usize;
        let start_of = |rank: usize| {
            if rank >= docs {
                return values;
            }
            (bitpack::get(self.starts, docs, self.entry.starts_width(), rank) as usize).min(values)
        };
        let end = start_of(rank + 1);
        start_of(rank).min(end)..end
    }

    /// Replaces `out` by where the values of each rank start, and at last where they end. Ascending on damaged bytes too.
    pub(super) fn read_starts(&self, out: &mut Vec<u32>) {
        let docs = usize::from(self.entry.doc_count);
        out.clear();
        out.resize(docs, 0);
        bitpack::unpack_u32(self.starts, self.entry.starts_width(), out);
        let mut least = 0;
        for start in out.iter_mut() {
            least = (*start).clamp(least, self.entry.value_count);
            *start = least;
        }
        out.push(self.entry.value_count);
    }

    /// Replaces `out` by where the values of each in-window document start, and at last where they end, whatever bytes
    /// are stored: ascending, and never beyond the number of values.
    pub(super) fn read_starts_of_documents(&self, rank_starts: &mut Vec<u32>, out: &mut Vec<u32>) {
        self.read_starts(rank_starts);
        out.clear();
        let end_of = |rank: usize| rank_starts.get(rank + 1).copied().unwrap_or(self.entry.value_count);
        let mut end = 0;
        self.set.for_each(|rank, doc| {
            if out.len() <= doc {
                out.resize(doc + 1, end);
                end = end_of(rank);
            }
        });
        out.resize(WINDOW + 1, end);
    }

    #[inline]
    pub(super) fn code(&self, place: usize) -> u64 {
        if self.entry.codes_are_ranks {
            return place as u64;
        }
        bitpack::get(self.codes, self.entry.value_count as usize, self.entry.width, place)
    }

    /// Calls `visit(place of the first, codes)` for runs of up to [`bitpack::BLOCK`] values.
    #[inline]
    pub(super) fn for_each_run(&self, mut visit: impl FnMut(usize, CodeRun<'_>)) {
        let values = self.entry.value_count as usize;
        let mut low = [0u32; bitpack::BLOCK];
        let mut wide = [0u64; bitpack::BLOCK];
        for first in (0..values).step_by(bitpack::BLOCK) {
            let run = (values - first).min(bitpack::BLOCK);
            if self.entry.codes_are_ranks {
                low[..run].iter_mut().zip(first as u32..).for_each(|(slot, rank)| *slot = rank);
                visit(first, CodeRun::Narrow(&low[..run]));
            } else if self.entry.width <= 32 {
                bitpack::unpack_run(self.codes, values, self.entry.width, first, &mut low[..run]);
                visit(first, CodeRun::Narrow(&low[..run]));
            } else {
                bitpack::unpack_wide_run(self.codes, values, self.entry.width, first, &mut wide[..run]);
                visit(first, CodeRun::Wide(&wide[..run]));
            }
        }
    }
}

fn part<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}
