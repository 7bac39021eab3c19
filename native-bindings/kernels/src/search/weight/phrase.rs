//! Terms at their positions, one at each.

use super::statistics::TermEntries;
use super::{Boost, Builder, Shortcut, Weight};
use crate::error::Result;
use crate::search::bm25::{Bm25, idf};
use crate::search::node::PhraseNode;
use crate::search::scorer::WindowScorer;
use crate::search::topk::{PhraseClause, PhraseSlot};
use crate::search::topk_scorer::{Scoring, phrase_scorer};
use crate::search::view::SegmentView;
use std::sync::Arc;

struct PhraseWeight {
    field: String,
    terms: Vec<(TermEntries, u32)>,
    slop: u32,
    similarity: Arc<Bm25>,
    weight: f32,
    is_scoring: bool,
}

impl Builder<'_> {
    pub(super) fn phrase(&mut self, phrase: &PhraseNode, boost: Boost) -> Result<Box<dyn Weight>> {
        self.count_clauses(phrase.terms.len() as u32)?;
        let single: Option<Vec<(&[u8], u32)>> = phrase
            .terms
            .iter()
            .map(|(terms, position)| match terms.as_slice() {
                [term] => Some((term.as_slice(), *position)),
                _ => None,
            })
            .collect();
        match single {
            Some(terms) if phrase.prefix_expansions.is_none() && terms.len() > 1 => {
                self.plain_phrase(phrase, &terms, boost)
            }
            _ => self.listed_phrase(phrase, boost),
        }
    }

    fn plain_phrase(&mut self, phrase: &PhraseNode, terms: &[(&[u8], u32)], boost: Boost) -> Result<Box<dyn Weight>> {
        let field = &phrase.field;
        let doc_count = u64::from(self.view.field_stats(field).doc_count);
        let first_position = terms.first().map_or(0, |(_, position)| *position);
        let mut entries = Vec::with_capacity(terms.len());
        let mut idf_sum = 0.0;
        for (term, position) in terms {
            let found = TermEntries::look_up(self.view, field, term)?;
            idf_sum += idf(found.doc_freq(), doc_count);
            entries.push((found, position - first_position));
        }
        Ok(Box::new(PhraseWeight {
            field: field.clone(),
            terms: entries,
            slop: phrase.slop,
            similarity: self.similarity(field),
            weight: boost.map_or(0.0, |boost| boost * idf_sum),
            is_scoring: boost.is_some(),
        }))
    }
}

impl PhraseWeight {
    fn clause<'a>(&'a self, segment: &'a SegmentView) -> Option<PhraseClause<'a>> {
        let field = segment.field(&self.field)?;
        let mut slots = Vec::with_capacity(self.terms.len());
        for (entries, position) in &self.terms {
            slots.push(PhraseSlot { position: *position, terms: vec![(*entries.entries.get(segment.ordinal)?)?] });
        }
        Some(PhraseClause {
            slots,
            postings: field.postings()?,
            norms: field.norms(),
            similarity: &self.similarity,
            weight: self.weight,
            slop: self.slop,
        })
    }
}

impl Weight for PhraseWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let scoring = if self.is_scoring { Scoring::Relevance } else { Scoring::Constant(0.0) };
        self.clause(segment).map(|clause| phrase_scorer(clause, scoring)).transpose()
    }

    fn shortcut<'a>(&'a self, segment: &'a SegmentView) -> Option<Shortcut<'a>> {
        Some(match self.clause(segment) {
            Some(clause) => Shortcut::Phrase(clause),
            None => Shortcut::Nothing,
        })
    }
}
