//! The nearest of some vectors, all of which are looked at.

use crate::nearest::{Best, Near};
use crate::similarity::Similarity;
use crate::{Interrupt, Vectors};
use quarry_base::error::Result;

/// Vectors between two looks at the interrupt.
const STRIDE: u32 = 1_024;

/// The nearest `limit` (at least 1) of `ordinals`, the nearest first.
pub fn nearest(
    vectors: &dyn Vectors,
    similarity: Similarity,
    query: &[f32],
    ordinals: &mut dyn Iterator<Item = u32>,
    limit: usize,
    interrupt: Interrupt<'_>,
) -> Result<Vec<Near>> {
    let mut best = Best::new(limit);
    let mut seen = 0u32;
    for ordinal in ordinals {
        seen = seen.wrapping_add(1);
        if seen.is_multiple_of(STRIDE) {
            interrupt()?;
        }
        best.offer(Near { closeness: similarity.closeness(query, vectors.get(ordinal)), ordinal });
    }
    Ok(best.into_sorted())
}
