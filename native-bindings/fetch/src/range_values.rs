//! `fields` of ranges: the object of the source, its ends as the mapping understands them.

use super::docvalues::json_string;
use jiff::tz::TimeZone;
use quarry_codec::sortable;
use quarry_json::Scanner;
use quarry_json::write::write_string;
use quarry_mapping::date::{DateFormat, Moment};
use quarry_mapping::document::Scalar;
use quarry_mapping::format::plain_double;
use quarry_mapping::spec::FieldType;
use quarry_mapping::{MappedField, ip, range_end};
use serde_json::Value;

/// `None` for what the field ignored. `printing`: the format of dates that the request or the mapping asks for.
pub(super) fn range_value(ends: &MappedField, value: &Value, printing: Option<&DateFormat>) -> Option<Vec<u8>> {
    match value {
        Value::Object(members) => {
            let mut out = vec![b'{'];
            for (name, end) in members {
                if out.len() > 1 {
                    out.push(b',');
                }
                write_string(&mut out, name);
                out.push(b':');
                out.extend(if end.is_null() { b"null".to_vec() } else { end_value(ends, end, printing)? });
            }
            out.push(b'}');
            Some(out)
        }
        Value::String(network) if ends.spec.field_type == FieldType::Ip => {
            ip::parse_cidr(network).ok()?;
            let (address, prefix) = network.split_once('/')?;
            let mut text = String::new();
            ip::format(&ip::parse(address).ok()?, &mut text);
            Some(json_string(&format!("{text}/{prefix}")))
        }
        _ => None,
    }
}

fn end_value(ends: &MappedField, value: &Value, printing: Option<&DateFormat>) -> Option<Vec<u8>> {
    let text = value.to_string();
    let scalar = match value {
        Value::String(text) => Scalar::String(text),
        Value::Number(_) => Scalar::Number(Scanner::new(&text).number().ok()?),
        _ => return None,
    };
    let end = range_end::of_document(ends, &scalar).ok()?;
    Some(match ends.spec.field_type {
        FieldType::Ip => json_string(&range_end::show(ends, end)),
        FieldType::Float => plain_double(sortable::to_f32(end as i64).into()).into_bytes(),
        FieldType::Double => plain_double(sortable::to_f64(end as i64)).into_bytes(),
        FieldType::Date => {
            let mut text = String::new();
            printing?.format(Moment::from_millis(end as i64), &TimeZone::UTC, &mut text);
            json_string(&text)
        }
        _ => end.to_string().into_bytes(),
    })
}
