//! The phases of a search: query, aggregations and fetch put together, on one shard and over several.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`search`] | the entry points: execute, count, query phase, fetch phase |
//! | [`reduce`] | what several shards found as one answer |
//! | [`collect`] | runs a compiled query over the segments of a shard |
//! | [`cursor`] | where a scroll goes on |
//! | [`can_match`] | whether a shard may have matches |
//! | [`profile`] | how long the parts of a search took |
pub mod can_match;
pub mod collect;
pub mod cursor;
pub mod profile;
pub mod reduce;
mod response;
pub mod search;

#[cfg(test)]
pub(crate) mod tests;

use quarry_query::weight::Above;

/// What queries of a search may have done by the crates above them.
pub(crate) const ABOVE: Above = Above {
    percolate: quarry_percolate::weight::weigh,
    search: |view, plan, is_cancelled| Ok(search::execute(view, plan, is_cancelled)?.hits),
};
