//! What is near to a query, found by going from neighbour to neighbour.

use super::layout::Graph;
use crate::Interrupt;
use crate::nearest::{Best, BestOfGroups, Keep, Near};
use quarry_base::error::Result;
use std::collections::BinaryHeap;

/// Nodes between two looks at the interrupt.
const STRIDE: usize = 256;

/// What is looked for.
pub struct Sought<'a> {
    /// How near a vector is to the query.
    pub closeness: &'a dyn Fn(u32) -> f32,
    /// How many are kept while going on, at least 1: more find better ones and take longer.
    pub breadth: usize,
    /// Which vectors count; the others are only gone through. `None`: all.
    pub accepts: Option<&'a dyn Fn(u32) -> bool>,
    /// The group of a vector, of which the nearest one counts alone. `None`: each is one by itself.
    pub group: Option<&'a dyn Fn(u32) -> u32>,
    /// Vectors that may be looked at.
    pub looks_max: usize,
}

/// What a walk came to.
#[derive(Debug)]
pub enum Walked {
    /// The nearest first, `breadth` at most.
    Found(Vec<Near>),
    /// More vectors would have to be looked at than are allowed.
    GaveUp,
}

/// The nearest of the vectors that count, as far as the graph leads to them.
pub fn nearest(graph: Graph<'_>, sought: &Sought<'_>, interrupt: Interrupt<'_>) -> Result<Walked> {
    match sought.group {
        Some(group) => walk(graph, sought, BestOfGroups::new(sought.breadth, group), interrupt),
        None => walk(graph, sought, Best::new(sought.breadth), interrupt),
    }
}

fn walk(graph: Graph<'_>, sought: &Sought<'_>, mut best: impl Keep, interrupt: Interrupt<'_>) -> Result<Walked> {
    let Sought { closeness, accepts, looks_max, .. } = *sought;
    let mut looks = Looks { left: looks_max };
    let entry = Near { closeness: closeness(graph.layout.entry), ordinal: graph.layout.entry };
    let Some(start) = descend(graph, entry, 1, closeness, &mut looks) else { return Ok(Walked::GaveUp) };
    let mut seen = Seen::new(graph.layout.count);
    let accepts = |ordinal| accepts.is_none_or(|accepts| accepts(ordinal));
    let done = walk_level(graph, 0, &[start], closeness, accepts, &mut seen, &mut looks, &mut best, interrupt)?;
    Ok(if done { Walked::Found(best.into_sorted()) } else { Walked::GaveUp })
}

/// Vectors that may still be looked at.
pub(super) struct Looks {
    left: usize,
}

impl Looks {
    pub fn unlimited() -> Self {
        Looks { left: usize::MAX }
    }

    /// `false` when there are none left.
    #[inline]
    fn take(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }
}

/// The nearest node that always going to the nearest neighbour leads to, through all levels down to `level`. `None`: too many looks.
pub(super) fn descend(
    graph: Graph<'_>,
    entry: Near,
    level: usize,
    closeness: impl Fn(u32) -> f32,
    looks: &mut Looks,
) -> Option<Near> {
    let mut at = entry;
    for level in (level..=graph.layout.top()).rev() {
        loop {
            let from = at.ordinal;
            for &ordinal in graph.neighbours(level, from) {
                if ordinal >= graph.layout.count {
                    continue;
                }
                if !looks.take() {
                    return None;
                }
                at = at.max(Near { closeness: closeness(ordinal), ordinal });
            }
            if at.ordinal == from {
                break;
            }
        }
    }
    Some(at)
}

/// Nodes that a walk has met; emptied at no cost.
pub(super) struct Seen {
    stamps: Vec<u32>,
    stamp: u32,
}

impl Seen {
    pub fn new(count: u32) -> Self {
        Seen { stamps: vec![0; count as usize], stamp: 1 }
    }

    pub fn clear(&mut self) {
        self.stamp = self.stamp.checked_add(1).unwrap_or_else(|| {
            self.stamps.fill(0);
            1
        });
    }

    /// `true` for a node that was met for the first time; never for one that there is not.
    #[inline]
    fn is_new(&mut self, ordinal: u32) -> bool {
        let stamp = self.stamps.get_mut(ordinal as usize);
        stamp.is_some_and(|stamp| std::mem::replace(stamp, self.stamp) != self.stamp)
    }
}

/// Offers what a level has around `starts` to `best`, until what is left to follow is farther than all of these. `false`: too
/// many looks.
#[allow(clippy::too_many_arguments)]
pub(super) fn walk_level(
    graph: Graph<'_>,
    level: usize,
    starts: &[Near],
    closeness: impl Fn(u32) -> f32,
    accepts: impl Fn(u32) -> bool,
    seen: &mut Seen,
    looks: &mut Looks,
    best: &mut impl Keep,
    interrupt: Interrupt<'_>,
) -> Result<bool> {
    let mut open: BinaryHeap<Near> = BinaryHeap::new();
    for &start in starts {
        if seen.is_new(start.ordinal) {
            open.push(start);
            if accepts(start.ordinal) {
                best.offer(start);
            }
        }
    }
    let mut nodes = 0usize;
    while let Some(from) = open.pop() {
        if best.farthest().is_some_and(|farthest| from < farthest) {
            break;
        }
        nodes += 1;
        if nodes.is_multiple_of(STRIDE) {
            interrupt()?;
        }
        for &ordinal in graph.neighbours(level, from.ordinal) {
            if !seen.is_new(ordinal) {
                continue;
            }
            if !looks.take() {
                return Ok(false);
            }
            let near = Near { closeness: closeness(ordinal), ordinal };
            if best.farthest().is_some_and(|farthest| near < farthest) {
                continue;
            }
            open.push(near);
            if accepts(ordinal) {
                best.offer(near);
            }
        }
    }
    Ok(true)
}
