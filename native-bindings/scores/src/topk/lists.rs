//! Lists of documents by windows, and what all of several lists have in common.

use crate::topk::leaf::{Buffers, Leaf};
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits, window_count};
use quarry_postings::cursor::{CommonDocs, TermCursor, WindowDocs};

/// Lists at most this many times as long as the rarest are turned into bits; longer ones are probed.
const PROBE_FACTOR: u64 = 24;

/// A list whose windows can be asked for in any of the forms that intersecting needs.
pub(crate) trait DocumentList {
    fn doc_freq(&self) -> u64;
    fn next_window(&mut self, window: u32) -> u32;
    /// The window as stored bits, where it is stored so.
    fn stored_bits(&self, window: u32) -> Result<Option<&[u8; WINDOW / 8]>>;
    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize>;
    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()>;
    /// The documents of both, where that takes less than looking those of one up in the other; gives their number.
    fn decode_common_docs(&self, _other: &Self, _window: u32, _common: &mut CommonDocs) -> Result<Option<usize>> {
        Ok(None)
    }
    /// The frequency in each of `docs`, capped at 255; 0 in those that lack the term.
    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<()>;
}

impl DocumentList for TermCursor<'_> {
    #[inline]
    fn doc_freq(&self) -> u64 {
        u64::from(self.doc_freq())
    }

    #[inline]
    fn next_window(&mut self, window: u32) -> u32 {
        self.next_window(window)
    }

    #[inline]
    fn stored_bits(&self, window: u32) -> Result<Option<&[u8; WINDOW / 8]>> {
        self.dense_bits(window)
    }

    #[inline]
    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        self.decode_docs(window, docs)
    }

    #[inline]
    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.or_bits(window, bits)
    }

    #[inline]
    fn decode_common_docs(&self, other: &Self, window: u32, common: &mut CommonDocs) -> Result<Option<usize>> {
        self.decode_common_docs(other, window, common)
    }

    #[inline]
    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
        self.probe(window, docs, freqs).map(|_| ())
    }
}

impl DocumentList for Leaf<'_> {
    #[inline]
    fn doc_freq(&self) -> u64 {
        DocumentList::doc_freq(&self.cursor)
    }

    #[inline]
    fn next_window(&mut self, window: u32) -> u32 {
        self.cursor.next_window(window)
    }

    #[inline]
    fn stored_bits(&self, window: u32) -> Result<Option<&[u8; WINDOW / 8]>> {
        self.cursor.dense_bits(window)
    }

    #[inline]
    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        self.cursor.decode_docs(window, docs)
    }

    #[inline]
    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.cursor.or_bits(window, bits)
    }

    #[inline]
    fn decode_common_docs(&self, other: &Self, window: u32, common: &mut CommonDocs) -> Result<Option<usize>> {
        self.cursor.decode_common_docs(&other.cursor, window, common)
    }

    #[inline]
    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
        self.cursor.probe(window, docs, freqs).map(|_| ())
    }
}

/// The first window from `window` on that all of the lists may have. `next_of` gives a list's own.
#[inline]
pub(crate) fn common_window<L>(
    lists: &mut [L],
    next_of: impl Fn(&mut L, u32) -> u32,
    window: u32,
    max_doc: u32,
) -> Option<u32> {
    let windows = window_count(max_doc);
    let mut candidate = window;
    loop {
        let asked = candidate;
        for list in lists.iter_mut() {
            candidate = next_of(list, candidate);
            if candidate >= windows {
                return None;
            }
        }
        if candidate == asked {
            return Some(candidate);
        }
    }
}

/// Clears the bits that stored ones lack.
#[inline]
pub(crate) fn and_stored(bits: &mut WindowBits, stored: &[u8; WINDOW / 8]) {
    for (word, bytes) in bits.iter_mut().zip(stored.as_chunks().0) {
        *word &= u64::from_le_bytes(*bytes);
    }
}

/// The documents whose bits are set, ascending; gives their number.
pub(crate) fn documents_of(bits: &WindowBits, docs: &mut WindowDocs) -> usize {
    let mut count = 0;
    for (index, &word) in (0u16..).zip(bits) {
        let mut word = word;
        while word != 0 {
            docs[count] = index * 64 + word.trailing_zeros() as u16;
            count += 1;
            word &= word - 1;
        }
    }
    count
}

/// Sets `bits` to what the two rarest lists share where both are stored as bits; gives those of the first.
#[inline]
pub(crate) fn and_rarest<'l, L: DocumentList>(
    window: u32,
    rarest: &'l L,
    next: &L,
    bits: &mut WindowBits,
) -> Result<Option<&'l [u8; WINDOW / 8]>> {
    let (Some(rarest), Some(next)) = (rarest.stored_bits(window)?, next.stored_bits(window)?) else { return Ok(None) };
    *bits = [u64::MAX; WINDOW_WORDS];
    and_stored(bits, rarest);
    and_stored(bits, next);
    Ok(Some(rarest))
}

/// The documents that all lists have in a window.
pub(crate) enum Common {
    /// The bits that were passed in.
    Bits,
    /// This many, at the start of the buffers' documents.
    Documents(usize),
}

/// `lists` are two or more, rarest first. `bits` are overwritten where the answer comes as bits.
#[inline]
pub(crate) fn common_documents<L: DocumentList>(
    window: u32,
    lists: &mut [L],
    buffers: &mut Buffers,
    bits: &mut WindowBits,
) -> Result<Common> {
    if and_rarest(window, &lists[0], &lists[1], bits)?.is_some() {
        for list in &mut lists[2..] {
            if let Some(stored) = list.stored_bits(window)? {
                and_stored(bits, stored);
                continue;
            }
            let mut own = [0; WINDOW_WORDS];
            list.or_bits(window, &mut own)?;
            for (word, mine) in bits.iter_mut().zip(own) {
                *word &= mine;
            }
        }
        return Ok(Common::Bits);
    }
    let rarest = lists[0].doc_freq();
    let Buffers { docs, common, .. } = buffers;
    let (mut count, known) = match lists[0].decode_common_docs(&lists[1], window, common)? {
        Some(count) => {
            docs[..count].copy_from_slice(&common.docs[..count]);
            (count, 2)
        }
        None => (lists[0].decode_docs(window, docs)?, 1),
    };
    for list in &mut lists[known..] {
        if count == 0 {
            break;
        }
        count = keep_common(window, list, rarest, count, buffers)?;
    }
    Ok(Common::Documents(count))
}

/// Keeps the documents that `list` has, too.
#[inline]
fn keep_common<L: DocumentList>(
    window: u32,
    list: &mut L,
    rarest: u64,
    count: usize,
    buffers: &mut Buffers,
) -> Result<usize> {
    if let Some(stored) = list.stored_bits(window)? {
        return Ok(buffers.keep_docs(count, |_, doc| stored[usize::from(doc / 8) % stored.len()] >> (doc % 8) & 1 != 0));
    }
    if list.doc_freq() < rarest.saturating_mul(PROBE_FACTOR) {
        let mut bits = [0u64; WINDOW_WORDS];
        list.or_bits(window, &mut bits)?;
        return Ok(buffers.keep_docs(count, |_, doc| bits[usize::from(doc / 64) % WINDOW_WORDS] >> (doc % 64) & 1 != 0));
    }
    let Buffers { docs, freqs, .. } = buffers;
    list.probe(window, &docs[..count], freqs)?;
    Ok(buffers.keep_docs(count, |freq, _| freq != 0))
}

impl Buffers {
    /// Keeps the documents for which `keep` (given the probed frequency and the document) holds.
    #[inline]
    fn keep_docs(&mut self, count: usize, keep: impl Fn(u8, u16) -> bool) -> usize {
        let mut kept = 0;
        for index in 0..count {
            let doc = self.docs[index];
            self.docs[kept] = doc;
            kept += usize::from(keep(self.freqs[index], doc));
        }
        kept
    }
}
