//! How items become operations and answers.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`bulk`] | a batch of items in one call |
//! | `write` | one operation on a document |
//! | `room` | how many documents the shard may hold |
//! | `update`, `merge_source`, `script_update` | the document that an update makes of the stored one |
pub mod bulk;
mod merge_source;
mod room;
mod script_update;
mod update;
mod write;
