//! What is kept for later searches, and given up before one is refused.

use quarry_base::allocation;
use std::sync::OnceLock;

/// Memory that is kept for later searches, and given up before a search is refused.
#[derive(Debug)]
pub struct Kept {
    /// What all of it takes.
    pub bytes: fn() -> u64,
    /// Keeps nothing more of it.
    pub give_up: fn(),
}

/// Who keeps some.
#[derive(Debug, Clone, Copy)]
pub enum Keeper {
    Aggregations,
    Ordinals,
}

static KEPT: [OnceLock<Kept>; 2] = [const { OnceLock::new() }; 2];

/// From now on this is counted, and given up when memory is short.
pub fn count_kept(keeper: Keeper, kept: Kept) {
    let _ = KEPT[keeper as usize].set(kept);
}

pub(super) fn kept_bytes() -> u64 {
    KEPT.iter().filter_map(OnceLock::get).map(|kept| (kept.bytes)()).sum()
}

/// It was that of others: a search has no more room of its own for it.
pub(super) fn give_up_kept() {
    allocation::apart(|| KEPT.iter().filter_map(OnceLock::get).for_each(|kept| (kept.give_up)()));
}
