//! How a file that lies elsewhere is divided, and which of its parts a thread fetches.

use std::collections::HashSet;
use std::ops::Range;

/// What is fetched at once, at most.
pub(crate) const FETCH_BYTES_MAX: usize = 4 << 20;

/// What a thread is to do about parts that it wants and has room for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// All of them are there.
    Read,
    /// It fetches these, and tells of it with [`crate::file`].
    Fetch(Range<u32>),
    /// Others fetch what is missing.
    Wait,
}

/// How a file is divided.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub length: usize,
    /// Each has a checksum of its own; the last may be shorter.
    pub part_bytes: usize,
    pub region_bytes: usize,
}

impl Shape {
    pub fn parts_of(&self, range: &Range<usize>) -> Range<u32> {
        (range.start / self.part_bytes) as u32..range.end.div_ceil(self.part_bytes) as u32
    }

    pub fn bytes_of(&self, parts: &Range<u32>) -> Range<usize> {
        let end = (parts.end as usize * self.part_bytes).min(self.length);
        (parts.start as usize * self.part_bytes).min(end)..end
    }

    pub fn regions_of(&self, bytes: &Range<usize>) -> Range<u32> {
        (bytes.start / self.region_bytes) as u32..bytes.end.div_ceil(self.region_bytes) as u32
    }

    pub fn bytes_of_region(&self, region: u32) -> Range<usize> {
        let start = region as usize * self.region_bytes;
        start..(start + self.region_bytes).min(self.length)
    }

    /// The first part that a region has some of.
    pub fn first_part(&self, region: u32) -> u32 {
        (region as usize * self.region_bytes / self.part_bytes) as u32
    }

    /// What a thread does that wants parts. `ahead` is asked how many from a missing one on are fetched at once, of which only those are that
    /// `can` be taken. Who may not fetch is told to wait.
    pub fn next_of(
        &self,
        parts: &Range<u32>,
        may_fetch: bool,
        in_flight: &mut HashSet<u32>,
        is_present: impl Fn(u32) -> bool,
        mut ahead: impl FnMut(u32) -> u32,
        can: impl Fn(u32) -> bool,
    ) -> Next {
        let mut is_all = true;
        for part in parts.clone() {
            if is_present(part) {
                continue;
            }
            is_all = false;
            if may_fetch && !in_flight.contains(&part) {
                let most = (FETCH_BYTES_MAX / self.part_bytes).max(1) as u32;
                let end = parts.end.max(part + ahead(part)).min(part + most);
                return Next::Fetch(self.take(part, end, in_flight, |next| can(next) && !is_present(next)));
            }
        }
        if is_all { Next::Read } else { Next::Wait }
    }

    /// Parts from `part`, which is missing, to `end` or before, which are in flight from now on: at least that one.
    pub fn take(&self, part: u32, end: u32, in_flight: &mut HashSet<u32>, can: impl Fn(u32) -> bool) -> Range<u32> {
        let end = end.min(self.parts().end);
        let count = (part..end).take_while(|next| can(*next) && !in_flight.contains(next)).count() as u32;
        let taken = part..part + count.max(1);
        in_flight.extend(taken.clone());
        taken
    }

    pub fn parts(&self) -> Range<u32> {
        self.parts_of(&(0..self.length))
    }
}
