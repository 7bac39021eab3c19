//! Vectors in the order of their nearness, and the best of them.

use rapidhash::RapidHashMap;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, BinaryHeap};

/// A vector and how near it is. The greater of two is the nearer one; of equally near ones that with the lower number.
#[derive(Debug, Clone, Copy)]
pub struct Near {
    pub closeness: f32,
    pub ordinal: u32,
}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.closeness.total_cmp(&other.closeness).then(other.ordinal.cmp(&self.ordinal))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Near {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Near {}

/// Keeps the nearest so many of what it is offered.
pub trait Keep {
    /// Whether it is among the best now.
    fn offer(&mut self, near: Near) -> bool;

    /// What comes next has to be nearer than this; `None` while there is room.
    fn farthest(&self) -> Option<Near>;

    /// The nearest first.
    fn into_sorted(self) -> Vec<Near>;
}

/// The nearest so many of those that were offered.
#[derive(Debug)]
pub struct Best {
    /// The farthest is on top.
    heap: BinaryHeap<Reverse<Near>>,
    limit: usize,
}

impl Best {
    /// `limit` is at least 1.
    pub fn new(limit: usize) -> Self {
        Best { heap: BinaryHeap::new(), limit }
    }
}

impl Keep for Best {
    #[inline]
    fn offer(&mut self, near: Near) -> bool {
        if self.heap.len() < self.limit {
            self.heap.push(Reverse(near));
            return true;
        }
        match self.heap.peek_mut() {
            Some(mut farthest) if farthest.0 < near => {
                *farthest = Reverse(near);
                true
            }
            _ => false,
        }
    }

    #[inline]
    fn farthest(&self) -> Option<Near> {
        if self.heap.len() < self.limit { None } else { self.heap.peek().map(|farthest| farthest.0) }
    }

    fn into_sorted(self) -> Vec<Near> {
        self.heap.into_sorted_vec().into_iter().map(|near| near.0).collect()
    }
}

/// The nearest one of each of the nearest so many groups.
pub struct BestOfGroups<'a> {
    group: &'a dyn Fn(u32) -> u32,
    kept: BTreeSet<Near>,
    of_group: RapidHashMap<u32, Near>,
    limit: usize,
}

impl<'a> BestOfGroups<'a> {
    /// `limit` is at least 1; `group` gives the group of a vector.
    pub fn new(limit: usize, group: &'a dyn Fn(u32) -> u32) -> Self {
        BestOfGroups { group, kept: BTreeSet::new(), of_group: RapidHashMap::default(), limit }
    }
}

impl Keep for BestOfGroups<'_> {
    fn offer(&mut self, near: Near) -> bool {
        if self.farthest().is_some_and(|farthest| near < farthest) {
            return false;
        }
        let group = (self.group)(near.ordinal);
        match self.of_group.get(&group).copied() {
            Some(known) if known >= near => return false,
            Some(known) => {
                self.kept.remove(&known);
            }
            None => {}
        }
        self.kept.insert(near);
        self.of_group.insert(group, near);
        if self.kept.len() > self.limit
            && let Some(farthest) = self.kept.pop_first()
        {
            self.of_group.remove(&(self.group)(farthest.ordinal));
        }
        true
    }

    fn farthest(&self) -> Option<Near> {
        if self.kept.len() < self.limit { None } else { self.kept.first().copied() }
    }

    fn into_sorted(self) -> Vec<Near> {
        self.kept.into_iter().rev().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::Dice;

    #[test]
    fn the_best_are_kept_and_ties_go_to_lower_numbers() {
        let mut best = Best::new(3);
        let offered = [(0.5, 4), (0.5, 2), (0.1, 0), (0.9, 7), (0.5, 3)];
        let kept = offered.map(|(closeness, ordinal)| best.offer(Near { closeness, ordinal }));
        assert_eq!(kept, [true, true, true, true, true]);
        assert!(!best.offer(Near { closeness: 0.5, ordinal: 3 }));
        let sorted: Vec<u32> = best.into_sorted().into_iter().map(|near| near.ordinal).collect();
        assert_eq!(sorted, [7, 2, 3]);
    }
    #[test]
    fn of_each_group_the_nearest_is_kept() {
        let mut dice = Dice::new(17);
        for limit in [1, 2, 5, 40] {
            let group = |ordinal: u32| ordinal % 9;
            let offered: Vec<Near> =
                (0..60).map(|ordinal| Near { closeness: dice.below(40) as f32, ordinal }).collect();
            let mut best = BestOfGroups::new(limit, &group);
            offered.iter().for_each(|&near| {
                best.offer(near);
            });
            let of_group = |wanted| offered.iter().copied().filter(|near| group(near.ordinal) == wanted).max();
            let mut expected: Vec<Near> = (0..9).filter_map(of_group).collect();
            expected.sort_by(|left, right| right.cmp(left));
            expected.truncate(limit);
            assert_eq!(best.into_sorted(), expected);
        }
    }
}
