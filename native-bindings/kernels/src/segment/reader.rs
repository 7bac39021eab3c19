//! Reads a segment file through a memory map.

use super::FieldKind;
use super::column::numeric::NumericColumn;
use super::column::ordinal::OrdinalColumn;
use super::id::SegmentId;
use super::ids::Ids;
use super::stored::{Stored, StoredCodec};
use crate::error::Result;
use crate::postings::{FieldPostingsReader, PostingsOptions};
use crate::window::WindowBits;
use std::path::Path;
use std::sync::Arc;

/// How much of the file is read to prove that it is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// Header, footer, metadata, bounds and inner directories of every section: at open.
    Metadata,
    /// The checksum of every byte as well: before a merge, at recovery, by `check`.
    All,
}

/// Statistics of a field in one segment, deleted documents included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FieldStats {
    pub doc_count: u32,
    pub sum_doc_freq: u64,
    pub sum_total_term_freq: u64,
}

/// One field of one segment.
#[derive(Debug)]
pub struct FieldReader {}

impl FieldReader {
    pub fn name(&self) -> &str {
        todo!()
    }

    pub fn kind(&self) -> FieldKind {
        todo!()
    }

    pub fn options(&self) -> PostingsOptions {
        todo!()
    }

    pub fn stats(&self) -> FieldStats {
        todo!()
    }

    pub fn postings(&self) -> Option<&FieldPostingsReader> {
        todo!()
    }

    /// One byte per document, padded with zeros to whole windows.
    pub fn norms(&self) -> Option<&[u8]> {
        todo!()
    }

    pub fn numeric(&self) -> Option<&NumericColumn> {
        todo!()
    }

    pub fn ordinals(&self) -> Option<&OrdinalColumn> {
        todo!()
    }

    /// Sets the bit of every document of the window that has the field.
    pub fn has_value(&self, _window: u32, _bits: &mut WindowBits) {
        todo!()
    }
}

/// An open segment. Immutable, usable from several threads; the map lives as long as anything that was taken from it.
#[derive(Debug)]
pub struct SegmentReader {}

impl SegmentReader {
    pub fn open(_path: &Path, _verify: Verify) -> Result<Arc<Self>> {
        todo!()
    }

    /// Reads every byte and compares checksums.
    pub fn verify_checksums(&self) -> Result<()> {
        todo!()
    }

    pub fn id(&self) -> SegmentId {
        todo!()
    }

    pub fn path(&self) -> &Path {
        todo!()
    }

    pub fn max_doc(&self) -> u32 {
        todo!()
    }

    /// Length of the file.
    pub fn bytes(&self) -> u64 {
        todo!()
    }

    pub fn field(&self, _name: &str) -> Option<&FieldReader> {
        todo!()
    }

    /// Sorted by name.
    pub fn fields(&self) -> &[FieldReader] {
        todo!()
    }

    pub fn ids(&self) -> &Ids {
        todo!()
    }

    pub fn stored(&self) -> &Stored {
        todo!()
    }

    pub fn stored_codec(&self) -> StoredCodec {
        todo!()
    }

    /// One value for every document, as are versions and primary terms.
    pub fn seq_nos(&self) -> &NumericColumn {
        todo!()
    }

    pub fn versions(&self) -> &NumericColumn {
        todo!()
    }

    pub fn primary_terms(&self) -> &NumericColumn {
        todo!()
    }
}
