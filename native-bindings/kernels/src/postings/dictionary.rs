//! The term dictionary: sorted terms, front-coded in blocks of 32, with a small index.
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

use super::packing::{self, part};
use super::{PostingsOptions, TermEntry};
use crate::codec::shared_bytes::SharedBytes;
use crate::codec::varint;
use crate::error::{Error, Result};
use crate::limits::TERM_BYTES_MAX;

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
        let format = packing::u32_at(&bytes, 0)?;
        if format != FORMAT {
            return Err(Error::corrupt(format!("term dictionary of unknown format {format}")));
        }
        let term_count = packing::u32_at(&bytes, 4)?;
        let average_length = f32::from_bits(packing::u32_at(&bytes, 8)?);
        if !(average_length.is_finite() && average_length > 0.0) {
            return Err(Error::corrupt("term dictionary with an impossible average length"));
        }
        let dictionary = Dictionary { bytes, options, term_count, average_length };
        part(&dictionary.bytes, 0, dictionary.blocks_start())?;
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

    fn prefix(&self, block: u32) -> Result<u64> {
        packing::u64_at(&self.bytes, HEADER + block as usize * PREFIX_BYTES)
    }

    fn block(&self, block: u32) -> Result<Block<'_>> {
        let at = self.offsets_start() + block as usize * OFFSET_BYTES;
        let (start, end) = (packing::u32_at(&self.bytes, at)?, packing::u32_at(&self.bytes, at + OFFSET_BYTES)?);
        let length = end.checked_sub(start).ok_or_else(|| Error::corrupt("term dictionary blocks overlap"))?;
        let bytes = part(&self.bytes, self.blocks_start() + start as usize, length as usize)?;
        let first = block * BLOCK_TERMS;
        Block::parse(bytes, first, (self.term_count - first).min(BLOCK_TERMS), self.options)
    }

    /// The last block whose first term is `<= term`; 0 where there is none.
    fn block_of(&self, term: &[u8]) -> Result<u32> {
        let prefix = prefix_of(term);
        // Blocks before `low` start below the term, those from `high` on start above it.
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            let starts_at_or_below = match self.prefix(middle)?.cmp(&prefix) {
                std::cmp::Ordering::Less => true,
                std::cmp::Ordering::Greater => false,
                std::cmp::Ordering::Equal => self.block(middle)?.first_term()? <= term,
            };
            if starts_at_or_below { low = middle + 1 } else { high = middle }
        }
        Ok(low.saturating_sub(1))
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
        let mut at = 0;
        term.clear();
        for _ in 0..=ordinal % BLOCK_TERMS {
            block.next_term(&mut at, term)?;
        }
        block.entry(ordinal % BLOCK_TERMS)
    }

    pub(super) fn terms_from(&self, lower_bound: &[u8]) -> Result<TermIterator<'_>> {
        let mut terms =
            TermIterator { dictionary: self, next_ordinal: 0, term: Vec::new(), place: None, is_ahead: false };
        if self.term_count == 0 {
            return Ok(terms);
        }
        terms.next_ordinal = self.block_of(lower_bound)? * BLOCK_TERMS;
        while let Some(term) = terms.next_term()? {
            if term >= lower_bound {
                terms.is_ahead = true;
                break;
            }
        }
        Ok(terms)
    }
}

/// One block of terms.
#[derive(Debug, Clone, Copy)]
struct Block<'a> {
    statistics: &'a [u8],
    terms: &'a [u8],
    first_ordinal: u32,
    count: u32,
    options: PostingsOptions,
}

impl<'a> Block<'a> {
    fn parse(bytes: &'a [u8], first_ordinal: u32, count: u32, options: PostingsOptions) -> Result<Self> {
        let mut at = 0;
        let length = varint::read_u32(bytes, &mut at)? as usize;
        let statistics = part(bytes, at, length)?;
        Ok(Block { statistics, terms: &bytes[at + length..], first_ordinal, count, options })
    }

    /// Reads the lengths of the term at `*at`, and gives what it shares with the one before and the rest.
    fn next_parts(&self, at: &mut usize) -> Result<(usize, &'a [u8])> {
        let shared = if *at == 0 { 0 } else { varint::read_u32(self.terms, at)? as usize };
        let length = varint::read_u32(self.terms, at)? as usize;
        let rest = part(self.terms, *at, length)?;
        *at += length;
        if shared + length > TERM_BYTES_MAX {
            return Err(Error::corrupt("a term of the dictionary is longer than terms can be"));
        }
        Ok((shared, rest))
    }

    fn first_term(&self) -> Result<&'a [u8]> {
        Ok(self.next_parts(&mut 0)?.1)
    }

    /// Turns `term` from the one before `*at` into the one there.
    fn next_term(&self, at: &mut usize, term: &mut Vec<u8>) -> Result<()> {
        let (shared, rest) = self.next_parts(at)?;
        if shared > term.len() {
            return Err(Error::corrupt("a term shares more with the one before it than that has"));
        }
        term.truncate(shared);
        term.extend_from_slice(rest);
        Ok(())
    }

    /// Place of a term in the block. Terms are compared by what they share with their neighbours, without building them.
    fn find(&self, wanted: &[u8]) -> Result<Option<u32>> {
        let (mut at, mut matched) = (0, 0);
        for index in 0..self.count {
            let (shared, rest) = self.next_parts(&mut at)?;
            if shared > matched {
                continue; // still below: it differs from the wanted term where the one before it did
            }
            if shared < matched {
                return Ok(None); // it left the wanted term's path, upwards
            }
            let open = &wanted[matched..];
            let common = rest.iter().zip(open).take_while(|(a, b)| a == b).count();
            if common == rest.len() && common == open.len() {
                return Ok(Some(index));
            }
            if common == open.len() || (common < rest.len() && rest[common] > open[common]) {
                return Ok(None);
            }
            matched += common;
        }
        Ok(None)
    }

    fn entry(&self, index: u32) -> Result<TermEntry> {
        let mut statistics = Statistics::start(self)?;
        for _ in 0..index {
            statistics.next(self)?;
        }
        statistics.next(self)
    }
}

/// Walks the statistics of a block.
#[derive(Debug, Clone, Copy)]
struct Statistics {
    at: usize,
    ordinal: u32,
    postings: u64,
    positions: u64,
}

impl Statistics {
    fn start(block: &Block<'_>) -> Result<Self> {
        let mut at = 0;
        let postings = varint::read_u64(block.statistics, &mut at)?;
        let positions = if block.options.positions { varint::read_u64(block.statistics, &mut at)? } else { 0 };
        Ok(Statistics { at, ordinal: block.first_ordinal, postings, positions })
    }

    fn next(&mut self, block: &Block<'_>) -> Result<TermEntry> {
        let (bytes, at) = (block.statistics, &mut self.at);
        let doc_freq = varint::read_u32(bytes, at)?;
        let more = if block.options.freqs { varint::read_u64(bytes, at)? } else { 0 };
        let postings_length = varint::read_u64(bytes, at)?;
        let positions_length = if block.options.positions { varint::read_u64(bytes, at)? } else { 0 };
        let overflow = || Error::corrupt("term statistics overflow");
        let entry = TermEntry {
            ordinal: self.ordinal,
            doc_freq,
            total_term_freq: more.checked_add(u64::from(doc_freq)).ok_or_else(overflow)?,
            postings_offset: self.postings,
            postings_length,
            positions_offset: self.positions,
            positions_length,
        };
        self.ordinal += 1;
        self.postings = self.postings.checked_add(postings_length).ok_or_else(overflow)?;
        self.positions = self.positions.checked_add(positions_length).ok_or_else(overflow)?;
        Ok(entry)
    }
}

/// Terms in byte order. Not an [`Iterator`]: the term is lent until the next call.
#[derive(Debug)]
pub struct TermIterator<'a> {
    dictionary: &'a Dictionary,
    /// Of the term behind `term`.
    next_ordinal: u32,
    term: Vec<u8>,
    place: Option<Place<'a>>,
    /// `term` is the next one to give.
    is_ahead: bool,
}

#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    block: Block<'a>,
    at: usize,
    /// Those of the terms up to here that somebody asked for.
    statistics: Statistics,
}

impl<'a> TermIterator<'a> {
    /// The next term and its entry; `None` after the last.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<(&[u8], TermEntry)>> {
        if self.next_term()?.is_none() {
            return Ok(None);
        }
        let entry = self.entry()?;
        Ok(Some((&self.term, entry)))
    }

    /// The next term; `None` after the last. What terms are passed over costs less than with [`Self::next`].
    pub fn next_term(&mut self) -> Result<Option<&[u8]>> {
        if !std::mem::take(&mut self.is_ahead) {
            if self.next_ordinal >= self.dictionary.term_count {
                return Ok(None);
            }
            let mut place = self.next_place()?;
            place.block.next_term(&mut place.at, &mut self.term)?;
            self.place = Some(place);
            self.next_ordinal += 1;
        }
        Ok(Some(&self.term))
    }

    /// The term that was given last.
    pub fn term(&self) -> &[u8] {
        &self.term
    }

    /// The entry of the term that was given last; to be asked for once.
    pub fn entry(&mut self) -> Result<TermEntry> {
        let place = self.place.as_mut().ok_or_else(|| Error::internal("no term was asked for"))?;
        while place.statistics.ordinal + 1 < self.next_ordinal {
            place.statistics.next(&place.block)?;
        }
        place.statistics.next(&place.block)
    }

    /// Passes over the terms that start with as many bytes of the term that was given last.
    pub fn skip_prefix(&mut self, length: usize) -> Result<()> {
        self.term.truncate(length);
        if self.skip_in_block(length)? {
            return Ok(());
        }
        let Some(behind) = behind_prefix(&self.term) else {
            self.next_ordinal = self.dictionary.term_count;
            return Ok(());
        };
        let next = self.dictionary.block(self.next_ordinal / BLOCK_TERMS)?;
        if !next.first_term()?.starts_with(&self.term) {
            return Ok(());
        }
        let last = self.dictionary.block_of(&behind)?;
        self.next_ordinal = last * BLOCK_TERMS;
        if self.dictionary.block(last)?.first_term()?.starts_with(&self.term) {
            self.next_term()?;
            self.term.truncate(length);
            self.skip_in_block(length)?;
        }
        Ok(())
    }

    /// As [`Self::skip_prefix`] as far as the block of the last term goes; false where it ends before they do.
    fn skip_in_block(&mut self, length: usize) -> Result<bool> {
        let term_count = self.dictionary.term_count;
        let Some(place) = &mut self.place else {
            return Ok(false);
        };
        while self.next_ordinal < term_count && !self.next_ordinal.is_multiple_of(BLOCK_TERMS) {
            let mut at = place.at;
            if place.block.next_parts(&mut at)?.0 < length {
                return Ok(true);
            }
            place.at = at;
            self.next_ordinal += 1;
        }
        Ok(self.next_ordinal >= term_count)
    }

    fn next_place(&self) -> Result<Place<'a>> {
        match self.place.filter(|_| !self.next_ordinal.is_multiple_of(BLOCK_TERMS)) {
            Some(place) => Ok(place),
            None => {
                let block = self.dictionary.block(self.next_ordinal / BLOCK_TERMS)?;
                Ok(Place { block, at: 0, statistics: Statistics::start(&block)? })
            }
        }
    }
}

/// The least text above all that start with the prefix; `None` where there is none.
fn behind_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|&byte| byte < u8::MAX)?;
    let mut behind = prefix[..=kept].to_vec();
    behind[kept] += 1;
    Some(behind)
}
