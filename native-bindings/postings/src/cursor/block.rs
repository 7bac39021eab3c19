//! A list in blocks of 128 documents; see [`crate::layout::blocks`] for its shape. Blocks are decoded one at a time, when needed.

use super::sparse::SparseCursor;
use super::{Decoded, Located, WindowDocs, WindowFreqs, WindowList};
use crate::frequencies::{Frequencies, SATURATED};
use crate::impact::bound_of_u16;
use crate::layout::blocks::{BITSET, BLOCK, BLOCK_META, HEADER, TAIL};
use crate::layout::tiny;
use crate::packing::{self, part};
use crate::positions::PositionsReader;
use crate::simd::{self, GAP_LANES, STORE_SLACK};
use quarry_base::error::{Error, Result};
use quarry_codec::vertical;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use std::ops::Range;

const NOTHING_LOADED: usize = usize::MAX;
const BITSET_WORDS_MAX: usize = 64;
/// Places that are looked at one after the other before the rest of a block is halved again and again.
const PLACES_NEAR: usize = 8;

#[derive(Debug)]
pub(crate) struct BlockCursor<'a> {
    lasts: &'a [[u8; 4]],
    offsets: &'a [[u8; 4]],
    maxima: &'a [[u8; 2]],
    doc_codes: &'a [u8],
    freq_codes: &'a [u8],
    data: &'a [u8],
    doc_freq: usize,
    max_doc: u32,
    /// The window last asked for, and the first block that may reach into it.
    window: u32,
    block: usize,
    loaded: usize,
    count: usize,
    docs: [u32; BLOCK],
    freqs: [u8; BLOCK + STORE_SLACK],
    /// (place in block, frequency) of saturated ones.
    large: Vec<(u8, u32)>,
}

impl<'a> BlockCursor<'a> {
    /// `bytes` start with the list and may run on to the end of the section.
    pub(crate) fn open(bytes: &'a [u8], doc_freq: u32, max_doc: u32) -> Result<Self> {
        let doc_freq = doc_freq as usize;
        let blocks = doc_freq.div_ceil(BLOCK);
        let arrays = part(bytes, HEADER, blocks * BLOCK_META)?;
        let (lasts, rest) = arrays.split_at(blocks * 4);
        let (offsets, rest) = rest.split_at(blocks * 4);
        let (maxima, rest) = rest.split_at(blocks * 2);
        let (doc_codes, freq_codes) = rest.split_at(blocks);
        Ok(BlockCursor {
            lasts: lasts.as_chunks().0,
            offsets: offsets.as_chunks().0,
            maxima: maxima.as_chunks().0,
            doc_codes,
            freq_codes,
            data: &bytes[HEADER + blocks * BLOCK_META..],
            doc_freq,
            max_doc,
            window: 0,
            block: 0,
            loaded: NOTHING_LOADED,
            count: 0,
            docs: [0; BLOCK],
            freqs: [0; BLOCK + STORE_SLACK],
            large: Vec::new(),
        })
    }

    /// Decodes the whole list.
    pub(crate) fn into_sparse(mut self) -> Result<SparseCursor> {
        let bound = (0..self.lasts.len()).map(|block| self.bound(block)).fold(0.0, f32::max);
        let mut sparse = SparseCursor::with_capacity(self.doc_freq, bound);
        for block in 0..self.lasts.len() {
            self.load(block)?;
            for place in 0..self.count {
                let freq = self.freqs[place];
                let freq = if freq == SATURATED { self.exact(place)? } else { u32::from(freq) };
                sparse.push(self.docs[place], freq);
            }
        }
        Ok(sparse)
    }

    #[inline]
    fn last(&self, block: usize) -> u32 {
        u32::from_le_bytes(self.lasts[block])
    }

    /// The lowest document that could be in a block.
    #[inline]
    fn base(&self, block: usize) -> u32 {
        if block == 0 { 0 } else { self.last(block - 1).wrapping_add(1) }
    }

    #[inline]
    fn bound(&self, block: usize) -> f32 {
        bound_of_u16(u16::from_le_bytes(self.maxima[block]))
    }

    /// The blocks that may reach into a window.
    #[inline]
    fn seek(&mut self, window: u32) -> usize {
        if window != self.window {
            let low = window * WINDOW as u32;
            if window < self.window {
                self.block = 0;
            }
            while self.block < self.lasts.len() && self.last(self.block) < low {
                self.block += 1;
            }
            self.window = window;
        }
        self.block
    }

    #[inline]
    fn reaches(&self, block: usize, window: u32) -> bool {
        block < self.lasts.len() && u64::from(self.base(block)) < (u64::from(window) + 1) * WINDOW as u64
    }

    fn load(&mut self, block: usize) -> Result<()> {
        if self.loaded == block {
            return Ok(());
        }
        self.loaded = NOTHING_LOADED;
        self.large.clear();
        let offset = u32::from_le_bytes(self.offsets[block]) as usize;
        let bytes = self.data.get(offset..).ok_or_else(packing::ends_early)?;
        if self.doc_codes[block] == TAIL {
            self.load_tail(block, bytes)?;
        } else {
            self.count = BLOCK;
            let documents = self.load_documents(block, bytes)?;
            let freqs = Frequencies::parse(&bytes[documents..], u32::from(self.freq_codes[block]))?;
            freqs.unpack(BLOCK, &mut self.freqs)?;
            if !freqs.exceptions.is_empty() {
                for place in 0..BLOCK as u8 {
                    if self.freqs[usize::from(place)] == SATURATED {
                        self.large.push((place, freqs.exceptions.exact(u16::from(place))?));
                    }
                }
            }
        }
        self.loaded = block;
        Ok(())
    }

    fn load_tail(&mut self, block: usize, bytes: &[u8]) -> Result<()> {
        let (base, max_doc) = (self.base(block), self.max_doc);
        self.count = self.doc_freq - block * BLOCK;
        if self.count > BLOCK {
            return Err(Error::corrupt("a short postings block that is not the last"));
        }
        let (docs, freqs, large) = (&mut self.docs, &mut self.freqs, &mut self.large);
        let mut at = 0;
        tiny::decode_pairs(bytes, self.count, base, max_doc, |doc, freq| {
            docs[at] = doc;
            freqs[at] = u8::try_from(freq).unwrap_or(SATURATED);
            if freq >= u32::from(SATURATED) {
                large.push((at as u8, freq));
            }
            at += 1;
        })
    }

    /// Gives the bytes read.
    fn load_documents(&mut self, block: usize, bytes: &[u8]) -> Result<usize> {
        let (base, code) = (self.base(block), self.doc_codes[block]);
        if code == BITSET {
            return self.load_bitset(base, self.last(block), bytes);
        }
        if code > 32 {
            return Err(Error::corrupt(format!("postings block of unknown code {code}")));
        }
        let length = vertical::block_len::<GAP_LANES>(code);
        let packed = part(bytes, 0, length)?;
        let rows = self.docs.as_chunks_mut().0.first_chunk_mut().expect("a block is whole rows");
        vertical::unpack(packed, code, rows);
        simd::docs_of_gaps(rows, base);
        Ok(length)
    }

    fn load_bitset(&mut self, base: u32, last: u32, bytes: &[u8]) -> Result<usize> {
        let words = last.wrapping_sub(base) as usize / 64 + 1;
        if words > BITSET_WORDS_MAX {
            return Err(Error::corrupt("postings block with too wide a bitset"));
        }
        let bits = part(bytes, 0, words * 8)?;
        let mut count = 0;
        for (index, word) in bits.as_chunks().0.iter().enumerate() {
            let mut word = u64::from_le_bytes(*word);
            while word != 0 {
                let Some(doc) = self.docs.get_mut(count) else {
                    return Err(Error::corrupt("postings block with too many documents"));
                };
                *doc = base.wrapping_add(index as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
                count += 1;
            }
        }
        if count == BLOCK { Ok(words * 8) } else { Err(Error::corrupt("postings block with too few documents")) }
    }

    /// Places of a window's documents in the loaded block.
    #[inline]
    fn range(&self, window: u32) -> Range<usize> {
        let docs = &self.docs[..self.count];
        let low = window * WINDOW as u32;
        let start = docs.partition_point(|doc| *doc < low);
        let end = docs.partition_point(|doc| doc / (WINDOW as u32) <= window);
        start..end.max(start)
    }

    /// Visits the loaded range of each block of a window that has one and whose bound is above `above`.
    #[inline]
    fn for_each_block(
        &mut self,
        window: u32,
        above: f32,
        mut visit: impl FnMut(&Self, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let mut block = self.seek(window);
        while self.reaches(block, window) {
            if self.bound(block) > above {
                self.load(block)?;
                visit(self, self.range(window))?;
            }
            block += 1;
        }
        Ok(())
    }

    /// Loads the block that would hold a document. `from` is a block not behind it.
    #[inline]
    fn block_holding(&mut self, from: usize, doc: u32) -> Result<Option<usize>> {
        let mut block = from;
        while block < self.lasts.len() && self.last(block) < doc {
            block += 1;
        }
        if block == self.lasts.len() {
            return Ok(None);
        }
        if self.base(block) <= doc {
            self.load(block)?;
        }
        Ok(Some(block))
    }

    /// The place of a document in the block, which is loaded where the document can be in it.
    #[inline]
    fn place(&self, block: usize, doc: u32) -> Option<usize> {
        if self.loaded != block || self.base(block) > doc {
            return None;
        }
        let docs = &self.docs[..self.count];
        let place = docs.partition_point(|other| *other < doc);
        (docs.get(place) == Some(&doc)).then_some(place)
    }

    /// The first place from `from` on whose document in the loaded block is not below `doc`. Most often it is near.
    #[inline]
    fn place_from(&self, from: usize, doc: u32) -> usize {
        let docs = self.docs[..self.count].get(from..).unwrap_or(&[]);
        let (near, far) = docs.split_at(docs.len().min(PLACES_NEAR));
        match near.iter().position(|other| *other >= doc) {
            Some(ahead) => from + ahead,
            None => from + near.len() + far.partition_point(|other| *other < doc),
        }
    }

    fn exact(&self, place: usize) -> Result<u32> {
        let found = self.large.iter().find(|(large, _)| usize::from(*large) == place);
        found.map(|(_, freq)| *freq).ok_or_else(|| Error::corrupt("a large term frequency is missing"))
    }
}

#[inline]
fn in_window(doc: u32) -> u16 {
    (doc % WINDOW as u32) as u16
}

#[cold]
fn too_many() -> Error {
    Error::corrupt("more postings in a window than it has documents")
}

impl WindowList for BlockCursor<'_> {
    #[inline]
    fn next_window(&mut self, window: u32) -> u32 {
        let block = self.seek(window);
        if block == self.lasts.len() { NO_MORE_WINDOWS } else { window.max(self.base(block) / WINDOW as u32) }
    }

    #[inline]
    fn window_bound(&mut self, window: u32) -> f32 {
        let mut block = self.seek(window);
        let mut bound = 0f32;
        while self.reaches(block, window) {
            bound = bound.max(self.bound(block));
            block += 1;
        }
        bound
    }

    fn decode(&mut self, window: u32, above: f32, docs: &mut WindowDocs, freqs: &mut WindowFreqs) -> Result<Decoded> {
        let mut decoded = Decoded::default();
        self.for_each_block(window, above, |list, range| {
            let end = decoded.count + range.len();
            if end > WINDOW {
                return Err(too_many());
            }
            freqs[decoded.count..end].copy_from_slice(&list.freqs[range.clone()]);
            for (out, doc) in docs[decoded.count..end].iter_mut().zip(&list.docs[range]) {
                *out = in_window(*doc);
            }
            decoded.has_large |= !list.large.is_empty();
            decoded.count = end;
            Ok(())
        })?;
        Ok(decoded)
    }

    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        let mut count = 0;
        self.for_each_block(window, -1.0, |list, range| {
            let end = count + range.len();
            if end > WINDOW {
                return Err(too_many());
            }
            for (out, doc) in docs[count..end].iter_mut().zip(&list.docs[range]) {
                *out = in_window(*doc);
            }
            count = end;
            Ok(())
        })?;
        Ok(count)
    }

    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.for_each_block(window, -1.0, |list, range| {
            for &doc in &list.docs[range] {
                let doc = in_window(doc);
                bits[usize::from(doc / 64)] |= 1 << (doc % 64);
            }
            Ok(())
        })
    }

    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<bool> {
        let mut block = self.seek(window);
        let mut place = 0;
        let mut has_large = false;
        for (doc, freq) in docs.iter().zip(freqs) {
            let doc = window * WINDOW as u32 + u32::from(*doc);
            while block < self.lasts.len() && self.last(block) < doc {
                (block, place) = (block + 1, 0);
            }
            *freq = 0;
            if block < self.lasts.len() && self.base(block) <= doc {
                self.load(block)?;
                place = self.place_from(place, doc);
                if self.docs[..self.count].get(place) == Some(&doc) {
                    *freq = self.freqs[place];
                    has_large |= *freq == SATURATED;
                }
            }
        }
        Ok(has_large)
    }

    fn exact_freq(&mut self, window: u32, doc: u16) -> Result<u32> {
        let doc = window * WINDOW as u32 + u32::from(doc);
        let from = self.seek(window);
        let block = self.block_holding(from, doc)?;
        let place = block.and_then(|block| self.place(block, doc));
        self.exact(place.ok_or_else(|| Error::internal("frequency asked of a document that lacks the term"))?)
    }

    fn locate(&mut self, window: u32, doc: u16, positions: &PositionsReader<'_>) -> Result<Located> {
        let doc = window * WINDOW as u32 + u32::from(doc);
        let from = self.seek(window);
        let block = self.block_holding(from, doc)?;
        let found = block.and_then(|block| Some((block, self.place(block, doc)?)));
        let lacking = || Error::internal("positions asked of a document that lacks the term");
        let (block, place) = found.ok_or_else(lacking)?;
        let base = positions.base(block).ok_or_else(packing::ends_early)?;
        let before = self.large.iter().take_while(|(large, _)| usize::from(*large) < place);
        let excess = before.fold(0u32, |sum, (_, freq)| sum.wrapping_add(freq.saturating_sub(u32::from(SATURATED))));
        let start = base.wrapping_add(simd::sum_first(&self.freqs, place)).wrapping_add(excess);
        let freq = if self.freqs[place] == SATURATED { self.exact(place)? } else { u32::from(self.freqs[place]) };
        Ok(Located { freq, start })
    }
}
