//! What shards and the reduction share of one kind of aggregation.

pub mod composite;
pub mod ip_range;
pub mod rate;
pub mod scripted;
pub mod significance;
