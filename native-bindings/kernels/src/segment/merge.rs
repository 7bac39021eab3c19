//! Several segments and their deletions to one segment.

use super::id::SegmentId;
use super::live_docs::LiveDocs;
use super::reader::SegmentReader;
use super::stored::StoredCodec;
pub use super::throttle::MergeControl;
use crate::error::Result;
use std::path::Path;
use std::sync::Arc;

/// A segment to merge, with the deletions known when the merge starts.
#[derive(Debug, Clone)]
pub struct MergeInput {
    pub segment: Arc<SegmentReader>,
    pub live: Option<Arc<LiveDocs>>,
}

/// From documents of one input to documents of the merged segment.
#[derive(Debug, Clone)]
pub struct DocMap {}

impl DocMap {
    /// `None`: it was deleted when the merge started.
    pub fn new_doc(&self, _old_doc: u32) -> Option<u32> {
        todo!()
    }
}

#[derive(Debug)]
pub struct MergeResult {
    /// One per input.
    pub doc_maps: Vec<DocMap>,
    pub max_doc: u32,
    pub bytes: u64,
}

/// Writes the live documents of `inputs`, one input after another, as segment `id` to `path` (not fsynced). The inputs'
/// checksums are verified first. Documents deleted meanwhile are the caller's: `DocMap` says where they went. With no live
/// document at all nothing is written and `max_doc` is 0.
pub fn merge(
    _inputs: &[MergeInput],
    _path: &Path,
    _id: SegmentId,
    _codec: StoredCodec,
    _control: &MergeControl,
) -> Result<MergeResult> {
    todo!()
}
