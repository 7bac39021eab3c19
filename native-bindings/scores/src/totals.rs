//! What scores are computed from: how many documents have a field and a term.

use quarry_postings::TermEntry;
use serde::{Deserialize, Serialize};
use std::iter::Sum;

/// Of a field over all segments of a shard, or over all shards; deleted documents included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FieldTotals {
    pub doc_count: u64,
    pub sum_doc_freq: u64,
    pub sum_total_term_freq: u64,
}

/// Of a term in a field, over the same documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TermTotals {
    /// Documents with the term.
    pub doc_freq: u64,
    /// How often it is there; once for each document where frequencies are not kept.
    pub occurrences: u64,
}

impl TermTotals {
    /// Of what each document has once.
    pub fn once(doc_freq: u64) -> Self {
        TermTotals { doc_freq, occurrences: doc_freq }
    }

    /// Those of other documents as well.
    pub fn add(&mut self, other: TermTotals) {
        self.doc_freq += other.doc_freq;
        self.occurrences += other.occurrences;
    }
}

impl From<&TermEntry> for TermTotals {
    fn from(entry: &TermEntry) -> Self {
        TermTotals { doc_freq: entry.doc_freq.into(), occurrences: entry.total_term_freq }
    }
}

impl Sum for TermTotals {
    fn sum<Parts: Iterator<Item = TermTotals>>(parts: Parts) -> Self {
        parts.fold(TermTotals::default(), |mut sum, part| {
            sum.add(part);
            sum
        })
    }
}
