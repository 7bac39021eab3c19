//! One document, read once: values go to the sink, unmapped fields into the report.
//!
//! [`parser`] walks the JSON along the mapping's object tree, [`nested`] the objects that are documents of their own,
//! [`join`] sides of relations, [`places`] places, [`shapes`] shapes, [`range`] objects into ranges, [`whole`] what these three have in common, [`flattened`] objects that
//! are one field, [`histogram`] counts of numbers, [`unmapped`] what the tree does not have, [`values`] turns scalars into what
//! fields hold, [`completion`] what completion fields are given, [`vector`] vectors, [`stored_query`] queries that are kept to be percolated;
//! [`members`] are the loops of those that read themselves.

mod completion;
mod flattened;
mod histogram;
mod join;
mod members;
mod nested;
pub mod numbers;
mod parser;
mod places;
mod range;
mod scalar;
mod scratch;
pub mod shapes;
pub mod stored_query;
mod unmapped;
mod values;
mod vector;
mod whole;

#[cfg(test)]
mod range_tests;
#[cfg(test)]
mod tests;

pub(crate) use numbers::convert as read_end;
pub use numbers::{read_sortable, write_sortable};
pub use scalar::Scalar;
pub use scratch::ParseScratch;
pub use vector::{check_length as check_vector_length, check_value as check_vector_value, to_bytes as vector_to_bytes};

use super::compiled::Mapping;
use super::sink::DocumentSink;
use super::spec::FieldId;
use parser::Parser;
use quarry_base::error::Result;
use quarry_segment::column::range::Range;
use quarry_segment::vectors::elements::VectorValues;
use stored_query::IndexedQuery;

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every value is in the sink.
    Parsed,
    /// Fields are missing from the mapping: see [`ParseScratch::report`]. What the sink received must be rolled back and
    /// the document parsed again under the updated mapping.
    Unmapped,
}

/// What a document is parsed with besides its source.
#[derive(Debug, Clone, Copy)]
pub struct DocumentHead<'d> {
    pub id: &'d str,
    /// Children of a `join` need one.
    pub has_routing: bool,
}

impl<'d> From<&'d str> for DocumentHead<'d> {
    fn from(id: &'d str) -> Self {
        DocumentHead { id, has_routing: false }
    }
}

/// Parses one document. `source` need not be UTF-8 or JSON: an error names the place.
///
/// Errors: `MapperParsing` (with its cause) or `StrictDynamicMapping`, or the sink's own; the sink must then be rolled
/// back.
pub fn parse_document<'p, S: DocumentSink>(
    mapping: &Mapping,
    head: impl Into<DocumentHead<'p>>,
    source: &'p [u8],
    sink: &mut S,
    scratch: &mut ParseScratch,
) -> Result<Outcome> {
    scratch.prepare(mapping);
    scratch.found_unmapped = false;
    Parser::new(mapping, head.into(), source, sink, scratch)?.run()?;
    Ok(if scratch.found_unmapped { Outcome::Unmapped } else { Outcome::Parsed })
}

/// As [`parse_document`], of a document that was parsed before, with what became of its stored queries, in their order.
pub fn parse_with_queries<'p, S: DocumentSink>(
    mapping: &Mapping,
    head: impl Into<DocumentHead<'p>>,
    source: &'p [u8],
    (sink, queries): (&mut S, Vec<IndexedQuery>),
    scratch: &mut ParseScratch,
) -> Result<Outcome> {
    scratch.indexed_queries = queries;
    let outcome = parse_document(mapping, head, source, sink, scratch);
    scratch.indexed_queries.clear();
    outcome
}

/// Adds the unmapped fields of one document to the report without producing values; a document that would be refused
/// contributes what was found before its fault. For the rest of a batch after the first [`Outcome::Unmapped`].
pub fn collect_unmapped(mapping: &Mapping, source: &[u8], scratch: &mut ParseScratch) {
    // Its own parse will report the fault.
    let head = DocumentHead { id: "", has_routing: true };
    let _ = parse_document(mapping, head, source, &mut NoSink, scratch);
}

/// Whether a document would be taken: the error is its refusal.
pub fn check_document<'p>(
    mapping: &Mapping,
    head: DocumentHead<'p>,
    source: &'p [u8],
    scratch: &mut ParseScratch,
) -> Result<()> {
    parse_document(mapping, head, source, &mut NoSink, scratch).map(drop)
}

/// A sink that keeps nothing.
struct NoSink;

impl DocumentSink for NoSink {
    fn text(&mut self, _field: FieldId, _value: &str) -> Result<()> {
        Ok(())
    }
    fn term(&mut self, _field: FieldId, _value: &[u8]) -> Result<()> {
        Ok(())
    }
    fn number(&mut self, _field: FieldId, _value: i64) -> Result<()> {
        Ok(())
    }
    fn range(&mut self, _field: FieldId, _range: Range) -> Result<()> {
        Ok(())
    }
    fn vector(&mut self, _field: FieldId, _vector: VectorValues<'_>) -> Result<()> {
        Ok(())
    }
    fn stored(&mut self, _field: FieldId, _json: &[u8]) -> Result<()> {
        Ok(())
    }
    fn ignored(&mut self, _field: FieldId) -> Result<()> {
        Ok(())
    }
    fn begin_child(&mut self) {}
    fn end_child(&mut self, _path: &str) {}
    fn exchange_with_outer(&mut self, _levels: usize) {}
}
