//! A document with nested objects while it is taken: they become documents of their own before it.
//!
//! The innermost object that is open is the buffer's open document; those around it wait here. A field belongs to one level of
//! nesting, so the values that it has taken since its last commit are those of one document, whose number they get when that
//! one is complete.

use super::{IndexBuffer, OpenDocument};
use crate::Records;
use quarry_mapping::spec::FieldId;
use quarry_segment::stored::Record;

#[derive(Debug, Default)]
pub(super) struct Block {
    /// Documents around the open one, the root first.
    outer: Vec<OpenDocument>,
    /// Paths of the children that are complete.
    pub children: Vec<Box<str>>,
    /// Their records.
    records: Records,
    /// Fields that children had, each perhaps several times.
    touched: Vec<FieldId>,
    spare: Vec<OpenDocument>,
}

impl Block {
    pub fn is_empty(&self) -> bool {
        self.children.is_empty() && self.outer.is_empty()
    }
}

impl IndexBuffer {
    pub(super) fn open_child(&mut self) {
        let child = self.block.spare.pop().unwrap_or_default();
        self.block.outer.push(std::mem::replace(&mut self.open, child));
    }

    /// The open child is complete. Its number is one of those that its root has before its own.
    pub(super) fn close_child(&mut self, path: &str) {
        let ordinal = self.document_count() + self.block.children.len() as u32;
        self.commit_touched_as(ordinal);
        self.block.touched.extend_from_slice(&self.open.touched);
        self.write_record(ordinal, None);
        self.block.records.add(&self.open.record);
        self.block.children.push(path.into());
        let outer = self.block.outer.pop().unwrap_or_default();
        let mut closed = std::mem::replace(&mut self.open, outer);
        closed.clear();
        self.block.spare.push(closed);
    }

    /// The values of the open document, which were taken before its number was known.
    pub(super) fn commit_touched_as(&mut self, ordinal: u32) {
        for &id in &self.open.touched {
            let field = &mut self.fields[id as usize];
            field.commit_as(ordinal);
            self.field_bytes += field.account();
        }
    }

    /// Exchanges the open document and the one that is `levels` around it.
    pub(super) fn exchange(&mut self, levels: usize) {
        let waiting = self.block.outer.len().checked_sub(levels).and_then(|place| self.block.outer.get_mut(place));
        if let Some(outer) = waiting {
            std::mem::swap(&mut self.open, outer);
        }
    }

    /// Forgets all documents of the block; the open one is that of the root again.
    pub(super) fn rollback_block(&mut self) {
        let first = self.document_count();
        while let Some(outer) = self.block.outer.pop() {
            let inner = std::mem::replace(&mut self.open, outer);
            self.block.touched.extend_from_slice(&inner.touched);
        }
        for id in std::mem::take(&mut self.block.touched) {
            let field = &mut self.fields[id as usize];
            field.rollback_to(first);
            self.field_bytes += field.account();
        }
        self.block.children.clear();
        self.block.records.clear();
    }

    /// Makes the children documents, before their root is: with its numbers, without ids.
    pub(super) fn commit_children(&mut self, seq_no: u64, version: u64, primary_term: u64) {
        let first = self.document_count();
        for (place, path) in self.block.children.iter().enumerate() {
            self.nested.add(first + place as u32, path.as_bytes());
            self.ids.add(b"");
            self.seq_nos.push(seq_no);
            self.versions.push(version);
            self.primary_terms.push(primary_term);
        }
        self.nested.commit();
        self.block.records.iter().for_each(|record| self.records.add(record));
        self.block.records.clear();
        self.block.children.clear();
        self.block.touched.clear();
    }

    /// How many children stand directly before a document.
    pub(super) fn children_of(&self, root: u32) -> u32 {
        let children = &self.nested.docs;
        let before = children.partition_point(|&child| child < root);
        let in_block = children[..before].iter().rev().zip(1..).take_while(|&(&child, place)| child + place == root);
        in_block.count() as u32
    }

    /// Makes the record of the open document, whose number this is.
    pub(super) fn write_record(&mut self, ordinal: u32, source: Option<&[u8]>) {
        let OpenDocument { stored, stored_json, record, .. } = &mut self.open;
        let mut start = 0;
        let values = stored.iter().map(|&(id, end)| {
            let json = &stored_json[start..end];
            start = end;
            (self.fields[id as usize].name(), json)
        });
        Record::write(record, source, values);
        for &(id, _) in stored.iter() {
            let field = &self.fields[id as usize];
            if field.is_only_stored() {
                self.stored_only.add(ordinal, field.name().as_bytes());
            }
        }
    }
}
