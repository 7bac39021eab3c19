//! Queries that documents hold, to be percolated. The parser takes their text; what it means is for others to say.

use super::parser::{Parser, failed_to_parse};
use crate::error::{Error, ErrorCode, Result};
use crate::json::Token;
use crate::mapping::compiled::MappedField;
use crate::mapping::sink::DocumentSink;
use crate::mapping::spec::FieldId;

/// A query as a document has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredQueryText {
    pub field: FieldId,
    /// JSON of an object.
    pub json: Box<str>,
}

impl<S: DocumentSink> Parser<'_, S> {
    /// The value of a percolator field; the scanner is at its text.
    pub(super) fn stored_query(&mut self, field: &MappedField, depth: usize) -> Result<()> {
        let token = self.scanner.peek();
        let token = self.check(token)?;
        let start = self.scanner.offset();
        self.skip(depth)?;
        if token != Token::Object {
            return Err(failed_to_parse(no_query()));
        }
        if self.scratch.stored_queries.iter().any(|known| known.field == field.id) {
            let reason = "a document can only contain one percolator query";
            return Err(failed_to_parse(Error::illegal_argument(reason)));
        }
        let text = self.scanner.text().get(start..self.scanner.offset()).unwrap_or_default();
        self.scratch.stored_queries.push(StoredQueryText { field: field.id, json: text.trim().into() });
        Ok(())
    }
}

/// Refuses what is no object.
pub(super) fn no_query() -> Error {
    Error::new(ErrorCode::Parsing, "[_na] query malformed, must start with start_object")
}
