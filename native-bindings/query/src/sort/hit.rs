//! A document that a search found.

use super::groups::GroupValue;
use super::value::SortValue;
use serde::{Deserialize, Serialize};

/// A document of a shard that the response may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// Number in the shard.
    pub doc: u32,
    pub score: Option<f32>,
    /// One for each sort key; empty when hits are ordered by score.
    pub sort: Vec<SortValue>,
    /// With `collapse`: the value that it stands for.
    pub group: Option<GroupValue>,
    /// With `explain`: places of the rescorers in whose windows it was.
    pub rescored: Vec<u32>,
}
