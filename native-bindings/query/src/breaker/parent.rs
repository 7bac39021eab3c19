//! The limit on all that the process holds.

use super::kept::kept_bytes;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The node asks it before it takes a request in; what a search takes later is asked here.
#[derive(Debug)]
pub(super) struct Parent {
    limit: AtomicU64,
    /// Whether what the system says of the process counts, or what is counted here alone.
    is_real: AtomicBool,
    /// What the process held when it was looked at, and what searches had reserved then.
    held: AtomicU64,
    reserved: AtomicU64,
}

pub(super) static PARENT: Parent = Parent {
    limit: AtomicU64::new(u64::MAX),
    is_real: AtomicBool::new(false),
    held: AtomicU64::new(0),
    reserved: AtomicU64::new(0),
};

/// The system is asked anew when searches have reserved so much more or less: that takes microseconds, and nobody holds a clock here.
const LOOK_BYTES: u64 = 4 << 20;

/// What the process may hold from now on. `is_real`: as the system says; otherwise what searches have reserved and what is kept of them.
pub fn limit_parent(limit: u64, is_real: bool) {
    PARENT.limit.store(limit, Ordering::Relaxed);
    PARENT.is_real.store(is_real, Ordering::Relaxed);
    PARENT.reserved.store(u64::MAX, Ordering::Relaxed);
}

impl Parent {
    /// Where searches have reserved so much and that is too much with all the rest: the breaker's name, what is wanted, and the limit.
    pub(super) fn excess(&self, reserved: u64) -> Option<(&'static str, u64, u64)> {
        let limit = self.limit.load(Ordering::Relaxed);
        if limit == u64::MAX {
            return None;
        }
        if !self.is_real.load(Ordering::Relaxed) {
            let counted = reserved.saturating_add(kept_bytes());
            return (counted > limit).then_some(("parent", counted, limit));
        }
        let wanted = self.wanted(reserved);
        (wanted > limit).then_some(("parent", wanted, limit))
    }

    /// What the process holds with what is reserved: it was reserved before it is taken.
    fn wanted(&self, reserved: u64) -> u64 {
        let looked_at = self.reserved.load(Ordering::Relaxed);
        if looked_at.abs_diff(reserved) < LOOK_BYTES {
            return self.held.load(Ordering::Relaxed).saturating_add(reserved.saturating_sub(looked_at));
        }
        let held = private_bytes();
        self.held.store(held, Ordering::Relaxed);
        self.reserved.store(reserved, Ordering::Relaxed);
        held
    }
}

/// Of this process, as `processMemory` of `src/base/memory.ts` reckons it; 0 where the system does not tell.
fn private_bytes() -> u64 {
    let Ok(statm) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    let mut pages = statm.split(' ').skip(1).map(|pages| pages.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared).saturating_mul(PAGE_BYTES)
}

/// Of the kernel, on all that this is built for.
const PAGE_BYTES: u64 = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parent_counts_what_the_process_holds() {
        let parent = Parent {
            limit: AtomicU64::new(u64::MAX),
            is_real: AtomicBool::new(true),
            held: AtomicU64::new(0),
            reserved: AtomicU64::new(u64::MAX),
        };
        assert_eq!(parent.excess(u64::MAX / 2), None);
        parent.limit.store(1 << 20, Ordering::Relaxed);
        let (name, wanted, limit) = parent.excess(64 << 10).unwrap();
        assert_eq!((name, limit), ("parent", 1 << 20));
        assert!(wanted > 1 << 20, "a process holds more than a megabyte: {wanted}");
        // As it was looked at, and what was reserved since then.
        parent.limit.store(wanted + (1 << 20), Ordering::Relaxed);
        assert_eq!(parent.excess((64 << 10) + (1 << 20)), None);
        assert_eq!(parent.excess((64 << 10) + (1 << 20) + 1).unwrap().1, wanted + (1 << 20) + 1);
    }
}
