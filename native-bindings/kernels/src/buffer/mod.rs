//! The in-memory indexing buffer of a shard: documents since the last refresh, inverted as they come.
//!
//! [`IndexBuffer`] implements [`crate::mapping::sink::DocumentSink`]. One document at a time: `begin_document`, values
//! through the sink, then `commit_document` or `rollback_document`. `flush` writes everything as one segment and leaves
//! the buffer empty and ready for the next documents, with its memory kept.

use crate::analysis::Registry;
use crate::error::Result;
use crate::mapping::sink::DocumentSink;
use crate::mapping::spec::{FieldId, FieldSpec};
use std::path::Path;
use std::sync::Arc;

/// What belongs to a document beside its fields.
#[derive(Debug, Clone, Copy)]
pub struct DocumentMeta<'a> {
    pub id: &'a [u8],
    pub routing: Option<&'a [u8]>,
    pub seq_no: u64,
    pub version: u64,
    pub primary_term: u64,
    /// The body as it is stored (after `_source.includes`/`excludes`); empty when `_source` is disabled.
    pub source: &'a [u8],
}

/// What `flush` wrote.
#[derive(Debug)]
pub struct FlushSummary {
    pub document_count: u32,
    /// Ordinals deleted before the flush, ascending: the first live docs of the segment. Ordinals are document ids of
    /// the segment.
    pub deleted: Vec<u32>,
    /// Bytes of the segment file.
    pub file_bytes: u64,
}

pub struct IndexBuffer {}

impl IndexBuffer {
    /// `fields[i]` is the field with id `i`.
    pub fn new(_fields: &[FieldSpec], _registry: Arc<Registry>) -> Result<Self> {
        todo!()
    }

    /// Fields may be added and parameters change; ids of known fields stay. Not between `begin` and `commit`.
    pub fn update_mapping(&mut self, _fields: &[FieldSpec], _registry: Arc<Registry>) -> Result<()> {
        todo!()
    }

    pub fn begin_document(&mut self) {
        todo!()
    }

    /// Forgets the values taken since `begin_document`.
    pub fn rollback_document(&mut self) {
        todo!()
    }

    /// Returns the document's ordinal in the buffer: its document id in the flushed segment.
    pub fn commit_document(&mut self, _meta: DocumentMeta<'_>) -> Result<u32> {
        todo!()
    }

    /// Marks a committed document as deleted; it stays in the segment, dead. `false` when it was dead already.
    pub fn delete(&mut self, _ordinal: u32) -> bool {
        todo!()
    }

    /// Appends the stored record of a committed document (see `segment::stored`).
    pub fn document(&self, _ordinal: u32, _record: &mut Vec<u8>) -> Result<()> {
        todo!()
    }

    /// Committed documents, deleted ones included.
    pub fn document_count(&self) -> u32 {
        todo!()
    }

    pub fn deleted_count(&self) -> u32 {
        todo!()
    }

    /// Bytes held, capacity kept for reuse excluded.
    pub fn memory_bytes(&self) -> usize {
        todo!()
    }

    /// The buffer reached its bound: flush before the next document.
    pub fn is_full(&self) -> bool {
        todo!()
    }

    /// Writes one segment to `path` (synced) and empties the buffer. With no documents nothing is written.
    pub fn flush(&mut self, _path: &Path, _segment_id: [u8; 16]) -> Result<FlushSummary> {
        todo!()
    }
}

impl DocumentSink for IndexBuffer {
    fn text(&mut self, _field: FieldId, _value: &str) -> Result<()> {
        todo!()
    }

    fn term(&mut self, _field: FieldId, _value: &[u8]) -> Result<()> {
        todo!()
    }

    fn number(&mut self, _field: FieldId, _value: i64) -> Result<()> {
        todo!()
    }

    fn stored(&mut self, _field: FieldId, _json: &[u8]) -> Result<()> {
        todo!()
    }

    fn ignored(&mut self, _field: FieldId) -> Result<()> {
        todo!()
    }
}
