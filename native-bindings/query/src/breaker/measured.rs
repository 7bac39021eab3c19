//! What a call holds that nobody has reserved by name.

use super::reservation::Reservation;
use quarry_base::allocation;
use quarry_base::error::Result;
use std::cell::RefCell;
use std::sync::OnceLock;

thread_local! {
    static MEASURED: RefCell<Option<Measured>> = const { RefCell::new(None) };
}

/// A call may hold so much that nobody reserves: most end with less, and cost nothing here.
const FREE_BYTES: u64 = 1 << 20;
/// Of a call that had reserved so much, the memory is given back to the system.
const LARGE_BYTES: u64 = 32 << 20;

/// A call on its thread, and what it holds that nobody has reserved by name.
struct Measured {
    /// [`allocation::untold`] when it began.
    before: i64,
    reservation: Reservation,
    /// The most that it had reserved.
    most: u64,
}

impl Measured {
    fn new(limit: u64) -> Self {
        Measured { before: allocation::untold(), reservation: Reservation::of_search(limit), most: 0 }
    }

    fn untold(&self) -> u64 {
        u64::try_from(allocation::untold().wrapping_sub(self.before)).unwrap_or(0)
    }

    /// Reserves what the call holds, and `extra`. Returns from what on to ask again.
    fn ask(&mut self, extra: u64) -> Result<i64> {
        self.reservation.hold(self.untold().saturating_add(extra))?;
        self.most = self.most.max(self.reservation.reserved());
        Ok(self.asked_from())
    }

    fn asked_from(&self) -> i64 {
        self.before.saturating_add_unsigned(self.reservation.reserved().max(FREE_BYTES))
    }

    /// Gives back what was reserved and is not held any more; whether there was some.
    fn settle(&mut self) -> bool {
        let untold = self.untold();
        let has_surplus = self.reservation.reserved() > untold;
        if has_surplus {
            self.reservation.change(untold);
        }
        has_surplus
    }

    /// At its end. What is little was never reserved.
    fn leave(&mut self, limit: u64) -> Left {
        let bytes = self.untold();
        self.reservation.settle(if bytes > FREE_BYTES { bytes } else { 0 });
        Left { bytes, reservation: std::mem::replace(&mut self.reservation, Reservation::of_search(limit)) }
    }
}

/// Up to so many of the bytes that the call on this thread has reserved are this reservation's from now on.
pub(super) fn hand_over(reservation: &mut Reservation, bytes: u64) {
    let moved = MEASURED.with_borrow_mut(|measured| {
        measured.as_mut().map_or(0, |measured| measured.reservation.hand_over(bytes, reservation))
    });
    if moved > 0 {
        ask_again();
    }
}

/// As [`Measured::settle`] of the call on this thread, unless it is what asks.
pub(super) fn settle() -> bool {
    let has_surplus = MEASURED.with(|measured| {
        let mut measured = measured.try_borrow_mut().ok()?;
        Some(measured.as_mut()?.settle())
    });
    if has_surplus == Some(true) {
        ask_again();
    }
    has_surplus == Some(true)
}

/// The call on this thread has another reservation than when it was asked.
fn ask_again() {
    if let Some(from) = MEASURED.with_borrow(|measured| measured.as_ref().map(Measured::asked_from)) {
        allocation::ask_again(from);
    }
}

/// Runs a call in which [`allocation::check`] refuses what would hold more than all searches of the process may together. A call within one
/// belongs to it.
pub fn measured<T>(limit: u64, run: impl FnOnce() -> T) -> T {
    measured_and_left(limit, run).0
}

/// As [`measured`]; what the call leaves behind stays reserved until somebody has it. `None`: it belongs to a call around it.
pub fn measured_and_left<T>(limit: u64, run: impl FnOnce() -> T) -> (T, Option<Left>) {
    if allocation::is_asked() {
        return (run(), None);
    }
    MEASURED.replace(Some(Measured::new(limit)));
    let ending = Ending;
    let result = allocation::asking(allocation::untold().saturating_add_unsigned(FREE_BYTES), ask, run);
    let left = MEASURED.with_borrow_mut(|measured| Some(measured.as_mut()?.leave(limit)));
    drop(ending);
    (result, left)
}

/// What a call left behind on its thread.
#[derive(Debug)]
pub struct Left {
    bytes: u64,
    reservation: Reservation,
}

impl Left {
    /// The call on this thread holds it from now on.
    pub fn take_over(mut self) {
        MEASURED.with_borrow_mut(|measured| {
            let Some(measured) = measured.as_mut() else { return };
            self.reservation.hand_over(u64::MAX, &mut measured.reservation);
            measured.most = measured.most.max(measured.reservation.reserved());
            allocation::take_over(i64::try_from(self.bytes).unwrap_or(i64::MAX));
        });
        ask_again();
    }
}

fn ask(extra: u64) -> Result<i64> {
    MEASURED.with_borrow_mut(|measured| measured.as_mut().map_or(Ok(i64::MAX), |measured| measured.ask(extra)))
}

/// Gives back what a call had reserved, also when it panics.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        if MEASURED.take().is_some_and(|measured| measured.most >= LARGE_BYTES) {
            GIVE_BACK.get().into_iter().for_each(|give_back| give_back());
        }
    }
}

static GIVE_BACK: OnceLock<fn()> = OnceLock::new();

/// From now on this is called when a call ends that held much: the allocator keeps for later what nobody holds, and the parent counts it.
pub fn on_large_end(give_back: fn()) {
    let _ = GIVE_BACK.set(give_back);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if the thread had taken so much.
    fn take(bytes: i64) {
        allocation::tell(-bytes);
    }

    fn own() -> u64 {
        MEASURED.with_borrow(|measured| measured.as_ref().map_or(0, |measured| measured.reservation.reserved()))
    }

    #[test]
    fn what_nobody_reserves_is_reserved_when_it_is_seen() {
        const MEGABYTE: i64 = 1 << 20;
        let ((), left) = measured_and_left(u64::MAX, || {
            allocation::check().unwrap();
            assert_eq!(own(), 0);
            take(8 * MEGABYTE);
            allocation::check().unwrap();
            assert!(own() >= 8 << 20);
            {
                // By name it is not counted twice.
                let mut named = Reservation::new(u64::MAX);
                named.take(16 << 20).unwrap();
                take(16 * MEGABYTE);
                allocation::check().unwrap();
                assert!(own() < 16 << 20);
                take(-16 * MEGABYTE);
            }
            // That it is gone leaves no room that nobody asks about.
            take(4 * MEGABYTE);
            allocation::check().unwrap();
            assert!(own() >= 12 << 20);
            // What was given back is so before anybody is refused.
            take(-12 * MEGABYTE);
            assert!(settle());
            assert!(own() < 1 << 20);
            take(2 * MEGABYTE);
            allocation::check().unwrap();
            assert!(own() >= 2 << 20);
            // A call within one belongs to it.
            assert!(measured_and_left(0, || ()).1.is_none());
        });
        assert!(left.is_some_and(|left| left.bytes == 2 << 20 && left.reservation.reserved() == 2 << 20));
        take(-2 * MEGABYTE);
        assert!(!settle() && own() == 0);
    }

    #[test]
    fn what_a_call_left_behind_is_that_of_the_call_that_takes_it_over() {
        const MEGABYTE: i64 = 1 << 20;
        let helper = std::thread::spawn(|| {
            measured_and_left(u64::MAX, || {
                let mut named = Reservation::new(u64::MAX);
                named.take(8 << 20).unwrap();
                // Stays when the reservation of this name is gone.
                take(8 * MEGABYTE);
            })
            .1
        });
        let left = helper.join().unwrap().unwrap();
        assert_eq!((left.bytes, left.reservation.reserved()), (8 << 20, 8 << 20));
        measured(u64::MAX, || {
            left.take_over();
            assert_eq!(own(), 8 << 20);
            // As much again is seen: that it goes on this thread is no room that nobody asks about.
            take(-8 * MEGABYTE);
            take(10 * MEGABYTE);
            allocation::check().unwrap();
            assert!(own() >= 10 << 20);
            take(-10 * MEGABYTE);
            allocation::take_over(-8 * MEGABYTE);
        });
        // Little was never reserved.
        let small = measured_and_left(0, || take(1_000)).1.unwrap();
        assert_eq!((small.bytes, small.reservation.reserved()), (1_000, 0));
        take(-1_000);
    }

    #[test]
    fn what_a_call_has_taken_is_not_reserved_twice_when_it_is_handed_on() {
        const MEGABYTE: i64 = 1 << 20;
        let mut handed = Reservation::of(u64::MAX, "<reduce>");
        measured(u64::MAX, || {
            take(32 * MEGABYTE);
            allocation::check().unwrap();
            let before = own();
            handed.hold_taken(32 << 20).unwrap();
            assert_eq!(handed.reserved(), 32 << 20);
            assert_eq!(own(), before - (32 << 20));
        });
        drop(handed);
        take(-32 * MEGABYTE);
    }

    #[test]
    fn a_call_that_panics_leaves_nothing_reserved() {
        let panicked = std::panic::catch_unwind(|| {
            measured(u64::MAX, || {
                take(4 << 20);
                allocation::check().unwrap();
                panic!("in a search");
            });
        });
        assert!(panicked.is_err() && own() == 0 && !allocation::is_asked());
        take(-(4 << 20));
    }
}
