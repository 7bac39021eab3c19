//! What a script sees of the document that it runs on.

use quarry_base::error::{Error, Result};
use quarry_base::interrupt;
use quarry_vectors::measure::Element;

/// One value of a field of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum DocScalar {
    Long(i64),
    Double(f64),
    Bool(bool),
    /// Nanoseconds since 1970.
    Nanos(i128),
    Text(String),
    GeoPoint {
        lat: f64,
        lon: f64,
    },
}

/// What a field has for values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Booleans too.
    Numbers,
    Dates,
    Places,
    Others,
}

/// The surroundings of one run. All methods but [`Env::field`] speak of the current document.
pub trait Env {
    /// The number of a field, the same for as long as an [`super::Instance`] is used; `None` when it is not mapped.
    ///
    /// Errors: the field has no values in columns.
    fn field(&mut self, _name: &str) -> Result<Option<u32>> {
        Ok(None)
    }

    fn holds(&self, _field: u32) -> Holds {
        Holds::Others
    }

    /// Values that the document has for a field.
    fn count(&mut self, _field: u32) -> Result<usize> {
        Ok(0)
    }

    /// One of them, in ascending order; `None` past the last.
    fn value(&mut self, _field: u32, _place: usize) -> Result<Option<DocScalar>> {
        Ok(None)
    }

    /// Appends the document's vector of a field, of bits one value for each, and tells what it is made of; `None` where there is none.
    ///
    /// Errors: the field holds no vectors.
    fn vector(&mut self, _field: u32, _vector: &mut Vec<f32>) -> Result<Option<Element>> {
        Err(Error::illegal_argument("the field holds no vectors"))
    }

    /// Number of the document in its shard.
    fn number(&self) -> Option<u32> {
        None
    }

    fn score(&mut self) -> Result<f64> {
        Err(Error::illegal_state("no _score in this context"))
    }

    /// `params._source`, read when a script asks for it; `None` where there is none.
    fn source(&mut self) -> Result<Option<serde_json::Value>> {
        Ok(None)
    }

    /// Looked at every few thousand operations.
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// No document: scripts over terms, statistics and intervals run beside the documents, in a search that may be cancelled.
pub struct Nothing;

impl Env for Nothing {
    fn is_cancelled(&self) -> bool {
        interrupt::is_raised()
    }
}
