//! `range` and `term` on fields that hold ranges: how a range of the query and one of a document lie to each other.

use super::value::{
    DateReading, Number, date_format, integer_limits, parse_number, sortable_integer, sortable_real, text_of,
};
use super::{Resolver, failed_to_create};
use crate::node::Node;
use jiff::tz::TimeZone;
use quarry_base::error::{Error, Result};
use quarry_mapping::date::{DateFormat, Round, parse_time_zone};
use quarry_mapping::spec::FieldType;
use quarry_mapping::{MappedField, ip, range_end};
use quarry_plan::query::{Bound, RangeQuery, Relation};
use quarry_segment::column::range::{RangeMatch, address_end};
use serde_json::Value;

impl Resolver<'_> {
    pub(super) fn range_of_ranges(&self, field: &MappedField, ends: &MappedField, query: &RangeQuery) -> Result<Node> {
        if !field.spec.index {
            let reason = format!("Cannot search on field [{}] since it is not indexed.", field.spec.name);
            return Err(failed_to_create(Error::illegal_argument(reason)));
        }
        let wanted = self.wanted_ranges(ends, query).map_err(failed_to_create)?;
        Ok(wanted.map_or(Node::None, |wanted| Node::Ranges { field: field.spec.name.clone(), wanted }))
    }

    /// The ranges that a value lies in; of a date, all that it names.
    pub(super) fn ranges_around(&self, field: &MappedField, ends: &MappedField, value: &Value) -> Result<Node> {
        let bound = || Some(Bound { value: value.clone(), inclusive: true });
        let query = RangeQuery {
            field: field.spec.name.clone(),
            from: bound(),
            to: bound(),
            format: None,
            time_zone: None,
            relation: Relation::Intersects,
            boost: 1.0,
        };
        self.range_of_ranges(field, ends, &query)
    }

    /// `None` where nothing lies between the ends of the query.
    fn wanted_ranges(&self, ends: &MappedField, query: &RangeQuery) -> Result<Option<RangeMatch>> {
        let (least, most) = range_end::limits(ends);
        let low = query.from.as_ref().map_or(Ok(least), |bound| self.query_end(ends, query, bound, true))?;
        let high = query.to.as_ref().map_or(Ok(most), |bound| self.query_end(ends, query, bound, false))?;
        if low > high {
            let show = |end| range_end::show(ends, end);
            let slash = if ends.spec.field_type == FieldType::Ip { "/" } else { "" };
            return Err(Error::illegal_argument(format!(
                "Range query `from` value ({slash}{}) is greater than `to` value ({slash}{})",
                show(low),
                show(high)
            )));
        }
        let is_open = |bound: &Option<Bound>| bound.as_ref().is_some_and(|bound| !bound.inclusive);
        let low = if is_open(&query.from) { low.checked_add(1) } else { Some(low) };
        let high = if is_open(&query.to) { high.checked_sub(1) } else { Some(high) };
        let (Some(low), Some(high)) = (low, high) else { return Ok(None) };
        if low > high {
            return Ok(None);
        }
        Ok(Some(match query.relation {
            Relation::Intersects => RangeMatch { from: i128::MIN..=high, to: low..=i128::MAX },
            Relation::Contains => RangeMatch { from: i128::MIN..=low, to: high..=i128::MAX },
            Relation::Within => RangeMatch { from: low..=i128::MAX, to: i128::MIN..=high },
        }))
    }

    /// An end of the query as it was given, whether it is included or not. A date that names a period stands for its last
    /// instant where that is what the operator leaves out or takes in.
    fn query_end(&self, ends: &MappedField, query: &RangeQuery, bound: &Bound, is_lower: bool) -> Result<i128> {
        match ends.spec.field_type {
            FieldType::Ip => Ok(address_end(ip::parse(&text_of(&bound.value))?)),
            FieldType::Date => {
                let own_format = query.format.as_deref().map(DateFormat::new).transpose()?;
                let zone = query.time_zone.as_deref().map(parse_time_zone).transpose()?.unwrap_or(TimeZone::UTC);
                let format = own_format.as_ref().map_or_else(|| date_format(ends), Ok)?;
                let reading = DateReading { format, zone: &zone, now_ms: self.env.now_ms };
                let round = if bound.inclusive == is_lower { Round::Down } else { Round::Up };
                Ok(reading.parse(ends, &bound.value, round)?.into())
            }
            _ => number_end(ends, &bound.value),
        }
    }
}

fn number_end(ends: &MappedField, value: &Value) -> Result<i128> {
    let field_type = ends.spec.field_type;
    let number = parse_number(value)?;
    let Some((least, most)) = integer_limits(field_type) else {
        return Ok(sortable_real(ends, number.as_f64()).into());
    };
    match number {
        Number::Whole(whole) if (least..=most).contains(&whole) => Ok(sortable_integer(field_type, whole).into()),
        Number::Real(real) if real.is_finite() && (least as f64..=most as f64).contains(&real) => {
            Err(Error::illegal_argument(format!("Value [{}] has a decimal part", text_of(value))))
        }
        _ => {
            let kind = if field_type == FieldType::Integer { "an integer" } else { "a long" };
            Err(Error::illegal_argument(format!("Value [{}] is out of range for {kind}", text_of(value))))
        }
    }
}
