//! What hits show of `percolate` queries: which of the documents their stored query matches, and where in their texts.

use super::highlight::{Highlighter, Highlights};
use super::{FieldValues, add_value};
use crate::error::Result;
use crate::search::percolate::Verifier;
use crate::search::plan::highlight::Highlight;
use crate::search::plan::query::{PercolateQuery, Query};
use crate::search::view::{SegmentView, ShardView};
use crate::search::weight::QueryEnv;
use crate::segment::stored::{Record, StoredScratch};

/// The field of hits that has the places of documents.
const SLOTS: &str = "_percolator_document_slot";

/// One `percolate` query of a request.
struct Percolation<'a> {
    query: &'a PercolateQuery,
    verifier: Verifier,
    /// Absent where it is the only one of its request.
    name: Option<String>,
}

pub(super) struct Percolations<'a> {
    all: Vec<Percolation<'a>>,
    env: &'a QueryEnv<'a>,
    highlight: Option<&'a Highlight>,
    scratch: StoredScratch,
}

impl<'a> Percolations<'a> {
    /// Those of a query, as far as the hits match by them; `None` where it has none.
    pub fn resolve(
        view: &ShardView,
        env: &'a QueryEnv<'a>,
        query: &'a Query,
        highlight: Option<&'a Highlight>,
    ) -> Result<Option<Self>> {
        let mut queries = Vec::new();
        collect(query, &mut queries);
        if queries.is_empty() {
            return Ok(None);
        }
        let is_alone = queries.len() == 1;
        let resolved = queries.into_iter().map(|query| {
            let mapped = view.mapping.field_by_name(&query.field);
            let field = mapped.map_or(query.field.as_str(), |mapped| &mapped.spec.name);
            let verifier = Verifier::new(view, field, &query.documents, (env.now_ms, &env.limits))?;
            let name = (!is_alone).then(|| query.name.clone().unwrap_or_else(|| field.to_owned()));
            Ok(Percolation { query, verifier, name })
        });
        let all = resolved.collect::<Result<_>>()?;
        Ok(Some(Percolations { all, env, highlight, scratch: StoredScratch::default() }))
    }

    /// Adds what a hit shows.
    pub fn read(
        &mut self,
        segment: &SegmentView,
        doc: u32,
        values: &mut FieldValues,
        highlights: &mut Highlights,
    ) -> Result<()> {
        for percolation in &self.all {
            let Some(compiled) = percolation.verifier.compiled(segment, doc, &mut self.scratch)? else { continue };
            let slots = percolation.verifier.slots(&compiled)?;
            let name = percolation.name.as_ref().map_or(SLOTS.to_owned(), |name| format!("{SLOTS}_{name}"));
            for slot in &slots {
                add_value(values, &name, slot.to_string().into_bytes());
            }
            let Some(highlight) = self.highlight.filter(|_| !slots.is_empty()) else { continue };
            let Some(stored) = percolation.verifier.stored(segment, doc, &mut self.scratch)? else { continue };
            let view = &percolation.verifier.percolated.view;
            let mut highlighter = Highlighter::resolve(view, self.env, &stored.query, highlight)?;
            for slot in slots {
                percolation.highlight(&mut highlighter, slot, highlights)?;
            }
        }
        Ok(())
    }
}

impl Percolation<'_> {
    /// Texts of one document that the stored query matches.
    fn highlight(&self, highlighter: &mut Highlighter, slot: usize, highlights: &mut Highlights) -> Result<()> {
        let Some(document) = self.query.documents.get(slot) else { return Ok(()) };
        let mut record = Vec::new();
        Record::write(&mut record, Some(document.as_bytes()), []);
        let mut found = Highlights::new();
        highlighter.read(slot as u32, &Record::parse(&record)?, &mut found)?;
        for (field, pieces) in found {
            let slot = if self.query.documents.len() == 1 { None } else { Some(slot.to_string()) };
            let parts = [self.name.clone(), slot, Some(field)];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            highlights.push((parts.join("_"), pieces));
        }
        Ok(())
    }
}

fn collect<'a>(query: &'a Query, found: &mut Vec<&'a PercolateQuery>) {
    match query {
        Query::Percolate(percolate) => found.push(percolate),
        Query::Bool(inner) => {
            inner.must.iter().chain(&inner.filter).chain(&inner.should).for_each(|part| collect(part, found));
        }
        // Nested documents show theirs as inner hits.
        Query::Nested(_) => {}
        other => other.parts().into_iter().for_each(|part| collect(part, found)),
    }
}
