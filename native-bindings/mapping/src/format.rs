//! How the values of a field are computed with and printed: what a shard's mapping tells the reduction and the renderer.

use super::decimal::DecimalPattern;
use crate::date::{DateFormat, Moment, parse_time_zone};
use crate::spec::FieldType;
use crate::{ip, version};
use jiff::tz::TimeZone;
use quarry_base::error::Result;
use quarry_codec::sortable;
use quarry_geo::grid::Grid;
use serde::{Deserialize, Serialize};

const NANOS_PER_MILLI: i64 = 1_000_000;

/// The type of a field's values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ValueType {
    Text,
    Ip,
    Version,
    Long,
    UnsignedLong,
    Boolean,
    Double,
    Float,
    Scaled(f64),
    DateMillis,
    DateNanos,
    /// Places as columns hold them.
    GeoPoint,
    /// Shapes; of what stands in for a missing one, a place.
    Shape,
    /// Cells of places.
    Cell(Grid),
}

impl ValueType {
    /// Of ranges: that of their ends.
    pub fn of(field_type: FieldType, scaling_factor: Option<f64>) -> Self {
        match field_type {
            FieldType::Text | FieldType::Keyword => ValueType::Text,
            FieldType::GeoShape => ValueType::Shape,
            FieldType::Ip | FieldType::IpRange => ValueType::Ip,
            FieldType::Version => ValueType::Version,
            FieldType::Long | FieldType::Integer | FieldType::Short | FieldType::Byte => ValueType::Long,
            FieldType::LongRange | FieldType::IntegerRange => ValueType::Long,
            FieldType::UnsignedLong => ValueType::UnsignedLong,
            FieldType::Boolean => ValueType::Boolean,
            FieldType::Double | FieldType::DoubleRange => ValueType::Double,
            // Of vectors no column has values to format.
            FieldType::Float | FieldType::HalfFloat | FieldType::FloatRange | FieldType::DenseVector => {
                ValueType::Float
            }
            FieldType::ScaledFloat => ValueType::Scaled(scaling_factor.unwrap_or(1.0)),
            FieldType::Date | FieldType::DateRange => ValueType::DateMillis,
            FieldType::DateNanos => ValueType::DateNanos,
            FieldType::GeoPoint => ValueType::GeoPoint,
        }
    }

    /// Column values are the numbers that metrics compute with.
    #[inline]
    pub fn is_whole(self) -> bool {
        matches!(self, ValueType::Long | ValueType::Boolean | ValueType::DateMillis)
    }

    /// The value that metrics compute with; dates are milliseconds since the epoch.
    #[inline]
    pub fn number(self, value: i64) -> f64 {
        match self {
            ValueType::UnsignedLong => sortable::to_u64(value) as f64,
            ValueType::Double => sortable::to_f64(value),
            ValueType::Float => f64::from(sortable::to_f32(value)),
            ValueType::Scaled(factor) => value as f64 / factor,
            ValueType::DateNanos => value as f64 / 1e6,
            _ => value as f64,
        }
    }

    /// The column value of a number that a request gives (a `missing` value).
    #[inline]
    pub fn sortable(self, number: f64) -> i64 {
        match self {
            ValueType::UnsignedLong => sortable::from_u64(number as u64),
            ValueType::Double => sortable::from_f64(number),
            ValueType::Float => sortable::from_f32(number as f32),
            ValueType::Scaled(factor) => (number * factor).round() as i64,
            ValueType::DateNanos => (number * 1e6) as i64,
            _ => number as i64,
        }
    }

    /// The type that keys of terms buckets have: indices may hold one field in several types with equal keys.
    #[inline]
    pub fn key_type(self) -> ValueType {
        match self {
            ValueType::Float | ValueType::Scaled(_) => ValueType::Double,
            ValueType::DateNanos => ValueType::DateMillis,
            other => other,
        }
    }

    /// Column values are keys as they are.
    #[inline]
    pub fn has_own_keys(self) -> bool {
        !matches!(self, ValueType::Float | ValueType::Scaled(_) | ValueType::DateNanos)
    }

    /// A column value as one of [`ValueType::key_type`]. Monotone.
    #[inline]
    pub fn key(self, value: i64) -> i64 {
        match self {
            ValueType::Float | ValueType::Scaled(_) => sortable::from_f64(self.number(value)),
            ValueType::DateNanos => value.div_euclid(NANOS_PER_MILLI),
            _ => value,
        }
    }

    /// The 64 bits that stand for a value where values are hashed: those that the reference's doc values hold.
    #[inline]
    pub fn hashed_bits(self, value: i64) -> i64 {
        match self {
            ValueType::UnsignedLong => sortable::to_u64(value) as i64,
            _ => self.key(value),
        }
    }

    /// The name of a cell of places.
    #[inline]
    pub fn cell_text(self, value: i64) -> Option<String> {
        match self {
            ValueType::Cell(grid) => Some(grid.text(value)),
            _ => None,
        }
    }

    /// Terms rather than numbers.
    #[inline]
    pub fn has_terms(self) -> bool {
        matches!(self, ValueType::Text | ValueType::Ip | ValueType::Version)
    }

    /// The term that a text of the request means.
    #[inline]
    pub fn term(self, text: &str) -> Result<Vec<u8>> {
        Ok(match self {
            ValueType::Ip => ip::parse(text)?.to_vec(),
            ValueType::Version => version::encode(text),
            _ => text.as_bytes().to_vec(),
        })
    }

    #[inline]
    pub fn is_date(self) -> bool {
        matches!(self, ValueType::DateMillis | ValueType::DateNanos)
    }

    /// Numbers that the response prints with a fraction.
    #[inline]
    pub fn is_fractional(self) -> bool {
        matches!(self, ValueType::Double | ValueType::Float | ValueType::Scaled(_))
    }
}

/// A field's type with the printing that the request or the mapping asks for; crosses threads, so patterns stay texts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Format {
    pub value_type: ValueType,
    /// A date format for dates, a number pattern for numbers.
    pub pattern: Option<String>,
    pub time_zone: Option<String>,
}

impl Format {
    #[inline]
    pub fn plain(value_type: ValueType) -> Self {
        Format { value_type, pattern: None, time_zone: None }
    }

    /// Of the keys of terms buckets.
    #[inline]
    pub fn of_keys(&self) -> Self {
        Format { value_type: self.value_type.key_type(), ..self.clone() }
    }

    /// Prints numbers that are made of values which are none themselves.
    #[inline]
    pub fn number_printer(&self) -> Result<Printer> {
        Format { value_type: ValueType::Double, ..self.clone() }.printer()
    }

    /// Errors are `IllegalArgument` and name the pattern or zone that cannot be read.
    pub fn printer(&self) -> Result<Printer> {
        let kind = match (self.value_type, &self.pattern) {
            (value_type, pattern) if value_type.is_date() => {
                let zone = self.time_zone.as_deref().map_or(Ok(TimeZone::UTC), parse_time_zone)?;
                let format = DateFormat::new(pattern.as_deref().unwrap_or("strict_date_optional_time"))?;
                PrinterKind::Date { format, zone }
            }
            (ValueType::Boolean, _) => PrinterKind::Boolean,
            (value_type, _) if value_type.has_terms() => PrinterKind::Plain,
            (_, None) => PrinterKind::Plain,
            (_, Some(pattern)) => PrinterKind::Decimal(DecimalPattern::new(pattern)?),
        };
        Ok(Printer { kind })
    }
}

/// A [`Format`] made ready to print.
#[derive(Debug, Clone)]
pub struct Printer {
    kind: PrinterKind,
}

#[derive(Debug, Clone)]
enum PrinterKind {
    Plain,
    Boolean,
    Date { format: DateFormat, zone: TimeZone },
    Decimal(DecimalPattern),
}

impl Printer {
    /// `..._as_string` of a number (milliseconds for dates); `None` where the API prints none.
    pub fn number_as_string(&self, number: f64) -> Option<String> {
        let mut out = String::new();
        match &self.kind {
            PrinterKind::Plain => return None,
            _ if number.is_nan() => out.push_str("NaN"),
            PrinterKind::Boolean => out.push_str(if number == 0.0 { "false" } else { "true" }),
            PrinterKind::Date { format, zone } => format.format(Moment::from_millis(number as i64), zone, &mut out),
            PrinterKind::Decimal(pattern) => pattern.format(number, &mut out),
        }
        Some(out)
    }

    /// As [`Printer::number_as_string`], or the plain number where there is no format: what `from-to` keys are made of.
    #[inline]
    pub fn number_or_plain(&self, number: f64) -> String {
        self.number_as_string(number).unwrap_or_else(|| plain_double(number))
    }
}

/// A double as JSON prints it: always with a fraction or exponent.
#[inline]
pub fn plain_double(number: f64) -> String {
    serde_json::Number::from_f64(number).map_or_else(|| number.to_string(), |number| number.to_string())
}

/// The text of a term: UTF-8 as it is, addresses in their canonical form, versions as they were given.
#[inline]
pub fn term_text(value_type: ValueType, term: &[u8]) -> String {
    let mut out = String::new();
    match (value_type, <&[u8; 16]>::try_from(term)) {
        (ValueType::Ip, Ok(address)) => ip::format(address, &mut out),
        (ValueType::Version, _) => out = version::decode(term),
        _ => out.push_str(&String::from_utf8_lossy(term)),
    }
    out
}

/// A column value as a JSON number or boolean.
#[inline]
pub fn plain_number(value_type: ValueType, number: i64) -> String {
    match value_type {
        ValueType::Boolean => (number != 0).to_string(),
        ValueType::UnsignedLong => sortable::to_u64(number).to_string(),
        value_type if value_type.is_fractional() => plain_double(value_type.number(number)),
        _ => number.to_string(),
    }
}
