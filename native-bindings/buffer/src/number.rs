//! A field of numbers or of ranges: document and value, in the order of the documents.

use super::order::DocumentOrder;
use quarry_segment::column::numeric::{NumericColumnData, NumericColumnWriter};
use quarry_segment::column::range::{Range, RangeColumnsData, RangeColumnsWriter};

#[derive(Debug)]
pub struct ValueField<T> {
    docs: Vec<u32>,
    values: Vec<T>,
    committed: usize,
}

pub type NumberField = ValueField<i64>;
pub type RangeField = ValueField<Range>;

impl<T> Default for ValueField<T> {
    fn default() -> Self {
        ValueField { docs: Vec::new(), values: Vec::new(), committed: 0 }
    }
}

impl<T> ValueField<T> {
    pub fn add(&mut self, ordinal: u32, value: T) {
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
        self.docs.len() * (size_of::<u32>() + size_of::<T>())
    }

    pub(super) fn rearrange(&mut self, order: &DocumentOrder)
    where
        T: Copy,
    {
        order.rearrange_rows(&mut self.docs, &mut self.values);
    }

    /// Each document with a value, and its values.
    pub(super) fn documents(&self) -> impl Iterator<Item = (u32, &[T])> {
        let mut rest = self.values.as_slice();
        self.docs.chunk_by(|a, b| a == b).map(move |same| {
            let (own, behind) = rest.split_at(same.len());
            rest = behind;
            (same[0], own)
        })
    }
}

impl NumberField {
    /// The column, and how many documents have a value.
    pub fn column(&self, max_doc: u32) -> (NumericColumnData, u32) {
        let mut writer = NumericColumnWriter::new();
        let mut doc_count = 0;
        for (doc, values) in self.documents() {
            writer.add(doc, values);
            doc_count += 1;
        }
        (writer.finish(max_doc), doc_count)
    }
}

impl RangeField {
    /// A range that a document has twice counts once.
    pub fn columns(&self, addresses: bool, max_doc: u32) -> RangeColumnsData {
        let mut writer = RangeColumnsWriter::new(addresses);
        let mut ranges = Vec::new();
        for (doc, own) in self.documents() {
            ranges.clear();
            ranges.extend_from_slice(own);
            ranges.sort_unstable();
            ranges.dedup();
            writer.add(doc, &ranges);
        }
        writer.finish(max_doc)
    }
}
