//! The documents of a segment that sort first, by the ranks of their keys.

use super::groups::GroupValue;
use super::key::ResolvedKey;
use super::segment_key::SegmentKey;
use crate::sort::hit::Hit;
use crate::view::SegmentView;
use quarry_base::error::Result;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// One for each sort key, mostly one or two.
pub type Ranks = SmallVec<[u64; 2]>;

/// The sort keys opened in one segment.
pub struct SegmentKeys<'a> {
    pub(super) keys: Vec<SegmentKey<'a>>,
    doc_base: u32,
    window_count: u32,
}

impl<'a> SegmentKeys<'a> {
    pub fn open(keys: &'a [ResolvedKey], segment: &'a SegmentView) -> Result<Self> {
        let keys = keys.iter().map(|key| SegmentKey::open(key, segment)).collect::<Result<Vec<_>>>()?;
        Ok(SegmentKeys { keys, doc_base: segment.doc_base, window_count: segment.window_count() })
    }

    pub(super) fn window_count(&self) -> u32 {
        self.window_count
    }

    /// Makes documents of a window ready for [`SegmentKeys::ranks`], with their scores or none at all.
    pub fn load(&mut self, window: u32, docs: &[u16], scores: &[f32]) -> Result<()> {
        self.keys.iter_mut().try_for_each(|key| key.load(window, docs, scores))
    }

    /// Replaces `ranks` by those of an in-window document of the loaded ones.
    #[inline]
    pub fn ranks(&self, doc: u16, score: f32, ranks: &mut Ranks) {
        ranks.clear();
        ranks.extend(self.keys.iter().map(|key| key.rank(doc, score)));
    }

    /// As [`SegmentKeys::ranks`], where the first is known.
    #[inline]
    pub(super) fn ranks_behind(&self, first: u64, doc: u16, score: f32, ranks: &mut Ranks) {
        ranks.clear();
        ranks.push(first);
        ranks.extend(self.keys.iter().skip(1).map(|key| key.rank(doc, score)));
    }

    /// The segment's best as hits with the values that they were sorted by.
    pub fn hits(&self, best: Best, keeps_scores: bool) -> Result<Vec<Hit>> {
        let hit = |Entry { doc, score, .. }: Entry| self.hit(doc, score, keeps_scores, None);
        best.heap.into_sorted_vec().into_iter().map(hit).collect()
    }

    /// As [`SegmentKeys::hits`], of documents that stand for a group each.
    pub fn group_hits(&self, entries: Vec<(u32, f32, GroupValue)>, keeps_scores: bool) -> Result<Vec<Hit>> {
        let hit = |(doc, score, group)| self.hit(doc, score, keeps_scores, Some(group));
        entries.into_iter().map(hit).collect()
    }

    fn hit(&self, doc: u32, score: f32, keeps_score: bool, group: Option<GroupValue>) -> Result<Hit> {
        let sort = self.keys.iter().map(|key| key.value(doc, score)).collect::<Result<Vec<_>>>()?;
        Ok(Hit { doc: self.doc_base + doc, score: keeps_score.then_some(score), sort, group, rescored: Vec::new() })
    }
}

/// The first documents by rank; the greatest, at the top of the heap, is the one that sorts last.
#[derive(Debug, Clone, Default)]
pub struct Best {
    heap: BinaryHeap<Entry>,
}

impl Best {
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    pub fn is_full(&self, k: usize) -> bool {
        self.heap.len() >= k
    }

    /// With `k` documents found: the first rank of the worst of them.
    pub fn worst_first_rank(&self, k: usize) -> Option<u64> {
        let worst = if self.heap.len() < k { None } else { self.heap.peek() };
        worst.and_then(|worst| worst.ranks.first().copied())
    }

    /// Takes a document of the segment, which must come after those before it, when it is among the first `k`.
    #[inline]
    pub fn insert(&mut self, k: usize, ranks: &Ranks, doc: u32, score: f32) {
        if self.heap.len() < k {
            self.heap.push(Entry { ranks: ranks.clone(), doc, score });
            return;
        }
        // Documents come in ascending order: one that ties with the worst sorts behind it.
        if let Some(mut worst) = self.heap.peek_mut().filter(|worst| *ranks < worst.ranks) {
            *worst = Entry { ranks: ranks.clone(), doc, score };
        }
    }
}

#[derive(Debug, Clone)]
struct Entry {
    ranks: Ranks,
    doc: u32,
    score: f32,
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.ranks.cmp(&other.ranks).then(self.doc.cmp(&other.doc))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}
