//! The best terms of a pattern over the whole shard, each scored: fuzzy terms, and patterns with a scoring rewrite.

use super::compound::any_of;
use super::statistics::TermEntries;
use super::{Boost, Builder, Weight};
use crate::node::{Node, TopTermsNode, TopTermsScoring};
use crate::term_match::TermMatcher;
use quarry_base::error::Result;
use quarry_postings::TermEntry;
use quarry_scores::totals::TermTotals;
use std::collections::BTreeMap;

/// A term that the pattern accepts.
pub(super) struct Candidate {
    pub term: Vec<u8>,
    pub weight: f32,
    pub entries: Vec<Option<TermEntry>>,
}

impl Builder<'_> {
    pub(super) fn top_terms(&mut self, top: &TopTermsNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let mut candidates = self.matching_terms(&top.field, &top.matcher)?;
        candidates.truncate(top.limit as usize);
        self.count_clauses(candidates.len() as u32)?;
        if let TopTermsScoring::Boost = top.scoring {
            let mut weights = Vec::with_capacity(candidates.len());
            for candidate in candidates {
                let terms = Node::Terms { field: top.field.clone(), terms: vec![candidate.term] };
                weights.push(self.set(&terms, boost.map(|boost| boost * candidate.weight))?);
            }
            return Ok(any_of(weights));
        }
        let found = candidates.into_iter().map(|Candidate { term, weight, entries }| {
            (TermEntries::of(self.view, &top.field, &term, entries), boost.map(|boost| boost * weight))
        });
        let found: Vec<(TermEntries, Boost)> = found.collect();
        let blended = TermTotals {
            doc_freq: found.iter().map(|(entries, _)| entries.totals().doc_freq).max().unwrap_or(0),
            occurrences: found.iter().map(|(entries, _)| entries.totals().occurrences).sum(),
        };
        let mut weights: Vec<Box<dyn Weight>> = Vec::with_capacity(found.len());
        for (entries, boost) in found {
            let totals = if top.scoring == TopTermsScoring::Blended { blended } else { entries.totals() };
            weights.push(Box::new(self.term_weight(&top.field, entries, totals, boost)?));
        }
        Ok(any_of(weights))
    }

    /// The heaviest terms first; of equally heavy ones the first of the dictionary.
    pub(super) fn matching_terms(&self, field: &str, matcher: &TermMatcher) -> Result<Vec<Candidate>> {
        let segments = self.view.segments.len();
        let mut found: BTreeMap<Vec<u8>, Candidate> = BTreeMap::new();
        for segment in self.view.segments.iter() {
            let Some(postings) = segment.field(field).and_then(|field| field.postings()) else {
                continue;
            };
            matcher.each_term(postings, |term, entry, weight| {
                let candidate = found.entry(term.to_vec()).or_insert_with(|| Candidate {
                    term: term.to_vec(),
                    weight,
                    entries: vec![None; segments],
                });
                candidate.entries[segment.ordinal] = Some(entry);
                Ok(true)
            })?;
        }
        let mut candidates: Vec<Candidate> = found.into_values().collect();
        candidates.sort_by(|left, right| right.weight.total_cmp(&left.weight));
        Ok(candidates)
    }
}
