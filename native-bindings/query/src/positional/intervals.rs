//! Intervals of a document, with the same places and order as Lucene's intervals queries.

use super::interval_lists::{Interval, any_of, block, ordered, repeated, unordered};
use super::interval_script::IntervalScript;
use super::leaves::{Leaves, Positions};
use crate::scorers::bits;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq)]
pub enum IntervalTree {
    Nothing,
    Leaf(usize),
    Or(Vec<IntervalTree>),
    Ordered(Vec<IntervalTree>),
    Unordered(Vec<IntervalTree>),
    /// Each right behind the one before.
    Block(Vec<IntervalTree>),
    Repeated(Box<IntervalTree>, usize),
    MaxGaps(Box<IntervalTree>, i64),
    /// Made longer to the front, for words that the analyzer took out.
    Extended(Box<IntervalTree>, i64),
    Filtered(Box<IntervalTree>, IntervalRelation, Box<IntervalTree>),
    /// Those that a script lets count.
    Chosen(Box<IntervalTree>, Arc<IntervalScript>),
}

/// What an interval must have to do with one of the filter's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntervalRelation {
    Containing,
    NotContaining,
    ContainedBy,
    NotContainedBy,
    Overlapping,
    NotOverlapping,
    Before,
    After,
}

impl IntervalRelation {
    fn is_negative(self) -> bool {
        use IntervalRelation::{NotContainedBy, NotContaining, NotOverlapping};
        matches!(self, NotContaining | NotContainedBy | NotOverlapping)
    }

    fn holds(self, own: &Interval, other: &Interval) -> bool {
        match self {
            IntervalRelation::Containing | IntervalRelation::NotContaining => {
                own.start <= other.start && other.end <= own.end
            }
            IntervalRelation::ContainedBy | IntervalRelation::NotContainedBy => {
                other.start <= own.start && own.end <= other.end
            }
            IntervalRelation::Overlapping | IntervalRelation::NotOverlapping => {
                own.start <= other.end && other.start <= own.end
            }
            IntervalRelation::Before => own.end < other.start,
            IntervalRelation::After => own.start > other.end,
        }
    }

    fn accepts(self, own: &Interval, others: &[Interval]) -> bool {
        others.iter().any(|other| self.holds(own, other)) != self.is_negative()
    }
}

impl IntervalTree {
    /// Documents of the loaded window that may have an interval.
    pub fn candidates(&self, leaves: &Leaves<'_>) -> WindowBits {
        match self {
            IntervalTree::Nothing => bits::EMPTY,
            IntervalTree::Leaf(leaf) => *leaves.docs(*leaf),
            IntervalTree::Or(parts) => {
                let mut any = bits::EMPTY;
                parts.iter().for_each(|part| bits::or(&mut any, &part.candidates(leaves)));
                any
            }
            IntervalTree::Ordered(parts) | IntervalTree::Unordered(parts) | IntervalTree::Block(parts) => {
                let mut parts = parts.iter();
                let mut all = parts.next().map_or(bits::EMPTY, |part| part.candidates(leaves));
                parts.for_each(|part| bits::and(&mut all, &part.candidates(leaves)));
                all
            }
            IntervalTree::Repeated(inner, _)
            | IntervalTree::MaxGaps(inner, _)
            | IntervalTree::Extended(inner, _)
            | IntervalTree::Chosen(inner, _) => inner.candidates(leaves),
            IntervalTree::Filtered(inner, relation, filter) => {
                let mut candidates = inner.candidates(leaves);
                if !relation.is_negative() {
                    bits::and(&mut candidates, &filter.candidates(leaves));
                }
                candidates
            }
        }
    }

    /// The minimal intervals of a document, ascending.
    pub fn intervals(&self, at: &mut dyn Positions) -> Result<Vec<Interval>> {
        Ok(match self {
            IntervalTree::Nothing => Vec::new(),
            IntervalTree::Leaf(leaf) => {
                let mut positions = Vec::new();
                at.positions(*leaf, &mut positions)?;
                positions.dedup();
                let word = |at: u32| Interval { start: at.into(), end: at.into(), gaps: 0 };
                positions.into_iter().map(word).collect()
            }
            IntervalTree::Or(parts) => any_of(&lists(parts, at)?),
            IntervalTree::Ordered(parts) => ordered(&lists(parts, at)?),
            IntervalTree::Unordered(parts) => unordered(&lists(parts, at)?),
            IntervalTree::Block(parts) => block(&lists(parts, at)?),
            IntervalTree::Repeated(inner, count) => repeated(&inner.intervals(at)?, *count),
            IntervalTree::MaxGaps(inner, most) => {
                let mut intervals = inner.intervals(at)?;
                intervals.retain(|interval| interval.gaps <= *most);
                intervals
            }
            IntervalTree::Extended(inner, before) => {
                let mut intervals = inner.intervals(at)?;
                intervals.iter_mut().for_each(|interval| interval.start = (interval.start - before).max(0));
                intervals
            }
            IntervalTree::Chosen(inner, script) => {
                let mut intervals = inner.intervals(at)?;
                script.retain(&mut intervals)?;
                intervals
            }
            IntervalTree::Filtered(inner, relation, filter) => {
                let others = filter.intervals(at)?;
                let mut intervals = inner.intervals(at)?;
                intervals.retain(|interval| relation.accepts(interval, &others));
                intervals
            }
        })
    }

    /// The leaves that intervals are made of, without those of filters.
    pub fn own_leaves(&self, out: &mut Vec<usize>) {
        match self {
            IntervalTree::Nothing => {}
            IntervalTree::Leaf(leaf) => out.push(*leaf),
            IntervalTree::Or(parts)
            | IntervalTree::Ordered(parts)
            | IntervalTree::Unordered(parts)
            | IntervalTree::Block(parts) => parts.iter().for_each(|part| part.own_leaves(out)),
            IntervalTree::Repeated(inner, _)
            | IntervalTree::MaxGaps(inner, _)
            | IntervalTree::Extended(inner, _)
            | IntervalTree::Chosen(inner, _)
            | IntervalTree::Filtered(inner, ..) => inner.own_leaves(out),
        }
    }

    /// The least width of an interval.
    fn min_extent(&self) -> i64 {
        match self {
            IntervalTree::Nothing => 0,
            IntervalTree::Leaf(_) => 1,
            IntervalTree::Or(parts) => parts.iter().map(IntervalTree::min_extent).min().unwrap_or(0),
            IntervalTree::Ordered(parts) | IntervalTree::Unordered(parts) | IntervalTree::Block(parts) => {
                parts.iter().map(IntervalTree::min_extent).sum()
            }
            IntervalTree::Extended(inner, before) => inner.min_extent() + before,
            // Lucene takes a repeated one for as wide as one of its parts.
            IntervalTree::Repeated(inner, _)
            | IntervalTree::MaxGaps(inner, _)
            | IntervalTree::Chosen(inner, _)
            | IntervalTree::Filtered(inner, ..) => inner.min_extent(),
        }
    }

    /// The sum over the intervals of a document of how near each comes to the least width.
    pub fn freq(&self, at: &mut dyn Positions) -> Result<f32> {
        let least = self.min_extent();
        let intervals = self.intervals(at)?;
        let share = |interval: &Interval| (1.0 / (interval.width() - least + 1).max(1) as f64) as f32;
        Ok(intervals.iter().map(share).sum())
    }
}

fn lists(trees: &[IntervalTree], at: &mut dyn Positions) -> Result<Vec<Vec<Interval>>> {
    trees.iter().map(|tree| tree.intervals(at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_by_hand() {
        let interval = |start, end| Interval { start, end, gaps: 0 };
        let own = interval(4, 8);
        let accepts = |relation: IntervalRelation, others: &[Interval]| relation.accepts(&own, others);
        assert!(accepts(IntervalRelation::Containing, &[interval(0, 1), interval(5, 8)]));
        assert!(!accepts(IntervalRelation::NotContaining, &[interval(5, 8)]));
        assert!(accepts(IntervalRelation::NotContaining, &[]));
        assert!(accepts(IntervalRelation::ContainedBy, &[interval(3, 8)]));
        assert!(accepts(IntervalRelation::NotContainedBy, &[interval(5, 9)]));
        assert!(accepts(IntervalRelation::Overlapping, &[interval(8, 12)]));
        assert!(accepts(IntervalRelation::NotOverlapping, &[interval(9, 12)]));
        assert!(accepts(IntervalRelation::Before, &[interval(1, 2), interval(9, 9)]));
        assert!(!accepts(IntervalRelation::After, &[interval(4, 4)]));
        assert!(accepts(IntervalRelation::After, &[interval(3, 3)]));
    }
}
