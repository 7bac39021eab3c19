//! How any thread takes the newest view of a shard without asking the owner of the shard, and learns what was written since.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`latest`] | the newest view of an open copy, and whether its owner is to be asked instead |
//! | [`touched`] | ids that were written since a view was made |
//! | [`touched_ids`] | the same, as the owner of the shard notes and shows it |
//! | [`open_copies`] | the open copies of the process, by directory |
//!
//! It stands apart from the engine so that a model checker can run it: `model.rs` says what is shown. With `--cfg loom` the shared words and
//! locks are those of `loom` (`shared.rs`).
pub mod latest;
pub mod open_copies;
mod shared;
pub mod touched;
pub mod touched_ids;

#[cfg(all(test, loom))]
mod model;
