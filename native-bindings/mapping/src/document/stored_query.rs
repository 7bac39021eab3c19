//! Queries that documents hold, to be percolated. The parser takes their texts; what these mean is for others to say, and the
//! document is parsed once more with what they said: what a query is found by belongs to the nested object that holds it.

use super::parser::{Parser, failed_to_parse};
use super::scratch::ParseScratch;
use crate::compiled::MappedField;
use crate::sink::DocumentSink;
use crate::spec::FieldId;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_json::Token;

/// A query as a document has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredQueryText {
    pub field: FieldId,
    /// JSON of an object.
    pub json: Box<str>,
}

/// What a segment keeps of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedQuery {
    /// What it is found by.
    pub terms: Vec<Vec<u8>>,
    /// As the record has it.
    pub kept: Vec<u8>,
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
        if self.single_values.contains(&field.id) {
            let reason = "a document can only contain one percolator query";
            return Err(failed_to_parse(Error::illegal_argument(reason)));
        }
        self.single_values.push(field.id);
        let text = self.scanner.text().get(start..self.scanner.offset()).unwrap_or_default();
        let ParseScratch { stored_queries, indexed_queries, .. } = &mut *self.scratch;
        let indexed = indexed_queries.get(stored_queries.len());
        stored_queries.push(StoredQueryText { field: field.id, json: text.trim().into() });
        if let Some(IndexedQuery { terms, kept }) = indexed {
            for term in terms {
                self.sink.term(field.id, term)?;
            }
            self.sink.stored(field.id, kept)?;
        }
        Ok(())
    }
}

/// Refuses what is no object.
pub(super) fn no_query() -> Error {
    Error::new(ErrorCode::Parsing, "[_na] query malformed, must start with start_object")
}
