//! Spans and intervals.

use super::statistics::TermEntries;
use super::top_terms::Candidate;
use super::{Boost, Builder, Weight};
use crate::positional::leaves::Leaves;
use crate::positional::scorer::{PositionalScore, PositionalScorer};
use crate::positional::{LeafSpec, LeafTerms, PositionalNode, Tree};
use crate::view::SegmentView;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating::Rating;
use quarry_scores::totals::TermTotals;
use std::collections::BTreeSet;

/// The terms of a leaf.
struct LeafEntries {
    field: String,
    terms: Vec<(Vec<u8>, TermEntries)>,
}

/// What a tree's places make of a document's score.
enum TreeScore {
    /// Intervals: the boost is the most.
    Saturation(f32),
    Spans(Rating),
}

struct PositionalWeight {
    field: String,
    leaves: Vec<LeafEntries>,
    tree: Tree,
    score: TreeScore,
}

impl Builder<'_> {
    pub(super) fn positional(&mut self, node: &PositionalNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let leaves = node.leaves.iter().map(|leaf| self.leaf_entries(leaf)).collect::<Result<Vec<_>>>()?;
        let score = match &node.tree {
            Tree::Intervals(_) => TreeScore::Saturation(boost.unwrap_or(0.0)),
            Tree::Spans(tree) => {
                let mut scored = Vec::new();
                tree.scored_leaves(&mut scored);
                TreeScore::Spans(self.rating(&node.field, &scored_terms(&leaves, &scored), boost)?)
            }
        };
        Ok(Box::new(PositionalWeight { field: node.field.clone(), leaves, tree: node.tree.clone(), score }))
    }

    fn leaf_entries(&mut self, leaf: &LeafSpec) -> Result<LeafEntries> {
        let field = leaf.field.clone();
        let terms = match &leaf.terms {
            LeafTerms::Terms(terms) => {
                let look_up = |term: &Vec<u8>| Ok((term.clone(), TermEntries::look_up(self.view, &field, term)?));
                terms.iter().map(look_up).collect::<Result<Vec<_>>>()?
            }
            LeafTerms::Pattern { matcher, most, is_cut } => {
                let mut found = self.matching_terms(&field, matcher)?;
                if found.len() > *most as usize {
                    if !is_cut {
                        return Err(too_many(&field, *most));
                    }
                    found.truncate(*most as usize);
                }
                let entries = |found: Candidate| {
                    let entries = TermEntries::of(self.view, &field, &found.term, found.entries);
                    (found.term, entries)
                };
                found.into_iter().map(entries).collect()
            }
        };
        self.count_clauses(terms.len() as u32)?;
        Ok(LeafEntries { field, terms })
    }
}

/// Each term once, however often the query has it.
fn scored_terms(leaves: &[LeafEntries], scored: &[usize]) -> Vec<TermTotals> {
    let mut seen: BTreeSet<(&str, &[u8])> = BTreeSet::new();
    let mut terms = Vec::new();
    for leaf in scored.iter().filter_map(|&place| leaves.get(place)) {
        for (term, entries) in &leaf.terms {
            if entries.totals().doc_freq > 0 && seen.insert((&leaf.field, term)) {
                terms.push(entries.totals());
            }
        }
    }
    terms
}

fn too_many(field: &str, most: u32) -> Error {
    let reason = format!("a pattern on field [{field}] expanded to too many terms (limit {most})");
    Error::new(ErrorCode::IllegalArgument, reason)
}

impl Weight for PositionalWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let mut leaves = Leaves::default();
        for leaf in &self.leaves {
            let postings = segment.field(&leaf.field).and_then(|field| field.postings());
            let entries =
                leaf.terms.iter().filter_map(|(_, term)| term.entries.get(segment.ordinal).copied().flatten());
            let entries: Vec<_> = entries.collect();
            leaves.add(postings, &entries)?;
        }
        if leaves.cost() == 0 {
            return Ok(None);
        }
        let score = match &self.score {
            TreeScore::Saturation(weight) => PositionalScore::Saturation { weight: *weight },
            TreeScore::Spans(rating) => {
                let norms = segment.field(&self.field).and_then(|field| field.norms());
                PositionalScore::Rated { rating, norms }
            }
        };
        Ok(Some(Box::new(PositionalScorer::new(&self.tree, leaves, score))))
    }
}
