//! Vectors in the order of their nearness, and the best of them.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

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

    /// Whether it is among the best now.
    #[inline]
    pub fn offer(&mut self, near: Near) -> bool {
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

    /// What comes next has to be nearer than this; `None` while there is room.
    #[inline]
    pub fn farthest(&self) -> Option<Near> {
        if self.heap.len() < self.limit { None } else { self.heap.peek().map(|farthest| farthest.0) }
    }

    /// The nearest first.
    pub fn into_sorted(self) -> Vec<Near> {
        self.heap.into_sorted_vec().into_iter().map(|near| near.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
