//! One field of `fields`: its values in `_source`, as the mapping understands them.

use super::docvalues::json_string;
use super::range_values::range_value;
use super::source_fields::path_within;
use super::{FieldValues, add_value};
use jiff::tz::TimeZone;
use quarry_base::error::{Error, Result};
use quarry_geo::format::PointFormat;
use quarry_geo::read::read_point;
use quarry_geo::shape::print::write_geometry;
use quarry_geo::shape::read::{Drawn, read_shape};
use quarry_mapping::MappedField;
use quarry_mapping::date::DateFormat;
use quarry_mapping::document::numbers::scale;
use quarry_mapping::document::shapes::reading_of;
use quarry_mapping::ip;
use quarry_mapping::spec::{DeclaredType, FieldType};
use quarry_query::derived::wholes_at;
use serde_json::Value;

pub(super) struct SourceField {
    /// From the nested object that it lies in.
    pub(super) name: String,
    /// Where its values stand in that object: its own path, or that of the field that feeds a multi-field.
    path: String,
    field: MappedField,
    /// How dates are read and, by the request's format or the same, printed.
    dates: Option<(DateFormat, DateFormat)>,
    /// How places and shapes are printed.
    places: Option<PointFormat>,
}

impl SourceField {
    /// `name`: the field's own or an alias. `around`: the nested object that the field lies in.
    pub(super) fn resolve(mapped: &MappedField, name: &str, format: Option<&str>, around: &str) -> Result<Self> {
        let spec = &mapped.spec;
        let dates = match (&mapped.date_format, format) {
            (Some(own), Some(pattern)) => Some((own.clone(), DateFormat::new(pattern)?)),
            (Some(own), None) => Some((own.clone(), own.clone())),
            (None, Some(_)) if !mapped.is_geometry() => {
                return Err(Error::illegal_argument(format!(
                    "Field [{}] of type [{}] doesn't support formats.",
                    spec.name,
                    spec.field_type.name()
                )));
            }
            (None, _) => None,
        };
        let named = format.map_or(Ok(PointFormat::GeoJson), |name| PointFormat::named(name, &spec.name));
        let places = mapped.is_geometry().then_some(named).transpose()?;
        if mapped.is_shape() && places == Some(PointFormat::LatLon) {
            let name = &spec.name;
            let reason =
                format!("Unrecognized geometry format [latlon] of field [{name}]: one of [geojson, wkt] is expected.");
            return Err(Error::illegal_argument(reason));
        }
        let path = path_within(spec.parent.as_ref().unwrap_or(&spec.name), around).to_owned();
        let name = path_within(name, around).to_owned();
        Ok(SourceField { name, path, field: mapped.clone(), dates, places })
    }

    /// Adds what the object, which is a document's source or a nested one, has of the field.
    pub(super) fn read(&self, object: &Value, values: &mut FieldValues) {
        if let Some(constant) = &self.field.spec.constant {
            return add_value(values, &self.name, json_string(constant));
        }
        let mut found = Vec::new();
        if let Some(format) = self.places {
            wholes_at(object, &self.path, &mut found);
            return self.places(&found, format, values);
        }
        collect_at(object, &self.path, &mut found);
        for json in found.into_iter().filter_map(|value| self.print(value)) {
            add_value(values, &self.name, json);
        }
    }

    /// The value as the field holds it; `None` for one that the field ignored.
    fn print(&self, value: &Value) -> Option<Vec<u8>> {
        let spec = &self.field.spec;
        if spec.completion.is_some() && !value.is_null() {
            return Some(value.to_string().into_bytes());
        }
        let value = if value.is_null() { spec.null_value.as_ref()? } else { value };
        if spec.join.is_some() {
            return Some(value.to_string().into_bytes());
        }
        if let Some(ends) = &self.field.ends {
            return range_value(ends, value, self.dates.as_ref().map(|(_, printing)| printing));
        }
        let is_percolator = spec.declared_type == Some(DeclaredType::Percolator);
        if (is_percolator || self.field.keys().is_some() || self.field.histogram().is_some()) && value.is_object() {
            return serde_json::to_vec(value).ok();
        }
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
            other => other.to_string(),
        };
        if spec.token_count.is_some() {
            return self.token_count(&text);
        }
        match spec.field_type {
            // See `places`.
            FieldType::GeoPoint | FieldType::GeoShape => None,
            FieldType::Text | FieldType::Version => Some(json_string(&text)),
            FieldType::Keyword => self.keyword(&text),
            FieldType::Boolean => match text.as_str() {
                "true" => Some(b"true".to_vec()),
                "false" | "" => Some(b"false".to_vec()),
                _ => None,
            },
            FieldType::Ip => {
                let mut out = String::new();
                ip::format(&ip::parse(&text).ok()?, &mut out);
                Some(json_string(&out))
            }
            FieldType::Date | FieldType::DateNanos => {
                let (reading, printing) = self.dates.as_ref()?;
                let mut out = String::new();
                printing.format(reading.parse(&text).ok()?, &TimeZone::UTC, &mut out);
                Some(json_string(&out))
            }
            FieldType::Long | FieldType::Integer | FieldType::Short | FieldType::Byte | FieldType::UnsignedLong => {
                whole_number(&text)
            }
            FieldType::Double | FieldType::Float | FieldType::HalfFloat | FieldType::ScaledFloat => {
                let number = self.fraction(text.parse().ok()?)?;
                Some(quarry_mapping::format::plain_double(number).into_bytes())
            }
            // Printed above.
            FieldType::IntegerRange
            | FieldType::LongRange
            | FieldType::FloatRange
            | FieldType::DoubleRange
            | FieldType::DateRange
            | FieldType::IpRange => None,
            // Digits are one text.
            FieldType::DenseVector => Some(value.to_string().into_bytes()),
        }
    }

    /// The places among values: an array is a place or a list of some.
    fn places(&self, found: &[&Value], format: PointFormat, values: &mut FieldValues) {
        if self.field.is_shape() {
            return self.shapes(found, format, values);
        }
        let ignore_z = self.field.spec.ignore_z_value;
        for value in found {
            let mut one = |value: &Value| {
                if let Ok(place) = read_point(value, ignore_z) {
                    let mut json = Vec::new();
                    format.write(place, &mut json);
                    add_value(values, &self.name, json);
                }
            };
            match value {
                Value::Array(items) if !items.first().is_some_and(Value::is_number) => items.iter().for_each(one),
                Value::Null => self.field.spec.null_value.iter().for_each(one),
                value => one(value),
            }
        }
    }

    fn shapes(&self, found: &[&Value], format: PointFormat, values: &mut FieldValues) {
        let Ok(reading) = reading_of(&self.field) else { return };
        for value in found {
            let list = value.as_array().map_or(std::slice::from_ref(*value), Vec::as_slice);
            for value in list {
                if let Ok((Drawn::Geometry(geometry), _)) = read_shape(value, reading) {
                    let mut json = Vec::new();
                    write_geometry(&geometry, format, &mut json);
                    add_value(values, &self.name, json);
                }
            }
        }
    }

    /// The source holds the text; only a column is worth showing its words.
    fn token_count(&self, text: &str) -> Option<Vec<u8>> {
        let spec = &self.field.spec;
        let analyzer = self.field.analyzer.as_ref().filter(|_| spec.doc_values)?;
        let mut tokens = Vec::new();
        let positions = analyzer.analyze(text, &mut tokens).ok()?;
        if !spec.token_count.is_some_and(|count| count.position_increments) {
            tokens.dedup_by_key(|token| token.position);
            return Some(tokens.len().to_string().into_bytes());
        }
        Some(positions.to_string().into_bytes())
    }

    /// As many digits as the field holds; `None` where that is no number.
    fn fraction(&self, given: f64) -> Option<f64> {
        let held = match self.field.spec.field_type {
            // Its shortest digits, not those of the double next to it.
            FieldType::Float | FieldType::HalfFloat => (given as f32).to_string().parse().ok()?,
            FieldType::ScaledFloat if given.is_finite() => {
                let factor = self.field.spec.scaling_factor.unwrap_or(1.0);
                scale(given, factor) as f64 / factor
            }
            _ => given,
        };
        held.is_finite().then_some(held)
    }

    fn keyword(&self, text: &str) -> Option<Vec<u8>> {
        let too_long = self.field.spec.ignore_above.is_some_and(|limit| text.chars().count() > limit as usize);
        if too_long {
            return None;
        }
        match &self.field.normalizer {
            Some(normalizer) => Some(json_string(&String::from_utf8_lossy(&normalizer.normalize(text).ok()?))),
            None => Some(json_string(text)),
        }
    }
}

/// Fractions are cut off, as they are when the field is indexed.
fn whole_number(text: &str) -> Option<Vec<u8>> {
    if let Ok(number) = text.parse::<i128>() {
        return Some(number.to_string().into_bytes());
    }
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    Some((number.trunc() as i128).to_string().into_bytes())
}

/// Every scalar at a dotted path, through arrays and through names that hold dots themselves.
pub(super) fn collect_at<'a>(value: &'a Value, path: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_at(item, path, found)),
        _ if path.is_empty() => found.push(value),
        Value::Object(members) => {
            for (name, member) in members {
                if name == path {
                    collect_at(member, "", found);
                } else if let Some(rest) = path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
                    collect_at(member, rest, found);
                }
            }
        }
        _ => {}
    }
}
