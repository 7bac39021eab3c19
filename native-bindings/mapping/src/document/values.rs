//! A scalar to what a field holds: conversion, `null_value`, `ignore_malformed`, multi-fields, `copy_to`.

use super::flattened::not_flat;
use super::numbers;
use super::parser::{Parser, not_an_object_path};
use super::scalar::{self, Scalar};
use super::stored_query::no_query;
use super::vector::not_a_vector;
use crate::compiled::{CopyTarget, MappedField};
use crate::sink::DocumentSink;
use crate::spec::{DeclaredType, Dynamic, FieldType};
use crate::tree::{NodeId, ROOT, Target, split_path};
use crate::{ip, version};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_base::murmur3_128::murmur3_128;
use quarry_codec::sortable;
use quarry_json::Scanner;
use quarry_json::write::write_string;
use std::borrow::Cow;

/// What a field makes of a value.
enum Converted<'v> {
    Text(&'v str),
    Term(Cow<'v, [u8]>),
    Number(i64),
}

/// Bytes of a term that a message shows.
const TERM_PREVIEW_BYTES: usize = 30;

impl<S: DocumentSink> Parser<'_, S> {
    /// Values that every document of a level of nesting has.
    pub(super) fn constant_values(&mut self, level: NodeId) -> Result<()> {
        let tree = self.mapping.tree();
        for field in self.mapping.constants().filter(|field| tree.nested_around(&field.spec.name) == level) {
            if field.spec.join.is_some() {
                let reason = format!("nothing can be copied to join field [{}]", field.spec.name);
                return Err(Error::illegal_argument(reason));
            }
            if let Some(constant) = &field.spec.constant {
                self.sink.term(field.id, constant.as_bytes())?;
            }
        }
        Ok(())
    }

    /// A value of a field: to itself, its multi-fields and the fields it is copied to.
    #[inline]
    pub(super) fn field_value(&mut self, field: &MappedField, value: &Scalar<'_>) -> Result<()> {
        self.field_and_multi_fields(field, value)?;
        for target in &field.copy_to {
            if self.is_at_root() { self.copy(target, value) } else { self.copy_to_level(target, field, value) }?;
        }
        Ok(())
    }

    pub(super) fn field_and_multi_fields(&mut self, field: &MappedField, value: &Scalar<'_>) -> Result<()> {
        if field.is_place() {
            return self.scalar_place(field, value);
        }
        if field.is_shape() {
            return self.scalar_shape(field, value);
        }
        self.single_value(field, value)?;
        let mapping = self.mapping;
        for &multi_field in &field.multi_fields {
            self.field_and_multi_fields(mapping.field(multi_field), value)?;
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, target: &CopyTarget, value: &Scalar<'_>) -> Result<()> {
        let mapping = self.mapping;
        match target {
            // What a copy brings is not copied on.
            CopyTarget::Field(field) => self.field_and_multi_fields(mapping.field(*field), value),
            CopyTarget::Unmapped(_) if *value == Scalar::Null => Ok(()),
            CopyTarget::Unmapped(path) => self.copy_to_unmapped(path, value),
        }
    }

    /// A copy to a path that the mapping lacks: what becomes of it is up to the innermost object around the path.
    fn copy_to_unmapped(&mut self, path: &str, value: &Scalar<'_>) -> Result<()> {
        let mapping = self.mapping;
        let tree = mapping.tree();
        let (parents, name) = split_path(path);
        let mut node = tree.node(ROOT);
        for part in parents.split('.') {
            match node.child_id(part).map(|child| tree.child(child).target) {
                Some(Target::Object(inner) | Target::Nested(inner)) => node = tree.node(inner),
                Some(Target::Field(field)) => return Err(not_an_object_path(path, mapping.field(field))),
                None => break,
            }
        }
        self.refuse_strict(node.dynamic, node.display_path(), name)?;
        if node.enabled && node.dynamic != Dynamic::False {
            self.unmapped_scalar(path, value);
        }
        Ok(())
    }

    fn single_value(&mut self, field: &MappedField, value: &Scalar<'_>) -> Result<()> {
        if field.spec.completion.is_some() {
            return self.completion_scalar(field, value);
        }
        match (value, &field.null_json) {
            (Scalar::Null, None) => return Ok(()),
            (Scalar::Null, Some(json)) => return self.null_value(field, json),
            _ => {}
        }
        if let Some(ends) = &field.ends {
            return self.scalar_range(field, ends, value);
        }
        // An empty text is no number where texts may stand for numbers.
        if field.spec.coerce && numbers::is_numeric(field.spec.field_type) && *value == Scalar::String("") {
            return match &field.null_json {
                Some(json) => self.null_value(field, json),
                None => Ok(()),
            };
        }
        match self.emit(field, value) {
            Ok(()) => Ok(()),
            Err(Refusal::Sink(error)) => Err(error),
            Err(Refusal::Malformed(_)) if field.spec.ignore_malformed => self.sink.ignored(field.id),
            Err(Refusal::Malformed(cause)) => {
                let preview = value.text().unwrap_or("null").to_owned();
                Err(self.malformed(field, &preview, cause))
            }
        }
    }

    fn null_value(&mut self, field: &MappedField, json: &str) -> Result<()> {
        let mut buffer = String::new();
        let mut scanner = Scanner::new(json);
        // TypeScript has checked the value against the type; one that is null all the same says nothing.
        let value = scanner.peek().and_then(|token| scalar::read_any(&mut scanner, token, &mut buffer));
        match value {
            Ok(value) if value != Scalar::Null => self.single_value(field, &value),
            _ => Ok(()),
        }
    }

    pub(super) fn malformed(&self, field: &MappedField, preview: &str, cause: Error) -> Error {
        let reason = format!(
            "failed to parse field [{}] of type [{}] in document with id '{}'. Preview of field's value: '{preview}'",
            field.spec.name,
            field.spec.type_name(),
            self.head.id,
        );
        Error::new(ErrorCode::MapperParsing, reason).caused_by(cause)
    }

    /// An object where the mapping has a field. `ignore_malformed` does not cover it.
    pub(super) fn object_for_field(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        if field.is_place() {
            return self.place_here(field, depth);
        }
        if field.is_shape() {
            return self.shape_here(field, depth);
        }
        let start = self.scanner.clone();
        // A fault in the object is the better thing to report.
        self.skip(depth)?;
        let preview = scalar::preview(&mut start.clone());
        let preview = self.check(preview)?;
        let cause = Error::illegal_argument(format!("Can't get text on a START_OBJECT at byte {}", start.offset()));
        Err(self.malformed(field, &preview, cause))
    }

    #[inline]
    fn emit(&mut self, field: &MappedField, value: &Scalar<'_>) -> std::result::Result<(), Refusal> {
        let spec = &field.spec;
        let id = field.id;
        if spec.field_type == FieldType::Keyword && is_too_long(field, value) {
            // Stored all the same when the field is: what is left out is the index.
            self.store(field, value, None)?;
            return self.sink.ignored(id).map_err(Refusal::Sink);
        }
        let converted = convert(field, value).map_err(Refusal::Malformed)?;
        if spec.declared_type == Some(DeclaredType::RankFeature) {
            self.only_value(field).map_err(Refusal::Malformed)?;
        }
        if spec.declared_type == Some(DeclaredType::ConstantKeyword) && spec.constant.is_none() {
            self.first_value(field, value);
            return Ok(());
        }
        // What every document has is there already.
        if field.is_indexed() && spec.constant.is_none() {
            match &converted {
                Converted::Text(text) => self.sink.text(id, text),
                Converted::Term(term) => self.sink.term(id, term),
                Converted::Number(number) => self.sink.number(id, *number),
            }
            .map_err(Refusal::Sink)?;
        }
        self.store(field, value, Some(&converted))
    }

    /// Refuses a second value of the field in one document.
    fn only_value(&mut self, field: &MappedField) -> Result<()> {
        if self.single_values.contains(&field.id) {
            let (kind, name) = (field.spec.type_name(), &field.spec.name);
            return Err(Error::illegal_argument(format!(
                "[{kind}] fields do not support indexing multiple values for the same field [{name}] in the same document"
            )));
        }
        self.single_values.push(field.id);
        Ok(())
    }

    /// The value of a constant field that had none becomes that of all documents: the mapping is to say so first.
    fn first_value(&mut self, field: &MappedField, value: &Scalar<'_>) {
        self.scratch.found_unmapped = true;
        self.scratch.report.add_constant(&field.spec.name, value.text().unwrap_or_default());
    }

    /// Hands on the value of a field with `store: true`.
    fn store(
        &mut self,
        field: &MappedField,
        value: &Scalar<'_>,
        converted: Option<&Converted<'_>>,
    ) -> std::result::Result<(), Refusal> {
        if !field.spec.store {
            return Ok(());
        }
        let mut json = std::mem::take(&mut self.scratch.stored);
        json.clear();
        match converted {
            Some(Converted::Number(number)) => numbers::write_sortable(field, *number, &mut json),
            _ => write_string(&mut json, value.text().unwrap_or_default()),
        }
        let stored = self.sink.stored(field.id, &json);
        self.scratch.stored = json;
        stored.map_err(Refusal::Sink)
    }
}

/// Why a value did not get through.
enum Refusal {
    /// The field cannot hold it.
    Malformed(Error),
    /// The sink failed.
    Sink(Error),
}

/// Whether `ignore_above` leaves the value out. Its unit is UTF-16 code units, the API's notion of a character.
fn is_too_long(field: &MappedField, value: &Scalar<'_>) -> bool {
    let (Some(limit), Some(text)) = (field.spec.ignore_above, value.text()) else { return false };
    let limit = limit as usize;
    // UTF-16 never has more units than UTF-8 has bytes.
    text.len() > limit && text.encode_utf16().count() > limit
}

#[inline]
fn convert<'v>(field: &MappedField, value: &Scalar<'v>) -> Result<Converted<'v>> {
    let text = value.text().unwrap_or_default();
    if let Some(constant) = &field.spec.constant {
        check_constant(&field.spec.name, constant, text)?;
    }
    if let Some(count) = field.spec.token_count {
        return count_tokens(field, text, count.position_increments).map(Converted::Number);
    }
    match field.spec.declared_type {
        Some(DeclaredType::Murmur3) => return Ok(Converted::Number(murmur3_128(text.as_bytes()).0 as i64)),
        Some(DeclaredType::Binary) => check_base64(text)?,
        _ => {}
    }
    match field.spec.field_type {
        FieldType::Text => Ok(Converted::Text(text)),
        FieldType::Version => {
            let term = version::encode(text);
            if term.len() > TERM_BYTES_MAX {
                return Err(immense_term(&field.spec.name, &term));
            }
            Ok(Converted::Term(Cow::Owned(term)))
        }
        _ if field.spec.declared_type == Some(DeclaredType::Percolator) => Err(no_query()),
        _ if field.keys().is_some() => Err(not_flat(field, value)),
        FieldType::Keyword => {
            let term = match &field.normalizer {
                Some(normalizer) => Cow::Owned(normalizer.normalize(text)?),
                None => Cow::Borrowed(text.as_bytes()),
            };
            if term.len() > TERM_BYTES_MAX && field.is_indexed() {
                return Err(immense_term(&field.spec.name, &term));
            }
            Ok(Converted::Term(term))
        }
        _ if field.spec.vector.is_some() => Err(not_a_vector(field)),
        FieldType::Ip => Ok(Converted::Term(Cow::Owned(ip::parse(text)?.to_vec()))),
        _ => numbers::convert(field, value).and_then(|number| rank_feature(field, number)).map(Converted::Number),
    }
}

fn check_constant(name: &str, constant: &str, text: &str) -> Result<()> {
    if text == constant {
        return Ok(());
    }
    Err(Error::illegal_argument(format!(
        "[constant_keyword] field [{name}] only accepts values that are equal to the value defined in the mappings [{constant}], but got [{text}]"
    )))
}

/// The alphabet of base64, filled up to whole groups of four.
fn check_base64(text: &str) -> Result<()> {
    let digits = text.trim_end_matches('=');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    if text.len().is_multiple_of(4) && text.len() - digits.len() <= 2 && digits.bytes().all(is_digit) {
        return Ok(());
    }
    Err(Error::illegal_argument("Failed to decode VALUE_STRING as base64 (MIME-NO-LINEFEEDS)"))
}

fn count_tokens(field: &MappedField, text: &str, position_increments: bool) -> Result<i64> {
    let Some(analyzer) = &field.analyzer else { return Ok(0) };
    let mut tokens = Vec::new();
    let positions = analyzer.analyze(text, &mut tokens)?;
    if position_increments {
        return Ok(positions.into());
    }
    tokens.dedup_by_key(|token| token.position);
    Ok(tokens.len() as i64)
}

/// Rank features are positive; those of which the least is the best are held as their inverse.
pub(super) fn rank_feature(field: &MappedField, number: i64) -> Result<i64> {
    if field.spec.declared_type != Some(DeclaredType::RankFeature) {
        return Ok(number);
    }
    let value = sortable::to_f32(number);
    if value < f32::MIN_POSITIVE {
        return Err(Error::illegal_argument(format!(
            "featureValue must be a positive normal float, got: {value} for feature {} on field _feature which is less than the minimum positive normal float: 1.17549435E-38",
            field.spec.name
        )));
    }
    Ok(sortable::from_f32(if field.spec.positive_score_impact { value } else { 1.0 / value }))
}

pub(super) fn immense_term(field: &str, term: &[u8]) -> Error {
    let prefix: Vec<String> = term[..TERM_PREVIEW_BYTES].iter().map(|&byte| (byte as i8).to_string()).collect();
    Error::illegal_argument(format!(
        "Document contains at least one immense term in field=\"{field}\" (whose UTF8 encoding is longer than the max length {TERM_BYTES_MAX}), all of which were skipped. Please correct the analyzer to not produce such terms. The prefix of the first immense term is: '[{}]...'",
        prefix.join(", "),
    ))
}
