//! One term, scored with BM25.

use super::statistics::TermEntries;
use super::{Boost, Builder, Shortcut, Weight};
use crate::error::Result;
use crate::search::bm25::{Bm25, idf};
use crate::search::node::TermStatistics;
use crate::search::scorer::WindowScorer;
use crate::search::topk::TermClause;
use crate::search::topk_scorer::{Scoring, term_scorer};
use crate::search::view::SegmentView;
use std::sync::Arc;

pub(super) struct TermWeight {
    field: String,
    entries: TermEntries,
    similarity: Arc<Bm25>,
    /// `boost * idf`; 0 for a filter.
    weight: f32,
    is_scoring: bool,
}

impl Builder<'_> {
    pub(super) fn term(
        &mut self,
        field: &str,
        term: &[u8],
        statistics: Option<TermStatistics>,
        boost: Boost,
    ) -> Result<Box<dyn Weight>> {
        let entries = TermEntries::look_up(self.view, field, term)?;
        let doc_freq = statistics.map_or(entries.doc_freq(), |statistics| statistics.doc_freq);
        Ok(Box::new(self.term_weight(field, entries, doc_freq, boost)))
    }

    pub(super) fn term_weight(&mut self, field: &str, entries: TermEntries, doc_freq: u64, boost: Boost) -> TermWeight {
        let doc_count = self.view.field_stats(field).doc_count;
        let weight = boost.map_or(0.0, |boost| boost * idf(doc_freq, doc_count.max(doc_freq)));
        let similarity = self.similarity(field);
        TermWeight { field: field.to_owned(), entries, similarity, weight, is_scoring: boost.is_some() }
    }
}

impl TermWeight {
    pub(super) fn clause<'a>(&'a self, segment: &'a SegmentView) -> Option<TermClause<'a>> {
        let entry = (*self.entries.entries.get(segment.ordinal)?)?;
        let field = segment.field(&self.field)?;
        Some(TermClause {
            postings: field.postings()?,
            entry,
            norms: field.norms(),
            similarity: &self.similarity,
            weight: self.weight,
        })
    }
}

impl Weight for TermWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let scoring = if self.is_scoring { Scoring::Relevance } else { Scoring::Constant(0.0) };
        self.clause(segment).map(|clause| term_scorer(clause, scoring)).transpose()
    }

    fn shortcut<'a>(&'a self, segment: &'a SegmentView) -> Option<Shortcut<'a>> {
        Some(match self.clause(segment) {
            Some(clause) => Shortcut::Union(vec![clause]),
            None => Shortcut::Nothing,
        })
    }
}
