//! One shard: its versions, translog, buffer, segments and searcher snapshots. Knows neither REST nor cluster.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`split`], [`descriptor`] | a bulk body to items, without parsing documents |
//! | [`routing`] | which shard an item belongs to |
//! | [`join`] | the shards' item answers in the order of the request |
//! | [`version`] | versions and their conflicts |
//! | [`translog`] | operations on disk before they are acknowledged |
pub mod descriptor;
pub mod join;
pub mod routing;
pub mod split;
pub mod translog;
pub mod version;

#[cfg(test)]
mod test_directory;
