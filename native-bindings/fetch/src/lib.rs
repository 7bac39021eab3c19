//! Hits as JSON: the documents that a response shows, rendered from the segment files.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`Fetcher`] | one hit after another |
//! | [`named`] | which named queries a hit matches |
//! | [`source_texts`] | texts of a field from the source |
//! | [`page_lookups`] | pages of hits that show what is to be looked up in other indices |
//! | [`term_vectors`] | the terms of one document |
mod docvalues;
pub(crate) mod field_values;
mod highlight;
mod inner_hits;
mod join_hits;
mod lookups;
pub mod named;
mod nested;
pub mod page_lookups;
mod percolated;
mod range_values;
mod source_fields;
pub mod source_texts;
pub mod term_vectors;

use docvalues::DocvalueFields;
use highlight::{Highlighter, Highlights, write_highlights};
use inner_hits::{InnerList, Surroundings};
use lookups::{LookedUp, LookupFields};
use named::{NamedQueries, NamedRequest};
use nested::{Child, RootSource};
use percolated::Percolations;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::json::write::plain_float;
use quarry_json::Pruner;
use quarry_json::write::write_string;
use quarry_plan::query::Query;
use quarry_plan::request::{FetchPlan, Rescore};
use quarry_query::explain::{explain, explain_rescore};
use quarry_query::script::fields::ScriptFields;
use quarry_query::sort::groups::GroupValue;
use quarry_query::sort::hit::Hit;
use quarry_query::sort::key::ResolvedKey;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::QueryEnv;
use quarry_query::wildcard_name::matches_name;
use quarry_segment::stored::{Record, StoredScratch};
use quarry_segment::{IGNORED_FIELD, ROUTING_FIELD};
use serde_json::Value;
use source_fields::SourceFields;

/// Renders hits of one shard.
pub struct Fetcher<'a> {
    view: &'a ShardView,
    fetch: &'a FetchPlan,
    keys: Vec<ResolvedKey>,
    pruner: Pruner,
    docvalues: DocvalueFields,
    /// Those of `fields` that were computed for this search.
    computed: DocvalueFields,
    fields: SourceFields,
    lookups: LookupFields,
    /// Some hit shows what is to be looked up.
    shows_lookups: bool,
    scripts: ScriptFields<'a>,
    named: NamedQueries,
    explained: Option<Explained<'a>>,
    highlighter: Option<Highlighter>,
    /// The field that hits are collapsed by.
    collapse: Option<&'a str>,
    /// Path of the hits; empty for the roots.
    scope: &'a str,
    inner_hits: Vec<InnerList<'a>>,
    /// `None`: the query has none.
    percolations: Option<Percolations<'a>>,
    scratch: StoredScratch,
    roots: RootSource,
}

/// The query whose scores hits explain.
#[derive(Clone, Copy)]
pub struct Explained<'a> {
    pub query: &'a Query,
    pub env: &'a QueryEnv<'a>,
    /// What changed the scores of some hits.
    pub rescore: &'a [Rescore],
}

impl Explained<'_> {
    fn write(&self, view: &ShardView, hit: &Hit, out: &mut Vec<u8>) -> Result<()> {
        let mut explanation = explain(view, self.env, self.query, hit.doc)?;
        for (place, rescore) in self.rescore.iter().enumerate() {
            let in_window = hit.rescored.contains(&(place as u32));
            explanation = explain_rescore((view, self.env), rescore, explanation, (hit.doc, in_window))?;
        }
        explanation.write(out);
        Ok(())
    }
}

/// Errors that a request has whatever hits it shows: scripts that do not compile, highlights that cannot be resolved.
pub fn check(view: &ShardView, env: &QueryEnv, query: &Query, fetch: &FetchPlan) -> Result<()> {
    ScriptFields::resolve(view, &fetch.script_fields)?;
    fetch.highlight.as_ref().map(|highlight| Highlighter::resolve(view, env, query, highlight)).transpose()?;
    Ok(())
}

/// Values that the `fields` object of a hit shows, by name; each value is JSON.
pub(crate) type FieldValues = Vec<(String, Vec<Vec<u8>>)>;

impl<'a> Fetcher<'a> {
    /// `named` knows the named queries of all documents that will be rendered.
    ///
    /// Errors: what the request asks of fields that the mapping does not allow.
    ///
    /// `request` is what highlights and inner hits show.
    pub fn new(
        view: &'a ShardView,
        env: &'a QueryEnv<'a>,
        request: NamedRequest<'a>,
        fetch: &'a FetchPlan,
        keys: &[ResolvedKey],
        named: NamedQueries,
    ) -> Result<Self> {
        let queries = std::iter::once(request.query).chain(request.post_filter);
        let around = Surroundings { named: request, total_as_int: fetch.total_hits_as_int, scope: "" };
        let inner_hits = inner_hits::resolve(view, env, queries, around)?;
        let fetcher = Self::of_parts(view, env, request.query, fetch, keys, named)?.with_inner_hits(inner_hits, "");
        fetcher.with_percolations(env, request.query)
    }

    fn with_percolations(self, env: &'a QueryEnv<'a>, query: &'a Query) -> Result<Self> {
        let percolations = Percolations::resolve(self.view, env, query, self.fetch.highlight.as_ref())?;
        Ok(Fetcher { percolations, ..self })
    }

    /// For documents that need not match the query of the request, such as those of `top_hits` below `global` or `children`.
    pub fn of_any_hits(mut self) -> Self {
        if let Some(percolations) = &mut self.percolations {
            percolations.of_any_hits();
        }
        self
    }

    fn with_inner_hits(self, inner_hits: Vec<InnerList<'a>>, scope: &'a str) -> Self {
        Fetcher { inner_hits, scope, ..self }
    }

    /// Without inner hits.
    fn of_parts(
        view: &'a ShardView,
        env: &QueryEnv,
        query: &Query,
        fetch: &'a FetchPlan,
        keys: &[ResolvedKey],
        named: NamedQueries,
    ) -> Result<Self> {
        if !fetch.fields.is_empty() && !view.mapping.spec().source_enabled {
            return Err(Error::illegal_argument(format!(
                "Unable to retrieve the requested [fields] since _source is disabled in the mappings for index [{}]",
                view.index
            )));
        }
        let highlight = fetch.highlight.as_ref();
        let highlighter = highlight.map(|highlight| Highlighter::resolve(view, env, query, highlight)).transpose()?;
        Ok(Fetcher {
            view,
            highlighter,
            fetch,
            keys: keys.to_vec(),
            pruner: Pruner::new(&fetch.source.includes, &fetch.source.excludes),
            docvalues: DocvalueFields::resolve(view, &fetch.docvalue_fields)?,
            computed: DocvalueFields::resolve_computed(view, &fetch.fields)?,
            fields: SourceFields::resolve(view, &fetch.fields)?,
            lookups: LookupFields::default(),
            shows_lookups: false,
            scripts: ScriptFields::resolve(view, &fetch.script_fields)?,
            named,
            explained: None,
            collapse: None,
            scope: "",
            inner_hits: Vec::new(),
            percolations: None,
            scratch: StoredScratch::default(),
            roots: RootSource::default(),
        })
    }

    /// Has each hit tell how its score came about, if the request asks for that.
    pub fn explaining(mut self, explained: Explained<'a>) -> Self {
        self.explained = self.fetch.explain.then_some(explained);
        self
    }

    /// Hits tell what is to be looked up for them: of hits of a response alone, for which that is done.
    pub fn with_lookups(self, env: &QueryEnv) -> Result<Self> {
        let lookups = LookupFields::resolve(self.view, env, &self.fetch.fields)?;
        Ok(Fetcher { lookups, ..self })
    }

    /// Whether a hit that was rendered shows what is to be looked up.
    pub fn shows_lookups(&self) -> bool {
        self.shows_lookups
    }

    /// For a page of `hits`: the blocks of a short one are kept, as it may be asked for again.
    pub fn of_page(mut self, hits: usize) -> Self {
        const HITS_MAX: usize = 100;
        if hits <= HITS_MAX {
            self.scratch = StoredScratch::keeping();
        }
        self
    }

    /// Has the records of these hits fetched at once that lie elsewhere.
    pub fn fetch_ahead<'h>(self, hits: impl Iterator<Item = &'h Hit>) -> Self {
        if !self.fetch.source.enabled || !self.view.segments.iter().any(|segment| segment.reader.is_remote()) {
            return self;
        }
        let located =
            hits.filter_map(|hit| self.view.locate(hit.doc).ok().map(|(segment, doc)| (segment.doc_base, doc)));
        let mut docs: Vec<(u32, u32)> = located.collect();
        docs.sort_unstable();
        for of_segment in docs.chunk_by(|left, right| left.0 == right.0) {
            let Ok((segment, _)) = self.view.locate(of_segment[0].0 + of_segment[0].1) else { continue };
            let docs: Vec<u32> = of_segment.iter().map(|&(_, doc)| doc).collect();
            segment.reader.stored().fetch_ahead(&docs);
        }
        self
    }

    /// Hits show the value of this field that they stand for.
    pub fn collapsed_by(self, field: Option<&'a str>) -> Self {
        Fetcher { collapse: field, ..self }
    }

    /// Appends one hit as a JSON object.
    pub fn render(&mut self, hit: &Hit, out: &mut Vec<u8>) -> Result<()> {
        let view = self.view;
        let (segment, doc) = view.locate(hit.doc)?;
        let fetch = self.fetch;
        let child = Child::of(&view.mapping, segment, doc)?;
        out.push(b'{');
        if self.explained.is_some() {
            out.extend_from_slice(b"\"_shard\":");
            write_string(out, &format!("[{}][{}]", view.index, view.shard));
            out.extend_from_slice(b",\"_node\":");
            write_string(out, &view.node);
            out.push(b',');
        }
        out.extend_from_slice(b"\"_index\":");
        write_string(out, &view.index);
        if !fetch.no_stored_fields {
            out.extend_from_slice(b",\"_id\":");
            let of = child.as_ref().map_or(doc, |child| child.root);
            write_string(out, &String::from_utf8_lossy(segment.reader.ids().get(of)));
        }
        if let Some(child) = &child {
            child.write_identity(out);
        }
        if fetch.version {
            write_number(out, "_version", segment.reader.versions().first(doc));
        }
        if fetch.seq_no_primary_term {
            write_number(out, "_seq_no", segment.reader.seq_nos().first(doc));
            write_number(out, "_primary_term", segment.reader.primary_terms().first(doc));
        }
        out.extend_from_slice(b",\"_score\":");
        match hit.score.filter(|score| score.is_finite()) {
            Some(score) => out.extend_from_slice(plain_float(score).as_bytes()),
            None => out.extend_from_slice(b"null"),
        }
        if !fetch.no_stored_fields {
            write_metadata(segment, doc, out)?;
        }
        self.render_stored(hit, segment, child.as_ref(), out)?;
        self.render_sort(hit, out);
        self.named.render(hit.doc, out);
        if let Some(explained) = self.explained {
            out.extend_from_slice(b",\"_explanation\":");
            explained.write(view, hit, out)?;
        }
        inner_hits::render(&mut self.inner_hits, self.scope, segment, doc, out)?;
        out.push(b'}');
        Ok(())
    }

    /// `_source` and `fields`: what needs the stored record, and doc values.
    fn render_stored(
        &mut self,
        hit: &Hit,
        segment: &SegmentView,
        child: Option<&Child>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let doc = hit.doc - segment.doc_base;
        let (view, fetch) = (self.view, self.fetch);
        let needs_record = fetch.source.enabled
            || !fetch.stored_fields.is_empty()
            || !self.fields.is_empty()
            || self.lookups.needs_source()
            || self.highlighter.is_some();
        let mut highlights = Highlights::new();
        let mut values: FieldValues = Vec::new();
        self.docvalues.read(segment, doc, &mut values)?;
        self.computed.read(segment, doc, &mut values)?;
        self.scripts.read(segment, doc, hit.score, &mut values)?;
        if let (Some(field), Some(group)) = (self.collapse, &hit.group)
            && *group != GroupValue::Missing
            && !values.iter().any(|(known, _)| known == field)
        {
            let mut value = Vec::new();
            group.write_json(&mut value);
            values.push((field.to_owned(), vec![value]));
        }
        let mut document: Option<Value> = None;
        if needs_record {
            let mut of_child = Vec::new();
            let record = match child {
                None => Record::parse(segment.reader.stored().get(doc, &mut self.scratch)?)?,
                Some(child) => {
                    child.write_record(segment, doc, (&mut self.roots, &mut self.scratch), &mut of_child)?;
                    Record::parse(&of_child)?
                }
            };
            if let Some(source) = record.source() {
                if fetch.source.enabled {
                    out.extend_from_slice(b",\"_source\":");
                    match child {
                        None => write_source(&self.pruner, source, out)?,
                        Some(child) => child.write_source(&self.pruner, source, out)?,
                    }
                }
                if !self.fields.is_empty() || self.lookups.needs_source() {
                    let read = document.insert(read_source(source)?);
                    let mut of_source = FieldValues::new();
                    self.fields.read(read, &mut of_source);
                    replace_values(&mut values, of_source);
                }
            }
            for (name, value) in record.fields() {
                let is_wanted = fetch.stored_fields.iter().any(|pattern| matches_name(pattern, name));
                if is_wanted && self.view.mapping.shows_stored(name) {
                    add_value(&mut values, name, value.to_vec());
                }
            }
            if let Some(highlighter) = &mut self.highlighter {
                highlighter.read(doc, &record, &mut highlights)?;
            }
        }
        if let Some(percolations) = &mut self.percolations {
            percolations.read(segment, doc, &mut values, &mut highlights)?;
        }
        let looked_up = LookedUp { view, segment, doc, source: document.as_ref() };
        let lookups = self.lookups.read(&looked_up)?;
        self.shows_lookups |= !lookups.is_empty();
        values.retain(|(name, _)| !lookups.iter().any(|(lookup, _)| lookup == name));
        write_fields(&values, &lookups, out);
        write_highlights(&highlights, out);
        Ok(())
    }

    fn render_sort(&self, hit: &Hit, out: &mut Vec<u8>) {
        if hit.sort.is_empty() || self.keys.is_empty() {
            return;
        }
        out.extend_from_slice(b",\"sort\":[");
        for (place, (key, value)) in self.keys.iter().zip(&hit.sort).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            key.render(value, out);
        }
        out.push(b']');
    }
}

fn write_source(pruner: &Pruner, source: &[u8], out: &mut Vec<u8>) -> Result<()> {
    if pruner.keeps_all() {
        out.extend_from_slice(source);
        return Ok(());
    }
    pruner.apply(source, out).map_err(|fault| fault.into_error(source))
}

fn read_source(source: &[u8]) -> Result<Value> {
    quarry_base::deep_json::from_slice(source)
        .map_err(|error| Error::new(ErrorCode::Corrupt, format!("stored _source is not JSON: {error}")))
}

/// Adds a value to those of its field.
pub(crate) fn add_value(values: &mut FieldValues, name: &str, value: Vec<u8>) {
    match values.iter_mut().find(|(known, _)| known == name) {
        Some((_, known)) => known.push(value),
        None => values.push((name.to_owned(), vec![value])),
    }
}

/// A field that is asked for in several ways is shown as its source has it.
fn replace_values(values: &mut FieldValues, others: FieldValues) {
    values.retain(|(name, _)| !others.iter().any(|(other, _)| other == name));
    values.extend(others);
}

/// `lookups` are objects where others have their values.
fn write_fields(values: &FieldValues, lookups: &[(String, Vec<u8>)], out: &mut Vec<u8>) {
    if values.is_empty() && lookups.is_empty() {
        return;
    }
    out.extend_from_slice(b",\"fields\":{");
    write_members(values, out);
    for (place, (name, lookup)) in lookups.iter().enumerate() {
        if place > 0 || !values.is_empty() {
            out.push(b',');
        }
        write_string(out, name);
        out.push(b':');
        out.extend_from_slice(lookup);
    }
    out.push(b'}');
}

fn write_object(values: &FieldValues, out: &mut Vec<u8>) {
    out.push(b'{');
    write_members(values, out);
    out.push(b'}');
}

fn write_members(values: &FieldValues, out: &mut Vec<u8>) {
    for (place, (name, values)) in values.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_string(out, name);
        out.extend_from_slice(b":[");
        for (place, value) in values.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            out.extend_from_slice(value);
        }
        out.push(b']');
    }
}

fn write_number(out: &mut Vec<u8>, name: &str, number: Option<i64>) {
    if let Some(number) = number {
        out.extend_from_slice(format!(",\"{name}\":{number}").as_bytes());
    }
}

/// `_routing` and `_ignored`, where a document has them.
fn write_metadata(segment: &SegmentView, doc: u32, out: &mut Vec<u8>) -> Result<()> {
    if let Some(routing) = terms_of(segment, ROUTING_FIELD, doc)?.first() {
        out.extend_from_slice(b",\"_routing\":");
        write_string(out, routing);
    }
    let ignored = terms_of(segment, IGNORED_FIELD, doc)?;
    if !ignored.is_empty() {
        out.extend_from_slice(b",\"_ignored\":[");
        for (place, name) in ignored.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            write_string(out, name);
        }
        out.push(b']');
    }
    Ok(())
}

/// The terms of a document in a metadata field.
fn terms_of(segment: &SegmentView, field: &str, doc: u32) -> Result<Vec<String>> {
    let Some(reader) = segment.field(field) else {
        return Ok(Vec::new());
    };
    let (Some(column), Some(postings)) = (reader.ordinals(), reader.postings()) else {
        return Ok(Vec::new());
    };
    let mut ordinals = Vec::new();
    column.get(doc, &mut ordinals);
    let mut term = Vec::new();
    let mut terms = Vec::with_capacity(ordinals.len());
    for ordinal in ordinals {
        postings.term(ordinal, &mut term)?;
        terms.push(String::from_utf8_lossy(&term).into_owned());
    }
    Ok(terms)
}
