//! The request breaker: memory that aggregations, joins and the like of all searches of the process hold together, and what they keep for
//! later ones.

use quarry_base::error::{Error, ErrorCode, Result};
use quarry_segment::stored::kept_blocks;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Bytes reserved or kept now, and how often a reservation was refused. Blocks of stored documents are among what is kept; they have a small
/// bound of their own and are not given up for a search.
pub fn statistics() -> (u64, u64) {
    let kept = kept_bytes().saturating_add(kept_blocks::bytes());
    (USED.load(Ordering::Relaxed).saturating_add(kept), TRIPPED.load(Ordering::Relaxed))
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
        if after > self.limit {
            USED.fetch_sub(more, Ordering::Relaxed);
            TRIPPED.fetch_add(1, Ordering::Relaxed);
            return Err(too_large(self.label, after, self.limit));
        }
        self.reserved += more;
        Ok(())
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        USED.fetch_sub(self.reserved, Ordering::Relaxed);
    }
}

fn too_large(label: &str, wanted: u64, limit: u64) -> Error {
    Error::new(
        ErrorCode::CircuitBreaking,
        format!(
            "[request] Data too large, data for [{label}] would be [{wanted}/{}], which is larger than the limit of \
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
        let (used, tripped) = statistics();
        assert!(used >= 10 << 20);
        let error = Reservation::new(1 << 20).take(2 << 20).unwrap_err();
        assert_eq!(error.code, ErrorCode::CircuitBreaking);
        assert!(error.reason.starts_with("[request] Data too large, data for [<aggregations>] would be ["));
        assert!(error.reason.ends_with("which is larger than the limit of [1048576/1mb]"), "{}", error.reason);
        assert!(statistics().1 > tripped);
    }

    #[test]
    fn sizes_are_cut_off_to_a_digit() {
        let texts = [0, 1023, 1024, 1536, 10 << 20, (3 << 30) + (1 << 29)].map(size_text);
        assert_eq!(texts, ["0b", "1023b", "1kb", "1.5kb", "10mb", "3.5gb"]);
    }
}
