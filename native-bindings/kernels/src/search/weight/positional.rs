//! Spans and intervals.

use super::statistics::TermEntries;
use super::top_terms::Candidate;
use super::{Boost, Builder, Weight};
use crate::error::{Error, ErrorCode, Result};
use crate::search::bm25::{Bm25, idf};
use crate::search::positional::leaves::Leaves;
use crate::search::positional::scorer::{PositionalScore, PositionalScorer};
use crate::search::positional::{LeafSpec, LeafTerms, PositionalNode, Tree};
use crate::search::scorer::WindowScorer;
use crate::search::view::SegmentView;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The terms of a leaf.
struct LeafEntries {
    field: String,
    terms: Vec<(Vec<u8>, TermEntries)>,
}

struct PositionalWeight {
    field: String,
    leaves: Vec<LeafEntries>,
    tree: Tree,
    similarity: Arc<Bm25>,
    weight: f32,
}

impl Builder<'_> {
    pub(super) fn positional(&mut self, node: &PositionalNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let leaves = node.leaves.iter().map(|leaf| self.leaf_entries(leaf)).collect::<Result<Vec<_>>>()?;
        let factor = match &node.tree {
            Tree::Intervals(_) => 1.0,
            Tree::Spans(tree) => {
                let mut scored = Vec::new();
                tree.scored_leaves(&mut scored);
                self.idf_sum(&node.field, &leaves, &scored)
            }
        };
        Ok(Box::new(PositionalWeight {
            field: node.field.clone(),
            leaves,
            tree: node.tree.clone(),
            similarity: self.similarity(&node.field),
            weight: boost.map_or(0.0, |boost| boost * factor),
        }))
    }

    /// Each term once, however often the query has it.
    fn idf_sum(&self, field: &str, leaves: &[LeafEntries], scored: &[usize]) -> f32 {
        let doc_count = self.view.field_stats(field).doc_count;
        let mut seen: BTreeSet<(&str, &[u8])> = BTreeSet::new();
        let mut sum = 0.0;
        for leaf in scored.iter().filter_map(|&place| leaves.get(place)) {
            for (term, entries) in &leaf.terms {
                let doc_freq = entries.doc_freq();
                if doc_freq > 0 && seen.insert((&leaf.field, term)) {
                    sum += idf(doc_freq, doc_count.max(doc_freq));
                }
            }
        }
        sum
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
        let weight = self.weight;
        let score = match self.tree {
            Tree::Intervals(_) => PositionalScore::Saturation { weight },
            Tree::Spans(_) => {
                let norms = segment.field(&self.field).and_then(|field| field.norms());
                PositionalScore::Bm25 { similarity: &self.similarity, norms, weight }
            }
        };
        Ok(Some(Box::new(PositionalScorer::new(&self.tree, leaves, score))))
    }
}
