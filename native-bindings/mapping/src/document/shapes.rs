//! Fields of shapes: their values are objects or texts.

use super::parser::Parser;
use super::scalar::Scalar;
use crate::compiled::MappedField;
use crate::sink::DocumentSink;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_geo::shape::Shape;
use quarry_geo::shape::pieces::each_piece;
use quarry_geo::shape::read::{Orientation, Reading, read_shape};
use serde_json::Value;

impl<S: DocumentSink> Parser<'_, S> {
    /// The object that comes next, as a shape.
    pub(super) fn shape_here(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        let skipped = self.scanner.skip(&mut self.scratch.keys, depth);
        let text = self.check(skipped)?;
        let value = quarry_base::deep_json::from_str(text)
            .map_err(|error| Error::new(ErrorCode::Parse, format!("a shape cannot be read: {error}")));
        self.shape(field, value)
    }

    pub(super) fn scalar_shape(&mut self, field: &MappedField, value: &Scalar<'_>) -> Result<()> {
        match value {
            Scalar::Null => Ok(()),
            Scalar::String(text) => self.shape(field, Ok(Value::from(*text))),
            other => {
                let text = other.text().unwrap_or_default();
                self.shape(field, Err(Error::parse(format!("a shape is expected, but got [{text}]"))))
            }
        }
    }

    fn shape(&mut self, field: &MappedField, value: Result<Value>) -> Result<()> {
        let spec = &field.spec;
        let read = |value: Value| {
            let (drawn, orientation) = read_shape(&value, reading_of(field)?)?;
            Shape::new(drawn, orientation).map(|shape| (shape, value))
        };
        let (shape, value) = match value.and_then(read) {
            Ok(read) => read,
            Err(_) if spec.ignore_malformed => return self.sink.ignored(field.id),
            Err(cause) => {
                let reason = format!("failed to parse field [{}] of type [{}]", spec.name, spec.type_name());
                return Err(Error::new(ErrorCode::MapperParsing, reason).caused_by(cause));
            }
        };
        if field.is_indexed() {
            let (id, number) = (field.id, self.scratch.next_shape());
            each_piece(&shape, number, |piece| self.sink.term(id, piece))?;
            for corner in shape.frame().corners() {
                self.sink.number(id, corner)?;
            }
        }
        if spec.store {
            self.sink.stored(field.id, value.to_string().as_bytes())?;
        }
        let mapping = self.mapping;
        for &multi_field in &field.multi_fields {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.field_and_multi_fields(mapping.field(multi_field), &Scalar::String(&text))?;
        }
        Ok(())
    }
}

/// How shapes of a field are read.
pub fn reading_of(field: &MappedField) -> Result<Reading> {
    let spec = &field.spec;
    let orientation = spec.orientation.as_deref().map_or(Ok(Orientation::default()), Orientation::named)?;
    Ok(Reading { ignore_z: spec.ignore_z_value, coerce: spec.coerce, orientation })
}
