//! Terms at their positions, one or several alternatives at each.

use super::statistics::TermEntries;
use super::{Boost, Builder, Shortcut, Weight};
use crate::node::PhraseNode;
use crate::term_match::TermMatcher;
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating::Rating;
use quarry_scores::topk::scorer::phrase_scorer;
use quarry_scores::topk::{PhraseClause, PhraseSlot};
use quarry_scores::totals::TermTotals;
use std::collections::BTreeSet;

struct PhraseWeight {
    field: String,
    /// The alternatives at a position of the phrase.
    slots: Vec<(Vec<TermEntries>, u32)>,
    slop: u32,
    rating: Rating,
}

impl Builder<'_> {
    pub(super) fn phrase(&mut self, phrase: &PhraseNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let field = &phrase.field;
        let first = phrase.terms.first().map_or(0, |(_, position)| *position);
        let last = phrase.terms.len().saturating_sub(1);
        let mut slots = Vec::with_capacity(phrase.terms.len());
        for (place, (terms, position)) in phrase.terms.iter().enumerate() {
            let terms = match phrase.prefix_expansions {
                Some(limit) if place == last => self.expand_prefixes(field, terms, limit)?,
                _ => terms.clone(),
            };
            // As Lucene counts: a phrase is one clause, alternatives at a position are clauses of their own.
            if terms.len() > 1 {
                self.count_clauses(terms.len() as u32)?;
            }
            slots.push((self.entries_of(field, &terms)?, position - first));
        }
        let totals = slots.iter().flat_map(|(entries, _)| entries).map(TermEntries::totals);
        let known: Vec<TermTotals> = totals.filter(|totals| totals.doc_freq > 0).collect();
        let rating = self.rating(field, &known, boost)?;
        Ok(Box::new(PhraseWeight { field: field.clone(), slots, slop: phrase.slop, rating }))
    }

    pub(super) fn entries_of(&self, field: &str, terms: &[Vec<u8>]) -> Result<Vec<TermEntries>> {
        terms.iter().map(|term| TermEntries::look_up(self.view, field, term)).collect()
    }

    /// The first `limit` terms of the shard that start with one of the prefixes.
    fn expand_prefixes(&self, field: &str, prefixes: &[Vec<u8>], limit: u32) -> Result<Vec<Vec<u8>>> {
        let mut terms: BTreeSet<Vec<u8>> = BTreeSet::new();
        for segment in self.view.segments.iter() {
            let Some(postings) = segment.field(field).and_then(|field| field.postings()) else {
                continue;
            };
            for prefix in prefixes {
                let mut left = limit;
                TermMatcher::Prefix(prefix.clone()).each_term(postings, |term, _, _| {
                    terms.insert(term.to_vec());
                    left = left.saturating_sub(1);
                    Ok(left > 0)
                })?;
            }
        }
        Ok(terms.into_iter().take(limit as usize).collect())
    }
}

impl PhraseWeight {
    fn clause<'a>(&'a self, segment: &'a SegmentView) -> Option<PhraseClause<'a>> {
        let field = segment.field(&self.field)?;
        let mut slots = Vec::with_capacity(self.slots.len());
        for (entries, position) in &self.slots {
            let in_segment =
                entries.iter().filter_map(|entries| entries.entries.get(segment.ordinal).copied().flatten());
            let terms: Vec<_> = in_segment.collect();
            if terms.is_empty() {
                return None;
            }
            slots.push(PhraseSlot { position: *position, terms });
        }
        Some(PhraseClause {
            slots,
            postings: field.postings()?,
            norms: field.norms(),
            similarity: self.rating.reference(),
            weight: self.rating.weight(),
            slop: self.slop,
        })
    }
}

impl Weight for PhraseWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        self.clause(segment).map_or(Ok(None), |clause| phrase_scorer(clause, self.rating.scoring()))
    }

    fn shortcut<'a>(&'a self, segment: &'a SegmentView) -> Option<Shortcut<'a>> {
        match self.clause(segment) {
            Some(clause) => self.rating.has_shortcut().then_some(Shortcut::Phrase(clause)),
            None => Some(Shortcut::Nothing),
        }
    }
}
