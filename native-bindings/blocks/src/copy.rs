//! A file of the directory into which all of a file that lies elsewhere is copied, part by part and in any order.

use crate::address::Reservation;
use crate::disk::take_room;
use crate::shape::{FETCH_BYTES_MAX, Next, Shape};
use quarry_base::error::{Error, Result};
use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Debug)]
pub(crate) struct FileCopy {
    path: PathBuf,
    file: File,
    shape: Shape,
    /// A bit for each part, set once its bytes are in the file: nobody writes to them after that.
    present: Box<[AtomicU64]>,
    state: Mutex<State>,
    /// Something was fetched, or failed.
    has_changed: Condvar,
}

#[derive(Debug)]
struct State {
    in_flight: HashSet<u32>,
    missing: u32,
    /// Parts in front of this one were taken: one that failed is not taken again before all others.
    next: u32,
}

impl FileCopy {
    /// An empty one, which takes its room now and is mapped to the addresses. Errors: `Io`.
    pub fn create(path: PathBuf, shape: Shape, addresses: &Reservation) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.map_err(|error| Error::io("cannot create", &path, error))?;
        if shape.length > 0 {
            take_room(&file, &path, shape.length as u64)?;
            let mapped = addresses.map(0, shape.length, &file, 0);
            mapped.map_err(|error| Error::io("cannot map", &path, error))?;
        }
        let missing = shape.parts().end;
        let present = (0..missing.div_ceil(u64::BITS)).map(|_| AtomicU64::new(0)).collect();
        let state = Mutex::new(State { in_flight: HashSet::new(), missing, next: 0 });
        Ok(FileCopy { path, file, shape, present, state, has_changed: Condvar::new() })
    }

    pub fn has(&self, mut parts: Range<u32>) -> bool {
        parts.all(|part| self.has_part(part))
    }

    fn has_part(&self, part: u32) -> bool {
        let word = self.present[(part / u64::BITS) as usize].load(Ordering::Acquire);
        word >> (part % u64::BITS) & 1 == 1
    }

    pub fn is_complete(&self) -> bool {
        self.lock().missing == 0
    }

    /// See [`Shape::next_of`].
    pub fn next_of(&self, parts: &Range<u32>, may_fetch: bool, ahead: impl FnMut(u32) -> u32) -> Next {
        let mut state = self.lock();
        self.shape.next_of(parts, may_fetch, &mut state.in_flight, |part| self.has_part(part), ahead, |_| true)
    }

    /// Parts that are missing and that nobody fetches, one after the other, behind those that were taken before; `None`: there are none. One
    /// or more, of as many bytes at most.
    pub fn take_missing(&self, bytes: usize) -> Option<Range<u32>> {
        let mut state = self.lock();
        let is_free = |part: &u32| !self.has_part(*part) && !state.in_flight.contains(part);
        let first = (state.next..self.shape.parts().end).find(is_free)?;
        let end = first + (bytes.min(FETCH_BYTES_MAX) / self.shape.part_bytes).max(1) as u32;
        let taken = self.shape.take(first, end, &mut state.in_flight, |part| !self.has_part(part));
        state.next = taken.end;
        Some(taken)
    }

    pub fn take_from_front(&self) {
        self.lock().next = 0;
    }

    /// The parts are there from now on, or their fetching failed: others may try.
    pub fn fetched(&self, parts: &Range<u32>, bytes: Result<&[u8]>) -> Result<()> {
        let start = self.shape.bytes_of(parts).start as u64;
        let written = bytes.and_then(|bytes| {
            let written = self.file.write_all_at(bytes, start);
            written.map_err(|error| Error::io("cannot write to", &self.path, error))
        });
        let mut state = self.lock();
        for part in parts.clone() {
            // Who does not have it in flight any more has told of it already.
            if state.in_flight.remove(&part) && written.is_ok() {
                let (word, bit) = ((part / u64::BITS) as usize, part % u64::BITS);
                self.present[word].fetch_or(1 << bit, Ordering::Release);
                state.missing -= 1;
            }
        }
        drop(state);
        self.has_changed.notify_all();
        written
    }

    /// Until something changes, or for a moment.
    pub fn wait(&self, for_long: Duration) {
        let state = self.lock();
        drop(self.has_changed.wait_timeout(state, for_long).unwrap_or_else(PoisonError::into_inner));
    }

    /// Of the file, in parts that are there.
    pub fn bytes(&self) -> usize {
        let is_there = |part: &u32| self.has_part(*part);
        self.shape.parts().filter(is_there).map(|part| self.shape.bytes_of(&(part..part + 1)).len()).sum()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
