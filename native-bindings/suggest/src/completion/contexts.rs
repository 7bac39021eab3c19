//! The contexts that a request means.

use quarry_base::error::{Error, ErrorCode, Result};
use quarry_geo::geohash;
use quarry_geo::read::read_point;
use quarry_geo::units::parse_metres;
use quarry_mapping::MappedField;
use quarry_mapping::completion::input::{context_named, hash_of, scalar_text, token_of};
use quarry_mapping::spec::{CompletionSpec, ContextKind, ContextSpec};
use quarry_segment::completion::key::{CONTEXT_END, check_reserved};
use serde_json::{Map, Value, json};

/// Values of contexts of one request: each is looked for in every segment.
const CONTEXTS_MAX: usize = 10_000;
/// Characters of a geohash where a request does not say it.
const PRECISION_DEFAULT: u32 = 6;

/// One value, or all that begin with it.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryContext {
    /// Number of the context, and the value.
    pub bytes: Vec<u8>,
    pub boost: f32,
    pub is_prefix: bool,
}

impl QueryContext {
    /// What terms of the context begin with.
    pub fn start(&self) -> Vec<u8> {
        let mut start = self.bytes.clone();
        if !self.is_prefix {
            start.push(CONTEXT_END);
        }
        start
    }
}

/// `None` for a field without contexts.
pub fn read(
    field: &MappedField,
    spec: &CompletionSpec,
    given: Option<&Map<String, Value>>,
) -> Result<Option<Vec<QueryContext>>> {
    if spec.contexts.is_empty() {
        let name = &field.spec.name;
        return match given {
            None => Ok(None),
            Some(_) => Err(Error::illegal_argument(format!("suggester [{name}] doesn't expect any context"))),
        };
    }
    let mut contexts = Vec::new();
    for (name, value) in given.into_iter().flatten() {
        let (number, context) = context_named(spec, name)?;
        let items = match value {
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        for item in items {
            match context.kind {
                ContextKind::Category => contexts.push(category(number, item)?),
                ContextKind::Geo => cells(number, context, item, &mut contexts)?,
            }
        }
    }
    if contexts.is_empty() {
        return Err(Error::illegal_argument("Missing mandatory contexts in context query"));
    }
    if contexts.len() > CONTEXTS_MAX {
        let count = contexts.len();
        return Err(Error::illegal_argument(format!(
            "a completion query has at most [{CONTEXTS_MAX}] contexts, but this one has [{count}]"
        )));
    }
    Ok(Some(contexts))
}

fn failed(reason: impl Into<String>) -> Error {
    Error::new(ErrorCode::Parse, reason)
}

fn context(number: u8, value: &str, boost: f32, is_prefix: bool) -> Result<QueryContext> {
    check_reserved(value, "value")?;
    let mut bytes = vec![number];
    bytes.extend_from_slice(value.as_bytes());
    Ok(QueryContext { bytes, boost, is_prefix })
}

fn category(number: u8, item: &Value) -> Result<QueryContext> {
    let Value::Object(members) = item else {
        let expected = "category context must be an object, string, number or boolean";
        let value = scalar_text(item).ok_or_else(|| failed(expected))?;
        return context(number, &value, 1.0, false);
    };
    let (mut value, mut boost, mut is_prefix) = (None, 1.0, false);
    for (name, member) in members {
        match (name.as_str(), member) {
            ("context", member) => {
                let text = scalar_text(member);
                value = Some(text.ok_or_else(|| failed("category context must be a string, number or boolean"))?);
            }
            ("boost", member) => boost = boost_of(member)?,
            ("prefix", Value::Bool(flag)) => is_prefix = *flag,
            ("prefix", Value::String(flag)) if flag == "true" || flag == "false" => is_prefix = flag == "true",
            _ => return Err(unknown("category", name, member)),
        }
    }
    let value = value.filter(|value| !value.is_empty() || is_prefix);
    context(number, &value.ok_or_else(|| failed("no category provided"))?, boost, is_prefix)
}

fn unknown(parser: &str, name: &str, member: &Value) -> Error {
    Error::new(ErrorCode::XContentParse, format!("[{parser}] unknown field [{name}] with a {}", token_of(member)))
}

fn boost_of(value: &Value) -> Result<f32> {
    let boost = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let boost = boost.filter(|&boost| boost <= i32::MAX as u64);
    match boost {
        Some(0) => Err(Error::illegal_argument("boost must be greater than 0")),
        Some(boost) => Ok(boost as f32),
        None => Err(failed(format!("Boost must be a string representing a numeric value, but was [{value}]"))),
    }
}

/// A place, and how far around it.
struct GeoQuery {
    place: Option<Value>,
    boost: f32,
    precision: u32,
    neighbours: Vec<u32>,
}

fn cells(number: u8, spec: &ContextSpec, item: &Value, contexts: &mut Vec<QueryContext>) -> Result<()> {
    let query = geo_query(item)?;
    let place = query.place.ok_or_else(|| failed("no location provided"))?;
    let hash = cell_of(&place, spec.precision.min(query.precision) as usize)?;
    let mut cells = vec![hash.clone()];
    if query.neighbours.is_empty() {
        if hash.len() == spec.precision as usize {
            cells.append(&mut geohash::neighbours(&hash)?);
        }
    } else {
        for precision in query.neighbours.into_iter().filter(|&precision| (precision as usize) < hash.len()) {
            let shorter = &hash[..precision as usize];
            cells.push(shorter.to_owned());
            cells.append(&mut geohash::neighbours(shorter)?);
        }
    }
    cells.sort_unstable();
    cells.dedup();
    for cell in cells {
        contexts.push(context(number, &cell, query.boost, cell.len() < spec.precision as usize)?);
    }
    Ok(())
}

/// A geohash stands for the south-west corner of its cell.
fn cell_of(place: &Value, letters: usize) -> Result<String> {
    match hash_of(place)? {
        Some(hash) => Ok(format!("{hash:0<letters$}")[..letters].to_owned()),
        None => Ok(geohash::of(read_point(place, true)?.normalized(), letters as u32)),
    }
}

fn geo_query(item: &Value) -> Result<GeoQuery> {
    let mut query = GeoQuery { place: None, boost: 1.0, precision: PRECISION_DEFAULT, neighbours: Vec::new() };
    let Value::Object(members) = item else {
        query.place = Some(item.clone());
        return Ok(query);
    };
    for (name, member) in members {
        match name.as_str() {
            "context" => query.place = Some(member.clone()),
            "lat" | "lon" => query.place = Some(json!({ "lat": members.get("lat"), "lon": members.get("lon") })),
            "boost" => query.boost = boost_of(member)?,
            "precision" => query.precision = precision(member)?,
            "neighbours" => {
                let Value::Array(items) = member else { return Err(failed("neighbours must be an array")) };
                query.neighbours = items.iter().map(precision).collect::<Result<_>>()?;
            }
            _ => return Err(unknown("geo", name, member)),
        }
    }
    Ok(query)
}

/// A length of geohashes, or a distance.
fn precision(value: &Value) -> Result<u32> {
    let wrong = || failed(format!("Invalid geohash precision of {value}. Must be between 1 and 12."));
    let of_distance = |text: &str| {
        let metres = parse_metres(text).ok().filter(|&metres| metres >= 0.0)?;
        Some(geohash::letters_for(metres))
    };
    let length = match value {
        Value::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        Value::String(text) => text.parse().ok().or_else(|| of_distance(text)),
        _ => None,
    };
    length.filter(|length| (1..=geohash::LETTERS_MAX).contains(length)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn category_of(item: Value) -> Result<QueryContext> {
        category(0, &item)
    }

    #[test]
    fn categories_are_read() {
        let found = category_of(json!({ "context": "red", "boost": 3, "prefix": true })).unwrap();
        assert_eq!(found, QueryContext { bytes: b"\0red".to_vec(), boost: 3.0, is_prefix: true });
        assert_eq!(found.start(), b"\0red");
        assert_eq!(category_of(json!(7)).unwrap().start(), b"\x007\x1d");
        for item in [json!({}), json!([]), json!({ "context": "a", "boost": 0 }), json!({ "context": "a", "x": 1 })] {
            assert!(category_of(item.clone()).is_err(), "{item}");
        }
    }

    #[test]
    fn places_stand_for_their_cell_and_those_around_it() {
        let spec = ContextSpec { name: "at".into(), kind: ContextKind::Geo, path: None, precision: 4 };
        let mut found = Vec::new();
        cells(1, &spec, &json!({ "lat": 57.64911, "lon": 10.40744 }), &mut found).unwrap();
        assert_eq!(found.len(), 9);
        assert!(found.iter().any(|context| context.start() == b"\x01u4pr\x1d"));
        found.clear();
        let query = json!({ "context": "u4pruydqqvj", "precision": "100km", "neighbours": [1], "boost": 2 });
        cells(1, &spec, &query, &mut found).unwrap();
        assert!(found.iter().all(|context| context.boost == 2.0 && context.is_prefix == (context.bytes.len() == 2)));
        assert!(found.iter().any(|context| context.bytes == b"\x01u"));
        assert!(found.iter().any(|context| context.start() == b"\x01u4pr\x1d"));
    }
}
