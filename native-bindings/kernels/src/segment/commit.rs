//! The commit point: which files are the shard, and how far its operations go.

use super::id::SegmentId;
use crate::error::Result;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSegment {
    pub id: SegmentId,
    pub max_doc: u32,
    /// 0: nothing is deleted and there is no sidecar.
    pub live_docs_generation: u64,
    pub deleted_count: u32,
    /// Length of the segment file.
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitPoint {
    pub generation: u64,
    pub segments: Vec<CommitSegment>,
    pub next_segment_number: u64,
    /// -1 when there was no operation yet.
    pub max_seq_no: i64,
    pub local_checkpoint: i64,
    /// Operations from this translog generation on are not in the segments.
    pub translog_generation: u64,
    pub primary_term: u64,
    pub history_uuid: String,
    pub user_data: Vec<(String, String)>,
}

impl CommitPoint {
    /// Writes `commit_<generation>` beside, fsyncs, renames, fsyncs the directory. The segments must be fsynced before.
    pub fn write(&self, _directory: &Path) -> Result<PathBuf> {
        todo!()
    }

    pub fn read(_path: &Path) -> Result<Self> {
        todo!()
    }

    /// The newest commit of the directory; `None` when there is none. A damaged newest commit is an error that names it:
    /// an older one would lose acknowledged operations silently.
    pub fn newest(_directory: &Path) -> Result<Option<Self>> {
        todo!()
    }

    /// Removes segment, live-docs, commit and temporary files of the directory that neither this commit nor `in_use` (file
    /// names) needs; leaves files of other kinds (translog) alone. Returns what was removed.
    pub fn remove_unreferenced(&self, _directory: &Path, _in_use: &[String]) -> Result<Vec<PathBuf>> {
        todo!()
    }
}
