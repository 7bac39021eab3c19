//! `range`: values between two ends.

use super::field::{Target, is_rank_feature, require_searchable};
use super::pattern::of_constant;
use super::term::numbers_node;
use super::value::{
    DateReading, Number, date_format, integer_limits, parse_boolean, parse_number, read_number, sortable_integer,
    sortable_real, text_of,
};
use super::{Resolver, failed_to_create};
use crate::node::{Node, TermBound};
use crate::term_match::TermMatcher;
use jiff::tz::TimeZone;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_codec::sortable;
use quarry_mapping::MappedField;
use quarry_mapping::date::{DateFormat, parse_time_zone};
use quarry_mapping::date_math::Round;
use quarry_mapping::spec::FieldType;
use quarry_mapping::{ip, version};
use quarry_plan::query::{Bound, RangeQuery};
use serde_json::Value;

impl Resolver<'_> {
    pub(super) fn range(&self, query: &RangeQuery) -> Result<Node> {
        let node = match self.target(&query.field) {
            Target::Mapped(field) if field.is_lookup() || is_rank_feature(field) => {
                return Err(no_ranges(&query.field, field.spec.type_name()));
            }
            Target::Mapped(field) => {
                require_searchable(field)?;
                self.mapped_range(field, query)?
            }
            Target::Unmapped => Node::None,
            special => return Err(no_ranges(special.type_name(), special.type_name())),
        };
        Ok(node.boosted(query.boost))
    }

    fn mapped_range(&self, field: &MappedField, query: &RangeQuery) -> Result<Node> {
        let name = &field.spec.name;
        let field_type = field.spec.field_type;
        let is_date = field_type.has_dates();
        if let Some(ends) = &field.ends {
            return self.range_of_ranges(field, ends, query);
        }
        match field_type {
            FieldType::GeoPoint | FieldType::GeoShape => Err(no_ranges(name, field.spec.type_name())),
            FieldType::Text | FieldType::Keyword | FieldType::Version => {
                self.check_expensive("range")?;
                let from = query.from.as_ref().map(|bound| self.text_bound(field, bound)).transpose()?;
                let to = query.to.as_ref().map(|bound| self.text_bound(field, bound)).transpose()?;
                match &field.spec.constant {
                    Some(constant) => of_constant(constant, TermMatcher::Between { from, to }),
                    None => Ok(Node::TermRange { field: name.clone(), from, to }),
                }
            }
            FieldType::Ip => {
                let bound = |bound: &Bound| {
                    let address = ip::parse(&text_of(&bound.value)).map_err(failed_to_create)?;
                    Ok(TermBound { term: address.to_vec(), inclusive: bound.inclusive })
                };
                let from = query.from.as_ref().map(bound).transpose()?;
                let to = query.to.as_ref().map(bound).transpose()?;
                Ok(Node::TermRange { field: name.clone(), from, to })
            }
            _ => {
                let ends = if is_date { self.date_ends(field, query) } else { number_ends(field, query) };
                let ends = ends.map_err(no_ends)?;
                Ok(numbers_node(name, ends.into_iter().collect()))
            }
        }
    }

    fn text_bound(&self, field: &MappedField, bound: &Bound) -> Result<TermBound> {
        let text = text_of(&bound.value);
        let term = match field.spec.field_type {
            FieldType::Keyword => self.keyword_term(field, &text)?,
            FieldType::Version => version::encode(&text),
            _ => text.into_bytes(),
        };
        Ok(TermBound { term, inclusive: bound.inclusive })
    }

    /// An end that names a period (a day, a rounded month) means its first or last instant, whichever includes what the
    /// operator says.
    fn date_ends(&self, field: &MappedField, query: &RangeQuery) -> Result<Option<(i64, i64)>> {
        let own_format = query.format.as_deref().map(DateFormat::new).transpose()?;
        let zone = query.time_zone.as_deref().map(parse_time_zone).transpose()?.unwrap_or(TimeZone::UTC);
        let format = match &own_format {
            Some(format) => format,
            None => date_format(field)?,
        };
        let reading = DateReading { format, zone: &zone, now_ms: self.env.now_ms };
        let low = match &query.from {
            None => i64::MIN,
            Some(bound) if bound.inclusive => reading.parse(field, &bound.value, Round::Down)?,
            Some(bound) => match reading.parse(field, &bound.value, Round::Up)?.checked_add(1) {
                Some(low) => low,
                None => return Ok(None),
            },
        };
        let high = match &query.to {
            None => i64::MAX,
            Some(bound) if bound.inclusive => reading.parse(field, &bound.value, Round::Up)?,
            Some(bound) => match reading.parse(field, &bound.value, Round::Down)?.checked_sub(1) {
                Some(high) => high,
                None => return Ok(None),
            },
        };
        Ok(Some((low, high)))
    }
}

/// What a `term` on a date means: the whole period that the value names.
pub(super) fn date_bounds(field: &MappedField, value: &Value, now_ms: i64) -> Result<(i64, i64)> {
    let reading = DateReading { format: date_format(field)?, zone: &TimeZone::UTC, now_ms };
    Ok((reading.parse(field, value, Round::Down)?, reading.parse(field, value, Round::Up)?))
}

/// The API reads dates before it makes queries of them.
fn no_ends(cause: Error) -> Error {
    if cause.code == ErrorCode::Parse { cause } else { failed_to_create(cause) }
}

fn no_ranges(name: &str, kind: &str) -> Error {
    let reason = format!("Field [{name}] of type [{kind}] does not support range queries");
    failed_to_create(Error::illegal_argument(reason))
}

/// Both ends in sortable form, included; `None` when nothing can lie between them.
fn number_ends(field: &MappedField, query: &RangeQuery) -> Result<Option<(i64, i64)>> {
    let field_type = field.spec.field_type;
    if field_type == FieldType::Boolean {
        return boolean_ends(query).map(Some);
    }
    for bound in query.from.iter().chain(&query.to) {
        check_magnitude(field, bound)?;
    }
    if let Some(limits) = integer_limits(field_type) {
        let (low, high) = integer_ends(query, limits)?;
        if low > high {
            return Ok(None);
        }
        return Ok(Some((sortable_integer(field_type, low), sortable_integer(field_type, high))));
    }
    if field_type == FieldType::ScaledFloat {
        return scaled_ends(field, query).map(Some);
    }
    real_ends(field, query)
}

/// Errors: an end that numbers of the type do not reach. Small whole numbers have ends of 32 bits.
fn check_magnitude(field: &MappedField, bound: &Bound) -> Result<()> {
    let number = read_number(field, &bound.value)?;
    let is_whole_within = |least: i128, most: i128| match number {
        Number::Whole(whole) => (least..=most).contains(&whole),
        Number::Real(real) => (least as f64..=most as f64).contains(&real),
    };
    /// The least number that is rounded to more than a number of 16 bits can be.
    const HALF_FLOATS_END: f64 = 65_520.0;
    let outside = match field.spec.field_type {
        FieldType::Byte | FieldType::Short | FieldType::Integer
            if !is_whole_within(i32::MIN.into(), i32::MAX.into()) =>
        {
            "is out of range for an integer"
        }
        FieldType::Long if !is_whole_within(i64::MIN.into(), i64::MAX.into()) => "is out of range for a long",
        FieldType::Float if (number.as_f64() as f32).is_infinite() => "is out of range for a float",
        FieldType::HalfFloat if number.as_f64().abs() >= HALF_FLOATS_END => "is out of range for a half_float",
        _ => return Ok(()),
    };
    Err(Error::illegal_argument(format!("Value [{}] {outside}", text_of(&bound.value))))
}

fn boolean_ends(query: &RangeQuery) -> Result<(i64, i64)> {
    let end = |bound: &Option<Bound>, open: i64, step: i64| match bound {
        None => Ok(open),
        Some(bound) => Ok(parse_boolean(&bound.value)? + if bound.inclusive { 0 } else { step }),
    };
    Ok((end(&query.from, 0, 1)?, end(&query.to, 1, -1)?))
}

/// Whole numbers from the first to the last that satisfy the ends, within the limits of the type.
fn integer_ends(query: &RangeQuery, (least, most): (i128, i128)) -> Result<(i128, i128)> {
    let low = match &query.from {
        None => least,
        Some(bound) => match parse_number(&bound.value)? {
            Number::Whole(whole) => whole + i128::from(!bound.inclusive),
            // A fraction: the next whole number above it, whether or not the end is included.
            Number::Real(real) => real.ceil() as i128,
        },
    };
    let high = match &query.to {
        None => most,
        Some(bound) => match parse_number(&bound.value)? {
            Number::Whole(whole) => whole - i128::from(!bound.inclusive),
            Number::Real(real) => real.floor() as i128,
        },
    };
    Ok((low.max(least), high.min(most)))
}

fn scaled_ends(field: &MappedField, query: &RangeQuery) -> Result<(i64, i64)> {
    let factor = field.spec.scaling_factor.unwrap_or(1.0);
    let scaled = |bound: &Bound| parse_number(&bound.value).map(|number| decimal_product(number.as_f64(), factor));
    let low = match &query.from {
        None => i64::MIN,
        Some(bound) => {
            let value = scaled(bound)?;
            (if bound.inclusive { value } else { value.next_up() }).ceil() as i64
        }
    };
    let high = match &query.to {
        None => i64::MAX,
        Some(bound) => {
            let value = scaled(bound)?;
            (if bound.inclusive { value } else { value.next_down() }).floor() as i64
        }
    };
    Ok((low, high))
}

/// The product as it is of the decimals that people write: 1.1 * 100 is 110, not a little more. What the binary forms of the
/// factors add lies beyond the fifteenth digit.
fn decimal_product(value: f64, factor: f64) -> f64 {
    let product = value * factor;
    format!("{product:.14e}").parse().unwrap_or(product)
}

/// Sortable forms are dense in the type's own precision except for `half_float`, where stepping by one would name a number
/// that no document holds; that is just as good an open end.
fn real_ends(field: &MappedField, query: &RangeQuery) -> Result<Option<(i64, i64)>> {
    let (least, most) = match field.spec.field_type {
        FieldType::Double => (sortable::from_f64(f64::NEG_INFINITY), sortable::from_f64(f64::INFINITY)),
        _ => (sortable::from_f32(f32::NEG_INFINITY), sortable::from_f32(f32::INFINITY)),
    };
    let low = match &query.from {
        None => least,
        Some(bound) => sortable_real(field, parse_number(&bound.value)?.as_f64()) + i64::from(!bound.inclusive),
    };
    let high = match &query.to {
        None => most,
        Some(bound) => sortable_real(field, parse_number(&bound.value)?.as_f64()) - i64::from(!bound.inclusive),
    };
    Ok((low <= high).then_some((low, high)))
}
