//! The in-memory indexing buffer of a shard: documents since the last refresh, inverted as they come.
//!
//! [`IndexBuffer`] implements [`DocumentSink`]. One document at a time: `begin_document`, values through the sink, then
//! `commit_document` or `rollback_document`. `flush` writes everything as one segment and leaves the buffer empty, with
//! its memory kept for the next documents.
//!
//! | file | what it holds |
//! | --- | --- |
//! | [`text`] | text fields: one number per token in the order of the text |
//! | [`words`] | words of the text to terms, each distinct word filtered once |
//! | [`terms`] | the distinct terms of a field, numbered as they come |
//! | [`term`], [`number`] | keyword and number fields: document and value |
//! | [`vector`] | vectors, one after another
//! | [`records`] | what is stored of each document |
//! | [`order`] | the documents of a sorted index in their order |
//! | [`block`] | nested objects of a document, which become documents before it |
//! | [`invert`], [`flush`] | tokens to postings, and everything to a segment |
//! | [`lone`] | one field alone |
mod block;
mod field;
mod flush;
mod invert;
pub mod lone;
mod number;
mod order;
mod prefetch;
mod records;
mod shape;
mod term;
mod terms;
mod text;
mod vector;
mod words;

#[cfg(test)]
mod flush_tests;
#[cfg(test)]
mod tests;

use block::Block;
use field::FieldBuffer;
pub use flush::FrozenBuffer;
pub use order::DocumentOrder;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::{DOCUMENTS_MAX, ID_BYTES_MAX};
use quarry_mapping::Mapping;
use quarry_mapping::sink::DocumentSink;
use quarry_mapping::spec::FieldId;
use quarry_segment::column::range::Range;
use quarry_segment::ids::IdsWriter;
use quarry_segment::index_sort::IndexSort;
use quarry_segment::stored::StoredCodec;
use quarry_segment::vectors::elements::VectorValues;
pub use records::Records;
pub use records::release_waiting;
use std::sync::Arc;
use term::TermField;

/// Bytes of a buffer after which it asks to be flushed, unless its owner says otherwise. Larger buffers are not faster.
pub const BUFFER_BYTES_DEFAULT: usize = 128 << 20;
/// The most that an owner may ask for: what is counted in 32 bits stays far below their end.
const BUFFER_BYTES_MAX: usize = 1 << 30;

/// What belongs to a document beside its fields.
#[derive(Debug, Clone, Copy)]
pub struct DocumentMeta<'a> {
    pub id: &'a [u8],
    pub routing: Option<&'a [u8]>,
    pub seq_no: u64,
    pub version: u64,
    pub primary_term: u64,
    /// The body as it is stored (after `_source.includes`/`excludes`); `None` when `_source` is disabled.
    pub source: Option<&'a [u8]>,
}

/// What `flush` wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlushSummary {
    /// Ordinals of the buffer are document ids of the segment, unless there is an `order`.
    pub document_count: u32,
    /// Documents of the segment that were deleted before the flush, ascending: its first deletions.
    pub deleted: Vec<u32>,
    /// Of a sorted index whose documents did not come in its order.
    pub order: Option<DocumentOrder>,
    /// Bytes of the segment file.
    pub file_bytes: u64,
}

impl FlushSummary {
    /// The document of the segment that has this ordinal in the buffer.
    pub fn document_of(&self, ordinal: u32) -> u32 {
        self.order.as_ref().map_or(ordinal, |order| order.new_docs()[ordinal as usize])
    }
}

/// See the module.
#[derive(Debug)]
pub struct IndexBuffer {
    /// By field id.
    fields: Vec<FieldBuffer>,
    routing: TermField,
    ignored: TermField,
    /// Names of fields that are only stored.
    stored_only: TermField,
    /// Paths of nested documents.
    nested: TermField,
    ids: IdsWriter,
    seq_nos: Vec<u64>,
    versions: Vec<u64>,
    primary_terms: Vec<u64>,
    records: Records,
    codec: StoredCodec,
    /// One bit for each document.
    deleted: Vec<u64>,
    deleted_count: u32,
    open: OpenDocument,
    block: Block,
    scratch: flush::FlushScratch,
    /// Bytes of all fields, kept up to date by those that a document touched.
    field_bytes: usize,
    bytes_max: usize,
    /// What the documents of its segments are sorted by; `None`: they stay as they came.
    sort: Option<Arc<IndexSort>>,
}

/// The document between `begin_document` and its end.
#[derive(Debug, Default)]
struct OpenDocument {
    /// Fields that received a value, each once.
    touched: Vec<FieldId>,
    /// Values of fields with `store: true`: field and where its JSON ends in `stored_json`.
    stored: Vec<(FieldId, usize)>,
    stored_json: Vec<u8>,
    record: Vec<u8>,
}

impl OpenDocument {
    fn clear(&mut self) {
        self.touched.clear();
        self.stored.clear();
        self.stored_json.clear();
        self.record.clear();
    }
}

impl IndexBuffer {
    /// `bytes_max` is when [`IndexBuffer::is_full`] says so.
    pub fn new(mapping: &Mapping, codec: StoredCodec, bytes_max: usize) -> Result<Self> {
        Ok(IndexBuffer {
            fields: mapping.fields().iter().map(FieldBuffer::new).collect::<Result<_>>()?,
            routing: TermField::default(),
            ignored: TermField::default(),
            stored_only: TermField::default(),
            nested: TermField::default(),
            ids: IdsWriter::new(),
            seq_nos: Vec::new(),
            versions: Vec::new(),
            primary_terms: Vec::new(),
            records: Records::default(),
            codec,
            deleted: Vec::new(),
            deleted_count: 0,
            open: OpenDocument::default(),
            block: Block::default(),
            scratch: flush::FlushScratch::default(),
            field_bytes: 0,
            bytes_max: bytes_max.min(BUFFER_BYTES_MAX),
            sort: None,
        })
    }

    /// Its segments are to be sorted. The mapping has the fields, and no nested ones.
    pub fn sorted_by(self, sort: Option<Arc<IndexSort>>) -> Self {
        IndexBuffer { sort, ..self }
    }

    /// Known fields keep their ids and what they hold, new ones follow. Not within a document.
    pub fn update_mapping(&mut self, mapping: &Mapping) -> Result<()> {
        let (known, new) = mapping.fields().split_at(self.fields.len().min(mapping.fields().len()));
        for (buffer, field) in self.fields.iter_mut().zip(known) {
            buffer.update(field)?;
        }
        for field in new {
            self.fields.push(FieldBuffer::new(field)?);
        }
        Ok(())
    }

    pub fn begin_document(&mut self) {
        debug_assert!(
            self.open.touched.is_empty(),
            "the document before this one was neither committed nor rolled back"
        );
        self.open.clear();
    }

    /// Forgets the values taken since `begin_document`.
    pub fn rollback_document(&mut self) {
        if !self.block.is_empty() {
            self.rollback_block();
        }
        for &id in &self.open.touched {
            let field = &mut self.fields[id as usize];
            field.rollback();
            self.field_bytes += field.account();
        }
        self.ignored.rollback();
        self.stored_only.rollback();
        self.open.clear();
    }

    /// Returns the document's ordinal in the buffer: its document id in the flushed segment. Nested documents have the
    /// ordinals before it. On an error (no room for a document, an id that is too long) nothing is committed and the caller
    /// rolls back.
    pub fn commit_document(&mut self, meta: DocumentMeta<'_>) -> Result<u32> {
        let ordinal = self.document_count() + self.block.children.len() as u32;
        if ordinal >= DOCUMENTS_MAX {
            return Err(Error::new(
                ErrorCode::CircuitBreaking,
                format!("the buffer holds [{ordinal}] documents, no more fit"),
            ));
        }
        if meta.id.len() > ID_BYTES_MAX {
            return Err(Error::illegal_argument(format!(
                "id is too long, must be no longer than {ID_BYTES_MAX} bytes but was: {}",
                meta.id.len()
            )));
        }
        if let Some(routing) = meta.routing {
            self.routing.add(ordinal, routing);
        }
        if self.block.is_empty() {
            for &id in &self.open.touched {
                let field = &mut self.fields[id as usize];
                field.commit(ordinal);
                self.field_bytes += field.account();
            }
        } else {
            self.commit_touched_as(ordinal);
            self.ignored.commit_as(ordinal);
            self.commit_children(meta.seq_no, meta.version, meta.primary_term);
        }
        self.routing.commit();
        self.ignored.commit();
        self.ids.add(meta.id);
        self.seq_nos.push(meta.seq_no);
        self.versions.push(meta.version);
        self.primary_terms.push(meta.primary_term);
        self.write_record(ordinal, meta.source);
        self.stored_only.commit();
        self.records.add(&self.open.record);
        self.open.clear();
        Ok(ordinal)
    }

    /// Marks a committed document as deleted, with its nested ones; it stays in the segment, dead. `false` when it was dead
    /// already.
    pub fn delete(&mut self, ordinal: u32) -> bool {
        let children = if self.nested.is_empty() { 0 } else { self.children_of(ordinal) };
        for child in ordinal - children..ordinal {
            self.delete_one(child);
        }
        self.delete_one(ordinal)
    }

    fn delete_one(&mut self, ordinal: u32) -> bool {
        let (word, bit) = (ordinal as usize / 64, 1u64 << (ordinal % 64));
        if ordinal >= self.document_count() {
            return false;
        }
        if self.deleted.len() <= word {
            self.deleted.resize(word + 1, 0);
        }
        let was_live = self.deleted[word] & bit == 0;
        self.deleted[word] |= bit;
        self.deleted_count += u32::from(was_live);
        was_live
    }

    pub fn is_deleted(&self, ordinal: u32) -> bool {
        self.deleted.get(ordinal as usize / 64).is_some_and(|word| word >> (ordinal % 64) & 1 == 1)
    }

    /// The stored record ([`Record`]) of a committed document.
    pub fn document(&self, ordinal: u32) -> Result<&[u8]> {
        self.records.get(ordinal)
    }

    /// Committed documents, deleted and nested ones included.
    pub fn document_count(&self) -> u32 {
        self.seq_nos.len() as u32
    }

    /// What committing the open document will add: itself and its nested ones.
    pub fn open_document_count(&self) -> u32 {
        self.block.children.len() as u32 + 1
    }

    pub fn deleted_count(&self) -> u32 {
        self.deleted_count
    }

    /// Bytes held, capacity kept for reuse excluded.
    pub fn memory_bytes(&self) -> usize {
        let system = self.seq_nos.len() * 3 * size_of::<u64>() + self.deleted.len() * size_of::<u64>();
        let names = self.ignored.memory_bytes() + self.stored_only.memory_bytes();
        let terms = self.routing.memory_bytes() + names + self.nested.memory_bytes();
        self.field_bytes + system + terms + self.ids.memory_bytes() + self.records.memory_bytes()
    }

    /// The buffer reached its bound: flush before the next document.
    pub fn is_full(&self) -> bool {
        self.memory_bytes() >= self.bytes_max
    }

    /// The field that a value is for, noted as touched. Ids come from the mapping that the buffer was given last.
    fn touch(&mut self, id: FieldId) -> Result<(&mut FieldBuffer, u32)> {
        let ordinal = self.document_count();
        let field = self
            .fields
            .get_mut(id as usize)
            .ok_or_else(|| Error::new(ErrorCode::Internal, format!("field [{id}] is not in the buffer's mapping")))?;
        if field.touch() {
            self.open.touched.push(id);
        }
        Ok((field, ordinal))
    }
}

impl DocumentSink for IndexBuffer {
    fn text(&mut self, field: FieldId, value: &str) -> Result<()> {
        self.touch(field)?.0.add_text(value)
    }

    fn term(&mut self, field: FieldId, value: &[u8]) -> Result<()> {
        let (field, ordinal) = self.touch(field)?;
        field.add_term(ordinal, value)
    }

    fn number(&mut self, field: FieldId, value: i64) -> Result<()> {
        let (field, ordinal) = self.touch(field)?;
        field.add_number(ordinal, value)
    }

    fn range(&mut self, field: FieldId, range: Range) -> Result<()> {
        let (field, ordinal) = self.touch(field)?;
        field.add_range(ordinal, range)
    }

    fn vector(&mut self, field: FieldId, vector: VectorValues<'_>) -> Result<()> {
        let (field, ordinal) = self.touch(field)?;
        field.add_vector(ordinal, vector)
    }

    fn stored(&mut self, field: FieldId, json: &[u8]) -> Result<()> {
        self.open.stored_json.extend_from_slice(json);
        self.open.stored.push((field, self.open.stored_json.len()));
        Ok(())
    }

    fn ignored(&mut self, field: FieldId) -> Result<()> {
        let ordinal = self.document_count();
        self.touch(field)?;
        self.ignored.add(ordinal, self.fields[field as usize].name().as_bytes());
        Ok(())
    }

    fn begin_child(&mut self) {
        self.open_child();
    }

    fn end_child(&mut self, path: &str) {
        self.close_child(path);
    }

    fn exchange_with_outer(&mut self, levels: usize) {
        self.exchange(levels);
    }
}
