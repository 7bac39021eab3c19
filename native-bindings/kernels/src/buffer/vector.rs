//! A field of vectors: one after another, in the order of their documents.

use super::order::DocumentOrder;
use crate::error::Result;
use crate::segment::vectors::VectorFormat;
use crate::segment::vectors::data::{VectorRows, VectorsData};
use crate::vectors::similarity::magnitude;

/// All vectors have one length: the parser compares them with the mapping.
#[derive(Debug, Default)]
pub struct VectorField {
    docs: Vec<u32>,
    values: Vec<f32>,
    /// What values were divided by, where they were.
    lengths: Vec<f32>,
    committed: usize,
}

impl VectorField {
    /// `normalises`: the vector, which is not zero, is kept with length 1.
    pub fn add(&mut self, ordinal: u32, vector: &[f32], normalises: bool) {
        self.docs.push(ordinal);
        if normalises {
            let length = magnitude(vector);
            self.lengths.push(length);
            self.values.extend(vector.iter().map(|value| value / length));
        } else {
            self.values.extend_from_slice(vector);
        }
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
        let dims = self.dims();
        self.docs.truncate(self.committed);
        self.values.truncate(self.committed * dims);
        self.lengths.truncate(self.committed);
    }

    pub fn rollback_to(&mut self, first: u32) {
        self.rollback();
        self.committed = self.docs.partition_point(|&doc| doc < first);
        self.rollback();
    }

    pub fn clear(&mut self) {
        self.docs.clear();
        self.values.clear();
        self.lengths.clear();
        self.committed = 0;
    }

    pub(super) fn rearrange(&mut self, order: &DocumentOrder) {
        let dims = self.dims();
        let new_docs = self.docs.iter().map(|&doc| order.new_docs()[doc as usize]);
        let mut rows: Vec<(u32, usize)> = new_docs.zip(0..).collect();
        rows.sort_unstable();
        self.values = rows.iter().flat_map(|&(_, row)| &self.values[row * dims..][..dims]).copied().collect();
        if !self.lengths.is_empty() {
            self.lengths = rows.iter().map(|&(_, row)| self.lengths[row]).collect();
        }
        self.docs = rows.into_iter().map(|(doc, _)| doc).collect();
        self.committed = self.docs.len();
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    fn dims(&self) -> usize {
        if self.docs.is_empty() { 0 } else { self.values.len() / self.docs.len() }
    }

    pub fn memory_bytes(&self) -> usize {
        (self.docs.len() + self.values.len() + self.lengths.len()) * size_of::<u32>()
    }

    pub fn data(&self, format: VectorFormat) -> Result<VectorsData> {
        let rows = VectorRows::Held(self.values.clone());
        VectorsData::new(format, rows, self.docs.clone(), self.lengths.clone(), None, &|| Ok(()))
    }
}
