//! The directory of a shard: who has it open, whether it is whole, what fills it, and its end.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `claim` | one open shard per directory and process |
//! | [`check`] | whether everything in it is whole |
//! | [`usage`] | what takes how much of the disk |
//! | [`removal`] | the end of a directory |
pub mod check;
pub(crate) mod claim;
pub mod removal;
pub mod usage;
