//! What a thread has taken of memory, piece by piece as the allocator gives it out, and who is asked when that grows.
//!
//! A call searches on one thread from its beginning to its end: what the thread took since the call began and has not given back is what the
//! search holds. Whoever loops over something that grows asks here ([`check`]), without having to know how large it is. What somebody has
//! reserved by name ([`tell`]) is left out: it is taken account of already.

use crate::error::Result;
use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread took less those that it gave back. Only differences tell something: pieces move between threads.
    static HELD: Cell<i64> = const { Cell::new(0) };
    /// Bytes that somebody on this thread has reserved.
    static TOLD: Cell<i64> = const { Cell::new(0) };
    static ASKED: Cell<Asked> = const { Cell::new(NOBODY) };
    /// Whether what runs takes memory that is not that of the call: see [`apart`].
    static IS_APART: Cell<bool> = const { Cell::new(false) };
}

/// Who is asked once a thread holds so much that nobody has reserved.
#[derive(Clone, Copy)]
struct Asked {
    from: i64,
    who: fn(extra: u64) -> Result<i64>,
}

const NOBODY: Asked = Asked { from: i64::MAX, who: |_| Ok(i64::MAX) };
/// From no other point on is anybody asked.
const FROM_MAX: i64 = i64::MAX - 1;

/// Counts what goes through it.
#[derive(Debug)]
pub struct Counting<A>(pub A);

#[inline]
fn add(bytes: i64) {
    HELD.set(HELD.get().wrapping_add(bytes));
}

/// Counts a piece, in place of one of another size, where there was memory for it.
#[inline]
fn taken(piece: *mut u8, bytes: usize, before: usize) -> *mut u8 {
    if !piece.is_null() {
        add(bytes as i64 - before as i64);
    }
    piece
}

// SAFETY: all is left to the allocator inside, and to count takes no memory: the counter is part of the thread's static storage and is never
// dropped.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counting<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is that of the allocator's as well.
        taken(unsafe { self.0.alloc(layout) }, layout.size(), 0)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        taken(unsafe { self.0.alloc_zeroed(layout) }, layout.size(), 0)
    }

    #[inline]
    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        add(-(layout.size() as i64));
        // SAFETY: as above.
        unsafe { self.0.dealloc(piece, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        taken(unsafe { self.0.realloc(piece, layout, size) }, size, layout.size())
    }
}

/// What this thread holds, as far as its allocator counts: see [`Counting`]. May be negative.
#[inline]
pub fn held() -> i64 {
    HELD.get()
}

/// Somebody on this thread has reserved so much more, or less.
#[inline]
pub fn tell(bytes: i64) {
    TOLD.set(TOLD.get().wrapping_add(bytes));
}

/// What this thread holds and nobody has reserved.
#[inline]
pub fn untold() -> i64 {
    HELD.get().wrapping_sub(TOLD.get())
}

/// This thread holds so much that another one took, from now on.
pub fn take_over(bytes: i64) {
    add(bytes);
}

/// Puts back who was asked before, also when the call panics.
struct Restore(Asked);

impl Drop for Restore {
    fn drop(&mut self) {
        ASKED.set(self.0);
    }
}

/// Whether somebody is asked already.
pub fn is_asked() -> bool {
    ASKED.get().from != i64::MAX
}

/// Runs a call in which [`check`] asks `who` once [`untold`] has reached `from`. `who` is told what is about to be taken besides, and says from what
/// on it wants to be asked again.
pub fn asking<T>(from: i64, who: fn(u64) -> Result<i64>, run: impl FnOnce() -> T) -> T {
    let _restore = Restore(ASKED.replace(Asked { from: from.min(FROM_MAX), who }));
    run()
}

/// Who is asked is asked again from this point on.
pub fn ask_again(from: i64) {
    let asked = ASKED.get();
    if asked.from != i64::MAX {
        ASKED.set(Asked { from: from.min(FROM_MAX), ..asked });
    }
}

/// `CircuitBreaking` where the call that runs on this thread holds more than it may.
#[inline]
pub fn check() -> Result<()> {
    if untold() < ASKED.get().from { Ok(()) } else { ask(0) }
}

/// As [`check`], before so many bytes are taken at once.
#[inline]
pub fn check_more(bytes: usize) -> Result<()> {
    let more = i64::try_from(bytes).unwrap_or(i64::MAX);
    if untold().saturating_add(more) < ASKED.get().from { Ok(()) } else { ask(bytes as u64) }
}

#[cold]
fn ask(extra: u64) -> Result<()> {
    let Asked { who, from } = ASKED.get();
    if from == i64::MAX || IS_APART.get() {
        return Ok(());
    }
    let from = who(extra)?.min(FROM_MAX);
    ASKED.set(Asked { from, who });
    Ok(())
}

/// Runs something whose memory is not that of the call on this thread: what is kept for others has a limit of its own, and what others have kept
/// is no room for this call when it goes.
pub fn apart<T>(run: impl FnOnce() -> T) -> T {
    let restore = Apart { was_apart: IS_APART.replace(true), held: HELD.get() };
    let result = run();
    drop(restore);
    result
}

/// Puts back what the call held, also when what ran apart panics.
struct Apart {
    was_apart: bool,
    held: i64,
}

impl Drop for Apart {
    fn drop(&mut self) {
        HELD.set(self.held);
        IS_APART.set(self.was_apart);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorCode};
    use std::alloc::System;

    #[test]
    fn pieces_count_as_long_as_they_are_held() {
        let counting = Counting(System);
        let before = held();
        let layout = Layout::from_size_align(1_000, 8).unwrap();
        // SAFETY: each piece is given back with the layout that it has.
        unsafe {
            let piece = counting.alloc(layout);
            assert_eq!(held() - before, 1_000);
            let piece = counting.realloc(piece, layout, 300);
            assert_eq!(held() - before, 300);
            let zeroed = counting.alloc_zeroed(layout);
            assert_eq!(held() - before, 1_300);
            counting.dealloc(zeroed, layout);
            counting.dealloc(piece, Layout::from_size_align(300, 8).unwrap());
        }
        assert_eq!(held(), before);
    }

    #[test]
    fn who_holds_more_than_was_said_is_asked_and_the_answer_stands() {
        fn refuse(extra: u64) -> Result<i64> {
            Err(Error::new(ErrorCode::CircuitBreaking, format!("{extra}")))
        }
        assert!(check_more(usize::MAX).is_ok() && !is_asked());
        let before = untold();
        asking(before + 100, refuse, || {
            assert!(is_asked() && check().is_ok() && check_more(99).is_ok());
            assert_eq!(check_more(100).unwrap_err().reason, "100");
            add(100);
            assert_eq!(check().unwrap_err().reason, "0");
            let more = |_| Ok(untold() + 1);
            asking(before + 200, more, || {
                add(100);
                assert!(check().is_ok() && check().is_ok());
                add(-100);
            });
            assert!(check().is_err());
            // What is reserved by name is left out as long as it is.
            tell(1);
            assert!(check().is_ok());
            tell(-1);
            assert!(check().is_err());
            add(-100);
        });
        assert!(check_more(usize::MAX).is_ok() && !is_asked());
    }

    #[test]
    fn what_is_taken_and_given_back_apart_is_that_of_others() {
        let before = held();
        asking(
            untold() + 1,
            |_| Err(Error::internal("asked")),
            || {
                apart(|| {
                    add(1_000);
                    assert!(is_asked() && check().is_ok());
                });
                assert!(check().is_ok());
                apart(|| add(-1_000));
                assert_eq!(held(), before);
                // What is said of the call meanwhile stays so.
                apart(|| ask_again(before));
                assert!(check().is_err());
            },
        );
    }
}
