//! Files that lie elsewhere, read part by part: through a cache file of bounded size, or into copies of which all is to come.
//!
//! A file gets a range of addresses as long as it is. What was fetched of it is written to the cache file or the copy, which is
//! mapped into that range: kernels see one slice, as they do of a mapped file. They get a slice only of what is there, was verified, and stays
//! there until the work that asked for it ends.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`cache`] | the cache file: its regions, who has them, and which are given up |
//! | `copy` | a file of the directory that grows until it is whole |
//! | `disk` | files that have their room from the beginning |
//! | `room` | which of the two a file has |
//! | `shape` | parts and regions, and which parts a thread fetches |
//! | [`file`] | one file that lies elsewhere |
//! | [`folder`] | the files of a shard, found by their paths |
//! | [`reading`] | what the work on this thread holds, and whether it may wait |
//! | [`requests`] | what is to be fetched, for whoever can |

mod address;
pub mod cache;
mod copy;
mod disk;
pub mod file;
pub mod folder;
mod part_set;
pub mod reading;
pub mod requests;
mod room;
mod shape;
#[cfg(test)]
mod tests;
