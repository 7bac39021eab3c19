//! JSON as deep as the limits of what it holds: documents and bodies have [`crate::limits::JSON_DEPTH_MAX`] levels, and plans have some for each
//! level of a query or an aggregation. The library's own limit of 128 levels would refuse what was accepted before.
//!
//! Whoever accepts JSON bounds its depth; these read what was accepted, on a stack that holds it ([`crate::limits::KERNEL_STACK_BYTES`]).

use serde::Deserialize;
use serde_json::{Deserializer, Result};

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
}
