//! The values of one field, document by document, without a buffer around them: columns that are computed, not indexed.

use super::field::FieldBuffer;
use super::flush::{FlushScratch, field_sections};
use crate::error::Result;
use crate::mapping::MappedField;
use crate::segment::writer::FieldSections;

#[derive(Debug)]
pub struct LoneField(FieldBuffer);

impl LoneField {
    pub fn new(field: &MappedField) -> Result<Self> {
        FieldBuffer::new(field).map(LoneField)
    }

    /// Documents come in ascending order; values as [`crate::mapping::sink::DocumentSink::term`] takes them.
    pub fn add_term(&mut self, doc: u32, term: &[u8]) -> Result<()> {
        self.0.add_term(doc, term)
    }

    /// In sortable form.
    pub fn add_number(&mut self, doc: u32, number: i64) -> Result<()> {
        self.0.add_number(doc, number)
    }

    /// `None` without values.
    pub fn finish(self, max_doc: u32) -> Result<Option<FieldSections>> {
        field_sections(&self.0, max_doc, &mut FlushScratch::default())
    }
}
