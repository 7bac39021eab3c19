//! Hits in the order of several keys.
//!
//! Within a segment documents compare by ranks ([`segment_key`], [`best`]); the best of each segment get their values
//! ([`value`]) and are merged ([`merge`]) with those of the segments before.
pub mod best;
pub mod key;
pub mod merge;
mod pick;
mod segment_key;
pub mod value;

use crate::error::Result;
use crate::search::collect::Hit;
use crate::search::view::SegmentView;
use best::{Best, SegmentKeys};
use key::ResolvedKey;
use merge::merge_hits;
use serde_json::Value;
use value::{KeyOrder, orders_of};

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
        let opened = SegmentKeys::open(self.keys, segment)?;
        let keys = &opened.keys;
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
        Ok(SegmentSort { keys: opened, after, bound, k: self.k, best: Best::default(), ranks: Vec::new() })
    }

    pub fn finish_segment(&mut self, sort: SegmentSort<'_>) -> Result<()> {
        let found = sort.keys.hits(sort.best, self.keeps_scores)?;
        let before = std::mem::take(&mut self.merged);
        self.merged = merge_hits(&self.orders, before, found, self.k, |hit| hit)?;
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

/// The best documents of one segment.
pub struct SegmentSort<'a> {
    keys: SegmentKeys<'a>,
    after: Option<Vec<u64>>,
    /// What sorts behind this by the first key cannot be among the shard's best.
    bound: u64,
    k: usize,
    best: Best,
    ranks: Vec<u64>,
}

impl SegmentSort<'_> {
    /// No document of the window can be among the best.
    pub fn can_skip(&self, window: u32) -> bool {
        let Some(key) = self.keys.keys.first() else {
            return false;
        };
        key.least_rank(window) > self.first_rank_bound()
    }

    fn first_rank_bound(&self) -> u64 {
        self.best.worst_first_rank(self.k).unwrap_or(u64::MAX).min(self.bound)
    }

    /// Takes documents of a window, ascending, with their scores (or none at all where no key asks for them).
    pub fn collect(&mut self, window_start: u32, window: u32, docs: &[u16], scores: &[f32]) {
        if self.k == 0 {
            return;
        }
        self.keys.load(window);
        for (place, &doc) in docs.iter().enumerate() {
            let score = scores.get(place).copied().unwrap_or(0.0);
            self.keys.ranks(doc, score, &mut self.ranks);
            if self.ranks.first().is_some_and(|&rank| rank > self.bound) {
                continue;
            }
            if self.after.as_ref().is_some_and(|after| self.ranks <= *after) {
                continue;
            }
            self.best.insert(self.k, &self.ranks, window_start + u32::from(doc), score);
        }
    }
}
