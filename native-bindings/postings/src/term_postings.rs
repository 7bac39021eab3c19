//! The postings of one term on their way into a segment.

use super::PostingsOptions;
use quarry_base::error::{Error, Result};

/// The postings of one term, documents ascending. Borrowed from the indexing buffer or from a merge.
#[derive(Debug, Clone, Copy)]
pub struct TermPostings<'a> {
    pub docs: &'a [u32],
    /// One for each document, or empty when frequencies are not recorded (each counts as 1).
    pub freqs: &'a [u32],
    /// Positions of all documents one after another, each document's ascending and absolute; `freqs[i]` of them for
    /// document `i`; empty when positions are not recorded.
    pub positions: &'a [u32],
}

impl<'a> TermPostings<'a> {
    /// Frequency of the document at this place.
    pub(super) fn freq(&self, index: usize) -> u32 {
        if self.freqs.is_empty() { 1 } else { self.freqs[index] }
    }

    pub(super) fn total_term_freq(&self) -> u64 {
        if self.freqs.is_empty() {
            return self.docs.len() as u64;
        }
        self.freqs.iter().map(|&freq| u64::from(freq)).sum()
    }

    /// A range of the documents, without positions.
    fn part(&self, start: usize, end: usize) -> TermPostings<'a> {
        let freqs = if self.freqs.is_empty() { self.freqs } else { &self.freqs[start..end] };
        TermPostings { docs: &self.docs[start..end], freqs, positions: &[] }
    }

    /// Runs of `size` documents; the last may be shorter.
    pub(super) fn chunks(&self, size: usize) -> impl Iterator<Item = TermPostings<'a>> + '_ {
        (0..self.docs.len()).step_by(size).map(move |start| self.part(start, (start + size).min(self.docs.len())))
    }

    /// Runs of documents with equal keys; the key must not fall as documents rise.
    pub(super) fn group_by(&self, key: impl Fn(u32) -> u32) -> impl Iterator<Item = TermPostings<'a>> {
        let whole = *self;
        let mut start = 0;
        std::iter::from_fn(move || {
            let first = key(*whole.docs.get(start)?);
            let end = start + whole.docs[start..].partition_point(|&doc| key(doc) == first);
            let group = whole.part(start, end);
            start = end;
            Some(group)
        })
    }

    /// The writer's contract with its callers, checked before anything is encoded.
    pub(super) fn check(&self, max_doc: u32, options: PostingsOptions) -> Result<()> {
        let broken =
            |what: &str| Err(Error::new(quarry_base::error::ErrorCode::Internal, format!("postings writer: {what}")));
        if self.docs.is_empty() {
            return broken("a term without documents");
        }
        if !self.docs.is_sorted_by(|a, b| a < b) || self.docs[self.docs.len() - 1] >= max_doc {
            return broken("documents are not ascending below the segment's number of documents");
        }
        if self.freqs.len() != if options.freqs { self.docs.len() } else { 0 } || self.freqs.contains(&0) {
            return broken("frequencies do not fit the documents");
        }
        let positions = if options.positions { self.total_term_freq() } else { 0 };
        if self.positions.len() as u64 != positions {
            return broken("positions do not fit the frequencies");
        }
        Ok(())
    }
}
