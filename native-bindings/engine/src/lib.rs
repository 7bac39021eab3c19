//! One shard: its versions, translog, buffer, segments and searcher snapshots. Knows neither REST nor cluster.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`split`], [`descriptor`] | a bulk body to items, without parsing documents |
//! | [`routing`] | which shard an item belongs to |
//! | [`join`] | the shards' item answers in the order of the request |
//! | [`engine`], `claim`, [`removal`] | the open shard: create, open, mapping, view; one per directory; the end of a directory |
//! | [`bulk`], `update`, `write` | items to operations and answers |
//! | [`version`], `version_map`, `lookup`, `sequence` | which state of a document is the newest, and what may follow it |
//! | [`translog`] | operations on disk before they are acknowledged |
//! | [`get`], [`source_spec`] | a document by its id |
//! | [`published`] | what other threads may read of it |
//! | `refresh`, [`frozen`], [`flush`] | buffer to segment to commit point |
//! | `merging`, [`merge_job`] | segments lent to a merge, and its result swapped in |
//! | [`history`], [`segment_set`] | what other copies are sent: operations, segments |
//! | [`replica`] | a copy that takes them |
//! | [`parts`] | a new shard made of the files of others |
//! | [`usage`] | what takes how much of the disk |
//! | [`content`] | whether copies have the same documents |
//! | [`stats`], [`check`] | what was done, what is held, whether it is whole |
pub mod adoption;
pub mod bulk;
pub mod check;
mod claim;
pub mod config;
pub mod content;
pub mod descriptor;
pub mod engine;
pub mod flush;
pub mod frozen;
pub mod get;
pub mod history;
pub mod join;
mod lookup;
pub mod merge_job;
mod merge_source;
mod merging;
pub mod parts;
pub mod published;
mod refresh;
pub mod removal;
mod render;
pub mod replica;
pub mod routing;
mod script_update;
pub mod segment_set;
mod sequence;
mod slot;
pub mod source_spec;
pub mod split;
pub mod stats;
pub mod stored_queries;
pub mod translog;
mod update;
pub mod usage;
pub mod version;
mod version_map;
mod write;

#[cfg(test)]
mod tests;

pub use engine::Shard;
pub use render::error_json;
pub use replica::Replica;
