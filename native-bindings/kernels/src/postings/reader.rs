//! Opens the three sections of one field and finds terms in them.

use super::PostingsOptions;
use super::cursor::TermCursor;
use crate::codec::shared_bytes::SharedBytes;
use crate::error::Result;

/// What the dictionary knows of one term. Valid for the reader it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermEntry {
    /// Rank of the term in byte order, from 0.
    pub ordinal: u32,
    pub doc_freq: u32,
    /// Sum of the term's frequencies; equal to `doc_freq` where frequencies are not recorded.
    pub total_term_freq: u64,
    pub(crate) postings_offset: u64,
    pub(crate) postings_length: u64,
    pub(crate) positions_offset: u64,
    pub(crate) positions_length: u64,
}

/// The inverted index of one field of one segment. Immutable; several threads may use it.
#[derive(Debug)]
pub struct FieldPostingsReader {}

/// All postings of one term, decoded: what a merge reads. Fields are as in [`super::TermPostings`].
#[derive(Debug, Default)]
pub struct DecodedTerm {
    pub docs: Vec<u32>,
    pub freqs: Vec<u32>,
    pub positions: Vec<u32>,
}

impl FieldPostingsReader {
    /// Sections as [`super::FieldPostings`] had them; `positions` is empty when none were recorded.
    pub fn open(
        _dictionary: SharedBytes,
        _postings: SharedBytes,
        _positions: SharedBytes,
        _max_doc: u32,
        _options: PostingsOptions,
    ) -> Result<Self> {
        todo!()
    }

    pub fn options(&self) -> PostingsOptions {
        todo!()
    }

    pub fn max_doc(&self) -> u32 {
        todo!()
    }

    pub fn term_count(&self) -> u32 {
        todo!()
    }

    pub fn lookup(&self, _term: &[u8]) -> Result<Option<TermEntry>> {
        todo!()
    }

    /// Replaces `term` by the bytes of the term with this ordinal, which must be below `term_count`.
    pub fn term(&self, _ordinal: u32, _term: &mut Vec<u8>) -> Result<TermEntry> {
        todo!()
    }

    /// The terms `>= lower_bound` in byte order; an empty bound gives all of them.
    pub fn terms_from(&self, _lower_bound: &[u8]) -> Result<TermIterator<'_>> {
        todo!()
    }

    /// Documents and frequencies of a term, by windows.
    pub fn cursor(&self, _entry: &TermEntry) -> Result<TermCursor<'_>> {
        todo!()
    }

    /// Replaces the contents of `out` by the whole postings of a term.
    pub fn read_term(&self, _entry: &TermEntry, _out: &mut DecodedTerm) -> Result<()> {
        todo!()
    }
}

/// Terms in byte order. Not an [`Iterator`]: the term is lent until the next call.
#[derive(Debug)]
pub struct TermIterator<'a> {
    _reader: &'a FieldPostingsReader,
}

impl TermIterator<'_> {
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<(&[u8], TermEntry)>> {
        todo!()
    }
}
