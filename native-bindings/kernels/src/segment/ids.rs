//! `_id`: the bytes of each document's id, and a hash index from id to document.

use crate::codec::shared_bytes::SharedBytes;
use crate::error::Result;

/// A finished id column.
#[derive(Debug, Clone)]
pub struct IdsData {
    pub(crate) bytes: Vec<u8>,
}

/// Collects ids in document order.
#[derive(Debug, Default)]
pub struct IdsWriter {}

impl IdsWriter {
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of the next document. An id may come again (the document was overwritten): the last one is found.
    pub fn add(&mut self, _id: &[u8]) {
        todo!()
    }

    /// `hash_key`: secret of this segment, so that nobody can make ids that collide; made from the segment's uuid.
    pub fn finish(self, _hash_key: u64) -> IdsData {
        todo!()
    }
}

#[derive(Debug, Clone)]
pub struct Ids {}

impl Ids {
    pub fn open(_bytes: SharedBytes, _max_doc: u32) -> Result<Self> {
        todo!()
    }

    /// `doc < max_doc`.
    pub fn get(&self, _doc: u32) -> &[u8] {
        todo!()
    }

    /// The last document with this id, deleted or not.
    pub fn find(&self, _id: &[u8]) -> Option<u32> {
        todo!()
    }
}
