//! How documents get from the buffer to segments and to a commit point, and how segments are merged.
//!
//! | module | what it answers |
//! | --- | --- |
//! | `refresh`, [`frozen`], [`flush`] | buffer to segment to commit point |
//! | `slot`, `slots` | a segment as its shard holds it, and all of them |
//! | `merging`, [`merge_job`] | segments lent to a merge, and its result swapped in |
//! | [`adoption`] | segments that were read from elsewhere while they were copied |
pub mod adoption;
pub mod flush;
pub mod frozen;
pub mod merge_job;
pub(crate) mod merging;
mod refresh;
pub(crate) mod slot;
pub(crate) mod slots;
