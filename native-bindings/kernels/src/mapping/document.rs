//! One document, read once: values go to the sink, unmapped fields into the report.

use super::compiled::Mapping;
use super::dynamic::DynamicReport;
use super::sink::DocumentSink;
use crate::error::Result;

/// What became of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every value is in the sink.
    Parsed,
    /// Fields are missing from the mapping: see [`ParseScratch::report`]. What the sink received must be rolled back and
    /// the document parsed again under the updated mapping.
    Unmapped,
}

/// Memory reused from document to document, and the report of the batch.
#[derive(Debug, Default)]
pub struct ParseScratch {
    /// Unmapped fields of all documents since [`DynamicReport::clear`], first seen first.
    pub report: DynamicReport,
}

impl ParseScratch {
    pub fn new() -> Self {
        Self::default()
    }
}

/// Parses one document. `id` is only used in messages. `source` need not be UTF-8 or JSON: an error names the place.
///
/// Errors: `MapperParsing` (with its cause) or `StrictDynamicMapping`; the sink must then be rolled back.
pub fn parse_document<S: DocumentSink>(
    _mapping: &Mapping,
    _id: &str,
    _source: &[u8],
    _sink: &mut S,
    _scratch: &mut ParseScratch,
) -> Result<Outcome> {
    todo!()
}

/// Adds the unmapped fields of one document to the report without producing values; a document that would be refused
/// contributes what was found before its fault. For the rest of a batch after the first [`Outcome::Unmapped`].
pub fn collect_unmapped(_mapping: &Mapping, _source: &[u8], _scratch: &mut ParseScratch) {
    todo!()
}
