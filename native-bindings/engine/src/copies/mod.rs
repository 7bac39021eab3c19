//! What copies of a shard and shards made of its files need of it.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`history`], [`segment_set`] | what other copies are sent: operations, segments |
//! | [`replica`] | a copy that takes them |
//! | [`parts`] | a new shard made of the files of others |
//! | [`content`] | whether copies have the same documents |
pub mod content;
pub mod history;
pub mod parts;
pub mod replica;
pub mod segment_set;
