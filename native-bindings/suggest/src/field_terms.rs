//! The terms of a field over all segments of a shard, deleted documents included.

use quarry_base::error::Result;
use quarry_postings::FieldPostingsReader;
use quarry_query::view::ShardView;

pub struct FieldTerms<'a> {
    pub readers: Vec<&'a FieldPostingsReader>,
    /// Documents of the shard.
    pub max_doc: u64,
    pub sum_total_term_freq: u64,
    /// Distinct terms, or where several segments make counting them dear, documents.
    pub term_count: u64,
}

/// In how many documents a term is, and how often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TermStats {
    pub doc_freq: u64,
    pub total_term_freq: u64,
}

impl<'a> FieldTerms<'a> {
    /// `None` where no document has a term of the field.
    pub fn of(view: &'a ShardView, field: &str) -> Option<Self> {
        let readers: Vec<_> = view.segments.iter().filter_map(|segment| segment.field(field)?.postings()).collect();
        if readers.is_empty() {
            return None;
        }
        let max_doc = view.segments.iter().map(|segment| u64::from(segment.max_doc())).sum();
        let term_count = match (readers.as_slice(), view.segments.len()) {
            ([only], 1) => u64::from(only.term_count()),
            _ => max_doc,
        };
        let sum_total_term_freq = view.field_stats(field).sum_total_term_freq;
        Some(FieldTerms { readers, max_doc, sum_total_term_freq, term_count })
    }

    pub fn stats(&self, term: &[u8]) -> Result<TermStats> {
        let mut stats = TermStats::default();
        for reader in &self.readers {
            if let Some(entry) = reader.lookup(term)? {
                stats.doc_freq += u64::from(entry.doc_freq);
                stats.total_term_freq += entry.total_term_freq;
            }
        }
        Ok(stats)
    }
}
