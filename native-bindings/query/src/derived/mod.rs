//! Fields that are computed: runtime fields of the mapping and of requests, the scripts of aggregations and sorts, and keys of
//! flattened objects.
//!
//! Before a search looks at its plan, [`view_of`] finds which of these fields it names, computes their values for all live
//! documents of each segment, and puts them before the segment's own as columns and terms in memory. So every query, sort,
//! aggregation and fetch works on them without knowing. What was computed is kept for the next search ([`cache`]). Fields of
//! type `lookup` are put into the mapping of the search, but have no values in it.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`wanted`] | which fields a plan names, each behind those that its script reads |
//! | [`column`] | runs a script over a segment |
//! | [`chunks`] | has several threads do so |
//! | [`keyed`] | keys of flattened objects |
//! | [`values`] | what scripts give back as values of a type |
//! | [`uninverted`] | terms of text fields by document, where the mapping says `fielddata` |
//! | [`cache`] | columns that were computed before |
pub mod cache;
mod chunks;
mod column;
mod keyed;
pub mod uninverted;
mod values;
mod wanted;

use super::view::{SegmentView, ShardView};
use cache::Known;
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, Result};
use quarry_base::interrupt::watching;
use quarry_mapping::spec::FieldSpec;
use quarry_segment::reader::FieldReader;
use rapidhash::RapidHashMap;
use serde_json::Value;
use std::sync::Arc;
use wanted::{Wanted, WantedField};

/// One computed field of a segment.
#[derive(Debug)]
pub struct ComputedColumn {
    /// `None`: no document has a value.
    reader: Option<FieldReader>,
    failed: Option<Failed>,
    bytes: usize,
}

impl ComputedColumn {
    pub fn reader(&self) -> Option<&FieldReader> {
        self.reader.as_ref()
    }
}

/// Documents that the script failed on.
#[derive(Debug)]
struct Failed {
    /// Ascending.
    docs: Vec<u32>,
    /// Of the first one.
    error: Error,
}

/// The computed fields of a segment, by name.
#[derive(Debug, Clone, Default)]
pub struct ComputedColumns {
    by_name: RapidHashMap<Box<str>, Arc<ComputedColumn>>,
}

impl ComputedColumns {
    pub fn get(&self, name: &str) -> Option<&ComputedColumn> {
        self.by_name.get(name).map(|column| &**column)
    }

    /// Errors: the script of one of the fields failed on the document.
    pub fn check(&self, doc: u32) -> Result<()> {
        let failures = self.by_name.values().filter_map(|column| column.failed.as_ref());
        match failures.into_iter().find(|failed| failed.docs.binary_search(&doc).is_ok()) {
            Some(failed) => Err(failed.error.clone()),
            None => Ok(()),
        }
    }
}

/// Whether a plan (JSON) names fields that are to be computed.
pub fn names_any(view: &ShardView, plan: &[u8]) -> Result<bool> {
    Wanted::of(&view.mapping, plan).map(|wanted| wanted.is_some())
}

fn compute(
    view: &ShardView,
    segment: &SegmentView,
    field: &Arc<WantedField>,
    is_cancelled: IsCancelled<'_>,
) -> Result<ComputedColumn> {
    let Some(key) = &field.key else { return column::compute(view, segment, field, is_cancelled) };
    let mapped = view.mapping.field_or_feature(&field.spec.name);
    let mapped = mapped.ok_or_else(|| Error::internal("a key is not in the mapping of its search"))?;
    keyed::compute(segment, mapped, key, is_cancelled)
}

/// The view as a plan (JSON) wants it: with the fields computed that it names.
///
/// A script that fails on a document fails searches that match it, and those whose query names the field.
///
/// Errors: scripts that do not compile, fields that depend on each other in a circle; `TaskCancelled`.
pub fn view_of(view: &ShardView, plan: &[u8], is_cancelled: IsCancelled<'_>) -> Result<ShardView> {
    let Some(wanted) = Wanted::of(&view.mapping, plan)? else { return Ok(view.clone()) };
    let specs: Vec<FieldSpec> = wanted.fields.iter().map(|field| field.spec.clone()).collect();
    let mapping = match (specs.as_slice(), wanted.lookups.as_slice()) {
        ([], []) => Arc::clone(&view.mapping),
        (specs, lookups) => Arc::new(view.mapping.for_search(specs, lookups, &view.analysis)?),
    };
    let mut segments: Vec<SegmentView> = view.segments.to_vec();
    let mut seen = ShardView { mapping, ..view.clone() };
    for segment in &mut segments {
        let mut columns = uninverted_columns(segment, &wanted.uninverted, is_cancelled)?;
        for field in &wanted.fields {
            // Scripts read the fields before theirs, but not themselves: under their own name is what the index has.
            segment.computed = Some(Arc::new(columns.clone()));
            let known = Known::new(segment, field);
            let column = match cache::find(&known, segment) {
                Some(column) => column,
                None => cache::keep(
                    known,
                    segment,
                    watching(is_cancelled, None, || compute(&seen, segment, field, is_cancelled))?,
                ),
            };
            if let Some(failed) = column.failed.as_ref().filter(|_| field.is_queried) {
                return Err(failed.error.clone());
            }
            columns.by_name.insert(field.spec.name.as_str().into(), column);
        }
        segment.computed = Some(Arc::new(columns));
    }
    seen.segments = segments.into();
    Ok(seen)
}

fn uninverted_columns(
    segment: &SegmentView,
    names: &[String],
    is_cancelled: IsCancelled<'_>,
) -> Result<ComputedColumns> {
    let mut columns = ComputedColumns::default();
    for name in names {
        let Some(field) = segment.reader.field(name) else { continue };
        let known = Known::of_terms(segment, name);
        let column = match cache::find(&known, segment) {
            Some(column) => column,
            None => cache::keep(known, segment, uninverted::compute(field, segment.max_doc(), is_cancelled)?),
        };
        columns.by_name.insert(name.as_str().into(), column);
    }
    Ok(columns)
}

/// The values at a dotted path, through arrays and through names that hold dots themselves; an array at its end as it is.
pub fn wholes_at<'a>(value: &'a Value, path: &str, found: &mut Vec<&'a Value>) {
    match value {
        _ if path.is_empty() => found.push(value),
        Value::Array(items) => items.iter().for_each(|item| wholes_at(item, path, found)),
        Value::Object(members) => {
            for (name, member) in members {
                if name == path {
                    wholes_at(member, "", found);
                } else if let Some(rest) = path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
                    wholes_at(member, rest, found);
                }
            }
        }
        _ => {}
    }
}
