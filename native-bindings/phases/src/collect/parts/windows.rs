//! Who of the threads of one search looks at which windows.

use quarry_codec::window::NO_MORE_WINDOWS;
use quarry_query::crew::should_leave;
use quarry_query::view::{SegmentView, ShardView};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// Windows of all segments that no thread has taken yet. Threads take some at a time, as they are free; each goes through the segments in their
/// order, and through the windows of each in theirs.
#[derive(Debug)]
pub struct SharedWindows {
    /// The first one that is left, by segment.
    next: Vec<AtomicU32>,
    at_a_time: u32,
}

impl SharedWindows {
    pub fn of(view: &ShardView, at_a_time: u32) -> Self {
        SharedWindows { next: view.segments.iter().map(|_| AtomicU32::new(0)).collect(), at_a_time }
    }
}

/// The windows of a segment that one thread looks at.
pub struct Windows<'w> {
    /// `None`: all of them.
    left: Option<&'w AtomicU32>,
    at_a_time: u32,
    count: u32,
    taken: Range<u32>,
}

impl<'w> Windows<'w> {
    pub fn of(segment: &SegmentView, shared: Option<&'w SharedWindows>) -> Self {
        let count = segment.window_count();
        let left = shared.and_then(|shared| shared.next.get(segment.ordinal));
        let taken = if left.is_some() { 0..0 } else { 0..count };
        Windows { left, at_a_time: shared.map_or(count, |shared| shared.at_a_time), count, taken }
    }

    /// Whether others have taken all of them, or are to.
    pub fn are_gone(&self) -> bool {
        self.left.is_some_and(|left| left.load(Ordering::Relaxed) >= self.count || should_leave())
    }

    /// All windows are for this thread; `false` where others have some of them.
    pub fn take_all(&mut self) -> bool {
        let Some(left) = self.left else { return true };
        if should_leave() {
            return false;
        }
        let is_first = left.compare_exchange(0, self.count, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_first {
            self.taken = 0..self.count;
        }
        is_first
    }

    /// The first window from this one on that `next` finds (it gives the first at or behind its argument that is of any interest) and that is for
    /// this thread. `NO_MORE_WINDOWS` where there is none.
    pub fn find<E>(&mut self, from: u32, mut next: impl FnMut(u32) -> Result<u32, E>) -> Result<u32, E> {
        let (mut window, mut is_found) = (from, false);
        loop {
            if self.taken.contains(&window) {
                if is_found {
                    return Ok(window);
                }
                (window, is_found) = (next(window)?, true);
            } else if window >= self.count || !self.take_more() {
                return Ok(NO_MORE_WINDOWS);
            } else if window < self.taken.start {
                (window, is_found) = (self.taken.start, false);
            }
        }
    }

    fn take_more(&mut self) -> bool {
        let Some(left) = self.left.filter(|_| !should_leave()) else { return false };
        let start = left.fetch_add(self.at_a_time, Ordering::Relaxed);
        self.taken = start.min(self.count)..start.saturating_add(self.at_a_time).min(self.count);
        !self.taken.is_empty()
    }
}
