//! Quarry's kernels: everything that walks documents, postings or column values.
//!
//! Plain Rust without Node: `cargo test --workspace` runs all of it. The crate `binding` exposes it to JavaScript. What is not
//! run for each document has crates of its own, so that a change compiles little; they are found here under their names.
//! Imports go downward in this list only:
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`shard`] | one shard: bulk, get, versions, translog, refresh, flush, merge swap, recovery |
//! | [`search`], [`aggs`] | plan to scorers to top documents, partial aggregates, rendered hits |
//! | [`suggest`] | suggestions: terms, phrases and completions for a text |
//! | [`buffer`] | the in-memory indexing buffer and its turning into a segment |
//! | [`mapping`] | a JSON document and a compiled mapping to field values |
//! | [`completion`] | terms of completion fields: inputs, contexts and weights to bytes and back |
//! | [`segment`] | the segment file: writer, reader, merge, check |
//! | [`postings`] | term dictionary, postings, positions, cursors |
//! | [`json`], [`codec`] | JSON scanner; bit packing, LZ4 blocks, norms |
//! | [`cache_statistics`] | how well caches do |
//! | [`threads`] | threads for what must not hold up whoever starts it |
//! | [`window`] | the unit of query execution |
//! | [`script`] | crate: the scripting languages: compiled programs, run in a sandbox over documents and JSON |
//! | [`geo`] | crate: places on the globe: how columns hold them, distances, areas, grids |
//! | [`analysis`] | crate: text to tokens |
//! | [`vectors`] | crate: vectors near to a vector: exact search, graphs
//! | [`raft`] | crate: one member of the group that agrees on the cluster state |
//! | [`quarry_base`] | crate: errors, limits, dates, durable files, vints; below all others |
pub mod aggs;
pub mod buffer;
pub mod cache_statistics;
pub mod codec;
pub mod completion;
pub mod json;
pub mod mapping;
pub mod postings;
pub mod search;
pub mod segment;
pub mod shard;
pub mod suggest;
#[cfg(test)]
pub(crate) mod testing;
pub mod threads;
pub mod window;

pub use quarry_analysis as analysis;
pub use quarry_base::{deep_json, error, limits};
pub use quarry_geo as geo;
pub use quarry_raft as raft;
pub use quarry_script as script;
pub use quarry_vectors as vectors;
