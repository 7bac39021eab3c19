//! The nearest of some vectors, all of which are looked at.

use crate::Interrupt;
use crate::nearest::{Best, BestOfGroups, Keep, Near};
use quarry_base::error::Result;

/// Vectors between two looks at the interrupt.
const STRIDE: u32 = 1_024;

/// The nearest `limit` (at least 1) of `ordinals`, the nearest first. `group`: the nearest one of each counts alone.
pub fn nearest(
    closeness: &dyn Fn(u32) -> f32,
    ordinals: &mut dyn Iterator<Item = u32>,
    limit: usize,
    group: Option<&dyn Fn(u32) -> u32>,
    interrupt: Interrupt<'_>,
) -> Result<Vec<Near>> {
    match group {
        Some(group) => offer_all(closeness, ordinals, BestOfGroups::new(limit, group), interrupt),
        None => offer_all(closeness, ordinals, Best::new(limit), interrupt),
    }
}

fn offer_all(
    closeness: &dyn Fn(u32) -> f32,
    ordinals: &mut dyn Iterator<Item = u32>,
    mut best: impl Keep,
    interrupt: Interrupt<'_>,
) -> Result<Vec<Near>> {
    let mut seen = 0u32;
    for ordinal in ordinals {
        seen = seen.wrapping_add(1);
        if seen.is_multiple_of(STRIDE) {
            interrupt()?;
        }
        best.offer(Near { closeness: closeness(ordinal), ordinal });
    }
    Ok(best.into_sorted())
}
