//! Fields of places: their values are objects, pairs of numbers, or texts.

use super::parser::Parser;
use super::scalar::Scalar;
use crate::compiled::MappedField;
use crate::sink::DocumentSink;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_geo::format::PointFormat;
use quarry_geo::geohash;
use quarry_geo::point::GeoPoint;
use quarry_geo::read::{check_bounds, read_point};
use quarry_json::Token;
use serde_json::Value;

impl<S: DocumentSink> Parser<'_, S> {
    /// Whether the array that comes next is one place and not a list of some.
    pub(super) fn is_pair_next(&mut self) -> Result<bool> {
        let mut ahead = self.scanner.clone();
        let entered = ahead.enter_array();
        if !self.check(entered)? {
            return Ok(false);
        }
        let token = ahead.peek();
        Ok(self.check(token)? == Token::Number)
    }

    /// The object or array that comes next, as a place.
    pub(super) fn place_here(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        let skipped = self.scanner.skip(&mut self.scratch.keys, depth);
        let text = self.check(skipped)?;
        let value = quarry_base::deep_json::from_str(text)
            .map_err(|error| Error::new(ErrorCode::Parse, format!("a place cannot be read: {error}")));
        self.place(field, value)
    }

    pub(super) fn scalar_place(&mut self, field: &MappedField, value: &Scalar<'_>) -> Result<()> {
        match (value, &field.null_json) {
            (Scalar::Null, None) => Ok(()),
            (Scalar::Null, Some(json)) => {
                // TypeScript has checked it.
                let value = quarry_base::deep_json::from_str(json).map_err(|error| Error::internal(error.to_string()));
                self.place(field, value)
            }
            (Scalar::String(text), _) => self.place(field, Ok(Value::from(*text))),
            (other, _) => {
                let text = other.text().unwrap_or_default();
                self.place(field, Err(Error::parse(format!("geo_point expected, but got [{text}]"))))
            }
        }
    }

    fn place(&mut self, field: &MappedField, value: Result<Value>) -> Result<()> {
        let spec = &field.spec;
        let place = match value.and_then(|value| read(field, &value)) {
            Ok(place) => place,
            Err(_) if spec.ignore_malformed => return self.sink.ignored(field.id),
            Err(cause) => {
                let reason = format!("failed to parse field [{}] of type [{}]", spec.name, spec.type_name());
                return Err(Error::new(ErrorCode::MapperParsing, reason).caused_by(cause));
            }
        };
        if field.is_indexed() {
            self.sink.number(field.id, place.to_column())?;
        }
        if spec.store {
            let mut json = std::mem::take(&mut self.scratch.stored);
            json.clear();
            PointFormat::LatLon.write(place, &mut json);
            let stored = self.sink.stored(field.id, &json);
            self.scratch.stored = json;
            stored?;
        }
        let mapping = self.mapping;
        for &multi_field in &field.multi_fields {
            let hash = geohash::of(place, geohash::LETTERS_MAX);
            self.field_and_multi_fields(mapping.field(multi_field), &Scalar::String(&hash))?;
        }
        Ok(())
    }
}

/// Where bad values are let pass, degrees beyond the ends are good ones that went around.
fn read(field: &MappedField, value: &Value) -> Result<GeoPoint> {
    let place = read_point(value, field.spec.ignore_z_value)?;
    if field.spec.ignore_malformed {
        return Ok(place.normalized());
    }
    check_bounds(place, &field.spec.name).map(|()| place)
}
