//! One field of the buffer: its parameters and, by kind, its values.

use super::number::{NumberField, RangeField};
use super::order::DocumentOrder;
use super::shape::ShapeField;
use super::term::TermField;
use super::text::TextField;
use super::vector::VectorField;
use quarry_analysis::Analyzer;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::TERM_BYTES_MAX;
use quarry_mapping::MappedField;
use quarry_mapping::spec::FieldSpec;
use quarry_segment::FieldKind;
use quarry_segment::column::range::Range;
use quarry_segment::vectors::elements::VectorValues;
use quarry_vectors::similarity::Similarity;
use std::sync::Arc;

#[derive(Debug)]
pub struct FieldBuffer {
    pub spec: FieldSpec,
    pub values: Values,
    /// Received a value of the open document.
    touched: bool,
    /// Bytes that the buffer's total counts for this field.
    accounted: usize,
}

#[derive(Debug)]
pub enum Values {
    Text(Box<TextField>),
    Term(TermField),
    Number(NumberField),
    Range(RangeField),
    Shape(Box<ShapeField>),
    Vector(Box<VectorField>),
}

impl FieldBuffer {
    pub fn new(field: &MappedField) -> Result<Self> {
        let values = match field.kind {
            FieldKind::Text => Values::Text(Box::new(TextField::new(&field.spec, analyzer_of(field)?))),
            FieldKind::Term if field.is_shape() => Values::Shape(Box::default()),
            FieldKind::Term => Values::Term(TermField::default()),
            FieldKind::Number => Values::Number(NumberField::default()),
            FieldKind::Range => Values::Range(RangeField::default()),
            FieldKind::Vector => {
                let element = field.spec.vector.map(|vector| vector.element).unwrap_or_default();
                Values::Vector(Box::new(VectorField::of(element)))
            }
        };
        Ok(FieldBuffer { spec: field.spec.clone(), values, touched: false, accounted: 0 })
    }

    /// Takes over changed parameters; what the field holds stays.
    pub fn update(&mut self, field: &MappedField) -> Result<()> {
        self.spec = field.spec.clone();
        if let Values::Text(text) = &mut self.values {
            text.set_analyzer(&field.spec, analyzer_of(field)?);
        }
        Ok(())
    }

    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// Neither searchable nor columnar.
    pub fn is_only_stored(&self) -> bool {
        !self.spec.index && !self.spec.doc_values
    }

    /// Whether this is the open document's first value for the field.
    pub fn touch(&mut self) -> bool {
        !std::mem::replace(&mut self.touched, true)
    }

    pub fn add_text(&mut self, value: &str) -> Result<()> {
        match &mut self.values {
            Values::Text(text) if self.spec.index => text.add(&self.spec.name, value),
            // Neither searchable nor columnar: such a text is only part of the source.
            Values::Text(_) => Ok(()),
            _ => Err(self.wrong_kind("text")),
        }
    }

    pub fn add_term(&mut self, ordinal: u32, value: &[u8]) -> Result<()> {
        if value.len() > TERM_BYTES_MAX {
            return Err(immense_term(&self.spec.name, value));
        }
        match &mut self.values {
            Values::Term(terms) => terms.add(ordinal, value),
            Values::Shape(shapes) => shapes.pieces.add(ordinal, value),
            _ => return Err(self.wrong_kind("term")),
        }
        Ok(())
    }

    pub fn add_number(&mut self, ordinal: u32, value: i64) -> Result<()> {
        match &mut self.values {
            Values::Number(numbers) => numbers.add(ordinal, value),
            Values::Shape(shapes) => shapes.corners.add(ordinal, value),
            _ => return Err(self.wrong_kind("number")),
        }
        Ok(())
    }

    pub fn add_range(&mut self, ordinal: u32, range: Range) -> Result<()> {
        match &mut self.values {
            Values::Range(ranges) => ranges.add(ordinal, range),
            _ => return Err(self.wrong_kind("range")),
        }
        Ok(())
    }

    pub fn add_vector(&mut self, ordinal: u32, vector: VectorValues<'_>) -> Result<()> {
        let has_lengths = self.spec.vector.is_some_and(|spec| spec.similarity == Some(Similarity::Cosine));
        match &mut self.values {
            Values::Vector(vectors) => vectors.add(ordinal, vector, has_lengths),
            _ => Err(self.wrong_kind("vector")),
        }
    }

    pub fn commit(&mut self, ordinal: u32) {
        self.touched = false;
        match &mut self.values {
            Values::Text(text) => text.commit(ordinal),
            Values::Term(terms) => terms.commit(),
            Values::Number(numbers) => numbers.commit(),
            Values::Shape(shapes) => shapes.commit(),
            Values::Range(ranges) => ranges.commit(),
            Values::Vector(vectors) => vectors.commit(),
        }
    }

    /// As `commit` for documents that were not numbered when their values came.
    pub fn commit_as(&mut self, ordinal: u32) {
        self.touched = false;
        match &mut self.values {
            Values::Text(text) => text.commit(ordinal),
            Values::Term(terms) => terms.commit_as(ordinal),
            Values::Number(numbers) => numbers.commit_as(ordinal),
            Values::Shape(shapes) => shapes.commit_as(ordinal),
            Values::Range(ranges) => ranges.commit_as(ordinal),
            Values::Vector(vectors) => vectors.commit_as(ordinal),
        }
    }

    /// Forgets the open document and those from `first` on.
    pub fn rollback_to(&mut self, first: u32) {
        self.touched = false;
        match &mut self.values {
            Values::Text(text) => text.rollback_to(first),
            Values::Term(terms) => terms.rollback_to(first),
            Values::Number(numbers) => numbers.rollback_to(first),
            Values::Shape(shapes) => shapes.rollback_to(first),
            Values::Range(ranges) => ranges.rollback_to(first),
            Values::Vector(vectors) => vectors.rollback_to(first),
        }
    }

    pub fn rollback(&mut self) {
        self.touched = false;
        match &mut self.values {
            Values::Text(text) => text.rollback(),
            Values::Term(terms) => terms.rollback(),
            Values::Number(numbers) => numbers.rollback(),
            Values::Shape(shapes) => shapes.rollback(),
            Values::Range(ranges) => ranges.rollback(),
            Values::Vector(vectors) => vectors.rollback(),
        }
    }

    /// Puts the values of all documents in another order.
    pub(super) fn rearrange(&mut self, order: &DocumentOrder) {
        match &mut self.values {
            Values::Text(text) => text.rearrange(order),
            Values::Term(terms) => terms.rearrange(order),
            Values::Number(numbers) => numbers.rearrange(order),
            Values::Shape(shapes) => shapes.rearrange(order),
            Values::Range(ranges) => ranges.rearrange(order),
            Values::Vector(vectors) => vectors.rearrange(order),
        }
    }

    /// How many bytes more than at the last call.
    pub fn account(&mut self) -> usize {
        let more = self.memory_bytes().saturating_sub(self.accounted);
        self.accounted += more;
        more
    }

    pub fn memory_bytes(&self) -> usize {
        match &self.values {
            Values::Text(text) => text.memory_bytes(),
            Values::Term(terms) => terms.memory_bytes(),
            Values::Number(numbers) => numbers.memory_bytes(),
            Values::Shape(shapes) => shapes.memory_bytes(),
            Values::Range(ranges) => ranges.memory_bytes(),
            Values::Vector(vectors) => vectors.memory_bytes(),
        }
    }

    /// Empties the field, keeping its memory.
    pub fn clear(&mut self) {
        self.accounted = 0;
        match &mut self.values {
            Values::Text(text) => text.clear(),
            Values::Term(terms) => terms.clear(),
            Values::Number(numbers) => numbers.clear(),
            Values::Shape(shapes) => shapes.clear(),
            Values::Range(ranges) => ranges.clear(),
            Values::Vector(vectors) => vectors.clear(),
        }
    }

    fn wrong_kind(&self, given: &str) -> Error {
        Error::new(ErrorCode::Internal, format!("field [{}] received a {given} value", self.spec.name))
    }
}

fn analyzer_of(field: &MappedField) -> Result<Arc<Analyzer>> {
    let missing = || Error::new(ErrorCode::Internal, format!("text field [{}] has no analyzer", field.spec.name));
    field.analyzer.clone().ok_or_else(missing)
}

/// The API's refusal of a term that is too long.
pub fn immense_term(field: &str, term: &[u8]) -> Error {
    let prefix: Vec<String> = term.iter().take(30).map(|&byte| (byte as i8).to_string()).collect();
    Error::illegal_argument(format!(
        "Document contains at least one immense term in field=\"{field}\" (whose UTF8 encoding is longer than the max length \
         {TERM_BYTES_MAX}), all of which were skipped. Please correct the analyzer to not produce such terms. The prefix of \
         the first immense term is: '[{}]...', original message: bytes can be at most {TERM_BYTES_MAX} in length; got {}",
        prefix.join(", "),
        term.len()
    ))
}
