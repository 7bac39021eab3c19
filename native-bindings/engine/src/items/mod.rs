//! What a bulk request asks for, item by item: split, sent to shards, joined.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`split`], [`descriptor`] | a bulk body to items, without parsing documents |
//! | [`version`] | which version an item asks for, and which one a write makes |
//! | [`routing`] | which shard an item belongs to |
//! | [`join`] | the shards' item answers in the order of the request |
pub mod descriptor;
pub mod join;
pub mod routing;
pub mod split;
pub mod version;
