//! A field of vectors: one after another, in the order of their documents.

use super::order::DocumentOrder;
use quarry_base::error::{Error, Result};
use quarry_segment::vectors::VectorFormat;
use quarry_segment::vectors::data::{VectorRows, VectorsData};
use quarry_segment::vectors::elements::{Elements, VectorValues};
use quarry_vectors::bytes;
use quarry_vectors::measure::Element;
use quarry_vectors::similarity::magnitude;

/// All vectors have one length: the parser compares them with the mapping.
#[derive(Debug, Default)]
pub struct VectorField {
    docs: Vec<u32>,
    values: Elements,
    /// With cosine those of all vectors.
    lengths: Vec<f32>,
    committed: usize,
}

impl VectorField {
    pub fn of(element: Element) -> Self {
        VectorField { values: Elements::of(element), ..VectorField::default() }
    }

    /// `has_lengths`: the vector is not zero, and one of fractions is kept with length 1.
    ///
    /// Errors: the vector is of another element than the field.
    pub fn add(&mut self, ordinal: u32, vector: VectorValues<'_>, has_lengths: bool) -> Result<()> {
        match (&mut self.values, vector) {
            (Elements::Floats(values), VectorValues::Floats(vector)) if has_lengths => {
                let length = magnitude(vector);
                self.lengths.push(length);
                values.extend(vector.iter().map(|value| value / length));
            }
            (Elements::Floats(values), VectorValues::Floats(vector)) => values.extend_from_slice(vector),
            (Elements::Bytes(values), VectorValues::Bytes(vector)) => {
                values.extend_from_slice(vector);
                self.lengths.extend(has_lengths.then(|| bytes::magnitude(vector)));
            }
            _ => return Err(Error::internal("a vector is of another element than its field")),
        }
        self.docs.push(ordinal);
        Ok(())
    }

    pub fn commit(&mut self) {
        self.committed = self.docs.len();
    }

    /// What was added since the last commit is of this document.
    pub fn commit_as(&mut self, ordinal: u32) {
        self.docs[self.committed..].fill(ordinal);
        self.commit();
    }

    pub fn rollback(&mut self) {
        let width = self.width();
        self.docs.truncate(self.committed);
        self.values.truncate(self.committed * width);
        self.lengths.truncate(self.committed);
    }

    pub fn rollback_to(&mut self, first: u32) {
        self.rollback();
        self.committed = self.docs.partition_point(|&doc| doc < first);
        self.rollback();
    }

    pub fn clear(&mut self) {
        self.docs.clear();
        self.values.truncate(0);
        self.lengths.clear();
        self.committed = 0;
    }

    pub(super) fn rearrange(&mut self, order: &DocumentOrder) {
        let width = self.width();
        let new_docs = self.docs.iter().map(|&doc| order.new_docs()[doc as usize]);
        let mut rows: Vec<(u32, usize)> = new_docs.zip(0..).collect();
        rows.sort_unstable();
        self.values = self.values.rearranged(rows.iter().map(|&(_, row)| row), width);
        if !self.lengths.is_empty() {
            self.lengths = rows.iter().map(|&(_, row)| self.lengths[row]).collect();
        }
        self.docs = rows.into_iter().map(|(doc, _)| doc).collect();
        self.committed = self.docs.len();
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Values of a vector.
    fn width(&self) -> usize {
        if self.docs.is_empty() { 0 } else { self.values.value_count() / self.docs.len() }
    }

    pub fn memory_bytes(&self) -> usize {
        (self.docs.len() + self.lengths.len()) * size_of::<u32>() + self.values.memory_bytes()
    }

    pub fn data(&self, format: VectorFormat) -> Result<VectorsData> {
        let rows = VectorRows::Held(self.values.clone());
        VectorsData::new(format, rows, self.docs.clone(), self.lengths.clone(), None, &|| Ok(()))
    }
}
