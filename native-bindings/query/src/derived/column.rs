//! Runs a script over the documents of a segment.

use super::chunks::{DocValues, for_each_document};
use super::values::{Values, places_at, scalars, scalars_at};
use super::wanted::WantedField;
use super::{ComputedColumn, Failed};
use crate::script::docs::SegmentDocs;
use crate::view::{SegmentView, ShardView};
use quarry_base::control::IsCancelled;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_buffer::lone::LoneField;
use quarry_mapping::spec::FieldType;
use quarry_script::{DocScalar, Env, Instance, Value};
use quarry_segment::reader::FieldReader;
use std::sync::Arc;

/// Place of `_value` among the variables of the context `aggs`.
const VALUE: usize = 1;
/// What the values of one field of one segment may take while they are computed.
pub(super) const COLUMN_BYTES_MAX: usize = 512 << 20;
/// Documents whose failures are kept.
const FAILED_MAX: usize = 1 << 20;

/// The values of a field for all live documents of its scopes.
///
/// Errors: `TaskCancelled`, and whatever is not a failure of the script on one document.
pub(super) fn compute(
    view: &ShardView,
    segment: &SegmentView,
    field: &Arc<WantedField>,
    is_cancelled: IsCancelled<'_>,
) -> Result<ComputedColumn> {
    let mapped = view.mapping.field_by_name(&field.spec.name);
    let mapped = mapped.ok_or_else(|| Error::internal("a computed field is not in the mapping of its search"))?;
    let values = Values { field_type: field.field_type, date_format: mapped.date_format.as_ref() };
    let mut found = LoneField::new(mapped, COLUMN_BYTES_MAX)?;
    let mut failures: Option<Failed> = None;
    for_each_document(view, segment, field, is_cancelled, |DocValues { doc, scalars, failed }| {
        let added = scalars.iter().try_for_each(|scalar| match values.add(doc, scalar, &mut found) {
            // What the source has but the type cannot hold is left out, as an indexed field would ignore it.
            Err(error) if field.program.is_none() && is_of_the_document(&error) => Ok(()),
            added => added,
        });
        match added.and(failed.map_or(Ok(()), Err)) {
            Ok(()) => Ok(()),
            Err(error) if !is_of_the_document(&error) => Err(error),
            Err(error) => {
                let failures = failures.get_or_insert_with(|| Failed { docs: Vec::new(), error });
                if failures.docs.len() == FAILED_MAX {
                    return Err(failures.error.clone());
                }
                failures.docs.push(doc);
                Ok(())
            }
        }
    })?;
    let sections = found.finish(segment.max_doc())?;
    let bytes = sections.as_ref().map_or(0, |sections| sections.bytes());
    let bytes = bytes + failures.as_ref().map_or(0, |failures| failures.docs.len() * size_of::<u32>());
    let reader = sections.map(|sections| FieldReader::in_memory(sections, segment.max_doc())).transpose()?;
    Ok(ComputedColumn { reader, failed: failures, bytes })
}

/// A script that goes on for too long would do so for every document; then nothing is left to compute.
pub(super) fn is_of_the_document(error: &Error) -> bool {
    let is_limit = error.caused_by.as_ref().is_some_and(|cause| cause.code == ErrorCode::Painless);
    !is_limit
        && matches!(error.code, ErrorCode::Script | ErrorCode::IllegalArgument | ErrorCode::Parse | ErrorCode::Parsing)
}

/// A field's script, or without one its values in the source, for one document after the other.
pub(super) struct Script<'a> {
    field: &'a WantedField,
    docs: SegmentDocs<'a>,
    script: Option<Instance>,
}

impl<'a> Script<'a> {
    pub fn new(view: &'a ShardView, segment: &'a SegmentView, field: &'a WantedField) -> Result<Self> {
        let none = serde_json::Value::Null;
        let params = field.runtime.script.as_ref().map_or(&none, |script| &script.params);
        let script = field.program.as_ref().map(|program| Instance::new(Arc::clone(program), params)).transpose()?;
        Ok(Script { field, docs: SegmentDocs::new(view, segment), script })
    }

    /// Adds what it gives for the document; where it fails what it gave before.
    pub fn document(&mut self, doc: u32, found: &mut Vec<DocScalar>) -> Result<()> {
        self.docs.at(doc, None);
        let Some(script) = &mut self.script else {
            let source = self.docs.source()?;
            let read = if self.field.field_type == FieldType::GeoPoint { places_at } else { scalars_at };
            *found = source.map(|source| read(&source, &self.field.spec.name)).unwrap_or_default();
            return Ok(());
        };
        if let Some(base) = &self.field.runtime.base {
            let Some(base) = self.docs.field(base)? else { return Ok(()) };
            let count = self.docs.count(base)?;
            for place in 0..count {
                let Some(value) = self.docs.value(base, place)? else { break };
                let value = import(script, value)?;
                script.set(VALUE, value);
                let result = script.run(&mut self.docs)?;
                found.extend(scalars(script, &[result], &mut self.docs)?);
                script.set(VALUE, Value::Null);
            }
            script.forget();
            return Ok(());
        }
        let result = script.run(&mut self.docs)?;
        let results = match (script.program().context.emits, &self.field.runtime.part) {
            (None, _) => vec![result],
            (Some(_), None) => script.emitted().to_vec(),
            (Some(_), Some(part)) => {
                let pairs = script.emitted().chunks_exact(2);
                let of_part = pairs.filter(|pair| script.text(pair[0]).is_some_and(|name| *name == **part));
                of_part.map(|pair| pair[1]).collect()
            }
        };
        *found = scalars(script, &results, &mut self.docs)?;
        if self.field.field_type == FieldType::GeoPoint && script.program().context.emits == Some(2) {
            *found = places(found)?;
        }
        Ok(())
    }
}

/// Latitudes and longitudes in turn as places; texts are places by themselves.
fn places(found: &[DocScalar]) -> Result<Vec<DocScalar>> {
    if found.iter().all(|scalar| matches!(scalar, DocScalar::Text(_) | DocScalar::GeoPoint { .. })) {
        return Ok(found.to_vec());
    }
    let degrees = |scalar: &DocScalar| match scalar {
        DocScalar::Long(number) => Ok(*number as f64),
        DocScalar::Double(number) => Ok(*number),
        other => Err(Error::illegal_argument(format!("[{other:?}] is no latitude or longitude"))),
    };
    found
        .chunks_exact(2)
        .map(|pair| Ok(DocScalar::GeoPoint { lat: degrees(&pair[0])?, lon: degrees(&pair[1])? }))
        .collect()
}

/// A column's value as a script has it.
fn import(script: &mut Instance, value: DocScalar) -> Result<Value> {
    Ok(match value {
        DocScalar::Long(number) => Value::Long(number),
        DocScalar::Double(number) => Value::Double(number),
        DocScalar::Bool(value) => Value::Bool(value),
        DocScalar::Nanos(nanos) => Value::Long((nanos / 1_000_000) as i64),
        DocScalar::Text(text) => script.import_text(&text)?,
        DocScalar::GeoPoint { lat, lon } => script.import_place(lat, lon)?,
    })
}
