//! The small files beside the segments: what says which segments and which of their documents are the shard.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`commit`] | which files are the shard |
//! | [`live_docs`] | which documents are not deleted |
//! | [`set`] | which segments and deletions a replica is to have |
pub mod commit;
pub mod live_docs;
pub mod set;
