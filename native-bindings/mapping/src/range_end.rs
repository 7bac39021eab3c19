//! Ends of ranges, from texts and to texts. `ends` is what [`MappedField::ends`] has: a field of the type of the ends.

use super::compiled::MappedField;
use super::date::Round;
use super::document::{Scalar, read_end};
use super::spec::FieldType;
use super::{date_math, ip};
use jiff::tz::TimeZone;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::sortable;
use quarry_segment::column::range::{address_end, end_address};

/// Least and greatest end.
pub fn limits(ends: &MappedField) -> (i128, i128) {
    let (least, most) = match ends.spec.field_type {
        FieldType::Ip => return (address_end([0; 16]), address_end([u8::MAX; 16])),
        FieldType::Integer => (i32::MIN.into(), i32::MAX.into()),
        FieldType::Float => (sortable::from_f32(f32::NEG_INFINITY), sortable::from_f32(f32::INFINITY)),
        FieldType::Double => (sortable::from_f64(f64::NEG_INFINITY), sortable::from_f64(f64::INFINITY)),
        _ => (i64::MIN, i64::MAX),
    };
    (least.into(), most.into())
}

/// The end that a document gives: as a field of the type takes it, dates with date math but without the present.
pub fn of_document(ends: &MappedField, value: &Scalar<'_>) -> Result<i128> {
    let text = value.text().unwrap_or_default();
    match (ends.spec.field_type, &ends.date_format) {
        (FieldType::Ip, _) => ip::parse(text).map(address_end),
        (FieldType::Date, Some(format)) => {
            if text.starts_with("now") {
                let cause = Error::illegal_argument("now is not used at indexing time");
                return Err(Error::new(ErrorCode::Parse, "could not read the current timestamp").caused_by(cause));
            }
            Ok(date_math::resolve(text, format, 0, Round::Down, &TimeZone::UTC)?.millis().into())
        }
        _ => read_end(ends, value).map(i128::from),
    }
}

/// As messages and stored values show it: dates in milliseconds.
pub fn show(ends: &MappedField, end: i128) -> String {
    let real = |number: f64, text: String| {
        if number.is_finite() { text } else { if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned() }
    };
    match ends.spec.field_type {
        FieldType::Ip => {
            let mut text = String::new();
            ip::format(&end_address(end), &mut text);
            text
        }
        FieldType::Float => {
            let number = sortable::to_f32(end as i64);
            real(number.into(), format!("{number:?}"))
        }
        FieldType::Double => {
            let number = sortable::to_f64(end as i64);
            real(number, format!("{number:?}"))
        }
        _ => end.to_string(),
    }
}
