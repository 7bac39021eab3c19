//! How segments and the files of a shard directory are called.

/// A segment of one shard: a number that rises with each segment, and random bytes that no other segment has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentId {
    pub number: u64,
    pub uuid: [u8; 16],
}

impl SegmentId {
    /// `_0`, `_a`, `_1b`: the number in base 36, as the API prints it.
    pub fn name(&self) -> String {
        todo!()
    }

    /// `_1b.seg`
    pub fn file_name(&self) -> String {
        todo!()
    }

    /// `_1b_3.live` of the third generation of deletions.
    pub fn live_docs_file_name(&self, _generation: u64) -> String {
        todo!()
    }
}
