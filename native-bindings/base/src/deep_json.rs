//! JSON as deep as the limits of what it holds: documents and bodies have [`crate::limits::JSON_DEPTH_MAX`] levels, and plans have some for each
//! level of a query or an aggregation. The library's own limit of 128 levels would refuse what was accepted before.
//!
//! Whoever accepts JSON bounds its depth; these read what was accepted, on a stack that holds it ([`crate::limits::KERNEL_STACK_BYTES`]).

use serde::Deserialize;
use serde::de::Error;
use serde_json::value::RawValue;
use serde_json::{Deserializer, Result, Value};

/// Read from JSON by a function of the crate that has the type (see [`from_json!`](crate::from_json)). A generic function is compiled
/// again, with all that the type consists of, in each crate that calls it: for queries that takes half a minute of a processor.
pub trait FromJson: Sized {
    /// Errors are the library's.
    fn from_json(json: &[u8]) -> Result<Self>;
}

/// Makes the functions of [`FromJson`] for types that implement `Deserialize`.
#[macro_export]
macro_rules! from_json {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::deep_json::FromJson for $type {
            #[inline(never)]
            fn from_json(json: &[u8]) -> ::serde_json::Result<Self> {
                $crate::deep_json::from_slice(json)
            }
        }
    )+};
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(json: &[u8]) -> Result<Self> {
        let is_null = json.trim_ascii() == b"null";
        if is_null { Ok(None) } else { T::from_json(json).map(Some) }
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(json: &[u8]) -> Result<Self> {
        let items: Vec<&RawValue> = from_slice(json)?;
        items.into_iter().map(|item| T::from_json(item.get().as_bytes())).collect()
    }
}

/// For `#[serde(deserialize_with)]` of a member whose type another crate reads.
pub fn of_other_crate<'a, D: serde::Deserializer<'a>, T: FromJson>(from: D) -> std::result::Result<T, D::Error> {
    of_value(&Value::deserialize(from)?).map_err(D::Error::custom)
}

/// By way of its text, for which there is a function already.
pub fn of_value<T: FromJson>(value: &Value) -> Result<T> {
    T::from_json(&serde_json::to_vec(value)?)
}

/// Errors are the library's.
pub fn from_slice<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T> {
    read(Deserializer::from_slice(json))
}

/// Errors are the library's.
pub fn from_str<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T> {
    read(Deserializer::from_str(json))
}

fn read<'a, T: Deserialize<'a>>(mut json: Deserializer<impl serde_json::de::Read<'a>>) -> Result<T> {
    json.disable_recursion_limit();
    let value = T::deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::JSON_DEPTH_MAX;
    use serde_json::Value;

    #[test]
    fn is_read_to_the_limit_of_documents() {
        let deep = format!("{}7{}", "[".repeat(JSON_DEPTH_MAX), "]".repeat(JSON_DEPTH_MAX));
        let value: Value = from_str(&deep).unwrap();
        assert_eq!(value.to_string(), deep);
        assert!(from_slice::<Value>(b"[1] 2").is_err() && from_slice::<Value>(b"[1").is_err());
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Inner {
        number: u8,
    }
    crate::from_json!(Inner);

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Outer {
        #[serde(deserialize_with = "of_other_crate")]
        one: Inner,
        #[serde(deserialize_with = "of_other_crate")]
        many: Vec<Inner>,
        #[serde(default, deserialize_with = "of_other_crate")]
        none: Option<Inner>,
    }

    #[test]
    fn members_are_read_by_functions_of_their_own() {
        let (one, many) = (Inner { number: 1 }, vec![Inner { number: 2 }, Inner { number: 3 }]);
        let json = r#"{"one": {"number": 1}, "many": [{"number": 2}, {"number": 3}]"#;
        let read = |rest: &str| from_str::<Outer>(&format!("{json}{rest}}}"));
        let outer = read("").unwrap();
        assert_eq!((&outer.one, &outer.many, &outer.none), (&one, &many, &None));
        assert_eq!(read(r#", "none": null"#).unwrap(), outer);
        assert_eq!(read(r#", "none": {"number": 4}"#).unwrap().none, Some(Inner { number: 4 }));
        assert!(read(r#", "none": 4"#).is_err() && read(r#", "none": {"number": 256}"#).is_err());
        assert!(Vec::<Inner>::from_json(b"null").is_err() && Option::<Inner>::from_json(b"").is_err());
    }
}
