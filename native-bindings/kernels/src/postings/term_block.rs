//! One block of the term dictionary: terms by what they share with the one before, and their statistics.

use super::packing::part;
use super::term_text::TermText;
use super::{PostingsOptions, TermEntry};
use crate::codec::varint;
use crate::error::{Error, Result};
use crate::limits::TERM_BYTES_MAX;

/// One block of terms.
#[derive(Debug, Clone, Copy)]
pub(super) struct TermBlock<'a> {
    statistics: &'a [u8],
    terms: &'a [u8],
    first_ordinal: u32,
    count: u32,
    options: PostingsOptions,
}

impl<'a> TermBlock<'a> {
    pub(super) fn parse(bytes: &'a [u8], first_ordinal: u32, count: u32, options: PostingsOptions) -> Result<Self> {
        let mut at = 0;
        let length = varint::read_u32(bytes, &mut at)? as usize;
        let statistics = part(bytes, at, length)?;
        Ok(TermBlock { statistics, terms: &bytes[at + length..], first_ordinal, count, options })
    }

    /// What the term at `*at` shares with the one before it, and its rest.
    #[inline(always)]
    fn next_parts(&self, at: &mut usize) -> Result<Parts> {
        // Nearly all lengths are one byte each.
        if *at > 0
            && let Some(&[shared, length]) = self.terms.get(*at..).and_then(<[u8]>::first_chunk)
            && (shared | length) < 0x80
        {
            let parts = Parts { shared: shared.into(), start: *at + 2, end: *at + 2 + usize::from(length) };
            if parts.end <= self.terms.len() {
                *at = parts.end;
                return Ok(parts);
            }
        }
        self.next_long_parts(at)
    }

    #[cold]
    fn next_long_parts(&self, at: &mut usize) -> Result<Parts> {
        let shared = if *at == 0 { 0 } else { varint::read_u32(self.terms, at)? as usize };
        let length = varint::read_u32(self.terms, at)? as usize;
        let start = *at;
        part(self.terms, start, length)?;
        *at += length;
        if shared + length > TERM_BYTES_MAX {
            return Err(Error::corrupt("a term of the dictionary is longer than terms can be"));
        }
        Ok(Parts { shared, start, end: *at })
    }

    pub(super) fn first_term(&self) -> Result<&'a [u8]> {
        let first = self.next_parts(&mut 0)?;
        Ok(&self.terms[first.start..first.end])
    }

    /// Turns `term` from the one before `*at` into the one there.
    #[inline(always)]
    pub(super) fn next_term(&self, at: &mut usize, term: &mut TermText) -> Result<()> {
        let Parts { shared, start, end } = self.next_parts(at)?;
        if shared > term.len() {
            return Err(Error::corrupt("a term shares more with the one before it than that has"));
        }
        term.replace_from(shared, self.terms, start..end);
        Ok(())
    }

    /// Place of a term in the block. Terms are compared by what they share with their neighbours, without building them.
    pub(super) fn find(&self, wanted: &[u8]) -> Result<Option<u32>> {
        let (mut at, mut matched) = (0, 0);
        for index in 0..self.count {
            let Parts { shared, start, end } = self.next_parts(&mut at)?;
            let rest = &self.terms[start..end];
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

    pub(super) fn entry(&self, index: u32) -> Result<TermEntry> {
        let mut statistics = Statistics::start(self)?;
        for _ in 0..index {
            statistics.next(self)?;
        }
        statistics.next(self)
    }
}

/// Where a term's own bytes are, and how many it has of the term before.
#[derive(Debug, Clone, Copy)]
struct Parts {
    shared: usize,
    start: usize,
    end: usize,
}

/// Walks the statistics of a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Statistics {
    at: usize,
    /// Of the term that comes next.
    pub(super) ordinal: u32,
    postings: u64,
    positions: u64,
}

impl Statistics {
    pub(super) fn start(block: &TermBlock<'_>) -> Result<Self> {
        let mut at = 0;
        let postings = varint::read_u64(block.statistics, &mut at)?;
        let positions = if block.options.positions { varint::read_u64(block.statistics, &mut at)? } else { 0 };
        Ok(Statistics { at, ordinal: block.first_ordinal, postings, positions })
    }

    pub(super) fn next(&mut self, block: &TermBlock<'_>) -> Result<TermEntry> {
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
