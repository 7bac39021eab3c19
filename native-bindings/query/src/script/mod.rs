//! Scripts over the documents of a shard.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`docs`] | values of a segment's documents as scripts see them |
//! | [`scorers`] | the `script` and `script_score` queries |
//! | [`fields`] | `script_fields` of hits |
pub mod docs;
pub mod fields;
pub(crate) mod scorers;
