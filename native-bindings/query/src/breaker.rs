//! The request breaker: memory that aggregations, joins and the like of all searches of the process hold together, and what they keep for
//! later ones.

use quarry_base::error::{Error, ErrorCode, Result};
use quarry_segment::stored::kept_blocks;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Memory that is kept for later searches, and given up before a search is refused.
#[derive(Debug)]
pub struct Kept {
    /// What all of it takes.
    pub bytes: fn() -> u64,
    /// Keeps nothing more of it.
    pub give_up: fn(),
}

static KEPT: OnceLock<Kept> = OnceLock::new();

/// From now on this is counted, and given up when memory is short. There is one of them: what aggregations keep.
pub fn count_kept(kept: Kept) {
    let _ = KEPT.set(kept);
}

fn kept_bytes() -> u64 {
    KEPT.get().map_or(0, |kept| (kept.bytes)())
}

/// Reserved by all searches of the process.
static USED: AtomicU64 = AtomicU64::new(0);
/// Searches that were refused.
static TRIPPED: AtomicU64 = AtomicU64::new(0);

/// Reservations grow by at least this much, so that few of them touch the shared counter.
const STEP_BYTES: u64 = 64 << 10;

/// What the node tells of the breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct BreakerStatistics {
    /// By searches that run.
    pub reserved_bytes: u64,
    /// For later searches. Blocks of stored documents are among it; they have a small bound of their own and are not given up for a search.
    pub kept_bytes: u64,
    /// Reservations that were refused, by the parent as well.
    pub tripped: u64,
}

pub fn statistics() -> BreakerStatistics {
    BreakerStatistics {
        reserved_bytes: USED.load(Ordering::Relaxed),
        kept_bytes: kept_bytes().saturating_add(kept_blocks::bytes()),
        tripped: TRIPPED.load(Ordering::Relaxed),
    }
}

/// The share of one search; given back when it is dropped.
#[derive(Debug)]
pub struct Reservation {
    limit: u64,
    /// What the memory is for, in messages.
    label: &'static str,
    reserved: u64,
    used: u64,
}

impl Reservation {
    /// `limit`: of all reservations of the process together.
    pub fn new(limit: u64) -> Self {
        Self::of(limit, "<aggregations>")
    }

    /// As [`Reservation::new`], for something else than aggregations.
    pub fn of(limit: u64, label: &'static str) -> Self {
        Reservation { limit, label, reserved: 0, used: 0 }
    }

    #[inline]
    pub fn take(&mut self, bytes: u64) -> Result<()> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.reserved { self.grow() } else { Ok(()) }
    }

    #[cold]
    fn grow(&mut self) -> Result<()> {
        let more = (self.used - self.reserved).max(STEP_BYTES);
        let before = USED.fetch_add(more, Ordering::Relaxed);
        let after = before.saturating_add(more);
        if after.saturating_add(kept_bytes()) > self.limit {
            KEPT.get().into_iter().for_each(|kept| (kept.give_up)());
        }
        let excess = if after > self.limit { Some(("request", after, self.limit)) } else { PARENT.excess(after) };
        if let Some((breaker, wanted, limit)) = excess {
            USED.fetch_sub(more, Ordering::Relaxed);
            TRIPPED.fetch_add(1, Ordering::Relaxed);
            return Err(too_large(breaker, self.label, wanted, limit));
        }
        self.reserved += more;
        Ok(())
    }
}

/// The limit on all that the process holds. The node asks it before it takes a request in; what a search takes later is asked here.
#[derive(Debug)]
struct Parent {
    limit: AtomicU64,
    /// Whether what the system says of the process counts, or what is counted here alone.
    is_real: AtomicBool,
    /// What the process held when it was looked at, and what searches had reserved then.
    held: AtomicU64,
    reserved: AtomicU64,
}

static PARENT: Parent = Parent {
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
    fn excess(&self, reserved: u64) -> Option<(&'static str, u64, u64)> {
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

/// Of this process, as `residentMemory` of `src/base/memory.ts` reckons it; 0 where the system does not tell.
fn private_bytes() -> u64 {
    let Ok(statm) = std::fs::read_to_string("/proc/self/statm") else { return 0 };
    let mut pages = statm.split(' ').skip(1).map(|pages| pages.parse::<u64>().unwrap_or(0));
    let (resident, shared) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    resident.saturating_sub(shared).saturating_mul(PAGE_BYTES)
}

/// Of the kernel, on all that this is built for.
const PAGE_BYTES: u64 = 4096;

impl Drop for Reservation {
    fn drop(&mut self) {
        USED.fetch_sub(self.reserved, Ordering::Relaxed);
    }
}

fn too_large(breaker: &str, label: &str, wanted: u64, limit: u64) -> Error {
    Error::new(
        ErrorCode::CircuitBreaking,
        format!(
            "[{breaker}] Data too large, data for [{label}] would be [{wanted}/{}], which is larger than the limit of \
             [{limit}/{}]",
            size_text(wanted),
            size_text(limit)
        ),
    )
}

/// One fractional digit of the largest unit that is at least one, cut off as the API does.
fn size_text(bytes: u64) -> String {
    let units = [(40, "tb"), (30, "gb"), (20, "mb"), (10, "kb")];
    let Some((shift, unit)) = units.into_iter().find(|(shift, _)| bytes >> shift > 0) else {
        return format!("{bytes}b");
    };
    let tenths = (u128::from(bytes) * 10) >> shift;
    if tenths % 10 == 0 { format!("{}{unit}", tenths / 10) } else { format!("{}.{}{unit}", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_beyond_the_limit_is_refused_and_given_back() {
        let mut reservation = Reservation::new(u64::MAX);
        reservation.take(10 << 20).unwrap();
        let BreakerStatistics { reserved_bytes, tripped, .. } = statistics();
        assert!(reserved_bytes >= 10 << 20);
        let error = Reservation::new(1 << 20).take(2 << 20).unwrap_err();
        assert_eq!(error.code, ErrorCode::CircuitBreaking);
        assert!(error.reason.starts_with("[request] Data too large, data for [<aggregations>] would be ["));
        assert!(error.reason.ends_with("which is larger than the limit of [1048576/1mb]"), "{}", error.reason);
        assert!(statistics().tripped > tripped);
    }

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

    #[test]
    fn sizes_are_cut_off_to_a_digit() {
        let texts = [0, 1023, 1024, 1536, 10 << 20, (3 << 30) + (1 << 29)].map(size_text);
        assert_eq!(texts, ["0b", "1023b", "1kb", "1.5kb", "10mb", "3.5gb"]);
    }
}
