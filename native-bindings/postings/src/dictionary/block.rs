//! One block of the term dictionary: terms by what they share with the one before, and their statistics.

use super::BLOCK_TERMS;
use super::text::TermText;
use crate::packing::part;
use crate::{PostingsOptions, TermEntry};
use quarry_base::error::{Error, Result};
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_codec::varint;

/// One block of terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TermBlock<'a> {
    statistics: &'a [u8],
    terms: &'a [u8],
    first_ordinal: u32,
    count: u32,
    options: PostingsOptions,
}

impl<'a> TermBlock<'a> {
    pub(crate) fn parse(bytes: &'a [u8], first_ordinal: u32, count: u32, options: PostingsOptions) -> Result<Self> {
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

    pub(crate) fn first_term(&self) -> Result<&'a [u8]> {
        let first = self.next_parts(&mut 0)?;
        Ok(&self.terms[first.start..first.end])
    }

    /// Turns `term` from the one before `*at` into the one there.
    #[inline(always)]
    pub(crate) fn next_term(&self, at: &mut usize, term: &mut TermText) -> Result<()> {
        let Parts { shared, start, end } = self.next_parts(at)?;
        if shared > term.len() {
            return Err(shares_too_much());
        }
        term.replace_from(shared, self.terms, start..end);
        Ok(())
    }

    /// Passes over the terms from `*at` on, which follow those in `walked`, as long as their own bytes are refused. `walked` gets what
    /// was passed over, and the first term that is not refused: `false` where there is none.
    #[inline(always)]
    pub(crate) fn pass_over(
        &self,
        at: &mut usize,
        walked: &mut Walked,
        is_refused: impl Fn(OwnBytes<'_>) -> bool,
    ) -> Result<bool> {
        let mut length_before = walked.parts().last().map_or(0, Parts::term_length);
        while walked.count < self.count as usize {
            let parts = self.next_parts(at)?;
            if parts.shared > length_before {
                return Err(shares_too_much());
            }
            length_before = parts.term_length();
            walked.push(parts);
            let own = OwnBytes { shared: parts.shared, length: parts.own_length(), until: &self.terms[..parts.end] };
            if !is_refused(own) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What [`Self::pass_over`] would have noted of the first terms.
    pub(crate) fn walk(&self, terms: usize) -> Result<Walked> {
        let (mut at, mut walked) = (0, Walked::default());
        while walked.count < terms {
            self.pass_over(&mut at, &mut walked, |_| false)?;
        }
        Ok(walked)
    }

    /// Replaces `term` by the last of the terms that were walked over.
    pub(crate) fn build(&self, walked: &Walked, term: &mut TermText) -> Result<()> {
        let length = walked.parts().last().map_or(0, Parts::term_length);
        term.resize(length);
        let mut missing = length;
        // What is missing lies in front, and comes from the nearest terms before that do not share it.
        for parts in walked.parts().iter().rev() {
            if parts.shared < missing {
                let own = self.terms.get(parts.start..parts.start + (missing - parts.shared));
                term.write(parts.shared, own.ok_or_else(shares_too_much)?);
                missing = parts.shared;
            }
        }
        Ok(())
    }

    /// Place of a term in the block. Terms are compared by what they share with their neighbours, without building them.
    pub(crate) fn find(&self, wanted: &[u8]) -> Result<Option<u32>> {
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

    pub(crate) fn entry(&self, index: u32) -> Result<TermEntry> {
        let mut statistics = Statistics::start(self)?;
        for _ in 0..index {
            statistics.next(self)?;
        }
        statistics.next(self)
    }
}

/// The bytes of a term that it does not share with the one before, as they are stored.
#[derive(Debug, Clone, Copy)]
pub struct OwnBytes<'a> {
    /// So many bytes of the term come from the one before.
    pub shared: usize,
    pub length: usize,
    /// Ends with the own bytes; what is in front of them is none of the term's.
    pub until: &'a [u8],
}

/// Where a term's own bytes are, and how many it has of the term before.
#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    shared: usize,
    start: usize,
    end: usize,
}

impl Parts {
    #[inline]
    fn own_length(&self) -> usize {
        self.end - self.start
    }

    #[inline]
    fn term_length(&self) -> usize {
        self.shared + self.own_length()
    }
}

/// The first terms of a block, as far as it was walked over without building them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Walked {
    parts: [Parts; BLOCK_TERMS as usize],
    pub(crate) count: usize,
}

impl Walked {
    /// A block has no more terms than there is room for.
    #[inline]
    fn push(&mut self, parts: Parts) {
        self.parts[self.count % BLOCK_TERMS as usize] = parts;
        self.count += 1;
    }

    #[inline]
    fn parts(&self) -> &[Parts] {
        &self.parts[..self.count]
    }
}

#[cold]
fn shares_too_much() -> Error {
    Error::corrupt("a term shares more with the one before it than that has")
}

/// Walks the statistics of a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statistics {
    at: usize,
    /// Of the term that comes next.
    pub(crate) ordinal: u32,
    postings: u64,
    positions: u64,
}

impl Statistics {
    pub(crate) fn start(block: &TermBlock<'_>) -> Result<Self> {
        let mut at = 0;
        let postings = varint::read_u64(block.statistics, &mut at)?;
        let positions = if block.options.positions { varint::read_u64(block.statistics, &mut at)? } else { 0 };
        Ok(Statistics { at, ordinal: block.first_ordinal, postings, positions })
    }

    pub(crate) fn next(&mut self, block: &TermBlock<'_>) -> Result<TermEntry> {
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
