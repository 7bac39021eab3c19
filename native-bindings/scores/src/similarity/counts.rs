//! What formulas are computed from, besides a frequency and a length.

use crate::totals::{FieldTotals, TermTotals};

/// Of one term in one field, over all documents that scores count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Counts {
    /// Documents with the field; at least those with the term.
    pub documents: f64,
    /// Tokens of the field; at least those of the term.
    pub tokens: f64,
    /// Documents with the term.
    pub doc_freq: f64,
    /// Tokens that are the term.
    pub occurrences: f64,
}

impl Counts {
    pub(super) fn new(field: FieldTotals, term: TermTotals) -> Self {
        Counts {
            documents: field.doc_count.max(term.doc_freq).max(1) as f64,
            tokens: field.sum_total_term_freq.max(term.occurrences) as f64,
            doc_freq: term.doc_freq as f64,
            occurrences: term.occurrences as f64,
        }
    }

    pub(super) fn average_length(&self) -> f64 {
        self.tokens / self.documents
    }
}

pub(super) fn log2(value: f64) -> f64 {
    value.ln() / std::f64::consts::LN_2
}
