//! The terms of several inputs in one ascending row.

use crate::reader::{FieldReader, SegmentReader};
use quarry_base::error::Result;
use quarry_postings::{FieldPostingsReader, TermEntry, TermIterator};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The next term of one input. Ordered by term, then by input, so that documents of inputs that follow each other come ascending.
pub(super) struct Head<'a> {
    term: Vec<u8>,
    pub input: usize,
    pub entry: TermEntry,
    pub reader: &'a FieldPostingsReader,
    pub segment: &'a SegmentReader,
    rest: TermIterator<'a>,
}

impl<'a> Head<'a> {
    /// `None` for an input without terms.
    fn first(input: usize, segment: &'a SegmentReader, reader: &'a FieldPostingsReader) -> Result<Option<Self>> {
        let mut rest = reader.terms_from(b"")?;
        let Some((term, entry)) = rest.next()? else { return Ok(None) };
        let term = term.to_vec();
        Ok(Some(Head { term, input, entry, reader, segment, rest }))
    }

    /// `false` when there is no further term.
    fn advance(&mut self) -> Result<bool> {
        let Some((term, entry)) = self.rest.next()? else { return Ok(false) };
        self.term.clear();
        self.term.extend_from_slice(term);
        self.entry = entry;
        Ok(true)
    }
}

impl Ord for Head<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.term.cmp(&other.term).then(self.input.cmp(&other.input))
    }
}

impl PartialOrd for Head<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Head<'_> {}

/// The next terms of all inputs.
pub(super) struct TermHeads<'a> {
    heads: BinaryHeap<Reverse<Head<'a>>>,
}

impl<'a> TermHeads<'a> {
    /// Of one field: each input's segment, and its field where it has it.
    pub(super) fn open(inputs: impl Iterator<Item = (&'a SegmentReader, Option<&'a FieldReader>)>) -> Result<Self> {
        let mut heads = BinaryHeap::new();
        for (input, (segment, field)) in inputs.enumerate() {
            if let Some(reader) = field.and_then(FieldReader::postings) {
                let head = Head::first(input, segment, reader).map_err(|error| segment.name_damage(error))?;
                heads.extend(head.map(Reverse));
            }
        }
        Ok(TermHeads { heads })
    }

    /// Puts the least term that is left into `term`; `false` when there is none.
    pub(super) fn peek(&self, term: &mut Vec<u8>) -> bool {
        let Some(Reverse(head)) = self.heads.peek() else { return false };
        term.clear();
        term.extend_from_slice(&head.term);
        true
    }

    /// Calls `visit` for each input that has the least term, by input, and goes on to the next term.
    pub(super) fn take(&mut self, term: &[u8], mut visit: impl FnMut(&Head<'a>) -> Result<()>) -> Result<()> {
        while let Some(mut top) = self.heads.peek_mut().filter(|top| top.0.term == term) {
            let head = &mut top.0;
            let segment = head.segment;
            visit(head).map_err(|error| segment.name_damage(error))?;
            if !head.advance().map_err(|error| segment.name_damage(error))? {
                PeekMut::pop(top);
            }
        }
        Ok(())
    }
}
