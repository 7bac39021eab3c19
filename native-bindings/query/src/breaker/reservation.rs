//! What one search has of the memory of all.

use super::kept::{give_up_kept, kept_bytes};
use super::measured;
use super::parent::PARENT;
use super::{TRIPPED, USED};
use quarry_base::allocation;
use quarry_base::error::{Error, ErrorCode, Result};
use std::sync::atomic::Ordering;

/// Reservations grow by at least this much, so that few of them touch the shared counter.
const STEP_BYTES: u64 = 64 << 10;
/// A reservation that is larger by more is given back in part.
const SURPLUS_BYTES: u64 = 1 << 20;

/// The share of one search; given back when it is dropped.
#[derive(Debug)]
pub struct Reservation {
    limit: u64,
    /// What the memory is for, in messages.
    label: &'static str,
    reserved: u64,
    used: u64,
    /// [`allocation::untold`] leaves it out. Such a reservation stays on its thread.
    is_told: bool,
}

impl Reservation {
    /// `limit`: of all reservations of the process together.
    pub fn new(limit: u64) -> Self {
        Self::of(limit, "<aggregations>")
    }

    /// As [`Reservation::new`], for something else than aggregations.
    pub fn of(limit: u64, label: &'static str) -> Self {
        Reservation { limit, label, reserved: 0, used: 0, is_told: true }
    }

    /// For what nobody reserves by name.
    pub(super) fn of_search(limit: u64) -> Self {
        Reservation { is_told: false, ..Self::of(limit, "<search>") }
    }

    #[inline]
    pub fn take(&mut self, bytes: u64) -> Result<()> {
        let wanted = self.used.saturating_add(bytes);
        if wanted > self.reserved {
            self.grow(wanted)?;
        }
        self.used = wanted;
        Ok(())
    }

    /// So much from now on, whatever it was before.
    pub fn hold(&mut self, bytes: u64) -> Result<()> {
        if bytes > self.reserved {
            self.grow(bytes)?;
        } else if self.reserved - bytes > SURPLUS_BYTES {
            self.change(bytes);
        }
        self.used = bytes;
        Ok(())
    }

    /// As [`Reservation::hold`], of what the call on this thread has taken: what it has reserved for that is handed on.
    pub fn hold_taken(&mut self, bytes: u64) -> Result<()> {
        measured::hand_over(self, bytes.saturating_sub(self.reserved));
        self.hold(bytes)
    }

    #[cold]
    fn grow(&mut self, wanted: u64) -> Result<()> {
        let more = (wanted - self.reserved).max(STEP_BYTES);
        let mut refused = self.refusal(more);
        if refused.is_some() && measured::settle() {
            refused = self.refusal(more);
        }
        if let Some((breaker, wanted, limit)) = refused {
            TRIPPED.fetch_add(1, Ordering::Relaxed);
            return Err(too_large(breaker, self.label, wanted, limit));
        }
        self.note(more as i64);
        self.reserved += more;
        Ok(())
    }

    /// Reserves so much more, or says which breaker refuses it, what would be held, and its limit.
    fn refusal(&self, more: u64) -> Option<(&'static str, u64, u64)> {
        let after = USED.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        if after.saturating_add(kept_bytes()) > self.limit {
            give_up_kept();
        }
        let excess = if after > self.limit { Some(("request", after, self.limit)) } else { PARENT.excess(after) };
        if excess.is_some() {
            USED.fetch_sub(more, Ordering::Relaxed);
        }
        excess
    }

    pub(super) fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Up to so many of the reserved bytes are the other's from now on; gives how many.
    pub(super) fn hand_over(&mut self, bytes: u64, other: &mut Reservation) -> u64 {
        let moved = self.reserved.min(bytes);
        self.note(-(moved as i64));
        self.reserved -= moved;
        other.note(moved as i64);
        other.reserved += moved;
        moved
    }

    /// To less.
    pub(super) fn change(&mut self, bytes: u64) {
        let less = self.reserved.saturating_sub(bytes);
        USED.fetch_sub(less, Ordering::Relaxed);
        self.note(-(less as i64));
        self.reserved -= less;
    }

    /// To what is held already, of which nobody can be refused any more.
    pub(super) fn settle(&mut self, bytes: u64) {
        let more = bytes.saturating_sub(self.reserved);
        USED.fetch_add(more, Ordering::Relaxed);
        self.note(more as i64);
        self.reserved += more;
        self.change(bytes);
        self.used = bytes;
    }

    fn note(&self, more: i64) {
        if self.is_told {
            allocation::tell(more);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.change(0);
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
    use super::super::{BreakerStatistics, statistics};
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
    fn what_was_refused_is_not_reserved_and_less_may_follow() {
        let mut reservation = Reservation::new(u64::MAX);
        reservation.take(1 << 10).unwrap();
        reservation.limit = 0;
        assert!(reservation.take(1 << 30).is_err());
        assert_eq!((reservation.used, reservation.reserved), (1 << 10, STEP_BYTES));
        assert!(reservation.take(1 << 10).is_ok());
        reservation.limit = u64::MAX;
        reservation.hold(8 << 20).unwrap();
        reservation.hold(1 << 20).unwrap();
        assert_eq!((reservation.used, reservation.reserved), (1 << 20, 1 << 20));
    }

    #[test]
    fn sizes_are_cut_off_to_a_digit() {
        let texts = [0, 1023, 1024, 1536, 10 << 20, (3 << 30) + (1 << 29)].map(size_text);
        assert_eq!(texts, ["0b", "1023b", "1kb", "1.5kb", "10mb", "3.5gb"]);
    }
}
