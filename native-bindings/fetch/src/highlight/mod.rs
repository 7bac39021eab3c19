//! `highlight`: pieces of a hit's text with the words that the query matched marked.
//!
//! Nothing is stored for it: the text comes from the source and is analysed again, so that every kind of highlighter
//! works on every text field.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`wanted`] | what of a query can be found in the text of a field |
//! | [`found`] | where it stands in a text |
//! | [`breaks`], [`local_breaks`], [`sentence_ends`] | ends of words and sentences |
//! | [`passages`], [`fragments`], [`vector`] | the pieces as the unified, the plain and the fast vector highlighter cut them |
//! | [`markup`] | tags and encoding |
mod breaks;
mod found;
mod fragments;
mod local_breaks;
mod markup;
mod passages;
mod sentence_ends;
mod vector;
mod wanted;

use super::source_texts::{text_of, texts_at, units};
use found::FieldText;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::write::write_string;
use quarry_mapping::MappedField;
use quarry_mapping::spec::{DeclaredType, FieldType, IndexOptions};
use quarry_plan::highlight::{Highlight, HighlightField, HighlighterKind};
use quarry_plan::query::Query;
use quarry_query::resolve::Resolver;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
use quarry_query::wildcard_name::{fields_like, matches_name};
use quarry_segment::stored::Record;
use serde_json::Value;
use wanted::Wanted;

/// One field of the mapping as the request wants it highlighted.
struct Target {
    field: MappedField,
    /// Where its text stands in the source: its own path, or that of the field that feeds a multi-field.
    path: String,
    options: HighlightField,
    /// What is looked for, with the field whose analysis finds it.
    wanted: Vec<(MappedField, Wanted)>,
}

/// Pieces of texts by the names under which a hit shows them.
pub type Highlights = Vec<(String, Vec<String>)>;

/// Highlights hits of one search.
pub struct Highlighter {
    targets: Vec<Target>,
    max_analyzed_offset: u32,
    index: String,
}

impl Highlighter {
    /// Errors: a highlighter that the mapping of a field does not allow; a query that does not fit the mapping.
    pub fn resolve(view: &ShardView, env: &QueryEnv, query: &Query, highlight: &Highlight) -> Result<Self> {
        let mut targets: Vec<Target> = Vec::new();
        for options in &highlight.fields {
            let is_pattern = options.field.contains('*');
            for field in fields_like(&view.mapping, &options.field) {
                let is_text = matches!(field.spec.field_type, FieldType::Text | FieldType::Keyword)
                    && matches!(field.spec.declared_type, None | Some(DeclaredType::MatchOnlyText));
                let is_known = targets.iter().any(|target| target.field.spec.name == field.spec.name);
                if is_known || (is_pattern && !is_text) {
                    continue;
                }
                targets.push(target(view, env, query, field, options)?);
            }
        }
        let (max_analyzed_offset, index) = (highlight.max_analyzed_offset, view.index.to_string());
        Ok(Highlighter { targets, max_analyzed_offset, index })
    }

    /// Adds the pieces of each field of a hit that has any.
    pub fn read(&mut self, doc: u32, record: &Record<'_>, highlights: &mut Highlights) -> Result<()> {
        let source: Value = match record.source() {
            Some(source) => quarry_base::deep_json::from_slice(source)
                .map_err(|error| Error::new(ErrorCode::Corrupt, format!("stored _source is not JSON: {error}")))?,
            None => Value::Null,
        };
        for target in &mut self.targets {
            let values = texts(target, &source, record);
            if values.is_empty() {
                continue;
            }
            check_length(target, &values, doc, self.max_analyzed_offset, &self.index)?;
            let pieces = target.pieces(&values)?;
            if !pieces.is_empty() {
                highlights.push((target.field.spec.name.clone(), pieces));
            }
        }
        Ok(())
    }
}

/// Appends the member `highlight` of a hit that has any.
pub fn write_highlights(highlights: &Highlights, out: &mut Vec<u8>) {
    if highlights.is_empty() {
        return;
    }
    out.extend_from_slice(b",\"highlight\":{");
    for (place, (name, pieces)) in highlights.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_pieces(name, pieces, out);
    }
    out.push(b'}');
}

fn write_pieces(name: &str, pieces: &[String], out: &mut Vec<u8>) {
    write_string(out, name);
    out.extend_from_slice(b":[");
    for (place, piece) in pieces.iter().enumerate() {
        if place > 0 {
            out.push(b',');
        }
        write_string(out, piece);
    }
    out.push(b']');
}

fn target(
    view: &ShardView,
    env: &QueryEnv,
    query: &Query,
    field: &MappedField,
    options: &HighlightField,
) -> Result<Target> {
    let name = &field.spec.name;
    if options.kind == HighlighterKind::Fvh && !field.spec.term_vectors {
        return Err(Error::illegal_argument(format!(
            "the field [{name}] should be indexed with term vector with position offsets to be used with fast vector highlighter"
        )));
    }
    let query = options.query.as_ref().unwrap_or(query);
    let node = Resolver::new(view, env).resolve(query)?;
    let named = |field: &MappedField| {
        let is_own = |other: &str| other == field.spec.name;
        let is_wanted: &dyn Fn(&str) -> bool = if options.require_field_match { &is_own } else { &|_| true };
        (field.clone(), Wanted::of(&node, is_wanted))
    };
    let is_matched =
        |other: &MappedField| options.matched_fields.iter().any(|pattern| matches_name(pattern, &other.spec.name));
    let shows_itself = options.matched_fields.is_empty() || options.kind == HighlighterKind::Unified;
    let fields = view.mapping.fields().iter();
    let wanted = fields
        .filter(|other| if other.spec.name == *name { shows_itself || is_matched(other) } else { is_matched(other) })
        .map(named)
        .collect();
    let path = field.spec.parent.clone().unwrap_or_else(|| name.clone());
    Ok(Target { field: field.clone(), path, options: options.clone(), wanted })
}

impl Target {
    fn pieces(&mut self, values: &[String]) -> Result<Vec<String>> {
        let options = &self.options;
        match options.kind {
            HighlighterKind::Unified => {
                let joined = FieldText::joined(values);
                let places = found::in_text(&joined, &mut self.wanted, options.max_analyzer_offset)?;
                Ok(passages::highlight(&joined, &places, options))
            }
            HighlighterKind::Plain => fragments::highlight(values, &self.field, &mut self.wanted, options),
            HighlighterKind::Fvh => {
                let joined = FieldText::spaced(values);
                let places = found::in_text(&joined, &mut self.wanted, options.max_analyzer_offset)?;
                vector::highlight(&joined, &places, options)
            }
        }
    }
}

/// The values that the field was given, as far as it took them.
fn texts(target: &Target, source: &Value, record: &Record<'_>) -> Vec<String> {
    // Documents that came before the mapping knew the value have it as well.
    if let Some(constant) = &target.field.spec.constant {
        return vec![constant.clone()];
    }
    let mut texts = texts_at(source, &target.path);
    // The source may be kept without the field, or not at all.
    if texts.is_empty() {
        let stored = record.fields().filter(|(name, _)| *name == target.field.spec.name);
        texts = stored.filter_map(|(_, json)| text_of(&quarry_base::deep_json::from_slice(json).ok()?)).collect();
    }
    if let Some(limit) = target.field.spec.ignore_above {
        texts.retain(|text| text.chars().count() <= limit as usize);
    }
    texts
}

/// Long texts are analysed only where the request says how far.
fn check_length(target: &Target, values: &[String], doc: u32, limit: u32, index: &str) -> Result<()> {
    let spec = &target.field.spec;
    let has_offsets = spec.term_vectors || spec.index_options == IndexOptions::Offsets;
    let kind = target.options.kind;
    let is_exempt = (kind == HighlighterKind::Unified && has_offsets) || kind == HighlighterKind::Fvh;
    if is_exempt || target.options.max_analyzer_offset.is_some() || spec.field_type != FieldType::Text {
        return Ok(());
    }
    let length = match kind {
        HighlighterKind::Plain => values.iter().map(|value| units(value)).max().unwrap_or(0),
        _ => values.iter().map(|value| units(value) + 1).sum::<u32>().saturating_sub(1),
    };
    if length <= limit {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "The length [{length}] of field [{}] in doc[{doc}]/index[{index}] has exceeded [{limit}] - maximum allowed to be \
         analyzed for highlighting. This maximum can be set by changing the [index.highlight.max_analyzed_offset] index \
         level setting. For large texts, indexing with offsets or term vectors is recommended!",
        spec.name
    )))
}
