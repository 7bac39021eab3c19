//! The queries of a segment that searches met, in short, kept for later ones of the whole process: a search puts thousands of them to
//! its documents.

use super::basis::Basis;
use super::compiled::ResolvedQuery;
use super::few::Documents;
use super::names::Names;
use super::numbered::Numbered;
use super::program::Programs;
use quarry_base::error::Result;
use quarry_query::segment_cache::SegmentCache;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
use std::sync::Arc;

/// What all tables may take.
const BYTES_MAX: usize = 64 << 20;
/// A table that takes more than this gets no further queries.
const TABLE_BYTES_MAX: usize = BYTES_MAX / 2;
/// A table is made anew when queries were met that are more than one in so many of its own: on the whole each query is
/// copied about as often.
const ROWS_FOR_ONE: usize = 16;

/// Segment and field.
pub type Key = ([u8; 16], Box<str>);

pub static QUERY_TABLES: SegmentCache<Key, Arc<QueryTable>> = SegmentCache::new(BYTES_MAX);

#[derive(Debug)]
pub struct QueryTable {
    basis: Basis,
    /// Ascending.
    rows: Vec<Row>,
    programs: Programs,
}

/// A document that holds a query, and the first step of that.
#[derive(Debug, Clone, Copy)]
struct Row {
    doc: u32,
    first: u32,
}

/// A query that a table lacks, and its document.
pub(super) type Met = (u32, Arc<ResolvedQuery>);

impl QueryTable {
    /// Without queries.
    pub(super) fn new(view: &ShardView, env: &QueryEnv) -> Self {
        QueryTable { basis: Basis::new(view, env), rows: Vec::new(), programs: Programs::default() }
    }

    pub(super) fn fits(&self, view: &ShardView, env: &QueryEnv) -> bool {
        self.basis.fits(view, env)
    }

    pub(super) fn names(&self) -> &Names {
        self.programs.names()
    }

    /// The documents that the query of a document matches; `None`: the query is not here. Whoever asks for ascending documents
    /// keeps `from`, which is 0 at first.
    pub(super) fn matching(&self, doc: u32, from: &mut usize, documents: &Numbered) -> Result<Option<Documents>> {
        *from = seek(&self.rows, doc, *from);
        let row = self.rows.get(*from).filter(|row| row.doc == doc);
        row.map(|row| self.programs.matching(row.first, documents)).transpose()
    }

    /// With queries that it lacks, of which steps tell; `None`: they are too few to make it anew, or it is full.
    pub(super) fn with(&self, met: &[Met]) -> Option<Self> {
        if met.len() * ROWS_FOR_ONE <= self.rows.len() || self.bytes() > TABLE_BYTES_MAX {
            return None;
        }
        let (mut rows, mut programs) = (self.rows.clone(), self.programs.clone());
        for (doc, query) in met {
            if programs.bytes() > TABLE_BYTES_MAX {
                break;
            }
            rows.push(Row { doc: *doc, first: programs.add(query.node()) });
        }
        // Both parts ascend, as searches go, which this sort makes use of.
        rows.sort_by_key(|row| row.doc);
        Some(QueryTable { basis: self.basis.clone(), rows, programs })
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.rows) + self.programs.bytes()
    }
}

/// The first row at or behind `from` whose document is not before this one. All documents before `from` are.
fn seek(rows: &[Row], doc: u32, from: usize) -> usize {
    let rest = &rows[from..];
    let mut step = 1;
    while rest.get(step).is_some_and(|row| row.doc < doc) {
        step *= 2;
    }
    let (low, high) = (step / 2, rest.len().min(step + 1));
    from + low + rest[low..high].partition_point(|row| row.doc < doc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn rows_are_found_from_where_the_last_one_was(
            docs in prop::collection::btree_set(0u32..400, 0..200),
            wanted in prop::collection::btree_set(0u32..420, 0..200),
        ) {
            let rows: Vec<Row> = docs.iter().map(|&doc| Row { doc, first: 0 }).collect();
            let mut at = 0;
            for doc in wanted {
                at = seek(&rows, doc, at);
                prop_assert_eq!(at, docs.iter().filter(|&&other| other < doc).count());
            }
        }
    }
}
