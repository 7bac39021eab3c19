//! Which documents of a segment are not deleted: a bitmap in memory, a roaring sidecar file with a generation on disk.

use super::id::SegmentId;
use crate::error::Result;
use crate::window::WindowBits;
use std::path::Path;

/// Cloned on write (`Arc::make_mut`): searches keep the state they started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveDocs {}

impl LiveDocs {
    /// Every document alive.
    pub fn all_live(_max_doc: u32) -> Self {
        todo!()
    }

    /// `false` when it was deleted already.
    pub fn delete(&mut self, _doc: u32) -> bool {
        todo!()
    }

    pub fn is_live(&self, _doc: u32) -> bool {
        todo!()
    }

    /// The live documents of the window (bits beyond `max_doc` are 0).
    pub fn window(&self, _window: u32) -> &WindowBits {
        todo!()
    }

    pub fn max_doc(&self) -> u32 {
        todo!()
    }

    pub fn deleted_count(&self) -> u32 {
        todo!()
    }

    pub fn live_count(&self) -> u32 {
        todo!()
    }

    /// Deleted documents, ascending.
    pub fn deleted(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::empty()
    }

    /// Writes the sidecar of `generation` into the shard directory, fsynced, complete or not there at all. Returns its size.
    pub fn write(&self, _directory: &Path, _segment: &SegmentId, _generation: u64) -> Result<u64> {
        todo!()
    }

    pub fn read(_directory: &Path, _segment: &SegmentId, _generation: u64, _max_doc: u32) -> Result<Self> {
        todo!()
    }
}
