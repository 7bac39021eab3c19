//! The best `k` documents, and what the specialised executors (term, union, intersection, phrase) share.

mod best_of;
#[cfg(test)]
mod brute_force;
mod count;
mod intersection;
mod leaf;
mod lists;
mod phrase;
pub mod scorer;
mod simd;
mod union;

pub use best_of::top_best_of;
pub use count::{count_intersection, count_union};
pub use intersection::{top_and_count_intersection, top_intersection};
pub use phrase::top::{count_phrase, top_and_count_phrase, top_phrase};
pub use union::top_union;

use crate::bm25::Bm25;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_postings::{FieldPostingsReader, TermEntry};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A document of the shard (segment's first document + document in the segment) with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredDoc {
    pub score: f32,
    pub doc: u32,
}

/// Ordered so that the worst document is the greatest: lower score, then higher document.
#[derive(Debug, Clone, Copy)]
struct WorstFirst(ScoredDoc);

impl Ord for WorstFirst {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.score.total_cmp(&self.0.score).then(self.0.doc.cmp(&other.0.doc))
    }
}

impl PartialOrd for WorstFirst {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for WorstFirst {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for WorstFirst {}

/// Keeps the best `k` documents: higher scores first, ties to the lower document. One value serves all segments of a
/// shard in turn, so that what the first segments gave prunes the later ones.
#[derive(Debug)]
pub struct TopK {
    k: usize,
    heap: BinaryHeap<WorstFirst>,
    primed: f32,
}

impl TopK {
    #[inline]
    pub fn new(k: usize) -> Self {
        TopK { k, heap: BinaryHeap::new(), primed: f32::NEG_INFINITY }
    }

    #[inline]
    pub fn k(&self) -> usize {
        self.k
    }

    /// At least `k` documents that will be inserted score more than this: others need not be.
    #[inline]
    pub fn prime(&mut self, score: f32) {
        self.primed = self.primed.max(score);
    }

    /// A document with a lower score cannot enter, nor one with the same score and a higher number than all before.
    #[inline]
    pub fn threshold(&self) -> f32 {
        if self.heap.len() < self.k {
            return self.primed;
        }
        self.heap.peek().map_or(f32::INFINITY, |worst| worst.0.score.max(self.primed))
    }

    #[inline]
    pub fn insert(&mut self, score: f32, doc: u32) {
        let entry = WorstFirst(ScoredDoc { score, doc });
        if self.heap.len() < self.k {
            self.heap.push(entry);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && entry < *worst
        {
            *worst = entry;
        }
    }

    /// Best first.
    pub fn into_sorted(self) -> Vec<ScoredDoc> {
        self.heap.into_sorted_vec().into_iter().map(|entry| entry.0).collect()
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
    /// `boost * idf`; not negative.
    pub weight: f32,
}

/// The terms that may stand at one place of a phrase: one, or several alternatives.
#[derive(Debug, Clone)]
pub struct PhraseSlot {
    /// Place in the phrase; gaps are possible.
    pub position: u32,
    pub terms: Vec<TermEntry>,
}

impl PhraseSlot {
    /// At most this many documents have one of the terms.
    pub(crate) fn doc_freq(&self) -> u64 {
        self.terms.iter().map(|entry| u64::from(entry.doc_freq)).sum()
    }
}

/// A phrase over one field of one segment.
#[derive(Clone)]
pub struct PhraseClause<'a> {
    /// Two or more, in any order.
    pub slots: Vec<PhraseSlot>,
    pub postings: &'a FieldPostingsReader,
    /// As in [`TermClause::norms`].
    pub norms: Option<&'a [u8]>,
    pub similarity: &'a Bm25,
    /// `boost *` the sum of the terms' idf; not negative.
    pub weight: f32,
    /// How far terms may stand from their places, all together; 0 for an exact phrase.
    pub slop: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_document_in_any_order() {
        let mut top = TopK::new(2);
        for (score, doc) in [(1.0, 9), (2.0, 5), (1.0, 3), (1.0, 4), (2.0, 7), (2.0, 1)] {
            top.insert(score, doc);
        }
        assert_eq!(top.threshold(), 2.0);
        let best = top.into_sorted();
        assert_eq!(best, [ScoredDoc { score: 2.0, doc: 1 }, ScoredDoc { score: 2.0, doc: 5 }]);
    }

    #[test]
    fn nothing_enters_a_top_of_zero() {
        let mut top = TopK::new(0);
        assert_eq!(top.threshold(), f32::INFINITY);
        top.insert(1.0, 1);
        assert!(top.into_sorted().is_empty());
    }

    #[test]
    fn a_primed_threshold_holds_until_the_heap_is_better() {
        let mut top = TopK::new(1);
        top.prime(0.5);
        assert_eq!(top.threshold(), 0.5);
        top.insert(0.7, 1);
        assert_eq!(top.threshold(), 0.7);
    }
}
