//! One shard: its versions, translog, buffer, segments and searcher snapshots. Knows neither REST nor cluster.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`items`] | a bulk body to items, which shard each belongs to, and the answers in the order of the request |
//! | [`engine`], [`config`] | the open shard: create, open, mapping, view; what it is told |
//! | [`writes`], `render` | items to operations and answers |
//! | [`stored_queries`] | queries that documents hold |
//! | `version_map`, `sequence` | which state of a document is the newest, and what may follow it |
//! | [`translog`] | operations on disk before they are acknowledged |
//! | [`reads`] | a document by its id; what other threads may read |
//! | [`segments`] | buffer to segment to commit point; merges |
//! | [`copies`] | what other copies are sent, a copy that takes it, shards made of the files of others |
//! | [`directory`] | one open shard per directory; whether it is whole; what takes how much of it; its end |
//! | [`stats`] | what was done, what is held |
pub mod config;
pub mod copies;
pub mod directory;
pub mod engine;
pub mod items;
pub mod reads;
mod render;
pub mod segments;
mod sequence;
pub mod stats;
pub mod stored_queries;
pub mod translog;
mod version_map;
pub mod writes;

#[cfg(test)]
mod tests;

pub use copies::replica::Replica;
pub use engine::Shard;
pub use render::error_json;
