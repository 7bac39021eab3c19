//! The request breaker: memory that aggregations, joins and the like of all searches of the process hold together, and what they keep for
//! later ones.
//!
//! Two ways lead into it. A [`Reservation`] says what is taken before it is taken. [`measured`] sees what a call has taken already: all that is
//! not reserved, whoever took it.

use quarry_base::allocation;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_segment::stored::kept_blocks;
use std::cell::RefCell;
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

fn kept_bytes() -> u64 {
    KEPT.iter().filter_map(OnceLock::get).map(|kept| (kept.bytes)()).sum()
}

/// It was that of others: a search has no more room of its own for it.
fn give_up_kept() {
    allocation::apart(|| KEPT.iter().filter_map(OnceLock::get).for_each(|kept| (kept.give_up)()));
}

/// Reserved by all searches of the process.
static USED: AtomicU64 = AtomicU64::new(0);
/// Searches that were refused.
static TRIPPED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static MEASURED: RefCell<Option<Measured>> = const { RefCell::new(None) };
}

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
    fn of_search(limit: u64) -> Self {
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
        let more = bytes.saturating_sub(self.reserved);
        let moved =
            MEASURED.with_borrow_mut(|measured| measured.as_mut().map_or(0, |measured| measured.hand_over(more)));
        self.note(moved as i64);
        self.reserved += moved;
        if moved > 0 {
            ask_again();
        }
        self.hold(bytes)
    }

    #[cold]
    fn grow(&mut self, wanted: u64) -> Result<()> {
        let more = (wanted - self.reserved).max(STEP_BYTES);
        let mut refused = self.refusal(more);
        if refused.is_some() && settle() {
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

    /// To less.
    fn change(&mut self, bytes: u64) {
        let less = self.reserved.saturating_sub(bytes);
        USED.fetch_sub(less, Ordering::Relaxed);
        self.note(-(less as i64));
        self.reserved -= less;
    }

    /// To what is held already, of which nobody can be refused any more.
    fn settle(&mut self, bytes: u64) {
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

/// A call may hold so much that nobody reserves: most end with less, and cost nothing here.
const FREE_BYTES: u64 = 1 << 20;
/// A reservation that is larger by more is given back in part.
const SURPLUS_BYTES: u64 = 1 << 20;
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
        self.most = self.most.max(self.reservation.reserved);
        Ok(self.asked_from())
    }

    fn asked_from(&self) -> i64 {
        self.before.saturating_add_unsigned(self.reservation.reserved.max(FREE_BYTES))
    }

    /// Up to so many of the reserved bytes are another reservation's from now on; gives how many.
    fn hand_over(&mut self, bytes: u64) -> u64 {
        let moved = self.reservation.reserved.min(bytes);
        self.reservation.reserved -= moved;
        moved
    }

    /// Gives back what was reserved and is not held any more; whether there was some.
    fn settle(&mut self) -> bool {
        let untold = self.untold();
        let has_surplus = self.reservation.reserved > untold;
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

/// As [`Measured::settle`] of the call on this thread, unless it is what asks.
fn settle() -> bool {
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
            measured.reservation.reserved += std::mem::take(&mut self.reservation.reserved);
            measured.most = measured.most.max(measured.reservation.reserved);
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

    /// As if the thread had taken so much.
    fn take(bytes: i64) {
        allocation::tell(-bytes);
    }

    fn own() -> u64 {
        MEASURED.with_borrow(|measured| measured.as_ref().map_or(0, |measured| measured.reservation.reserved))
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
        assert!(left.is_some_and(|left| left.bytes == 2 << 20 && left.reservation.reserved == 2 << 20));
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
        assert_eq!((left.bytes, left.reservation.reserved), (8 << 20, 8 << 20));
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
        assert_eq!((small.bytes, small.reservation.reserved), (1_000, 0));
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
            assert_eq!(handed.reserved, 32 << 20);
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
