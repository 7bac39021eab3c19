//! One term.

use super::statistics::TermEntries;
use super::{Boost, Builder, Shortcut, Weight};
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating::Rating;
use quarry_scores::topk::TermClause;
use quarry_scores::topk::scorer::term_scorer;
use quarry_scores::totals::TermTotals;

pub(super) struct TermWeight {
    field: String,
    entries: TermEntries,
    rating: Rating,
}

impl Builder<'_> {
    pub(super) fn term(
        &mut self,
        field: &str,
        term: &[u8],
        statistics: Option<TermTotals>,
        boost: Boost,
    ) -> Result<Box<dyn Weight>> {
        let entries = TermEntries::look_up(self.view, field, term)?;
        let totals = statistics.unwrap_or(entries.totals());
        Ok(Box::new(self.term_weight(field, entries, totals, boost)?))
    }

    pub(super) fn term_weight(
        &mut self,
        field: &str,
        entries: TermEntries,
        totals: TermTotals,
        boost: Boost,
    ) -> Result<TermWeight> {
        let rating = self.rating(field, &[totals], boost)?;
        Ok(TermWeight { field: field.to_owned(), entries, rating })
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
            similarity: self.rating.reference(),
            weight: self.rating.weight(),
        })
    }
}

impl Weight for TermWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        self.clause(segment).map(|clause| term_scorer(clause, self.rating.scoring())).transpose()
    }

    fn shortcut<'a>(&'a self, segment: &'a SegmentView) -> Option<Shortcut<'a>> {
        match self.clause(segment) {
            Some(clause) => self.rating.has_shortcut().then(|| Shortcut::Union(vec![clause])),
            None => Some(Shortcut::Nothing),
        }
    }
}
