//! The terms of a dictionary one after the other.

use super::block::{OwnBytes, Statistics, TermBlock, Walked};
use super::text::TermText;
use super::{BLOCK_TERMS, Dictionary};
use crate::TermEntry;
use quarry_base::error::{Error, Result};

/// Terms in byte order. Not an [`Iterator`]: the term is lent until the next call.
#[derive(Debug)]
pub struct TermIterator<'a> {
    dictionary: &'a Dictionary,
    /// Of the term behind `term`.
    next_ordinal: u32,
    term: TermText,
    place: Option<Place<'a>>,
    /// `term` is the next one to give.
    is_ahead: bool,
}

#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    block: TermBlock<'a>,
    at: usize,
    /// Those of the terms up to here that somebody asked for.
    statistics: Statistics,
    /// Those of the terms up to here that were not built; noted anew where others were.
    walked: Walked,
}

impl<'a> TermIterator<'a> {
    /// All terms.
    pub(crate) fn new(dictionary: &'a Dictionary) -> Self {
        TermIterator { dictionary, next_ordinal: 0, term: TermText::default(), place: None, is_ahead: false }
    }

    /// The next term and its entry; `None` after the last.
    #[allow(clippy::should_implement_trait)]
    #[inline]
    pub fn next(&mut self) -> Result<Option<(&[u8], TermEntry)>> {
        if self.next_term()?.is_none() {
            return Ok(None);
        }
        let entry = self.entry()?;
        Ok(Some((self.term.as_bytes(), entry)))
    }

    /// The next term; `None` after the last. What terms are passed over costs less than with [`Self::next`].
    #[inline(always)]
    pub fn next_term(&mut self) -> Result<Option<&[u8]>> {
        if std::mem::take(&mut self.is_ahead) {
            return Ok(Some(self.term.as_bytes()));
        }
        if self.next_ordinal >= self.dictionary.term_count() {
            return Ok(None);
        }
        if self.next_ordinal.is_multiple_of(BLOCK_TERMS) {
            self.open_block()?;
        }
        let place = self.place.as_mut().ok_or_else(|| Error::internal("no block of terms is open"))?;
        place.block.next_term(&mut place.at, &mut self.term)?;
        self.next_ordinal += 1;
        Ok(Some(self.term.as_bytes()))
    }

    /// The next term that is not refused by its own bytes; `None` after the last. The others are not built.
    #[inline(always)]
    pub fn next_unless(&mut self, is_refused: impl Fn(OwnBytes<'_>) -> bool) -> Result<Option<&[u8]>> {
        if std::mem::take(&mut self.is_ahead) {
            return Ok(Some(self.term.as_bytes()));
        }
        while self.next_ordinal < self.dictionary.term_count() {
            let in_block = self.next_ordinal % BLOCK_TERMS;
            if in_block == 0 {
                self.open_block()?;
            }
            let Place { block, at, walked, .. } =
                self.place.as_mut().ok_or_else(|| Error::internal("no block of terms is open"))?;
            if walked.count != in_block as usize {
                *walked = block.walk(in_block as usize)?;
            }
            let is_found = block.pass_over(at, walked, &is_refused)?;
            self.next_ordinal += walked.count as u32 - in_block;
            if is_found {
                block.build(walked, &mut self.term)?;
                return Ok(Some(self.term.as_bytes()));
            }
        }
        Ok(None)
    }

    /// The term that was given last.
    #[inline]
    pub fn term(&self) -> &[u8] {
        self.term.as_bytes()
    }

    /// The entry of the term that was given last; to be asked for once.
    #[inline]
    pub fn entry(&mut self) -> Result<TermEntry> {
        let place = self.place.as_mut().ok_or_else(|| Error::internal("no term was asked for"))?;
        while place.statistics.ordinal + 1 < self.next_ordinal {
            place.statistics.next(&place.block)?;
        }
        place.statistics.next(&place.block)
    }

    /// Passes over the terms below `bound`, of those that are still to come.
    pub fn seek(&mut self, bound: &[u8]) -> Result<()> {
        if self.next_ordinal >= self.dictionary.term_count() && !self.is_ahead {
            return Ok(());
        }
        let current = self.next_ordinal / BLOCK_TERMS;
        let block = self.dictionary.block_from(current, bound)?;
        if block > current || (block == current && self.next_ordinal.is_multiple_of(BLOCK_TERMS)) {
            self.is_ahead = false;
            self.next_ordinal = block * BLOCK_TERMS;
        }
        while let Some(term) = self.next_term()? {
            if term >= bound {
                self.is_ahead = true;
                break;
            }
        }
        Ok(())
    }

    #[inline(never)]
    fn open_block(&mut self) -> Result<()> {
        let block = self.dictionary.block(self.next_ordinal / BLOCK_TERMS)?;
        let statistics = Statistics::start(&block)?;
        match &mut self.place {
            // What was noted of the block before is not cleared: that would take longer than to walk over a block.
            Some(place) => {
                (place.block, place.at, place.statistics, place.walked.count) = (block, 0, statistics, 0);
            }
            None => self.place = Some(Place { block, at: 0, statistics, walked: Walked::default() }),
        }
        Ok(())
    }
}
