//! Quarry's kernels: everything that walks documents, tokens, postings or column values.
//!
//! Plain Rust without Node: `cargo test -p quarry-kernels` runs all of it. The crate `binding` exposes it to JavaScript.
//! Imports go downward in this list only:
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`shard`] | one shard: bulk, get, versions, translog, refresh, flush, merge swap, recovery |
//! | [`search`], [`aggs`] | plan to scorers to top documents, partial aggregates, rendered hits |
//! | [`script`] | the scripting languages: compiled programs, run in a sandbox over documents and JSON |
//! | [`buffer`] | the in-memory indexing buffer and its turning into a segment |
//! | [`mapping`] | a JSON document and a compiled mapping to field values |
//! | [`segment`] | the segment file: writer, reader, merge, check |
//! | [`postings`] | term dictionary, postings, positions, cursors |
//! | [`analysis`] | text to tokens |
//! | [`raft`] | one member of the group that agrees on the cluster state |
//! | [`json`], [`codec`] | JSON scanner; vints, bit packing, LZ4 blocks, checksums, norms |
//! | [`window`], [`limits`], [`error`] | words that all rooms share |
pub mod aggs;
pub mod analysis;
pub mod buffer;
pub mod codec;
pub mod error;
pub mod json;
pub mod limits;
pub mod mapping;
pub mod postings;
pub mod raft;
pub mod script;
pub mod search;
pub mod segment;
pub mod shard;
#[cfg(test)]
pub(crate) mod testing;
mod threads;
pub mod window;
