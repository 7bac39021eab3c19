//! What hits show of `percolate` queries: which of the documents their stored query matches, and where in their texts.

use super::highlight::{Highlighter, Highlights};
use super::{FieldValues, add_value};
use quarry_base::error::Result;
use quarry_percolate::Verifier;
use quarry_plan::highlight::Highlight;
use quarry_plan::query::{PercolateQuery, Query};
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::QueryEnv;
use quarry_segment::stored::{Record, StoredScratch};
use std::cell::OnceCell;

/// The field of hits that has the places of documents.
const SLOTS: &str = "_percolator_document_slot";

/// One `percolate` query of a request.
struct Percolation<'a> {
    query: &'a PercolateQuery,
    /// Whether hits are such as match it, so that a single document needs no second look.
    is_required: bool,
    verifier: OnceCell<Verifier>,
    /// Absent where it is the only one of its request.
    name: Option<String>,
}

pub(super) struct Percolations<'a> {
    view: &'a ShardView,
    all: Vec<Percolation<'a>>,
    env: &'a QueryEnv<'a>,
    highlight: Option<&'a Highlight>,
    scratch: StoredScratch,
}

impl<'a> Percolations<'a> {
    /// Those of a query, as far as the hits match by them; `None` where it has none.
    pub fn resolve(
        view: &'a ShardView,
        env: &'a QueryEnv<'a>,
        query: &'a Query,
        highlight: Option<&'a Highlight>,
    ) -> Result<Option<Self>> {
        let mut queries = Vec::new();
        collect(query, true, &mut queries);
        if queries.is_empty() {
            return Ok(None);
        }
        let is_alone = queries.len() == 1;
        let resolved = queries.into_iter().map(|(query, is_required)| {
            let field = stored_field(view, query);
            let name = (!is_alone).then(|| query.name.clone().unwrap_or_else(|| field.to_owned()));
            Percolation { query, is_required, verifier: OnceCell::new(), name }
        });
        let all = resolved.collect();
        Ok(Some(Percolations { view, all, env, highlight, scratch: StoredScratch::default() }))
    }

    /// For hits that are not those of the query: whether they match is looked at.
    pub fn of_any_hits(&mut self) {
        self.all.iter_mut().for_each(|percolation| percolation.is_required = false);
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
            let slots = match percolation.only_slot() {
                Some(slot) if self.highlight.is_none() => vec![slot],
                _ => percolation.slots(self.view, self.env, (segment, doc), &mut self.scratch)?,
            };
            let name = percolation.name.as_ref().map_or(SLOTS.to_owned(), |name| format!("{SLOTS}_{name}"));
            for slot in &slots {
                add_value(values, &name, slot.to_string().into_bytes());
            }
            let Some(highlight) = self.highlight.filter(|_| !slots.is_empty()) else { continue };
            let verifier = percolation.verifier(self.view, self.env)?;
            let Some(stored) = verifier.stored(segment, doc, &mut self.scratch)? else { continue };
            let view = &verifier.percolated.view;
            let mut highlighter = Highlighter::resolve(view, self.env, &stored.query, highlight)?;
            for slot in slots {
                percolation.highlight(&mut highlighter, slot, highlights)?;
            }
        }
        Ok(())
    }
}

impl Percolation<'_> {
    /// The documents are parsed when a hit asks for them.
    fn verifier(&self, view: &ShardView, env: &QueryEnv) -> Result<&Verifier> {
        if let Some(verifier) = self.verifier.get() {
            return Ok(verifier);
        }
        let field = stored_field(view, self.query);
        let verifier = Verifier::new(view, field, &self.query.documents, (env.now_ms, &env.limits))?;
        Ok(self.verifier.get_or_init(|| verifier))
    }

    /// The place of the document that every hit matches.
    fn only_slot(&self) -> Option<usize> {
        (self.is_required && self.query.documents.len() == 1).then_some(0)
    }

    /// Places of the documents that the query of a hit matches.
    fn slots(
        &self,
        view: &ShardView,
        env: &QueryEnv,
        (segment, doc): (&SegmentView, u32),
        scratch: &mut StoredScratch,
    ) -> Result<Vec<usize>> {
        let verifier = self.verifier(view, env)?;
        let compiled = verifier.compiled(segment, doc, scratch)?;
        compiled.map_or_else(|| Ok(Vec::new()), |compiled| verifier.slots(&compiled))
    }

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

/// The name of the percolator field, which the query may call by an alias.
fn stored_field<'a>(view: &'a ShardView, query: &'a PercolateQuery) -> &'a str {
    view.mapping.field_by_name(&query.field).map_or(&query.field, |mapped| &mapped.spec.name)
}

/// `is_required`: what matches the whole matches `query`. Each is found with the same of itself.
fn collect<'a>(query: &'a Query, is_required: bool, found: &mut Vec<(&'a PercolateQuery, bool)>) {
    match query {
        Query::Percolate(percolate) => found.push((percolate, is_required)),
        Query::Bool(inner) => {
            inner.must.iter().chain(&inner.filter).for_each(|part| collect(part, is_required, found));
            inner.should.iter().for_each(|part| collect(part, false, found));
        }
        Query::ConstantScore(inner) => collect(&inner.filter, is_required, found),
        // Nested documents show theirs as inner hits.
        Query::Nested(_) => {}
        other => other.parts().into_iter().for_each(|part| collect(part, false, found)),
    }
}
