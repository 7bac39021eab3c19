//! What several of Quarry's crates stand on; it stands on none of them.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`error`], [`limits`] | failures with the API's names; fixed bounds |
//! | [`allocation`] | what a thread holds of memory, and who is asked when that grows |
//! | [`control`], [`interrupt`] | cancellation and time-outs; the second for whatever takes long within a window |
//! | [`date`], [`time_value`] | formats of dates; durations as the API writes them |
//! | [`erased`] | what is done around work of many kinds, compiled once |
//! | [`wire`] | results on their way to another thread or node |
//! | [`deep_json`] | reading JSON as deep as documents may be |
//! | [`json`] | writing JSON strings, and the search for what needs an escape in them |
//! | [`java_regex`] | regular expressions of Java in the syntax of `regex` |
//! | [`murmur3`] | a hash that clients know too |
//! | [`varint`] | little-endian base-128 integers |
//! | [`files`], [`envelope`] | files that are whole or not there |
//! | [`random`] | random bytes of the operating system |
//! | [`threads`], `scheduling` | threads for what must not hold up whoever starts it, and how the system runs them |
//! | [`cache_statistics`] | how well caches do |
//!
//! What runs for each byte or value of a document is `#[inline]`, so that it costs other crates no call.
pub mod allocation;
pub mod cache_statistics;
pub mod control;
pub mod date;
pub mod deep_json;
pub mod envelope;
pub mod erased;
pub mod error;
pub mod files;
pub mod interrupt;
pub mod java_regex;
pub mod json;
pub mod limits;
pub mod lucene_regexp;
pub mod murmur3;
pub mod murmur3_128;
pub mod random;
mod scheduling;
pub mod threads;
pub mod time_value;
pub mod varint;
pub mod wire;
