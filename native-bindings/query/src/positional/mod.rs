//! Queries about the places of terms within a document: spans and intervals.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`leaves`] | the positions of the terms of a query, window by window |
//! | [`spans`] | where the spans of a span query are in a document |
//! | [`intervals`], [`interval_lists`] | where the minimal intervals of an intervals query are in a document |
//! | [`interval_script`] | which of them a script lets count |
//! | [`scorer`] | both as a scorer |
//!
//! Both work on whole lists of places in one document: shorter than the iterators that Lucene moves in step, with the same
//! places in the same order.
pub(super) mod interval_lists;
pub(super) mod interval_script;
pub(super) mod intervals;
pub mod leaves;
pub(super) mod scorer;
pub(super) mod spans;

use super::term_match::TermMatcher;
use leaves::Positions;
use quarry_base::error::Result;

/// Terms of a field that count as one word.
#[derive(Debug, Clone)]
pub enum LeafTerms {
    Terms(Vec<Vec<u8>>),
    /// Whatever the matcher accepts: the best so many terms, or an error where there are more.
    Pattern {
        matcher: TermMatcher,
        most: u32,
        is_cut: bool,
    },
}

/// What stands at the leaves of a tree until the terms are looked up.
#[derive(Debug, Clone)]
pub struct LeafSpec {
    pub field: String,
    pub terms: LeafTerms,
}

/// A tree of spans or intervals with its leaves apart; the trees name leaves by their place.
#[derive(Debug, Clone)]
pub struct PositionalNode {
    /// Whose lengths and statistics the score takes.
    pub field: String,
    pub leaves: Vec<LeafSpec>,
    pub tree: Tree,
}

#[derive(Debug, Clone)]
pub enum Tree {
    Spans(spans::SpanTree),
    Intervals(intervals::IntervalTree),
}

impl Tree {
    /// The leaves whose words stand in what the tree finds.
    pub fn own_leaves(&self) -> Vec<usize> {
        let mut leaves = Vec::new();
        match self {
            Tree::Spans(tree) => tree.scored_leaves(&mut leaves),
            Tree::Intervals(tree) => tree.own_leaves(&mut leaves),
        }
        leaves
    }

    /// First and last position of all that the tree finds in a text.
    pub fn places(&self, at: &mut dyn Positions) -> Result<Vec<(i64, i64)>> {
        Ok(match self {
            Tree::Spans(tree) => tree.spans(at)?.iter().map(|span| (span.start, span.end - 1)).collect(),
            Tree::Intervals(tree) => {
                tree.intervals(at)?.iter().map(|interval| (interval.start, interval.end)).collect()
            }
        })
    }
}
