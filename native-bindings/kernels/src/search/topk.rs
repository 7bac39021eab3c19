//! The best `k` documents, and what the specialised executors (term, union, intersection, phrase) share.

use super::bm25::Bm25;
use crate::error::Result;
use crate::postings::{FieldPostingsReader, TermEntry};
use crate::window::WindowBits;

/// A document of the shard (segment's first document + document in the segment) with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredDoc {
    pub score: f32,
    pub doc: u32,
}

/// Keeps the best `k` documents: higher scores first, ties to the lower document. One value serves all segments of a
/// shard in turn, so that what the first segments gave prunes the later ones.
#[derive(Debug)]
pub struct TopK {}

impl TopK {
    pub fn new(_k: usize) -> Self {
        todo!()
    }

    /// A document with a lower score, or the same score and a higher number, cannot enter.
    pub fn threshold(&self) -> f32 {
        todo!()
    }

    pub fn insert(&mut self, _score: f32, _doc: u32) {
        todo!()
    }

    /// Best first.
    pub fn into_sorted(self) -> Vec<ScoredDoc> {
        todo!()
    }
}

/// Decides which documents may be returned: live documents, a filter, or both.
pub trait AcceptWindow {
    /// Clears the bit of every document of the window that may not be returned.
    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()>;
}

/// The segment that an executor walks.
pub struct SegmentRun<'a> {
    /// Added to each document to give [`ScoredDoc::doc`].
    pub doc_base: u32,
    pub max_doc: u32,
    /// `None` when nothing is deleted or filtered.
    pub accept: Option<&'a mut dyn AcceptWindow>,
}

/// One term of one segment with what its score needs.
#[derive(Clone, Copy)]
pub struct TermClause<'a> {
    pub postings: &'a FieldPostingsReader,
    pub entry: TermEntry,
    /// One byte per document, padded to whole windows; `None` for a field without norms.
    pub norms: Option<&'a [u8]>,
    pub similarity: &'a Bm25,
    /// `boost * idf`.
    pub weight: f32,
}

/// Terms at relative positions. `weight` is `boost *` the sum of the terms' idf.
pub struct PhraseClause<'a> {
    /// The term and its position in the phrase (gaps are possible); at least two.
    pub terms: Vec<(TermEntry, u32)>,
    pub postings: &'a FieldPostingsReader,
    pub norms: Option<&'a [u8]>,
    pub similarity: &'a Bm25,
    pub weight: f32,
    pub slop: u32,
}

/// Best documents by the sum of the scores of any of the clauses (one clause: a term query).
pub fn top_union(_clauses: &[TermClause<'_>], _segment: &mut SegmentRun<'_>, _top: &mut TopK) -> Result<()> {
    todo!()
}

/// Best documents that match all of the clauses.
pub fn top_intersection(_clauses: &[TermClause<'_>], _segment: &mut SegmentRun<'_>, _top: &mut TopK) -> Result<()> {
    todo!()
}

/// Best documents of a phrase.
pub fn top_phrase(_phrase: &PhraseClause<'_>, _segment: &mut SegmentRun<'_>, _top: &mut TopK) -> Result<()> {
    todo!()
}

/// Documents that match any of the clauses.
pub fn count_union(_clauses: &[TermClause<'_>], _segment: &mut SegmentRun<'_>) -> Result<u64> {
    todo!()
}

/// Documents that match all of the clauses.
pub fn count_intersection(_clauses: &[TermClause<'_>], _segment: &mut SegmentRun<'_>) -> Result<u64> {
    todo!()
}

/// Documents that hold the phrase.
pub fn count_phrase(_phrase: &PhraseClause<'_>, _segment: &mut SegmentRun<'_>) -> Result<u64> {
    todo!()
}
