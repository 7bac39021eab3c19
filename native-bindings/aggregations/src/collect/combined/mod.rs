//! Buckets of the keys of several fields: `composite` and `multi_terms`, and the keys themselves.

mod combinations;
pub mod composite;
pub mod key_source;
pub mod multi_terms;
mod page;
mod tuples;
