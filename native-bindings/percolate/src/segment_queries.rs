//! The queries that documents of a segment hold, put to the documents of a request.

use super::compiled::CompiledQuery;
use super::few::Documents;
use super::numbered::Numbered;
use super::percolated::Percolated;
use super::program::is_told;
use super::query_table::{Key, Met, QUERY_TABLES, QueryTable};
use super::verify::Verifier;
use quarry_base::allocation;
use quarry_base::error::Result;
use quarry_query::scorers::bits;
use quarry_query::view::SegmentView;
use quarry_query::weight::QueryEnv;
use quarry_segment::stored::StoredScratch;
use std::sync::Arc;

/// What a search holds of queries for the next one, at most.
const MET_BYTES_MAX: usize = 16 << 20;

pub struct SegmentQueries<'a> {
    verifier: &'a Verifier,
    segment: &'a SegmentView,
    /// `None`: the documents are not few.
    tabled: Option<Tabled<'a>>,
    scratch: StoredScratch,
}

/// What is known of the queries from searches before.
struct Tabled<'a> {
    table: Arc<QueryTable>,
    documents: Numbered<'a>,
    /// The place of the last query that was asked for, and its document.
    last: (usize, u32),
    /// Queries that the table lacks.
    met: Vec<Met>,
    /// What these take.
    met_bytes: usize,
}

impl<'a> SegmentQueries<'a> {
    pub(super) fn new(verifier: &'a Verifier, env: &QueryEnv, segment: &'a SegmentView) -> Self {
        let Percolated { view, few, .. } = &verifier.percolated;
        let tabled = few.as_ref().zip(view.segments.first()).map(|(few, of_documents)| {
            let known = QUERY_TABLES.find(&table_key(verifier, segment), |table| table.fits(view, env));
            let table = known.unwrap_or_else(|| Arc::new(QueryTable::new(view, env)));
            let documents = Numbered::new(few, of_documents, table.names());
            Tabled { table, documents, last: (0, 0), met: Vec::new(), met_bytes: 0 }
        });
        SegmentQueries { verifier, segment, tabled, scratch: StoredScratch::default() }
    }

    /// The best score that the query of a document gives a document of the request, or any where nobody asks for scores; `None` where it
    /// matches none.
    pub fn best(&mut self, doc: u32, scoring: bool) -> Result<Option<f32>> {
        let known = self.tabled.as_mut().map_or(Ok(None), |tabled| tabled.matching(doc))?;
        match known {
            Some(0) => return Ok(None),
            Some(_) if !scoring => return Ok(Some(0.0)),
            _ => {}
        }
        let Some(query) = self.verifier.compiled(self.segment, doc, &mut self.scratch)? else { return Ok(None) };
        if let Some(matched) = known {
            let mut window = bits::EMPTY;
            window[0] = matched;
            return self.verifier.best_of(&query, &window).map(Some);
        }
        if let Some(tabled) = &mut self.tabled {
            tabled.meet(doc, &query);
        }
        self.verifier.best(&query, scoring)
    }
}

/// What was met is there for the next search.
impl Drop for SegmentQueries<'_> {
    fn drop(&mut self) {
        let Some(tabled) = &self.tabled else { return };
        if let Some(table) = allocation::apart(|| tabled.table.with(&tabled.met)) {
            let bytes = table.bytes();
            let key = table_key(self.verifier, self.segment);
            QUERY_TABLES.keep([&*self.segment.reader], key, Arc::new(table), bytes);
        }
    }
}

fn table_key(verifier: &Verifier, segment: &SegmentView) -> Key {
    (segment.reader.id().uuid, (*verifier.field).into())
}

impl Tabled<'_> {
    /// The documents of the request that a query matches; `None`: that is not known.
    fn matching(&mut self, doc: u32) -> Result<Option<Documents>> {
        let (from, last) = &mut self.last;
        if doc < *last {
            *from = 0;
        }
        *last = doc;
        let matched = self.table.matching(doc, from, &self.documents)?;
        Ok(matched.map(|matched| matched & self.documents.live()))
    }

    fn meet(&mut self, doc: u32, query: &CompiledQuery) {
        let Some((resolved, bytes)) = query.settled() else { return };
        if is_told(resolved.node()) && self.met_bytes + bytes <= MET_BYTES_MAX {
            self.met.push((doc, Arc::clone(resolved)));
            self.met_bytes += bytes;
        }
    }
}
