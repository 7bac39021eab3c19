//! The segment file: header, checksummed sections, FlatBuffers metadata (`src/segment/schema/*.fbs`), footer.
//!
//! | file | what it answers |
//! | --- | --- |
//! | [`id`] | how segments and their files are called |
//! | [`writer`], [`reader`] | one segment file |
//! | [`closing`] | who is told when a segment's reader goes |
//! | [`column`] | numeric and ordinal columns, presence: values of a document |
//! | [`vectors`] | vectors by document, and the graph to walk through them
//! | [`completion`] | terms of completion fields, and the best of a range of them |
//! | [`ids`] | `_id` of a document, document of an `_id` |
//! | [`stored`] | the stored record (source and stored fields) of a document |
//! | [`nested`] | which documents are parts of others |
//! | [`index_sort`] | the order of the documents |
//! | [`directory`] | which files are the shard, which documents are not deleted, what a replica is to have |
//! | [`merge`] | several segments and their deletions to one segment |
//! | [`dump`] | a segment as text, for tests |
//! | [`check`] | is everything in this directory whole; are the bytes of a file that come |
//!
//! Nothing read from a file is trusted: damage is [`quarry_base::error::ErrorCode::Corrupt`] naming file, section and place.

pub mod check;
pub mod closing;
pub mod column;
pub mod completion;
pub mod directory;
pub mod dump;
pub mod id;
pub mod ids;
pub mod index_sort;
mod layout;
pub mod merge;
pub mod metadata;
pub mod nested;
pub mod reader;
mod sort_keys;
pub mod stored;
#[cfg(test)]
mod tests;
pub mod throttle;
pub mod vectors;
pub mod writer;

use quarry_base::{envelope, files};

/// Accessors that `src/setup/generate-schemas.mjs` makes from `src/segment/schema/*.fbs`.
#[rustfmt::skip]
#[allow(warnings, clippy::all, clippy::undocumented_unsafe_blocks, unsafe_op_in_unsafe_fn)]
mod generated {
    pub mod commit;
    pub mod live_docs;
    pub mod segment;
    pub mod segment_set;
}

/// Which kind of value a field holds; decides which sections it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Analysed text: postings, norms.
    Text,
    /// Terms as they are: postings, ordinals. Keyword and ip.
    Term,
    /// Sortable 64-bit numbers: a numeric column.
    Number,
    /// Ranges of numbers or addresses: columns of beginnings and ends.
    Range,
    /// Vectors, one for a document.
    Vector,
}

/// `_routing`, `_ignored` and `_field_names` are ordinary fields of kind [`FieldKind::Term`] under these names.
pub const ROUTING_FIELD: &str = "_routing";
pub const IGNORED_FIELD: &str = "_ignored";
/// The sequence numbers, read as a column of a field.
pub const SEQ_NO_FIELD: &str = "_seq_no";
/// Names of the fields that a document has which are only stored: nothing else tells that it has them.
pub const STORED_ONLY_FIELD: &str = "_field_names";
