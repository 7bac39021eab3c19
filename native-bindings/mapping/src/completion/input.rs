//! What a document says of a completion field: inputs, their weight and their contexts.

use super::forms::forms;
use crate::MappedField;
use crate::spec::{CompletionSpec, ContextKind, ContextSpec};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_geo::geohash;
use quarry_geo::read::read_point;
use quarry_segment::completion::key;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

const NAMES: [&str; 3] = ["input", "weight", "contexts"];
pub const WEIGHT_DEFAULT: u32 = 1;
/// Values of the contexts of one input: each is a term.
const CONTEXT_VALUES_MAX: usize = 10_000;

/// One input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub input: String,
    pub weight: u32,
    /// By name.
    pub contexts: BTreeMap<String, BTreeSet<String>>,
}

impl Entry {
    pub fn plain(input: &str) -> Self {
        Entry { input: input.to_owned(), weight: WEIGHT_DEFAULT, contexts: BTreeMap::new() }
    }
}

/// How the API calls what a JSON text holds.
pub fn token_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "VALUE_NULL",
        Value::Bool(_) => "VALUE_BOOLEAN",
        Value::Number(_) => "VALUE_NUMBER",
        Value::String(_) => "VALUE_STRING",
        Value::Array(_) => "START_ARRAY",
        Value::Object(_) => "START_OBJECT",
    }
}

/// The entries of an object with inputs, weight and contexts.
pub fn entries_of(object: &Map<String, Value>, name: &str, spec: &CompletionSpec) -> Result<Vec<Entry>> {
    if let Some(unknown) = object.keys().find(|key| !NAMES.contains(&key.as_str())) {
        let names = NAMES.join(", ");
        return Err(Error::illegal_argument(format!("unknown field name [{unknown}], must be one of [{names}]")));
    }
    let inputs = object.get("input").map(inputs_of).transpose()?.unwrap_or_default();
    let weight = object.get("weight").map(weight_of).transpose()?.unwrap_or(WEIGHT_DEFAULT);
    let contexts = object.get("contexts").map(|value| contexts_of(value, name, spec)).transpose()?.unwrap_or_default();
    Ok(inputs.into_iter().map(|input| Entry { input, weight, contexts: contexts.clone() }).collect())
}

fn inputs_of(value: &Value) -> Result<BTreeSet<String>> {
    let text = |item: &Value| match item {
        Value::String(text) => Ok(text.clone()),
        other => {
            let token = token_of(other);
            Err(Error::illegal_argument(format!("input array must have string values, but was [{token}]")))
        }
    };
    match value {
        Value::String(text) => Ok(BTreeSet::from([text.clone()])),
        Value::Array(items) => items.iter().map(text).collect(),
        other => {
            let token = token_of(other);
            Err(Error::illegal_argument(format!("input must be a string or array, but was [{token}]")))
        }
    }
}

fn weight_of(value: &Value) -> Result<u32> {
    let not_whole = |shown: &str| Error::illegal_argument(format!("weight must be an integer, but was [{shown}]"));
    let weight = match value {
        Value::String(text) => text.parse::<i64>().map_err(|_| not_whole(text))?,
        Value::Number(number) => number.as_i64().ok_or_else(|| not_whole(&number.to_string()))?,
        other => {
            let token = token_of(other);
            return Err(Error::illegal_argument(format!("weight must be a number or string, but was [{token}]")));
        }
    };
    let fits = u32::try_from(weight).ok().filter(|&weight| weight <= i32::MAX as u32);
    fits.ok_or_else(|| {
        Error::illegal_argument(format!("weight must be in the interval [0..2147483647], but was [{weight}]"))
    })
}

fn contexts_of(value: &Value, name: &str, spec: &CompletionSpec) -> Result<BTreeMap<String, BTreeSet<String>>> {
    if spec.contexts.is_empty() {
        return Err(Error::illegal_argument(format!("contexts field is not supported for field: [{name}]")));
    }
    let Value::Object(members) = value else {
        let token = token_of(value);
        return Err(Error::illegal_argument(format!("contexts must be an object or an array , but was [{token}]")));
    };
    let values = |(name, value): (&String, &Value)| Ok((name.clone(), values_of(context_named(spec, name)?.1, value)?));
    members.iter().map(values).collect()
}

/// A context and its number.
pub fn context_named<'s>(spec: &'s CompletionSpec, name: &str) -> Result<(u8, &'s ContextSpec)> {
    let place = spec.contexts.iter().position(|context| context.name == name);
    place.map(|place| (place as u8, &spec.contexts[place])).ok_or_else(|| {
        let mut known: Vec<&str> = spec.contexts.iter().map(|context| context.name.as_str()).collect();
        known.sort_unstable();
        Error::illegal_argument(format!("Unknown context name [{name}], must be one of [{}]", known.join(", ")))
    })
}

fn values_of(context: &ContextSpec, value: &Value) -> Result<BTreeSet<String>> {
    match context.kind {
        ContextKind::Category => categories(value),
        ContextKind::Geo => cells(context, value),
    }
}

fn categories(value: &Value) -> Result<BTreeSet<String>> {
    let Value::Array(items) = value else {
        let text = scalar_text(value).ok_or_else(|| {
            let expected = "contexts must be a string, number or boolean or a list of string, number or boolean";
            Error::new(ErrorCode::Parse, format!("{expected}, but was [{}]", token_of(value)))
        })?;
        return Ok(BTreeSet::from([text]));
    };
    let text = |item: &Value| {
        scalar_text(item).ok_or_else(|| {
            let token = token_of(item);
            let reason = format!("context array must have string, number or boolean values, but was [{token}]");
            Error::new(ErrorCode::Parse, reason)
        })
    };
    items.iter().map(text).collect()
}

/// Texts, numbers and booleans as contexts hold them.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// Geohashes of one place or several.
fn cells(context: &ContextSpec, value: &Value) -> Result<BTreeSet<String>> {
    let several = match value {
        Value::Array(items) if !items.first().is_some_and(Value::is_number) => Some(items),
        _ => None,
    };
    match several {
        Some(items) => items.iter().map(|item| cell(context, item)).collect(),
        None => Ok(BTreeSet::from([cell(context, value)?])),
    }
}

fn cell(context: &ContextSpec, value: &Value) -> Result<String> {
    let letters = context.precision;
    // A geohash is cut, not measured: a shorter one is a larger cell.
    match hash_of(value)? {
        Some(hash) => Ok(hash.chars().take(letters as usize).collect()),
        None => Ok(geohash::of(read_point(value, true)?.normalized(), letters)),
    }
}

/// The geohash of a place that is written as one.
///
/// Errors: `Parse` for a text that is no place.
pub fn hash_of(value: &Value) -> Result<Option<String>> {
    let text = match value {
        Value::String(text) if !text.contains([',', '(']) => Some(text.as_str()),
        Value::Object(members) if members.len() == 1 => members.get("geohash").and_then(Value::as_str),
        _ => None,
    };
    let hash = text.map(str::to_ascii_lowercase);
    hash.map(|hash| geohash::corner(&hash).map(|_| hash)).transpose()
}

/// The terms of an entry. `document`: the source, for contexts that name a path.
///
/// Errors: `IllegalArgument` for an entry without contexts where the field has some, and for texts that terms cannot hold.
pub fn terms(field: &MappedField, entry: &Entry, document: Option<&Value>) -> Result<Vec<Vec<u8>>> {
    let (Some(spec), Some(analyzer)) = (&field.spec.completion, &field.analyzer) else { return Ok(Vec::new()) };
    let input = cut(&entry.input, spec.max_input_length as usize);
    key::check_reserved(input, "input")?;
    let contexts = prefixes(&field.spec.name, spec, entry, document)?;
    let forms = forms(analyzer, input, spec)?;
    let of_context = |context: &Vec<u8>| -> Vec<Vec<u8>> {
        forms.iter().map(|form| key::encode(context, form, input, entry.weight)).collect()
    };
    Ok(contexts.iter().flat_map(of_context).collect())
}

/// The first code units of a text; a character that begins among them is kept whole.
fn cut(text: &str, units: usize) -> &str {
    if text.len() <= units {
        return text;
    }
    let mut taken = 0;
    let end = text.char_indices().find(|(_, character)| {
        let is_behind = taken >= units;
        taken += character.len_utf16();
        is_behind
    });
    end.map_or(text, |(end, _)| &text[..end])
}

/// What the terms of an entry begin with: each value of each context; one empty prefix for a field without contexts.
fn prefixes(name: &str, spec: &CompletionSpec, entry: &Entry, document: Option<&Value>) -> Result<Vec<Vec<u8>>> {
    if spec.contexts.is_empty() {
        return Ok(vec![Vec::new()]);
    }
    let mut prefixes = Vec::new();
    for (number, context) in spec.contexts.iter().enumerate() {
        let mut values = entry.contexts.get(&context.name).cloned().unwrap_or_default();
        if let (Some(path), Some(document)) = (&context.path, document) {
            let mut found = Vec::new();
            values_at(document, path, &mut found);
            for value in found.into_iter().filter(|value| !value.is_null()) {
                values.append(&mut values_of(context, value)?);
            }
        }
        for value in &values {
            key::check_reserved(value, "value")?;
            prefixes.push(key::context_prefix(number as u8, value.as_bytes()));
        }
    }
    if prefixes.len() > CONTEXT_VALUES_MAX {
        let count = prefixes.len();
        let reason =
            format!("an input of field [{name}] has [{count}] context values, more than [{CONTEXT_VALUES_MAX}]");
        return Err(Error::illegal_argument(reason));
    }
    if prefixes.is_empty() {
        let reason = format!("Contexts are mandatory in context enabled completion field [{name}]");
        return Err(Error::illegal_argument(reason));
    }
    Ok(prefixes)
}

/// Every value at a dotted path, lists as they are, through lists of objects and names that hold dots themselves.
fn values_at<'a>(value: &'a Value, path: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| values_at(item, path, found)),
        Value::Object(members) => {
            for (name, member) in members {
                if name == path {
                    found.push(member);
                } else if let Some(rest) = path.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix('.')) {
                    values_at(member, rest, found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn spec(contexts: Value) -> CompletionSpec {
        serde_json::from_value(json!({
            "preserve_separators": true, "preserve_position_increments": true, "max_input_length": 50,
            "contexts": contexts,
        }))
        .unwrap()
    }

    fn read(object: Value, contexts: Value) -> Result<Vec<Entry>> {
        entries_of(object.as_object().unwrap(), "field", &spec(contexts))
    }

    #[test]
    fn entries_are_read() {
        let contexts =
            json!([{ "name": "color", "type": "category" }, { "name": "place", "type": "geo", "precision": 4 }]);
        let object = json!({
            "input": ["b", "a"], "weight": "7",
            "contexts": { "color": ["red", 3, true], "place": [{ "lat": 57.649, "lon": 10.407 }, "u4pruyd"] },
        });
        let entries = read(object, contexts).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.input.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(entries[0].weight, 7);
        assert_eq!(entries[0].contexts["color"], BTreeSet::from(["3", "red", "true"].map(String::from)));
        assert_eq!(entries[0].contexts["place"], BTreeSet::from(["u4pr".to_owned()]));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let contexts = json!([{ "name": "color", "type": "category" }]);
        for (object, reason) in [
            (json!({ "inputs": "a" }), "unknown field name [inputs]"),
            (json!({ "input": 1 }), "input must be a string or array, but was [VALUE_NUMBER]"),
            (json!({ "input": [1] }), "input array must have string values, but was [VALUE_NUMBER]"),
            (json!({ "input": "a", "weight": 1.5 }), "weight must be an integer, but was [1.5]"),
            (json!({ "input": "a", "weight": -1 }), "weight must be in the interval [0..2147483647], but was [-1]"),
            (json!({ "input": "a", "weight": "x" }), "weight must be an integer, but was [x]"),
            (json!({ "input": "a", "contexts": { "size": "l" } }), "must be one of [color]"),
            (json!({ "input": "a", "contexts": { "color": {} } }), "but was [START_OBJECT]"),
        ] {
            let refused = read(object, contexts.clone()).unwrap_err();
            assert!(refused.reason.contains(reason), "{}", refused.reason);
        }
    }

    #[test]
    fn inputs_are_cut_at_whole_characters() {
        assert_eq!(cut("abcdef", 3), "abc");
        assert_eq!(cut("ab😀cd", 3), "ab😀");
        assert_eq!(cut("é", 1), "é");
    }

    #[test]
    fn contexts_come_from_the_document_as_well() {
        let spec = spec(json!([{ "name": "color", "type": "category", "path": "of.color" }]));
        let document = json!({ "of": [{ "color": "red" }, { "color": ["blue"] }] });
        let mut found = prefixes("field", &spec, &Entry::plain("a"), Some(&document)).unwrap();
        found.sort();
        assert_eq!(found, [b"\0blue\x1d".to_vec(), b"\0red\x1d".to_vec()]);
        let refused = prefixes("field", &spec, &Entry::plain("a"), Some(&json!({}))).unwrap_err();
        assert_eq!(refused.reason, "Contexts are mandatory in context enabled completion field [field]");
    }
}
