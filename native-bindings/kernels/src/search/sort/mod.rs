//! Hits in the order of several keys.
//!
//! Within a segment documents compare by ranks ([`segment_key`]); the best of each segment get their values ([`value`]) and
//! are merged with those of the segments before.
pub mod key;
mod segment_key;
pub mod value;

use crate::error::Result;
use crate::search::collect::Hit;
use crate::search::view::SegmentView;
use key::ResolvedKey;
use segment_key::SegmentKey;
use serde_json::Value;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use value::{KeyOrder, compare_values, orders_of};

/// Collects the first `k` hits of a shard.
pub struct SortCollector<'a> {
    keys: &'a [ResolvedKey],
    orders: Vec<KeyOrder>,
    after: Option<&'a [Value]>,
    k: usize,
    keeps_scores: bool,
    /// In order, of the segments finished so far.
    merged: Vec<Hit>,
}

impl<'a> SortCollector<'a> {
    /// `after`: only hits that sort strictly behind these values. `keeps_scores`: hits show their scores.
    pub fn new(keys: &'a [ResolvedKey], after: Option<&'a [Value]>, k: usize, keeps_scores: bool) -> Self {
        SortCollector { keys, orders: orders_of(keys), after, k, keeps_scores, merged: Vec::new() }
    }

    pub fn start_segment(&self, segment: &'a SegmentView) -> Result<SegmentSort<'a>> {
        let keys = self.keys.iter().map(|key| SegmentKey::open(key, segment)).collect::<Result<Vec<_>>>()?;
        let after = match self.after {
            Some(values) => Some(
                keys.iter().zip(values).map(|(key, value)| key.rank_of_request(value)).collect::<Result<Vec<u64>>>()?,
            ),
            None => None,
        };
        let worst = self.merged.get(self.k.wrapping_sub(1)).and_then(|hit| hit.sort.first());
        let bound = match (keys.first(), worst) {
            (Some(key), Some(value)) => key.shared_rank(value).unwrap_or(u64::MAX),
            _ => u64::MAX,
        };
        Ok(SegmentSort { keys, after, bound, k: self.k, heap: BinaryHeap::new(), ranks: Vec::new() })
    }

    pub fn finish_segment(&mut self, segment: &SegmentView, sort: SegmentSort<'_>) -> Result<()> {
        let entries = sort.heap.into_sorted_vec();
        let mut found = Vec::with_capacity(entries.len());
        for Entry { doc, score, .. } in entries {
            let values = sort.keys.iter().map(|key| key.value(doc, score)).collect::<Result<Vec<_>>>()?;
            let score = self.keeps_scores.then_some(score);
            found.push(Hit { doc: segment.doc_base + doc, score, sort: values });
        }
        let before = std::mem::take(&mut self.merged);
        self.merged = merge(&self.orders, before, found, self.k)?;
        Ok(())
    }

    /// The first key is the score: the first hit has the highest (or lowest) one.
    pub fn leads_with_score(&self) -> bool {
        self.keys.first().is_some_and(|key| key.source == key::KeySource::Score)
    }

    pub fn into_hits(self) -> Vec<Hit> {
        self.merged
    }
}

/// Merges two sorted lists; those of `first` win ties.
fn merge(orders: &[KeyOrder], first: Vec<Hit>, second: Vec<Hit>, k: usize) -> Result<Vec<Hit>> {
    let mut merged = Vec::with_capacity((first.len() + second.len()).min(k));
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while merged.len() < k {
        let takes_first = match (first.peek(), second.peek()) {
            (Some(left), Some(right)) => compare_values(orders, &left.sort, &right.sort)? != Ordering::Greater,
            (Some(_), None) => true,
            (None, _) => false,
        };
        match if takes_first { first.next() } else { second.next() } {
            Some(hit) => merged.push(hit),
            None => break,
        }
    }
    Ok(merged)
}

/// A document that is among the best of its segment. The greatest is the one that sorts last.
struct Entry {
    ranks: Vec<u64>,
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

/// The best documents of one segment.
pub struct SegmentSort<'a> {
    keys: Vec<SegmentKey<'a>>,
    after: Option<Vec<u64>>,
    /// What sorts behind this by the first key cannot be among the shard's best.
    bound: u64,
    k: usize,
    heap: BinaryHeap<Entry>,
    ranks: Vec<u64>,
}

impl SegmentSort<'_> {
    /// No document of the window can be among the best.
    pub fn can_skip(&self, window: u32) -> bool {
        let Some(key) = self.keys.first() else {
            return false;
        };
        key.least_rank(window) > self.first_rank_bound()
    }

    fn first_rank_bound(&self) -> u64 {
        let own = if self.heap.len() < self.k { None } else { self.heap.peek() };
        own.and_then(|worst| worst.ranks.first().copied()).unwrap_or(u64::MAX).min(self.bound)
    }

    /// Takes documents of a window, ascending, with their scores (or none at all where no key asks for them).
    pub fn collect(&mut self, window_start: u32, window: u32, docs: &[u16], scores: &[f32]) {
        if self.k == 0 {
            return;
        }
        for key in &mut self.keys {
            key.load(window);
        }
        for (place, &doc) in docs.iter().enumerate() {
            let score = scores.get(place).copied().unwrap_or(0.0);
            self.ranks.clear();
            self.ranks.extend(self.keys.iter().map(|key| key.rank(doc, score)));
            if self.ranks.first().is_some_and(|&rank| rank > self.bound) {
                continue;
            }
            if self.after.as_ref().is_some_and(|after| self.ranks <= *after) {
                continue;
            }
            self.insert(window_start + u32::from(doc), score);
        }
    }

    fn insert(&mut self, doc: u32, score: f32) {
        if self.heap.len() >= self.k {
            // Documents come in ascending order: one that ties with the worst sorts behind it.
            if self.heap.peek().is_some_and(|worst| self.ranks >= worst.ranks) {
                return;
            }
            self.heap.pop();
        }
        self.heap.push(Entry { ranks: self.ranks.clone(), doc, score });
    }
}
