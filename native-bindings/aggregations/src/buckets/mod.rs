//! What finished buckets are called, which values they have, and in which order they come.

pub mod best_terms;
pub mod digests;
pub mod keys;
pub mod order;
pub mod property;
