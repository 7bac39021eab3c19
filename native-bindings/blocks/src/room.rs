//! Room on the disk, and what has it: the shared cache, or a copy of the file.

use crate::address::Reservation;
use crate::cache::Cache;
use crate::copy::FileCopy;
use crate::reading::{Holding, holds, is_refused_for_good, room_wait};
use crate::shape::{Next, Shape};
use quarry_base::error::Result;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Names files of the process, in caches and in what threads hold.
static NEXT_NUMBER: AtomicU64 = AtomicU64::new(0);

/// Where what was fetched of one file is put.
#[derive(Debug)]
pub(crate) struct Room {
    number: u64,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Cached(Arc<Cache>),
    Copied(FileCopy),
}

impl Room {
    pub fn of_cache(cache: Arc<Cache>, shape: Shape, addresses: &Arc<Reservation>) -> Self {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        cache.add(number, shape, Arc::clone(addresses));
        Room { number, kind: Kind::Cached(cache) }
    }

    /// Errors: `Io`.
    pub fn of_copy(path: PathBuf, shape: Shape, addresses: &Reservation) -> Result<Self> {
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Ok(Room { number, kind: Kind::Copied(FileCopy::create(path, shape, addresses)?) })
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    /// `None` where what was fetched is given up again.
    pub fn copy(&self) -> Option<&FileCopy> {
        match &self.kind {
            Kind::Cached(_) => None,
            Kind::Copied(copy) => Some(copy),
        }
    }

    /// Whether the parts are there, and stay until the work of this thread ends.
    #[inline]
    pub fn holds(&self, parts: Range<u32>) -> bool {
        match &self.kind {
            Kind::Cached(_) => holds(self.number, parts),
            Kind::Copied(copy) => copy.has(parts),
        }
    }

    /// Has room for the bytes until the work of this thread ends. Errors: those of the cache.
    pub fn hold(&self, holding: &mut Holding<'_>, shape: &Shape, bytes: &Range<usize>) -> Result<()> {
        match &self.kind {
            Kind::Cached(cache) => {
                shape.regions_of(bytes).try_for_each(|region| holding.hold(cache, self.number, region))
            }
            Kind::Copied(_) => Ok(()),
        }
    }

    /// See [`Shape::next_of`]. Errors: `IllegalState` of files that are closed.
    pub fn next_of(
        &self,
        parts: &Range<u32>,
        may_fetch: bool,
        ahead: impl FnMut(u32) -> u32,
        is_held: impl Fn(u32) -> bool,
    ) -> Result<Next> {
        match &self.kind {
            Kind::Cached(cache) => cache.next_of(self.number, parts, may_fetch, ahead, is_held),
            Kind::Copied(copy) => Ok(copy.next_of(parts, may_fetch, ahead)),
        }
    }

    /// The parts are there from now on, or their fetching failed: others may try. Errors: that one, or `Io`.
    pub fn fetched(&self, parts: &Range<u32>, bytes: Result<&[u8]>) -> Result<()> {
        match &self.kind {
            Kind::Cached(cache) => cache.fetched(self.number, parts, bytes),
            Kind::Copied(copy) => copy.fetched(parts, bytes),
        }
    }

    /// Until something changes, or for a moment.
    pub fn wait(&self, for_long: Duration) {
        match &self.kind {
            Kind::Cached(cache) => cache.wait(for_long),
            Kind::Copied(copy) => copy.wait(for_long),
        }
    }

    pub fn note_read(&self, bytes: u64) {
        if let Kind::Cached(cache) = &self.kind {
            cache.note_read(bytes);
        }
    }

    /// So long the work of this thread may wait for regions that others hold.
    pub fn wait_for_room(&self) -> Duration {
        match &self.kind {
            Kind::Cached(cache) => room_wait(cache),
            Kind::Copied(_) => Duration::ZERO,
        }
    }

    /// The work of this thread found no room, and ends or is done again.
    pub fn refuse(&self) {
        if let Kind::Cached(cache) = &self.kind
            && is_refused_for_good(cache)
        {
            cache.note_refused();
        }
    }

    /// Gives up what is not held; a copy is kept. Errors: `Io`.
    pub fn clear(&self) -> Result<()> {
        match &self.kind {
            Kind::Cached(cache) => cache.clear(self.number),
            Kind::Copied(_) => Ok(()),
        }
    }

    /// Bytes that it has, and how often some were given up.
    pub fn held(&self, shape: &Shape) -> (u64, u64) {
        match &self.kind {
            Kind::Cached(cache) => {
                let (regions, evictions) = cache.held_of(self.number);
                ((regions * shape.region_bytes) as u64, evictions)
            }
            Kind::Copied(copy) => (copy.bytes() as u64, 0),
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Kind::Cached(cache) = &self.kind {
            cache.remove(self.number);
        }
    }
}
