//! What scripts and sources give, as values of a field's type.

use crate::derived::wholes_at;
use quarry_base::error::{Error, Result};
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_buffer::lone::LoneField;
use quarry_codec::sortable;
use quarry_geo::point::GeoPoint;
use quarry_geo::read::{of_text, read_point};
use quarry_mapping::date::DateFormat;
use quarry_mapping::ip;
use quarry_mapping::spec::FieldType;
use quarry_script::heap::object::Object;
use quarry_script::library::temporal::Temporal;
use quarry_script::number::double_text;
use quarry_script::{DocScalar, Env, Instance, Value};

const NANOS_PER_MILLI: i128 = 1_000_000;
/// Values that a script gives for one document, as many as it may `emit`.
const VALUES_MAX: usize = 100;
/// Values, lists and nulls that are looked at for one document: a list may hold itself.
const STEPS_MAX: usize = 10_000;

/// The single values among what a script gave; lists have each of their items as one, nulls none.
///
/// Errors: `IllegalArgument` where these are too many.
pub(super) fn scalars(script: &mut Instance, results: &[Value], env: &mut dyn Env) -> Result<Vec<DocScalar>> {
    let mut found = Vec::new();
    let mut waiting: Vec<Value> = results.iter().rev().copied().collect();
    let mut steps = results.len();
    while let Some(value) = waiting.pop() {
        if found.len() == VALUES_MAX && !matches!(value, Value::Null) {
            let reason = format!("a script gives more than [{VALUES_MAX}] values for one document");
            return Err(Error::illegal_argument(reason));
        }
        let place = match value {
            Value::Null => continue,
            Value::Ref(place) => place,
            plain => {
                found.push(scalar(plain));
                continue;
            }
        };
        match script.heap().get(place) {
            Object::List(list) => {
                steps += list.items.len();
                if steps > STEPS_MAX {
                    let reason = "the lists that a script gives for one document are too large, or hold themselves";
                    return Err(Error::illegal_argument(reason));
                }
                waiting.extend(list.items.iter().rev());
            }
            Object::GeoPoint { lat, lon } => found.push(DocScalar::GeoPoint { lat: *lat, lon: *lon }),
            Object::Text(text) => found.push(DocScalar::Text(text.to_string())),
            Object::Temporal(temporal) => match nanos(temporal) {
                Some(nanos) => found.push(DocScalar::Nanos(nanos)),
                None => found.push(DocScalar::Text(temporal.text())),
            },
            Object::DocField(_) | Object::Set(_) => {
                let listed = script.listed(value, env)?;
                waiting.push(listed);
            }
            _ => found.push(DocScalar::Text(script.printed(value)?)),
        }
    }
    Ok(found)
}

fn scalar(value: Value) -> DocScalar {
    match value {
        Value::Bool(value) => DocScalar::Bool(value),
        Value::Float(number) => DocScalar::Double(f64::from(number)),
        Value::Double(number) => DocScalar::Double(number),
        Value::Char(unit) => DocScalar::Text(String::from_utf16_lossy(&[unit])),
        Value::Byte(number) => DocScalar::Long(number.into()),
        Value::Short(number) => DocScalar::Long(number.into()),
        Value::Int(number) => DocScalar::Long(number.into()),
        Value::Long(number) => DocScalar::Long(number),
        Value::Null | Value::Ref(_) => DocScalar::Text(String::new()),
    }
}

fn nanos(temporal: &Temporal) -> Option<i128> {
    match temporal {
        Temporal::Zoned(zoned) => Some(zoned.timestamp().as_nanosecond()),
        Temporal::Instant(instant) => Some(instant.as_nanosecond()),
        _ => None,
    }
}

/// The single values at a path of a source.
pub(super) fn scalars_at(source: &serde_json::Value, path: &str) -> Vec<DocScalar> {
    let mut found = Vec::new();
    collect(source, path, &mut found);
    found
}

/// The places at a path of a source; what is none is left out.
pub(super) fn places_at(source: &serde_json::Value, path: &str) -> Vec<DocScalar> {
    let mut found = Vec::new();
    wholes_at(source, path, &mut found);
    let lists = found.into_iter().map(|value| match value {
        serde_json::Value::Array(items) if !items.first().is_some_and(serde_json::Value::is_number) => items.as_slice(),
        value => std::slice::from_ref(value),
    });
    let places = lists.flatten().filter_map(|value| read_point(value, true).ok());
    places.map(|GeoPoint { lat, lon }| DocScalar::GeoPoint { lat, lon }).collect()
}

fn collect(value: &serde_json::Value, path: &str, found: &mut Vec<DocScalar>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, path, found)),
        serde_json::Value::Object(members) if !path.is_empty() => {
            for (name, member) in members {
                if let Some(rest) = path.strip_prefix(name.as_str()) {
                    match rest.strip_prefix('.') {
                        Some(rest) => collect(member, rest, found),
                        None if rest.is_empty() => collect(member, rest, found),
                        None => {}
                    }
                }
            }
        }
        _ if !path.is_empty() => {}
        serde_json::Value::String(text) => found.push(DocScalar::Text(text.clone())),
        serde_json::Value::Bool(value) => found.push(DocScalar::Bool(*value)),
        serde_json::Value::Number(number) => found.push(match number.as_i64() {
            Some(number) => DocScalar::Long(number),
            None => DocScalar::Double(number.as_f64().unwrap_or(f64::NAN)),
        }),
        _ => {}
    }
}

/// Puts values into a field.
pub(super) struct Values<'a> {
    pub field_type: FieldType,
    pub date_format: Option<&'a DateFormat>,
}

/// Whether a column has no place for the value: terms have a greatest length.
pub(super) fn is_left_out(field_type: FieldType, value: &DocScalar) -> bool {
    let is_of_terms = matches!(field_type, FieldType::Keyword | FieldType::Text);
    is_of_terms && matches!(value, DocScalar::Text(text) if text.len() > TERM_BYTES_MAX)
}

impl Values<'_> {
    /// Errors: `IllegalArgument` for a value that the type does not have.
    pub fn add(&self, doc: u32, value: &DocScalar, into: &mut LoneField) -> Result<()> {
        match self.field_type {
            FieldType::Boolean => into.add_number(doc, self.boolean(value)?.into()),
            FieldType::Date | FieldType::DateNanos => into.add_number(doc, self.moment(value)?),
            FieldType::Ip => into.add_term(doc, &ip::parse(&text(value))?),
            FieldType::GeoPoint => into.add_number(doc, self.place(value)?.to_column()),
            FieldType::Double | FieldType::Float | FieldType::HalfFloat | FieldType::ScaledFloat => {
                into.add_number(doc, sortable::from_f64(self.number(value)?))
            }
            FieldType::Keyword | FieldType::Text => {
                let is_left_out = is_left_out(self.field_type, value);
                if is_left_out { Ok(()) } else { into.add_term(doc, text(value).as_bytes()) }
            }
            _ => match value {
                DocScalar::Long(number) => into.add_number(doc, *number),
                other => into.add_number(doc, self.number(other)? as i64),
            },
        }
    }

    fn boolean(&self, value: &DocScalar) -> Result<bool> {
        match value {
            DocScalar::Bool(value) => Ok(*value),
            DocScalar::Text(text) if text == "true" || text == "false" || text.is_empty() => Ok(text == "true"),
            other => Err(self.wrong(other)),
        }
    }

    fn number(&self, value: &DocScalar) -> Result<f64> {
        match value {
            DocScalar::Long(number) => Ok(*number as f64),
            DocScalar::Double(number) => Ok(*number),
            DocScalar::Bool(value) => Ok(f64::from(u8::from(*value))),
            DocScalar::Nanos(nanos) => Ok((nanos / NANOS_PER_MILLI) as f64),
            DocScalar::Text(text) => text.parse().map_err(|_| self.wrong(value)),
            DocScalar::GeoPoint { .. } => Err(self.wrong(value)),
        }
    }

    /// Degrees that went around the globe are brought back.
    fn place(&self, value: &DocScalar) -> Result<GeoPoint> {
        match value {
            DocScalar::GeoPoint { lat, lon } if lat.is_finite() && lon.is_finite() => {
                Ok(GeoPoint { lat: *lat, lon: *lon }.normalized())
            }
            DocScalar::Text(text) => Ok(of_text(text, true)?.normalized()),
            other => Err(self.wrong(other)),
        }
    }

    /// Milliseconds since 1970.
    fn moment(&self, value: &DocScalar) -> Result<i64> {
        match (value, self.date_format) {
            (DocScalar::Nanos(nanos), _) => Ok(nanos.div_euclid(NANOS_PER_MILLI) as i64),
            (DocScalar::Text(text), Some(format)) => Ok(format.parse(text)?.millis()),
            (other, _) => Ok(self.number(other)? as i64),
        }
    }

    fn wrong(&self, value: &DocScalar) -> Error {
        let (name, text) = (self.field_type.name(), text(value));
        Error::illegal_argument(format!("[{text}] is no value of a computed field of type [{name}]"))
    }
}

fn text(value: &DocScalar) -> String {
    match value {
        DocScalar::Long(number) => number.to_string(),
        DocScalar::Double(number) => double_text(*number),
        DocScalar::Bool(value) => value.to_string(),
        DocScalar::Text(text) => text.clone(),
        DocScalar::Nanos(nanos) => {
            Temporal::from_epoch_nanos(*nanos).map_or_else(|_| nanos.to_string(), |it| it.text())
        }
        DocScalar::GeoPoint { lat, lon } => format!("{}, {}", double_text(*lat), double_text(*lon)),
    }
}
