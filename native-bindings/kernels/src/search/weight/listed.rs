//! Synonyms, and phrases with several terms at a position: their documents are found by decoding the postings of their
//! terms, which such queries have few of.

use super::statistics::TermEntries;
use super::{Boost, Builder, Weight};
use crate::error::Result;
use crate::postings::{DecodedTerm, FieldPostingsReader, TermEntry};
use crate::search::bm25::{Bm25, idf};
use crate::search::node::PhraseNode;
use crate::search::phrase_match::{PositionList, match_phrase};
use crate::search::scorer::WindowScorer;
use crate::search::scorers::listed::{Listed, ListedScorer};
use crate::search::term_match::TermMatcher;
use crate::search::view::SegmentView;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is listed: the terms at each position, with their entries by segment.
struct ListedWeight {
    field: String,
    positions: Vec<(Vec<TermEntries>, u32)>,
    slop: u32,
    similarity: Arc<Bm25>,
    weight: f32,
}

impl Builder<'_> {
    /// Scored as one term: with the largest document frequency and the sum of the frequencies.
    pub(super) fn synonyms(&mut self, field: &str, terms: &[Vec<u8>], boost: Boost) -> Result<Box<dyn Weight>> {
        let entries = self.entries_of(field, terms)?;
        let doc_freq = entries.iter().map(TermEntries::doc_freq).max().unwrap_or(0);
        let weight = idf(doc_freq, u64::from(self.view.field_stats(field).doc_count));
        Ok(self.listed(field, vec![(entries, 0)], 0, boost.map_or(0.0, |boost| boost * weight)))
    }

    pub(super) fn listed_phrase(&mut self, phrase: &PhraseNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let field = &phrase.field;
        let first = phrase.terms.first().map_or(0, |(_, position)| *position);
        let mut positions = Vec::with_capacity(phrase.terms.len());
        for (place, (terms, position)) in phrase.terms.iter().enumerate() {
            let is_last = place + 1 == phrase.terms.len();
            let expanded = match phrase.prefix_expansions.filter(|_| is_last) {
                Some(limit) => self.expand_prefixes(field, terms, limit)?,
                None => terms.clone(),
            };
            positions.push((self.entries_of(field, &expanded)?, position - first));
        }
        let doc_count = u64::from(self.view.field_stats(field).doc_count);
        let frequencies = positions.iter().flat_map(|(entries, _)| entries).map(TermEntries::doc_freq);
        let weight: f32 = frequencies.filter(|&doc_freq| doc_freq > 0).map(|doc_freq| idf(doc_freq, doc_count)).sum();
        Ok(self.listed(field, positions, phrase.slop, boost.map_or(0.0, |boost| boost * weight)))
    }

    fn listed(
        &mut self,
        field: &str,
        positions: Vec<(Vec<TermEntries>, u32)>,
        slop: u32,
        weight: f32,
    ) -> Box<dyn Weight> {
        let similarity = self.similarity(field);
        Box::new(ListedWeight { field: field.to_owned(), positions, slop, similarity, weight })
    }

    fn entries_of(&self, field: &str, terms: &[Vec<u8>]) -> Result<Vec<TermEntries>> {
        terms.iter().map(|term| TermEntries::look_up(self.view, field, term)).collect()
    }

    /// The first `limit` terms of the shard that start with one of the prefixes.
    fn expand_prefixes(&mut self, field: &str, prefixes: &[Vec<u8>], limit: u32) -> Result<Vec<Vec<u8>>> {
        let mut terms: BTreeMap<Vec<u8>, ()> = BTreeMap::new();
        for segment in self.view.segments.iter() {
            let Some(postings) = segment.field(field).and_then(|field| field.postings()) else {
                continue;
            };
            for prefix in prefixes {
                let mut left = limit;
                TermMatcher::Prefix(prefix.clone()).each_term(postings, |term, _, _| {
                    terms.insert(term.to_vec(), ());
                    left = left.saturating_sub(1);
                    Ok(left > 0)
                })?;
            }
        }
        let expanded: Vec<Vec<u8>> = terms.into_keys().take(limit as usize).collect();
        self.count_clauses(expanded.len() as u32)?;
        Ok(expanded)
    }
}

impl ListedWeight {
    fn list(&self, postings: &FieldPostingsReader, ordinal: usize) -> Result<Option<Listed>> {
        let mut lists = Vec::with_capacity(self.positions.len());
        for (terms, position) in &self.positions {
            let found = terms.iter().filter_map(|entries| entries.entries.get(ordinal).copied().flatten());
            let entries: Vec<TermEntry> = found.collect();
            if entries.is_empty() {
                return Ok(None);
            }
            lists.push((decode_union(postings, &entries)?, *position));
        }
        if let [(only, _)] = lists.as_slice() {
            return Ok(Some(only.as_listed()));
        }
        Ok(Some(match_phrase(&lists, self.slop)))
    }
}

/// The documents of all terms, with their positions together.
fn decode_union(postings: &FieldPostingsReader, entries: &[TermEntry]) -> Result<PositionList> {
    let mut union = PositionList::default();
    let mut decoded = DecodedTerm::default();
    for entry in entries {
        postings.read_term(entry, &mut decoded)?;
        let list = PositionList::from_decoded(&decoded);
        union = if union.is_empty() { list } else { union.merge(&list) };
    }
    Ok(union)
}

impl Weight for ListedWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some(field) = segment.field(&self.field) else {
            return Ok(None);
        };
        let Some(postings) = field.postings() else {
            return Ok(None);
        };
        let listed = self.list(postings, segment.ordinal)?.filter(|listed| !listed.docs.is_empty());
        Ok(listed.map(|listed| {
            let scorer = ListedScorer::new(listed, &self.similarity, field.norms(), self.weight);
            Box::new(scorer) as Box<dyn WindowScorer>
        }))
    }
}
