//! Parents and children that are documents of one shard: queries and aggregations that go from one to the other.
//!
//! Both have the id of the parent in a field of its own (`mapping::join`). Each id has one number in the shard
//! ([`ordinals`](super::ordinals)), so that what is found on one side is a row of bits, counts and scores by number ([`found`]), against which
//! the documents of the other side are held.
pub mod found;

use super::node::Node;
use quarry_plan::join::ChildScore;

/// Documents of one side of a relation by what is found on the other.
#[derive(Debug)]
pub struct JoinNode {
    /// The field of the parents' ids.
    pub field: String,
    /// What is looked for on the other side: documents of that side already.
    pub from: Node,
    /// The documents of this side.
    pub to: Node,
    pub score: ChildScore,
    /// How many documents of the other side there must be for one of this.
    pub least: u32,
    pub most: u32,
}
