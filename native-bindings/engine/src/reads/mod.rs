//! What is read of an open shard, by its own thread and by others.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`get`], [`source_spec`] | a document by its id |
//! | `lookup` | the newest state of a document by its id |
//! | [`published`] | what other threads may read of the shard |
pub mod get;
pub(crate) mod lookup;
pub mod published;
pub mod source_spec;
