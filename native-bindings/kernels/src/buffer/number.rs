//! A number field: document and value, in the order of the documents.

use crate::segment::column::numeric::{NumericColumnData, NumericColumnWriter};

#[derive(Debug, Default)]
pub struct NumberField {
    docs: Vec<u32>,
    values: Vec<i64>,
    committed: usize,
}

impl NumberField {
    pub fn add(&mut self, ordinal: u32, value: i64) {
        self.docs.push(ordinal);
        self.values.push(value);
    }

    pub fn commit(&mut self) {
        self.committed = self.docs.len();
    }

    pub fn rollback(&mut self) {
        self.docs.truncate(self.committed);
        self.values.truncate(self.committed);
    }

    /// What was added since the last commit is of this document.
    pub fn commit_as(&mut self, ordinal: u32) {
        self.docs[self.committed..].fill(ordinal);
        self.commit();
    }

    pub fn rollback_to(&mut self, first: u32) {
        self.rollback();
        self.committed = self.docs.partition_point(|&doc| doc < first);
        self.rollback();
    }

    pub fn clear(&mut self) {
        self.docs.clear();
        self.values.clear();
        self.committed = 0;
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    pub fn memory_bytes(&self) -> usize {
        self.docs.len() * (size_of::<u32>() + size_of::<i64>())
    }

    /// The column, and how many documents have a value.
    pub fn column(&self, max_doc: u32) -> (NumericColumnData, u32) {
        let mut writer = NumericColumnWriter::new();
        let mut doc_count = 0;
        let mut start = 0;
        for same in self.docs.chunk_by(|a, b| a == b) {
            writer.add(same[0], &self.values[start..start + same.len()]);
            start += same.len();
            doc_count += 1;
        }
        (writer.finish(max_doc), doc_count)
    }
}
