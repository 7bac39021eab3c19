//! Values of completion fields. They become terms when the document is complete, because contexts may be values of other fields.

use super::parser::{Parser, failed_to_parse};
use super::scalar::{self, Scalar};
use crate::compiled::MappedField;
use crate::completion::input::{self, Entry};
use crate::sink::DocumentSink;
use crate::spec::FieldId;
use crate::tree::split_path;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::Token;
use serde_json::Value;

impl<S: DocumentSink> Parser<'_, S> {
    /// An object with inputs; the scanner is at its text.
    pub(super) fn completion_object(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        let start = self.scanner.clone();
        let skipped = self.scanner.skip(&mut self.scratch.keys, depth);
        let text = self.check(skipped)?;
        let Some(spec) = &field.spec.completion else { return Ok(()) };
        let read = quarry_base::deep_json::from_str::<serde_json::Map<String, Value>>(text);
        let entries = read
            .map_err(|error| Error::illegal_argument(error.to_string()))
            .and_then(|object| input::entries_of(&object, &field.spec.name, spec));
        match entries {
            Ok(entries) => entries.into_iter().try_for_each(|entry| self.completion_entry(field, entry)),
            Err(cause) => {
                let preview = scalar::preview(&mut start.clone());
                let preview = self.check(preview)?;
                Err(self.malformed(field, &preview, cause))
            }
        }
    }

    /// Inputs, and objects with inputs; the scanner is at the array.
    pub(super) fn completion_array(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        self.each_element(|parser| {
            let token = parser.scanner.peek();
            match parser.check(token)? {
                Token::Object => parser.completion_object(field, depth + 1),
                Token::String => parser.scalar_for_field(field, Token::String),
                // Elements have no name of their own.
                token => Err(no_input("null", token.name())),
            }
        })
    }

    /// To the field, its multi-fields and the fields it is copied to.
    fn completion_entry(&mut self, field: &MappedField, entry: Entry) -> Result<()> {
        let mapping = self.mapping;
        for &id in &field.multi_fields {
            let multi_field = mapping.field(id);
            if multi_field.spec.completion.is_some() {
                self.completion_entry(multi_field, entry.clone())?;
            } else {
                self.field_and_multi_fields(multi_field, &Scalar::String(&entry.input))?;
            }
        }
        for target in &field.copy_to {
            self.copy(target, &Scalar::String(&entry.input))?;
        }
        self.completions.push((field.id, entry));
        Ok(())
    }

    /// A multi-field takes any value of its parent as an input.
    pub(super) fn completion_scalar(&mut self, field: &MappedField, value: &Scalar<'_>) -> Result<()> {
        let token = match value {
            Scalar::Null => return Ok(()),
            Scalar::String(_) => "VALUE_STRING",
            Scalar::Number(_) => "VALUE_NUMBER",
            Scalar::Boolean(_) => "VALUE_BOOLEAN",
        };
        let text = value.text().unwrap_or_default();
        if token != "VALUE_STRING" && field.spec.parent.is_none() {
            return Err(no_input(split_path(&field.spec.name).1, token));
        }
        self.completions.push((field.id, Entry::plain(text)));
        Ok(())
    }

    /// Hands on the terms of all inputs of the document.
    pub(super) fn complete(&mut self) -> Result<()> {
        if self.completions.is_empty() {
            return Ok(());
        }
        let mapping = self.mapping;
        let entries = heaviest(std::mem::take(&mut self.completions));
        let has_path = |(id, _): &(FieldId, Entry)| {
            let spec = mapping.field(*id).spec.completion.as_ref();
            spec.is_some_and(|spec| spec.contexts.iter().any(|context| context.path.is_some()))
        };
        let document = entries.iter().any(has_path).then(|| quarry_base::deep_json::from_slice::<Value>(self.source));
        let document = document.transpose().map_err(|error| Error::new(ErrorCode::MapperParsing, error.to_string()))?;
        for (id, entry) in entries {
            if entry.input.trim().is_empty() {
                self.sink.ignored(id)?;
                continue;
            }
            for term in input::terms(mapping.field(id), &entry, document.as_ref())? {
                self.sink.term(id, &term)?;
            }
        }
        Ok(())
    }
}

/// `name` is that of the member, `token` what its value is.
fn no_input(name: &str, token: &str) -> Error {
    let reason = format!("failed to parse [{name}]: expected text or object, but got {token}");
    failed_to_parse(Error::new(ErrorCode::Parsing, reason))
}

/// Of equal inputs of a field the one with the greatest weight, the first of those.
fn heaviest(mut entries: Vec<(FieldId, Entry)>) -> Vec<(FieldId, Entry)> {
    entries.sort_by(|(left_id, left), (right_id, right)| {
        left_id.cmp(right_id).then_with(|| left.input.cmp(&right.input)).then(right.weight.cmp(&left.weight))
    });
    entries.dedup_by(|later, kept| later.0 == kept.0 && later.1.input == kept.1.input);
    entries
}
