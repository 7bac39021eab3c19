//! Scripts over the documents of a shard.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`docs`] | values of a segment's documents as scripts see them |
//! | [`scorers`] | the `script` and `script_score` queries |
//! | [`fields`] | `script_fields` of hits |
//! | [`no_document`] | what scripts run in that see no document |
pub mod docs;
pub mod fields;
pub mod no_document;
pub(crate) mod scorers;
