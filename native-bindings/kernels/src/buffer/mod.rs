//! The in-memory indexing buffer of a shard: documents since the last refresh, inverted as they come.
//!
//! Contract for the other rooms (the implementation lives in sibling files). `IndexBuffer` implements
//! [`crate::mapping::sink::DocumentSink`] and adds: `new(&Mapping, Arc<Registry>)`, `update_mapping(..)`,
//! `begin_document()`, `rollback_document()`, `commit_document(DocumentMeta { id, routing, seq_no, version,
//! primary_term, source: &[u8] }) -> u32` (the ordinal in the buffer), `delete(ordinal)`, `document(ordinal) -> stored
//! record`, `document_count()`, `memory_bytes()`, `flush(path, segment id) -> Result<FlushSummary>` (writes one segment
//! through [`crate::segment`]'s writer; deleted ordinals stay in the segment and are returned as its first live docs).
