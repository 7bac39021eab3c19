//! Values of number, boolean and date fields, to sortable numbers and back.
//!
//! | type | sortable number |
//! | --- | --- |
//! | `byte`, `short`, `integer`, `long` | itself |
//! | `unsigned_long` | [`sortable::from_u64`] |
//! | `double` | [`sortable::from_f64`] |
//! | `float`, `half_float` (rounded to half precision) | [`sortable::from_f32`] |
//! | `scaled_float` | the value times `scaling_factor`, rounded half up |
//! | `boolean` | 0, 1 |
//! | `date` | milliseconds since the epoch |
//! | `date_nanos` | nanoseconds since the epoch |
//! | `geo_point` | [`GeoPoint::to_column`] |

use super::scalar::Scalar;
use crate::compiled::MappedField;
use crate::date::Moment;
use crate::spec::{DeclaredType, FieldType};
use jiff::tz::TimeZone;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::{half, sortable};
use quarry_geo::format::PointFormat;
use quarry_geo::point::GeoPoint;
use quarry_geo::read::{check_bounds, of_text};
use quarry_json::write::write_string;
use quarry_json::{JsonNumber, Scanner};
use quarry_segment::FieldKind;
use std::io::Write;

/// The whole-number types.
struct Whole {
    min: i64,
    max: i64,
    /// As in `Long value passed as String`.
    class: &'static str,
    /// As in `out of range for an integer`.
    article_name: &'static str,
}

fn whole_type(field_type: FieldType) -> Option<Whole> {
    let whole = |min, max, class, article_name| Some(Whole { min, max, class, article_name });
    match field_type {
        FieldType::Long => whole(i64::MIN, i64::MAX, "Long", "a long"),
        FieldType::Integer => whole(i32::MIN.into(), i32::MAX.into(), "Integer", "an integer"),
        FieldType::Short => whole(i16::MIN.into(), i16::MAX.into(), "Short", "a short"),
        FieldType::Byte => whole(i8::MIN.into(), i8::MAX.into(), "Byte", "a byte"),
        _ => None,
    }
}

/// Whether the type is a number (not boolean or date).
pub(super) fn is_numeric(field_type: FieldType) -> bool {
    let is_number = field_type.kind() == FieldKind::Number && !field_type.has_dates();
    is_number && !matches!(field_type, FieldType::Boolean | FieldType::GeoPoint)
}

/// The sortable number of a value of a field of kind `Number`.
pub(crate) fn convert(field: &MappedField, value: &Scalar<'_>) -> Result<i64> {
    let spec = &field.spec;
    if let (FieldType::Long, Scalar::Number(JsonNumber { as_i64: Some(number), .. })) = (spec.field_type, value) {
        return Ok(*number);
    }
    if let Some(whole) = whole_type(spec.field_type) {
        return whole.convert(value, spec.coerce);
    }
    match spec.field_type {
        FieldType::Boolean => boolean(value),
        FieldType::Date => Ok(moment(field, value)?.millis()),
        FieldType::DateNanos => moment(field, value)?.nanos_since_epoch(),
        FieldType::UnsignedLong => unsigned_long(value, spec.coerce).map(sortable::from_u64),
        FieldType::Float => {
            // Features take texts whatever the mapping says.
            let takes_texts = spec.coerce || spec.declared_type == Some(DeclaredType::RankFeature);
            let number = float_of(value, takes_texts, "Float")?;
            finite(number as f32, number, "float").map(sortable::from_f32)
        }
        FieldType::HalfFloat => {
            let number = float_of(value, spec.coerce, "Float")?;
            finite(half::round(number as f32), number, "half_float").map(sortable::from_f32)
        }
        FieldType::GeoPoint => {
            let place = of_text(value.text().unwrap_or_default(), spec.ignore_z_value)?;
            check_bounds(place, &spec.name)?;
            Ok(place.to_column())
        }
        FieldType::ScaledFloat => scaled(value, spec.coerce, spec.scaling_factor.unwrap_or(1.0)),
        _ => {
            let number = float_of(value, spec.coerce, "Double")?;
            if number.is_finite() {
                return Ok(sortable::from_f64(number));
            }
            Err(not_finite("double", number))
        }
    }
}

impl Whole {
    fn convert(&self, value: &Scalar<'_>, coerce: bool) -> Result<i64> {
        let text = match value {
            Scalar::Number(number) => return self.convert_number(number, coerce),
            Scalar::String(text) => text,
            _ => return Err(not_numeric(value)),
        };
        if !coerce {
            return Err(Error::illegal_argument(format!("{} value passed as String", self.class)));
        }
        let number = if self.class == "Long" { parse_long(text) } else { parse_number(text) }?;
        self.truncated(&number)
            .ok_or_else(|| Error::illegal_argument(format!("Value [{text}] is out of range for {}", self.article_name)))
    }

    fn convert_number(&self, number: &JsonNumber<'_>, coerce: bool) -> Result<i64> {
        if !coerce && !number.is_integer && number.as_f64().fract() != 0.0 {
            let reason = format!("{:?} cannot be converted to {} without data loss", number.as_f64(), self.class);
            return Err(Error::illegal_argument(reason));
        }
        self.truncated(number).ok_or_else(|| {
            let (text, java) = (number.text, self.class.to_lowercase());
            match self.class {
                "Long" | "Integer" => {
                    let java = java.strip_suffix("eger").unwrap_or(&java);
                    let reason = format!("Numeric value ({text}) out of range of {java} ({} - {})", self.min, self.max);
                    Error::new(ErrorCode::InputCoercion, reason)
                }
                _ => Error::illegal_argument(format!("Value [{text}] is out of range for {}", self.article_name)),
            }
        })
    }

    /// The number without its fraction, when it is in range.
    fn truncated(&self, number: &JsonNumber<'_>) -> Option<i64> {
        let value = number.as_i64.or_else(|| truncate_text(number))?;
        (self.min..=self.max).contains(&value).then_some(value)
    }
}

/// The whole part of a number that is no `i64` as it stands.
fn truncate_text(number: &JsonNumber<'_>) -> Option<i64> {
    if number.is_integer {
        return None;
    }
    // Without an exponent the whole part is exact; doubles would round it.
    if !number.text.contains(['e', 'E']) {
        let whole = number.text.split('.').next().unwrap_or_default();
        return whole.parse().ok();
    }
    let value = number.as_f64().trunc();
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value).then_some(value as i64)
}

/// A text as a number, with the looseness of the reference: blanks around it, a leading plus or point.
fn parse_number(text: &str) -> Result<JsonNumber<'_>> {
    let trimmed = text.trim();
    let unsigned = trimmed.strip_prefix('+').unwrap_or(trimmed);
    let is_plain = unsigned.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    if !is_plain || unsigned.parse::<f64>().is_err() {
        return Err(Error::new(ErrorCode::NumberFormat, format!("For input string: \"{text}\"")));
    }
    let is_integer = !unsigned.contains(['.', 'e', 'E']);
    let as_i64 = if is_integer { unsigned.parse().ok() } else { None };
    Ok(JsonNumber { text: unsigned, is_integer, as_i64 })
}

/// The same for a type of 64 bits, for which the reference reports a wrong argument rather than a wrong number.
fn parse_long(text: &str) -> Result<JsonNumber<'_>> {
    parse_number(text).map_err(|error| Error::illegal_argument(error.reason))
}

fn not_numeric(value: &Scalar<'_>) -> Error {
    let token = match value {
        Scalar::Boolean(true) => "VALUE_TRUE",
        Scalar::Boolean(false) => "VALUE_FALSE",
        _ => "VALUE_NULL",
    };
    let reason = format!("Current token ({token}) not numeric, can not use numeric value accessors");
    Error::new(ErrorCode::InputCoercion, reason)
}

fn float_of(value: &Scalar<'_>, coerce: bool, class: &str) -> Result<f64> {
    match value {
        Scalar::Number(number) => Ok(number.as_f64()),
        Scalar::String(_) if !coerce => Err(Error::illegal_argument(format!("{class} value passed as String"))),
        Scalar::String("NaN") => Ok(f64::NAN),
        Scalar::String("Infinity" | "+Infinity") => Ok(f64::INFINITY),
        Scalar::String("-Infinity") => Ok(f64::NEG_INFINITY),
        Scalar::String(text) => Ok(parse_number(text)?.as_f64()),
        _ => Err(not_numeric(value)),
    }
}

fn finite(rounded: f32, given: f64, type_name: &str) -> Result<f32> {
    if rounded.is_finite() { Ok(rounded) } else { Err(not_finite(type_name, given)) }
}

fn not_finite(type_name: &str, value: f64) -> Error {
    let shown = if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "Infinity".into() } else { "-Infinity".into() }
    } else {
        format!("{value:?}")
    };
    Error::illegal_argument(format!("[{type_name}] supports only finite values, but got [{shown}]"))
}

fn scaled(value: &Scalar<'_>, coerce: bool, factor: f64) -> Result<i64> {
    let number = float_of(value, coerce, "Double")?;
    if !number.is_finite() {
        return Err(not_finite("scaled_float", number));
    }
    Ok(scale(number, factor))
}

/// Times the factor, rounded half up; saturates at the ends of `i64`.
pub fn scale(number: f64, factor: f64) -> i64 {
    let product = number * factor;
    let floor = product.floor();
    (if product - floor >= 0.5 { floor + 1.0 } else { floor }) as i64
}

fn unsigned_long(value: &Scalar<'_>, coerce: bool) -> Result<u64> {
    let number = match value {
        Scalar::Number(number) => *number,
        Scalar::String(_) if !coerce => return Err(Error::illegal_argument("Long value passed as String")),
        Scalar::String(text) => parse_long(text)?,
        _ => return Err(not_numeric(value)),
    };
    let out_of_range =
        || Error::illegal_argument(format!("Value [{}] is out of range for an unsigned long", number.text));
    if number.is_integer {
        return number.text.parse().map_err(|_| out_of_range());
    }
    let whole = number.text.split('.').next().unwrap_or_default();
    if !coerce && number.as_f64().fract() != 0.0 {
        return Err(Error::illegal_argument(format!("Value [{}] has a decimal part", number.text)));
    }
    if !number.text.contains(['e', 'E']) && !whole.starts_with('-') {
        return whole.parse().map_err(|_| out_of_range());
    }
    let value = number.as_f64().trunc();
    if (0.0..18_446_744_073_709_551_616.0).contains(&value) { Ok(value as u64) } else { Err(out_of_range()) }
}

fn boolean(value: &Scalar<'_>) -> Result<i64> {
    match value {
        Scalar::Boolean(value) => Ok(i64::from(*value)),
        Scalar::String("true") => Ok(1),
        Scalar::String("false" | "") => Ok(0),
        Scalar::String(text) => Err(Error::illegal_argument(format!(
            "Failed to parse value [{text}] as only [true] or [false] are allowed."
        ))),
        Scalar::Number(_) | Scalar::Null => {
            Err(Error::new(ErrorCode::InputCoercion, "Current token (VALUE_NUMBER) not of boolean type"))
        }
    }
}

fn moment(field: &MappedField, value: &Scalar<'_>) -> Result<Moment> {
    let text = value.text().unwrap_or_default();
    match &field.date_format {
        Some(format) => format.parse(text),
        None => Err(Error::new(ErrorCode::Internal, format!("field [{}] has no date format", field.spec.name))),
    }
}

/// The sortable number of a text (as queries and `missing` values give it), under the field's own rules for documents,
/// with texts allowed. Dates: without date math.
pub fn read_sortable(field: &MappedField, text: &str) -> Result<i64> {
    if is_numeric(field.spec.field_type) {
        let mut scanner = Scanner::new(text);
        let number = scanner.number().ok().filter(|_| scanner.is_at_end());
        if let Some(number) = number {
            return convert(field, &Scalar::Number(number));
        }
        if let Some(whole) = whole_type(field.spec.field_type) {
            return whole.convert(&Scalar::String(text), true);
        }
    }
    convert(field, &Scalar::String(text))
}

/// Appends the value of a sortable number as JSON: numbers and booleans bare, dates as text in the field's format.
pub fn write_sortable(field: &MappedField, value: i64, json: &mut Vec<u8>) {
    let spec = &field.spec;
    // Writing to memory cannot fail.
    let _ = match spec.field_type {
        FieldType::Boolean => json.write_all(if value != 0 { b"true" } else { b"false" }),
        FieldType::Double => write!(json, "{:?}", sortable::to_f64(value)),
        FieldType::Float | FieldType::HalfFloat => write!(json, "{:?}", sortable::to_f32(value)),
        FieldType::ScaledFloat => write!(json, "{:?}", value as f64 / spec.scaling_factor.unwrap_or(1.0)),
        FieldType::UnsignedLong => write!(json, "{}", sortable::to_u64(value)),
        FieldType::GeoPoint => {
            PointFormat::LatLon.write(GeoPoint::of_column(value), json);
            Ok(())
        }
        FieldType::Date | FieldType::DateNanos => {
            let is_nanos = spec.field_type == FieldType::DateNanos;
            let moment = if is_nanos { Moment::from_nanos(value) } else { Moment::from_millis(value) };
            let mut text = String::new();
            if let Some(format) = &field.date_format {
                format.format(moment, &TimeZone::UTC, &mut text);
            }
            write_string(json, &text);
            Ok(())
        }
        _ => write!(json, "{value}"),
    };
}
