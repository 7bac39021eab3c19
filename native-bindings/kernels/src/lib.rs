//! Quarry's kernels: everything that walks documents, postings or column values.
//!
//! Plain Rust without Node: `cargo test --workspace` runs all of it. The crate `binding` exposes it to JavaScript.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`shard`] | one shard: bulk, get, versions, translog, refresh, flush, merge swap, recovery |
//! | [`search`], [`aggs`] | plan to scorers to top documents, partial aggregates, rendered hits |
//! | [`suggest`] | suggestions: terms, phrases and completions for a text |
pub mod aggs;
pub mod search;
pub mod shard;
pub mod suggest;
#[cfg(test)]
pub(crate) mod testing;
