//! The values of one field, document by document, without a buffer around them: columns that are computed, not indexed.

use super::field::FieldBuffer;
use super::flush::{FlushScratch, field_sections};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_mapping::MappedField;
use quarry_segment::writer::FieldSections;

pub fn too_large(field: &str, limit: usize) -> Error {
    let reason =
        format!("[request] Data too large: the values of the computed field [{field}] take more than [{limit}] bytes");
    Error::new(ErrorCode::CircuitBreaking, reason)
}

#[derive(Debug)]
pub struct LoneField {
    values: FieldBuffer,
    limit: usize,
}

impl LoneField {
    /// `limit`: bytes that it may take, which have to be fewer than 4 GiB: places of terms are 32 bits.
    pub fn new(field: &MappedField, limit: usize) -> Result<Self> {
        Ok(LoneField { values: FieldBuffer::new(field)?, limit })
    }

    /// No buffer around the field would be flushed: values without end would take all memory.
    fn check_size(&self) -> Result<()> {
        if self.values.memory_bytes() <= self.limit {
            return Ok(());
        }
        Err(too_large(self.values.name(), self.limit))
    }

    /// Errors: `CircuitBreaking` above the limit. Documents come in ascending order; values as [`quarry_mapping::sink::DocumentSink::term`] takes them.
    pub fn add_term(&mut self, doc: u32, term: &[u8]) -> Result<()> {
        self.values.add_term(doc, term)?;
        self.check_size()
    }

    /// In sortable form.
    pub fn add_number(&mut self, doc: u32, number: i64) -> Result<()> {
        self.values.add_number(doc, number)?;
        self.check_size()
    }

    /// `None` without values.
    pub fn finish(self, max_doc: u32) -> Result<Option<FieldSections>> {
        field_sections(&self.values, max_doc, &mut FlushScratch::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_analysis::Registry;
    use quarry_mapping::Mapping;
    use quarry_testing::mapping::{field, mapping_spec};
    use serde_json::{Value, json};

    fn mapping(fields: Vec<Value>) -> Mapping {
        let analysis = Registry::from_spec(&json!({})).unwrap();
        Mapping::new(serde_json::from_value(mapping_spec(fields)).unwrap(), &analysis).unwrap()
    }

    #[test]
    fn values_without_end_are_stopped() {
        let mapping = mapping(vec![field("k", "keyword", json!({})), field("n", "long", json!({}))]);
        let lone = |name: &str| LoneField::new(mapping.field_by_name(name).unwrap(), 10_000).unwrap();
        let (mut terms, mut numbers) = (lone("k"), lone("n"));
        let of_terms = (0..10_000u32).find_map(|doc| terms.add_term(doc, format!("{doc}").as_bytes()).err());
        let of_numbers = (0..10_000u32).find_map(|doc| numbers.add_number(doc, 1).err());
        for error in [of_terms, of_numbers] {
            assert_eq!(error.map(|error| error.code), Some(ErrorCode::CircuitBreaking));
        }
    }
}
