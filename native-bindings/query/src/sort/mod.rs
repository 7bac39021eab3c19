//! Hits in the order of several keys.
//!
//! Within a segment documents compare by ranks ([`segment_key`], [`best`]); the best of each segment get their values
//! ([`value`]) and are merged ([`merge`]) with those of the segments before. Where the segment itself is sorted so
//! ([`in_order`]), its first matches are its best.
pub mod best;
mod children;
pub mod groups;
pub mod hit;
mod in_order;
pub mod key;
pub mod merge;
mod pick;
mod segment_key;
pub mod value;

use crate::sort::hit::Hit;
use crate::view::SegmentView;
use best::{Best, Ranks, SegmentKeys};
use groups::{GroupField, SegmentGroups, first_of_groups};
use key::ResolvedKey;
use merge::merge_hits;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_plan::request::SortOrder;
use serde_json::Value;
use std::collections::BinaryHeap;
use value::{KeyOrder, SortValue, orders_of};

/// What hits must sort strictly behind.
#[derive(Debug, Clone, Copy)]
pub enum After<'a> {
    /// Values of the request's `search_after`.
    Request(&'a [Value]),
    /// What an earlier hit of this shard was sorted by.
    Hit(&'a [SortValue]),
}

/// Collects the first `k` hits of a shard.
pub struct SortCollector<'a> {
    keys: &'a [ResolvedKey],
    orders: Vec<KeyOrder>,
    after: Option<After<'a>>,
    /// Only the first hit of each value of this field counts.
    group: Option<&'a GroupField>,
    k: usize,
    keeps_scores: bool,
    /// In order, of the segments finished so far.
    merged: Vec<Hit>,
}

impl<'a> SortCollector<'a> {
    /// `keeps_scores`: hits show their scores.
    pub fn new(keys: &'a [ResolvedKey], k: usize, keeps_scores: bool) -> Self {
        SortCollector { keys, orders: orders_of(keys), after: None, group: None, k, keeps_scores, merged: Vec::new() }
    }

    pub fn after(self, after: Option<After<'a>>) -> Self {
        SortCollector { after, ..self }
    }

    pub fn grouped(self, group: Option<&'a GroupField>) -> Self {
        SortCollector { group, ..self }
    }

    pub fn start_segment(&self, segment: &'a SegmentView) -> Result<SegmentSort<'a>> {
        let opened = SegmentKeys::open(self.keys, segment)?;
        let keys = &opened.keys;
        let after = match self.after {
            Some(After::Request(values)) => Some(
                keys.iter().zip(values).map(|(key, value)| key.rank_of_request(value)).collect::<Result<Vec<u64>>>()?,
            ),
            Some(After::Hit(values)) => {
                Some(keys.iter().zip(values).map(|(key, value)| key.rank_of_hit(value)).collect::<Result<Vec<u64>>>()?)
            }
            None => None,
        };
        let firsts = match self.group {
            Some(group) => Firsts::Groups(Box::new(SegmentGroups::open(group, segment))),
            None => Firsts::Documents(Best::default()),
        };
        let worst = self.merged.get(self.k.wrapping_sub(1)).and_then(|hit| hit.sort.first());
        let bound = match (keys.first(), worst) {
            (Some(key), Some(value)) => key.shared_rank(value).unwrap_or(u64::MAX),
            _ => u64::MAX,
        };
        let ends_early = in_order::is_in_order(segment, self.keys)? && matches!(firsts, Firsts::Documents(_));
        Ok(SegmentSort { keys: opened, after, bound, k: self.k, firsts, ends_early, first_ranks: Vec::new() })
    }

    pub fn finish_segment(&mut self, sort: SegmentSort<'_>) -> Result<()> {
        let before = std::mem::take(&mut self.merged);
        self.merged = match sort.firsts {
            Firsts::Documents(best) => {
                let found = sort.keys.hits(best, self.keeps_scores)?;
                merge_hits(&self.orders, before, found, self.k, |hit| hit)?
            }
            Firsts::Groups(groups) => {
                let found = sort.keys.group_hits(groups.into_entries()?, self.keeps_scores)?;
                let all = merge_hits(&self.orders, before, found, usize::MAX, |hit| hit)?;
                first_of_groups(all, self.k, |hit| hit)
            }
        };
        Ok(())
    }

    /// The first hit has the highest score.
    pub fn leads_with_best_score(&self) -> bool {
        let is_best = |key: &ResolvedKey| key.source == key::KeySource::Score && key.order == SortOrder::Descending;
        self.keys.first().is_some_and(is_best)
    }

    pub fn into_hits(self) -> Vec<Hit> {
        self.merged
    }
}

enum Firsts<'a> {
    Documents(Best),
    Groups(Box<SegmentGroups<'a>>),
}

/// The best documents of one segment.
pub struct SegmentSort<'a> {
    keys: SegmentKeys<'a>,
    after: Option<Vec<u64>>,
    /// What sorts behind this by the first key cannot be among the shard's best.
    bound: u64,
    k: usize,
    firsts: Firsts<'a>,
    /// Documents come in the order of the keys: the first `k` are the best.
    ends_early: bool,
    /// Of the documents of one window, by the first key.
    first_ranks: Vec<u64>,
}

impl SegmentSort<'_> {
    /// No document behind those that were collected can be among the best.
    pub fn is_complete(&self) -> bool {
        self.ends_early && matches!(&self.firsts, Firsts::Documents(best) if best.is_full(self.k))
    }

    /// No document of the window can be among the best.
    pub fn can_skip(&self, window: u32) -> bool {
        if self.is_complete() {
            return true;
        }
        let Some(key) = self.keys.keys.first() else {
            return false;
        };
        let is_before = self
            .after
            .as_ref()
            .and_then(|after| after.first())
            .is_some_and(|&after| key.greatest_rank(window).is_some_and(|greatest| greatest < after));
        let least = key.least_rank(window);
        is_before || least > self.first_rank_bound() || self.ties_lose(least)
    }

    /// The only key orders documents that are found later, with this rank or a higher one, behind those that were found.
    fn ties_lose(&self, least: u64) -> bool {
        match &self.firsts {
            Firsts::Documents(best) if self.keys.keys.len() == 1 => {
                best.worst_first_rank(self.k).is_some_and(|worst| least >= worst)
            }
            _ => false,
        }
    }

    fn first_rank_bound(&self) -> u64 {
        let worst = match &self.firsts {
            Firsts::Documents(best) => best.worst_first_rank(self.k),
            Firsts::Groups(groups) => groups.worst_first_rank(self.k),
        };
        worst.unwrap_or(u64::MAX).min(self.bound)
    }

    /// Clears the bits of documents of the window that cannot be among the best, where that is soon told.
    pub fn retain_competing(&self, window: u32, bits: &mut WindowBits) {
        let bound = self.first_rank_bound();
        if let Some(key) = self.keys.keys.first().filter(|_| bound < u64::MAX) {
            key.retain_to(bound, window, bits);
        }
    }

    /// Windows that are worth a look before the others, ascending: they hold the documents that sort first, and what is found
    /// there tells that most others need not be looked at. None where that is not known, or where they come first anyhow.
    pub fn windows_to_prime(&self) -> Vec<u32> {
        let (Some(key), Firsts::Documents(_)) = (self.keys.keys.first(), &self.firsts) else { return Vec::new() };
        let ranked = (0..self.keys.window_count()).map(|window| (key.least_rank(window), window));
        let mut windows: Vec<(u64, u32)> = ranked.filter(|&(rank, _)| rank <= self.bound).collect();
        let comes_first = windows.iter().min().is_none_or(|&(_, window)| window == 0);
        if self.k == 0 || comes_first || windows.len() < PRIMED_OF_MIN {
            return Vec::new();
        }
        windows.select_nth_unstable(PRIMED_MAX - 1);
        let mut windows: Vec<u32> = windows.into_iter().take(PRIMED_MAX).map(|(_, window)| window).collect();
        windows.sort_unstable();
        windows
    }

    /// Takes documents of a window to learn what rank the first `k` will not exceed. They are not collected.
    pub fn prime(&mut self, window: u32, docs: &[u16], primed: &mut Primed) -> Result<()> {
        self.keys.load(window, docs, &[])?;
        let Some(key) = self.keys.keys.first() else { return Ok(()) };
        key.ranks(docs, &[], &mut self.first_ranks);
        let after = self.after.as_ref().and_then(|after| after.first().copied());
        for &rank in self.first_ranks.iter().filter(|&&rank| after.is_none_or(|after| rank > after)) {
            if primed.best.len() < self.k {
                primed.best.push(rank);
            } else if let Some(mut worst) = primed.best.peek_mut().filter(|worst| rank < **worst) {
                *worst = rank;
            }
        }
        if primed.best.len() >= self.k {
            self.bound = primed.best.peek().map_or(self.bound, |&worst| worst.min(self.bound));
        }
        Ok(())
    }

    /// Takes documents of a window, ascending, with their scores (or none at all where no key asks for them).
    pub fn collect(&mut self, window_start: u32, window: u32, docs: &[u16], scores: &[f32]) -> Result<()> {
        let mut bound = self.first_rank_bound();
        if self.k == 0 || self.is_complete() || self.keys.keys.first().is_some_and(|key| key.least_rank(window) > bound)
        {
            return Ok(());
        }
        self.keys.load(window, docs, scores)?;
        if let Firsts::Groups(groups) = &mut self.firsts {
            groups.load(window);
        }
        if let Some(key) = self.keys.keys.first() {
            key.ranks(docs, scores, &mut self.first_ranks);
        }
        let mut ranks = Ranks::new();
        for (place, &doc) in docs.iter().enumerate() {
            let first = self.first_ranks[place];
            if first > bound || (first == bound && self.ties_lose(first)) {
                continue;
            }
            let score = scores.get(place).copied().unwrap_or(0.0);
            self.keys.ranks_behind(first, doc, score, &mut ranks);
            if self.after.as_ref().is_some_and(|after| ranks.as_slice() <= after.as_slice()) {
                continue;
            }
            let in_segment = window_start + u32::from(doc);
            match &mut self.firsts {
                Firsts::Documents(best) => best.insert(self.k, &ranks, in_segment, score),
                Firsts::Groups(groups) => groups.insert(self.k, &ranks, doc, in_segment, score)?,
            }
            if self.is_complete() {
                break;
            }
            bound = self.first_rank_bound();
        }
        Ok(())
    }
}

/// Windows that are looked at before the others, and how many there must be for that.
const PRIMED_MAX: usize = 2;
const PRIMED_OF_MIN: usize = 4;

/// The least ranks met while priming; the greatest of them is at the top.
#[derive(Default)]
pub struct Primed {
    best: BinaryHeap<u64>,
}
