//! The term dictionary: sorted terms, front-coded in blocks of 32 ([`block`]), with a small index.
//!
//! ```text
//! u32 format, u32 terms, f32 average length that the stored maxima were made with, u32 zero
//! u64 first eight bytes of each block's first term, big-endian value (shorter terms end in zeros)
//! u32 start of each block, from the end of this array; and where the last block ends
//! blocks:
//!     varint bytes of statistics
//!     statistics: varint start of the first term's postings, and of its positions where the field has them;
//!         for each term: varint document frequency, total term frequency less that (fields with frequencies), bytes of
//!         postings, bytes of positions (fields with positions)
//!     for each term: varint length shared with the term before it (none for the first), varint length of the rest, rest
//! ```
pub(crate) mod block;
pub(crate) mod iterator;
mod text;
pub(crate) mod writer;

use super::packing;
use super::{PostingsOptions, TermEntry};
use block::TermBlock;
use iterator::TermIterator;
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use text::TermText;

pub(super) const FORMAT: u32 = 1;
pub(super) const HEADER: usize = 16;
/// Terms of a block.
pub(super) const BLOCK_TERMS: u32 = 32;
const PREFIX_BYTES: usize = 8;
const OFFSET_BYTES: usize = 4;

/// The first bytes of a term as a number of the same order.
pub(super) fn prefix_of(term: &[u8]) -> u64 {
    let mut prefix = [0; PREFIX_BYTES];
    let length = term.len().min(PREFIX_BYTES);
    prefix[..length].copy_from_slice(&term[..length]);
    u64::from_be_bytes(prefix)
}

/// How far the index of a dictionary of so many terms goes: what looking for a term reads before it reads blocks.
pub fn index_bytes(term_count: u32) -> usize {
    let blocks = term_count.div_ceil(BLOCK_TERMS) as usize;
    HEADER + blocks * PREFIX_BYTES + (blocks + 1) * OFFSET_BYTES
}

/// Reads the dictionary section.
#[derive(Debug, Clone)]
pub(super) struct Dictionary {
    bytes: SharedBytes,
    options: PostingsOptions,
    term_count: u32,
    average_length: f32,
}

impl Dictionary {
    pub(super) fn open(bytes: SharedBytes, options: PostingsOptions) -> Result<Self> {
        let header = bytes.get(..HEADER).ok_or_else(packing::ends_early)?;
        let format = packing::u32_at(header, 0)?;
        if format != FORMAT {
            return Err(Error::corrupt(format!("term dictionary of unknown format {format}")));
        }
        let term_count = packing::u32_at(header, 4)?;
        let average_length = f32::from_bits(packing::u32_at(header, 8)?);
        if !(average_length.is_finite() && average_length > 0.0) {
            return Err(Error::corrupt("term dictionary with an impossible average length"));
        }
        let dictionary = Dictionary { bytes, options, term_count, average_length };
        if dictionary.blocks_start() > dictionary.bytes.len() {
            return Err(packing::ends_early());
        }
        Ok(dictionary)
    }

    pub(super) fn term_count(&self) -> u32 {
        self.term_count
    }

    pub(super) fn average_length(&self) -> f32 {
        self.average_length
    }

    fn block_count(&self) -> u32 {
        self.term_count.div_ceil(BLOCK_TERMS)
    }

    fn offsets_start(&self) -> usize {
        HEADER + self.block_count() as usize * PREFIX_BYTES
    }

    fn blocks_start(&self) -> usize {
        self.offsets_start() + (self.block_count() as usize + 1) * OFFSET_BYTES
    }

    fn part(&self, start: usize, length: usize) -> Result<&[u8]> {
        let end = start.checked_add(length).ok_or_else(packing::ends_early)?;
        self.bytes.get(start..end).ok_or_else(packing::ends_early)
    }

    fn prefix(&self, block: u32) -> Result<u64> {
        let prefix = self.part(HEADER + block as usize * PREFIX_BYTES, PREFIX_BYTES)?;
        packing::u64_at(prefix, 0)
    }

    pub(super) fn block(&self, block: u32) -> Result<TermBlock<'_>> {
        let at = self.offsets_start() + block as usize * OFFSET_BYTES;
        let offsets = self.part(at, 2 * OFFSET_BYTES)?;
        let (start, end) = (packing::u32_at(offsets, 0)?, packing::u32_at(offsets, OFFSET_BYTES)?);
        let length = end.checked_sub(start).ok_or_else(|| Error::corrupt("term dictionary blocks overlap"))?;
        let bytes = self.part(self.blocks_start() + start as usize, length as usize)?;
        let first = block * BLOCK_TERMS;
        TermBlock::parse(bytes, first, (self.term_count - first).min(BLOCK_TERMS), self.options)
    }

    /// The last block whose first term is `<= term`; 0 where there is none.
    fn block_of(&self, term: &[u8]) -> Result<u32> {
        self.block_between(0, self.block_count(), prefix_of(term), term)
    }

    /// As [`Self::block_of`], where the blocks before `low` are known to start at the term or below. Such a search goes a short way
    /// mostly: steps grow until one goes too far.
    pub(super) fn block_from(&self, mut low: u32, term: &[u8]) -> Result<u32> {
        let prefix = prefix_of(term);
        let (mut high, mut step) = (self.block_count(), 1);
        while step <= high.saturating_sub(low) {
            let probe = low + (step - 1);
            if self.starts_at_or_below(probe, prefix, term)? {
                low = probe + 1;
                step *= 2;
            } else {
                high = probe;
            }
        }
        self.block_between(low, high, prefix, term)
    }

    /// Blocks before `low` are known to start at the term or below, those from `high` on to start above it.
    fn block_between(&self, mut low: u32, mut high: u32, prefix: u64, term: &[u8]) -> Result<u32> {
        while low < high {
            let middle = low + (high - low) / 2;
            if self.starts_at_or_below(middle, prefix, term)? { low = middle + 1 } else { high = middle }
        }
        Ok(low.saturating_sub(1))
    }

    fn starts_at_or_below(&self, block: u32, prefix: u64, term: &[u8]) -> Result<bool> {
        Ok(match self.prefix(block)?.cmp(&prefix) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal => self.block(block)?.first_term()? <= term,
        })
    }

    pub(super) fn lookup(&self, term: &[u8]) -> Result<Option<TermEntry>> {
        if self.term_count == 0 {
            return Ok(None);
        }
        let block = self.block(self.block_of(term)?)?;
        match block.find(term)? {
            Some(index) => block.entry(index).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn term(&self, ordinal: u32, term: &mut Vec<u8>) -> Result<TermEntry> {
        if ordinal >= self.term_count {
            return Err(Error::corrupt(format!("term ordinal {ordinal} of {}", self.term_count)));
        }
        let block = self.block(ordinal / BLOCK_TERMS)?;
        let (mut at, mut text) = (0, TermText::default());
        for _ in 0..=ordinal % BLOCK_TERMS {
            block.next_term(&mut at, &mut text)?;
        }
        term.clear();
        term.extend_from_slice(text.as_bytes());
        block.entry(ordinal % BLOCK_TERMS)
    }

    pub(super) fn terms_from(&self, lower_bound: &[u8]) -> Result<TermIterator<'_>> {
        let mut terms = TermIterator::new(self);
        terms.seek(lower_bound)?;
        Ok(terms)
    }
}
