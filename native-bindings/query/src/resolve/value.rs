//! A JSON value of a query in the form in which segments hold the field's values.

use jiff::tz::TimeZone;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::sortable;
use quarry_mapping::MappedField;
use quarry_mapping::date::{DateFormat, Moment};
use quarry_mapping::date_math;
use quarry_mapping::date_math::Round;
use quarry_mapping::spec::{DeclaredType, FieldType};
use serde_json::Value;

/// The text of a scalar.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A number as the request wrote it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Whole(i128),
    /// Has a fraction, or is too large for any integer type.
    Real(f64),
}

impl Number {
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Number::Whole(whole) => whole as f64,
            Number::Real(real) => real,
        }
    }
}

pub(super) fn parse_number(value: &Value) -> Result<Number> {
    match value {
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(whole), _) => Ok(Number::Whole(whole.into())),
            (None, Some(whole)) => Ok(Number::Whole(whole.into())),
            (None, None) => Ok(from_f64(number.as_f64().unwrap_or(f64::NAN))),
        },
        other => parse_text(&text_of(other)),
    }
}

/// A number that values of the field are compared with. Sequence numbers are compared with whole numbers of 64 bits only,
/// where other whole numbers are not found.
pub(super) fn read_number(field: &MappedField, value: &Value) -> Result<Number> {
    if field.spec.declared_type != Some(DeclaredType::SeqNo) {
        return parse_number(value);
    }
    let text = text_of(value);
    match (value, parse_number(value)?) {
        (Value::Number(_), Number::Real(_)) => {
            Err(Error::illegal_argument(format!("Value [{text}] has a decimal part")))
        }
        (Value::Number(_), Number::Whole(whole)) if i64::try_from(whole).is_ok() => Ok(Number::Whole(whole)),
        _ => match text.parse::<i64>() {
            Ok(whole) => Ok(Number::Whole(whole.into())),
            Err(_) => Err(not_a_number(&text)),
        },
    }
}

fn not_a_number(text: &str) -> Error {
    Error::new(ErrorCode::NumberFormat, format!("For input string: \"{text}\""))
}

fn parse_text(text: &str) -> Result<Number> {
    let trimmed = text.trim();
    let whole = match trimmed.split_once('.') {
        Some((whole, fraction)) if fraction.bytes().all(|digit| digit == b'0') => whole,
        _ => trimmed,
    };
    if let Ok(whole) = whole.parse::<i128>() {
        return Ok(Number::Whole(whole));
    }
    let is_number = trimmed.bytes().any(|byte| byte.is_ascii_digit())
        && trimmed.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    match trimmed.parse::<f64>() {
        Ok(real) if is_number => Ok(from_f64(real)),
        _ => Err(not_a_number(text)),
    }
}

fn from_f64(real: f64) -> Number {
    // Beyond this every f64 is whole, and far outside of every integer type.
    const WHOLE_MAX: f64 = 1e30;
    if real.fract() == 0.0 && real.abs() < WHOLE_MAX { Number::Whole(real as i128) } else { Number::Real(real) }
}

/// Smallest and largest value of an integer type; `None` for other types.
pub(super) fn integer_limits(field_type: FieldType) -> Option<(i128, i128)> {
    Some(match field_type {
        FieldType::Long => (i64::MIN.into(), i64::MAX.into()),
        FieldType::Integer => (i32::MIN.into(), i32::MAX.into()),
        FieldType::Short => (i16::MIN.into(), i16::MAX.into()),
        FieldType::Byte => (i8::MIN.into(), i8::MAX.into()),
        FieldType::UnsignedLong => (0, u64::MAX.into()),
        _ => return None,
    })
}

/// An integer within its type's limits in sortable form.
pub(super) fn sortable_integer(field_type: FieldType, value: i128) -> i64 {
    match field_type {
        FieldType::UnsignedLong => sortable::from_u64(value as u64),
        _ => value as i64,
    }
}

/// A real number in the sortable form of a floating-point type, rounded as documents' values are.
pub(super) fn sortable_real(field: &MappedField, value: f64) -> i64 {
    match field.spec.field_type {
        FieldType::Double => sortable::from_f64(value),
        FieldType::HalfFloat => sortable::from_f32(quarry_codec::half::round(value as f32)),
        FieldType::ScaledFloat => (value * field.spec.scaling_factor.unwrap_or(1.0)).round() as i64,
        _ => sortable::from_f32(value as f32),
    }
}

pub(super) fn parse_boolean(value: &Value) -> Result<i64> {
    match value {
        Value::Bool(flag) => Ok(i64::from(*flag)),
        Value::String(text) if text == "true" => Ok(1),
        Value::String(text) if text == "false" => Ok(0),
        other => Err(Error::illegal_argument(format!(
            "Can't parse boolean value [{}], expected [true] or [false]",
            text_of(other)
        ))),
    }
}

/// How dates of a query are read.
pub(super) struct DateReading<'a> {
    pub format: &'a DateFormat,
    pub zone: &'a TimeZone,
    pub now_ms: i64,
}

impl DateReading<'_> {
    /// The instant in the units of the field's column.
    pub(super) fn parse(&self, field: &MappedField, value: &Value, round: Round) -> Result<i64> {
        let moment = date_math::resolve(&text_of(value), self.format, self.now_ms, round, self.zone)?;
        column_date(field, moment)
    }
}

/// A moment as milliseconds or, for `date_nanos`, nanoseconds since the epoch.
pub(super) fn column_date(field: &MappedField, moment: Moment) -> Result<i64> {
    match field.spec.field_type {
        FieldType::DateNanos => moment.nanos_since_epoch(),
        _ => Ok(moment.millis()),
    }
}

/// The format of a date field's mapping.
pub(super) fn date_format(field: &MappedField) -> Result<&DateFormat> {
    field.date_format.as_ref().ok_or_else(|| {
        let (name, kind) = (&field.spec.name, field.spec.field_type.name());
        Error::new(ErrorCode::Internal, format!("field [{name}] of type [{kind}] has no date format"))
    })
}
