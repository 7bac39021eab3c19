//! A partial document laid over a source: objects are merged, everything else replaces. Values that stay are copied as
//! they were written, so no number changes its form.

use quarry_base::error::{Error, Result};
use quarry_json as json;
use quarry_json::write::write_string;
use serde_json::Value;
use serde_json::value::RawValue;

fn members(json: &str) -> Result<Vec<(String, &RawValue)>> {
    json::members::members(json)
        .map_err(|error| Error::illegal_argument(format!("a document to merge is not a JSON object: {error}")))
}

/// Lays `changes` over `source`; returns the merged object and whether anything is different from `source`.
/// Both were validated as JSON objects before.
pub fn merge_source(source: &str, changes: &str) -> Result<(Vec<u8>, bool)> {
    let mut out = Vec::with_capacity(source.len() + changes.len());
    let changed = merge_into(&mut out, source, changes)?;
    Ok((out, changed))
}

fn merge_into(out: &mut Vec<u8>, source: &str, changes: &str) -> Result<bool> {
    let mut changes = members(changes)?;
    let mut changed = false;
    let mut separator = b'{';
    for (name, value) in members(source)? {
        write_name(out, &mut separator, &name);
        match changes.iter().position(|(changed_name, _)| *changed_name == name) {
            None => out.extend_from_slice(value.get().as_bytes()),
            Some(at) => {
                let (_, new) = changes.remove(at);
                changed |= merge_value(out, value.get(), new.get())?;
            }
        }
    }
    for (name, value) in changes {
        changed = true;
        write_name(out, &mut separator, &name);
        out.extend_from_slice(value.get().as_bytes());
    }
    if separator == b'{' {
        out.push(b'{');
    }
    out.push(b'}');
    Ok(changed)
}

fn write_name(out: &mut Vec<u8>, separator: &mut u8, name: &str) {
    out.push(*separator);
    *separator = b',';
    write_string(out, name);
    out.push(b':');
}

fn merge_value(out: &mut Vec<u8>, old: &str, new: &str) -> Result<bool> {
    if old.starts_with('{') && new.starts_with('{') {
        return merge_into(out, old, new);
    }
    out.extend_from_slice(new.as_bytes());
    Ok(old != new && differ(old, new))
}

/// Whether two values of different spelling mean different things. `1` and `1.0` do.
fn differ(old: &str, new: &str) -> bool {
    let (old, new): (Option<Value>, Option<Value>) =
        (quarry_base::deep_json::from_str(old).ok(), quarry_base::deep_json::from_str(new).ok());
    old.is_none() || old != new
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn merged(source: &str, changes: &str) -> (String, bool) {
        let (bytes, changed) = merge_source(source, changes).unwrap();
        (String::from_utf8(bytes).unwrap(), changed)
    }

    #[test]
    fn objects_merge_and_other_values_replace() {
        let source = r#"{"a":{"b":1,"c":[1, 2]},"d":1.50,"e":null}"#;
        assert_eq!(
            merged(source, r#"{"a":{"c":[3],"x":{}},"f":"new"}"#),
            (r#"{"a":{"b":1,"c":[3],"x":{}},"d":1.50,"e":null,"f":"new"}"#.into(), true)
        );
        assert_eq!(merged("{}", "{}"), ("{}".into(), false));
        assert_eq!(merged(r#"{"a":{"b":1}}"#, r#"{"a":7}"#), (r#"{"a":7}"#.into(), true));
    }

    #[test]
    fn equal_values_change_nothing_however_they_are_spelt() {
        assert!(!merged(r#"{"a":[1, {"b":"\u0041"}]}"#, r#"{"a":[1,{"b":"A"}]}"#).1);
        assert!(merged(r#"{"a":1}"#, r#"{"a":1.0}"#).1);
        assert!(!merged(r#"{"a":null}"#, r#"{"a":null}"#).1);
        assert!(merged("{}", r#"{"a":null}"#).1);
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), (0i64..5).prop_map(Value::from)];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                prop::collection::hash_map("[a-d]", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn object() -> impl Strategy<Value = Value> {
        prop::collection::hash_map("[a-d]", json(), 0..4).prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    fn naive(old: &Value, new: &Value) -> Value {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => {
                let mut merged = old.clone();
                for (name, value) in new {
                    let value = old.get(name).map_or(value.clone(), |old| naive(old, value));
                    merged.insert(name.clone(), value);
                }
                Value::Object(merged)
            }
            _ => new.clone(),
        }
    }

    proptest! {
        #[test]
        fn it_equals_a_merge_of_parsed_values(old in object(), new in object()) {
            let (bytes, changed) = merge_source(&old.to_string(), &new.to_string()).unwrap();
            let expected = naive(&old, &new);
            prop_assert_eq!(&serde_json::from_slice::<Value>(&bytes).unwrap(), &expected);
            prop_assert_eq!(changed, expected != old);
        }
    }
}
