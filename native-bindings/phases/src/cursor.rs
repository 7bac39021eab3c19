//! Where a scroll stands on one shard, between one page and the next.

use crate::search::{FETCH_LIST, ShardResult};
use quarry_base::error::Result;
use quarry_base::wire;
use quarry_query::sort::hit::Hit;
use serde::{Deserialize, Serialize};

/// What the first page counted, and the last hit of this shard that a page has shown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Cursor {
    pub(super) total: u64,
    pub(super) is_lower_bound: bool,
    pub(super) max_score: Option<f32>,
    /// `None`: no page has shown a hit of this shard yet.
    pub(super) last: Option<Hit>,
}

impl Cursor {
    /// Behind a page: `result` is what the shard answered for it, `fetch_list` what the page showed of that, `before` where
    /// the shard stood.
    pub fn advance(result: &ShardResult, before: Option<Cursor>, fetch_list: &[u8]) -> Result<Cursor> {
        let shown: Vec<Hit> = if fetch_list.is_empty() { Vec::new() } else { wire::decode(FETCH_LIST, fetch_list)? };
        let last = shown.into_iter().next_back();
        Ok(match before {
            Some(before) => Cursor { last: last.or(before.last), ..before },
            None => {
                let collected = &result.collected;
                Cursor {
                    total: collected.total,
                    is_lower_bound: collected.is_lower_bound,
                    max_score: collected.max_score,
                    last,
                }
            }
        })
    }

    pub fn encode(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        wire::encode("a cursor", self, &mut bytes)?;
        Ok(bytes)
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        wire::decode("a cursor", bytes)
    }
}
