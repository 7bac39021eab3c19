//! Results on their way to another thread or node, in the format of `postcard`: by position, without names. A format that says what each
//! value is makes several times as much code of the same types.
//!
//! What comes in is not trusted: it is read to its end or refused, and types that hold themselves are as deep as [`LEVELS_MAX`] at most.

use crate::error::{Error, ErrorCode, Result};
use crate::limits::JSON_DEPTH_MAX;
use postcard::ser_flavors::Flavor;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::cell::Cell;

/// The first byte: whoever has another format, or another order of members, refuses it. To be raised with each change of what is written.
const FORMAT: u8 = 1;
/// Profiles have several levels for each level of a query.
pub const LEVELS_MAX: usize = 4 * JSON_DEPTH_MAX;

/// Appends a value. `what` names it in the error.
pub fn encode<T: Serialize>(what: &str, value: &T, out: &mut Vec<u8>) -> Result<()> {
    out.push(FORMAT);
    postcard::serialize_with_flavor(value, Appending(out))
        .map_err(|error| Error::new(ErrorCode::Internal, format!("{what} cannot be written: {error}")))
}

/// `what` names the value in the error.
pub fn decode<'a, T: Deserialize<'a>>(what: &str, bytes: &'a [u8]) -> Result<T> {
    let unreadable = |reason: String| Error::new(ErrorCode::Internal, format!("{what} cannot be read: {reason}"));
    let Some((&FORMAT, bytes)) = bytes.split_first() else {
        return Err(unreadable("it is of another format".to_owned()));
    };
    let (value, rest) = postcard::take_from_bytes(bytes).map_err(|error| unreadable(error.to_string()))?;
    if !rest.is_empty() {
        return Err(unreadable(format!("[{}] bytes are left", rest.len())));
    }
    Ok(value)
}

struct Appending<'a>(&'a mut Vec<u8>);

impl Flavor for Appending<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

thread_local! {
    static LEVEL: Cell<usize> = const { Cell::new(0) };
}

struct Level;

impl Level {
    /// `None`: too deep.
    fn enter() -> Option<Self> {
        let level = LEVEL.get();
        (level < LEVELS_MAX).then(|| LEVEL.set(level + 1)).map(|()| Level)
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        LEVEL.set(LEVEL.get() - 1);
    }
}

/// For `#[serde(deserialize_with)]` of each member by which a type holds itself.
pub fn nested<'a, D: Deserializer<'a>, T: Deserialize<'a>>(from: D) -> std::result::Result<T, D::Error> {
    let _level = Level::enter().ok_or_else(|| D::Error::custom("it is too deep"))?;
    T::deserialize(from)
}

/// For `#[serde(with)]` of a member that only a format with names can hold: JSON, as its text.
pub mod json {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        serde_json::to_string(value).map_err(S::Error::custom)?.serialize(to)
    }

    pub fn deserialize<'a, T: DeserializeOwned, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
        serde_json::from_str(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::KERNEL_STACK_BYTES;
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
    struct Tree {
        count: u64,
        least: Option<f64>,
        name: String,
        #[serde(with = "json")]
        figures: Map<String, Value>,
        #[serde(deserialize_with = "nested")]
        below: Vec<Tree>,
    }

    fn written(tree: &Tree) -> Vec<u8> {
        let mut out = Vec::new();
        encode("a tree", tree, &mut out).unwrap();
        out
    }

    fn read(bytes: &[u8]) -> Result<Tree> {
        decode("a tree", bytes)
    }

    fn chain(levels: usize) -> Vec<u8> {
        // What one level is without anything below it, but for the number of those below, which ends it.
        let mut level = written(&Tree::default());
        level.pop();
        level.remove(0);
        let mut bytes = vec![FORMAT];
        (0..levels).for_each(|_| bytes.extend(level.iter().chain(&[1])));
        bytes.extend(level.iter().chain(&[0]));
        bytes
    }

    #[test]
    fn is_read_to_its_end_or_refused() {
        let figures = [("debug".to_owned(), Value::from(-1.5))].into_iter().collect();
        let leaf = Tree { count: u64::MAX, least: Some(f64::INFINITY), name: "é".to_owned(), figures, below: vec![] };
        let tree = Tree { below: vec![leaf.clone(), leaf.clone()], ..leaf };
        let bytes = written(&tree);
        assert_eq!(read(&bytes).unwrap(), tree);
        for cut in 0..bytes.len() {
            assert!(read(&bytes[..cut]).is_err(), "{cut}");
        }
        let more = [bytes.as_slice(), &[0]].concat();
        assert!(read(&more).unwrap_err().to_string().contains("[1] bytes are left"));
        assert!(read(&[&[FORMAT + 1], &bytes[1..]].concat()).unwrap_err().to_string().contains("another format"));
    }

    #[test]
    fn is_as_deep_as_the_limit_and_no_deeper() {
        let tried = std::thread::Builder::new().stack_size(KERNEL_STACK_BYTES).spawn(|| {
            assert!(read(&chain(LEVELS_MAX - 1)).is_ok());
            assert!(read(&chain(LEVELS_MAX)).is_err());
            // Nothing is left of a refusal.
            assert!(read(&chain(LEVELS_MAX - 1)).is_ok());
        });
        tried.unwrap().join().unwrap();
    }

    proptest! {
        #[test]
        fn takes_whatever_comes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes);
            let _ = read(&[&[FORMAT], bytes.as_slice()].concat());
        }
    }
}
