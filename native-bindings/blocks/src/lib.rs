//! Files that lie elsewhere, read part by part through a cache file of bounded size.
//!
//! A file gets a range of addresses as long as it is. What was fetched of it is written to the cache file, and mapped into that
//! range: kernels see one slice, as they do of a mapped file. They get a slice only of what is there, was verified, and stays
//! there until the work that asked for it ends.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`cache`] | the cache file: its regions, who has them, and which are given up |
//! | [`file`] | one file that lies elsewhere |
//! | [`folder`] | the files of a shard, found by their paths |
//! | [`reading`] | what the work on this thread holds, and whether it may wait |
//! | [`requests`] | what is to be fetched, for whoever can |

mod address;
pub mod cache;
pub mod file;
pub mod folder;
mod part_set;
pub mod reading;
pub mod requests;
#[cfg(test)]
mod tests;
