//! Statistics of terms over the segments of a shard.

use crate::view::ShardView;
use quarry_base::error::Result;
use quarry_postings::TermEntry;
use quarry_scores::totals::TermTotals;

/// One term's entry in the dictionary of each segment, by segment ordinal.
pub(super) struct TermEntries {
    pub entries: Vec<Option<TermEntry>>,
    totals: TermTotals,
}

impl TermEntries {
    pub(super) fn look_up(view: &ShardView, field: &str, term: &[u8]) -> Result<Self> {
        let mut entries = Vec::with_capacity(view.segments.len());
        for segment in view.segments.iter() {
            let postings = segment.field(field).and_then(|field| field.postings());
            entries.push(match postings {
                Some(postings) => postings.lookup(term)?,
                None => None,
            });
        }
        Ok(TermEntries::of(view, field, term, entries))
    }

    /// Of a term that was found.
    pub(super) fn of(view: &ShardView, field: &str, term: &[u8], entries: Vec<Option<TermEntry>>) -> Self {
        let own = entries.iter().flatten().map(TermTotals::from).sum();
        TermEntries { totals: view.statistics.term(field, term, own), entries }
    }

    /// What scores count of the term, deleted documents included.
    pub(super) fn totals(&self) -> TermTotals {
        self.totals
    }
}

impl ShardView {
    /// What scores count of the term, deleted documents included.
    pub(crate) fn term_totals(&self, field: &str, term: &[u8]) -> Result<TermTotals> {
        TermEntries::look_up(self, field, term).map(|entries| entries.totals())
    }
}
