//! Writes a segment file: section after section, then metadata and footer.

use super::FieldKind;
use super::column::numeric::NumericColumnData;
use super::column::ordinal::OrdinalColumnData;
use super::column::presence::PresenceData;
use super::id::SegmentId;
use super::ids::IdsData;
use super::stored::StoredData;
use crate::error::Result;
use crate::postings::{FieldPostings, PostingsOptions};
use std::path::Path;

/// Everything a segment keeps of one field.
#[derive(Debug)]
pub struct FieldSections {
    pub name: String,
    pub kind: FieldKind,
    pub options: PostingsOptions,
    /// Documents with at least one term, or value for numbers: what BM25 calls N, with the field.
    pub doc_count: u32,
    pub postings: Option<FieldPostings>,
    /// One byte per document ([`crate::codec::norm`]); the writer pads to whole windows.
    pub norms: Option<Vec<u8>>,
    pub numeric: Option<NumericColumnData>,
    pub ordinals: Option<OrdinalColumnData>,
    /// For fields whose documents no column tells.
    pub presence: Option<PresenceData>,
}

/// What every segment has.
#[derive(Debug)]
pub struct SystemSections {
    pub max_doc: u32,
    pub ids: IdsData,
    pub seq_nos: NumericColumnData,
    pub versions: NumericColumnData,
    pub primary_terms: NumericColumnData,
    pub stored: StoredData,
}

/// Writes beside the path and renames in `finish`; dropped before that, it removes what it wrote.
#[derive(Debug)]
pub struct SegmentWriter {}

impl SegmentWriter {
    pub fn create(_path: &Path, _id: SegmentId) -> Result<Self> {
        todo!()
    }

    /// In any order, each name once.
    pub fn add_field(&mut self, _field: FieldSections) -> Result<()> {
        todo!()
    }

    /// Completes and renames the file; not fsynced (see [`sync_segment`]). Returns its length.
    pub fn finish(self, _system: SystemSections) -> Result<u64> {
        todo!()
    }
}

/// Makes a finished segment durable, its name included: before a commit point names it.
pub fn sync_segment(_path: &Path) -> Result<()> {
    todo!()
}
