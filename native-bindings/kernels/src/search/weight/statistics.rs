//! Statistics of terms over the segments of a shard.

use crate::error::Result;
use crate::postings::TermEntry;
use crate::search::view::ShardView;

/// One term's entry in the dictionary of each segment, by segment ordinal.
pub(super) struct TermEntries {
    pub entries: Vec<Option<TermEntry>>,
    doc_freq: u64,
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
        let own = entries.iter().flatten().map(|entry| u64::from(entry.doc_freq)).sum();
        TermEntries { doc_freq: view.statistics.doc_freq(field, term, own), entries }
    }

    /// Documents with the term that scores count, deleted ones included.
    pub(super) fn doc_freq(&self) -> u64 {
        self.doc_freq
    }
}

impl ShardView {
    /// Documents with the term that scores count, deleted ones included.
    pub(in crate::search) fn doc_freq(&self, field: &str, term: &[u8]) -> Result<u64> {
        TermEntries::look_up(self, field, term).map(|entries| entries.doc_freq())
    }
}
