//! One file that lies elsewhere.

use crate::address::Reservation;
use crate::cache::{Cache, LOOK};
use crate::copy::FileCopy;
use crate::reading::{Patience, patience, raise, with_held};
use crate::requests::{ANSWER_MAX, Requests, unanswered};
use crate::room::Room;
use crate::shape::{FETCH_BYTES_MAX, Next, Shape};
use quarry_base::error::{Error, ErrorCode, Result};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Ranges that one call has fetched ahead, at most.
const AHEAD_MAX: usize = 32;

/// What is known of a file before any of it is read.
#[derive(Debug, Clone)]
pub struct Described {
    pub name: String,
    pub length: u64,
    /// What each checksum stands for; the last part may be shorter.
    pub part_bytes: u32,
    /// crc32c of each part.
    pub checksums: Vec<u32>,
}

#[derive(Debug)]
pub struct RemoteFile {
    /// Where it would be if it were here: what errors call it.
    path: PathBuf,
    name: String,
    shape: Shape,
    checksums: Vec<u32>,
    addresses: Arc<Reservation>,
    room: Room,
    requests: Arc<Requests>,
    counters: Counters,
}

#[derive(Debug, Default)]
struct Counters {
    opened: AtomicU64,
    read: Mutex<Tally>,
    fetched: Mutex<Tally>,
    fetch_nanos: AtomicU64,
    /// Parts whose bytes were not those that the checksum stands for.
    damaged: AtomicU64,
}

/// How often something happened, and to how many bytes each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub count: u64,
    pub sum: u64,
    pub least: u64,
    pub most: u64,
}

impl Tally {
    fn add(&mut self, bytes: u64) {
        self.least = if self.count == 0 { bytes } else { self.least.min(bytes) };
        self.most = self.most.max(bytes);
        self.count += 1;
        self.sum += bytes;
    }
}

fn locked(tally: &Mutex<Tally>) -> MutexGuard<'_, Tally> {
    tally.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Since the file was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileFigures {
    pub opened: u64,
    /// Of what work began to read.
    pub read: Tally,
    pub fetched: Tally,
    pub fetch_nanos: u64,
    pub damaged: u64,
    pub evictions: u64,
    /// In the cache now, by whole regions.
    pub bytes_cached: u64,
}

/// Where what is fetched of files is put.
#[derive(Debug, Clone)]
pub enum Keep {
    /// In the cache, until room is needed for something else.
    Cached(Arc<Cache>),
    /// In a file beside the path, of which all is to come.
    Copied,
}

/// Behind the name of a file that is not all there.
pub const COPYING: &str = ".copying";

/// Where a file grows that will be at the path.
pub fn copying_path(path: &Path) -> PathBuf {
    let mut copying = path.as_os_str().to_owned();
    copying.push(COPYING);
    copying.into()
}

impl RemoteFile {
    /// Errors: `Corrupt` where what is known of it does not fit together; `Io`.
    pub(crate) fn new(path: &Path, file: Described, keep: &Keep, requests: Arc<Requests>) -> Result<Arc<Self>> {
        let Described { name, length, part_bytes, checksums } = file;
        let length = usize::try_from(length).map_err(|_| Error::illegal_argument("the file is too long"))?;
        let region_bytes = match keep {
            Keep::Cached(cache) => cache.region_bytes(),
            Keep::Copied => length.max(1),
        };
        let shape = Shape { length, part_bytes: part_bytes as usize, region_bytes };
        if part_bytes == 0 || length.div_ceil(part_bytes as usize) != checksums.len() {
            let (count, path) = (checksums.len(), path.display());
            return Err(Error::corrupt(format!("[{path}]: {count} checksums are not those of its {length} bytes")));
        }
        let addresses = Reservation::new(length).map_err(|error| Error::io("no room for", path, error))?;
        let addresses = Arc::new(addresses);
        let room = match keep {
            Keep::Cached(cache) => Room::of_cache(Arc::clone(cache), shape, &addresses),
            Keep::Copied => Room::of_copy(copying_path(path), shape, &addresses)?,
        };
        let (path, counters) = (path.to_owned(), Counters::default());
        Ok(Arc::new(RemoteFile { path, name, shape, checksums, addresses, room, requests, counters }))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn length(&self) -> usize {
        self.shape.length
    }

    pub fn note_opened(&self) {
        self.counters.opened.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the byte lies at an address that is a multiple.
    pub fn is_aligned(&self, at: usize, bytes: usize) -> bool {
        self.addresses.starts_at_multiple_of(at, bytes)
    }

    /// A range within the file, which stays there until the work of this thread ends: see [`crate::reading::reading`], which also gets the
    /// error where it cannot be read.
    #[inline]
    pub fn bytes(self: &Arc<Self>, range: Range<usize>) -> &[u8] {
        assert!(range.start <= range.end && range.end <= self.shape.length);
        if range.is_empty() {
            return &[];
        }
        if !self.room.holds(self.shape.parts_of(&range))
            && let Err(error) = self.hold(&range)
        {
            raise(error);
        }
        // SAFETY: the parts are there and their regions are held until the work ends, which got nothing that it may keep longer; nobody writes
        // to parts that are there.
        unsafe { self.addresses.slice(range) }
    }

    /// Has it there, and keeps it until the work of this thread ends. Errors: see [`crate::reading::reading`].
    pub fn hold(self: &Arc<Self>, range: &Range<usize>) -> Result<()> {
        let patience = patience()?;
        let parts = self.shape.parts_of(range);
        self.hold_regions(&parts, &patience)?;
        let began = Instant::now();
        loop {
            match self.next(&parts, patience.may_wait())? {
                Next::Read => break,
                _ if !patience.may_wait() => return Err(self.absent(&parts)),
                Next::Fetch(wanted) => self.fetch(&wanted, &patience)?,
                Next::Wait => self.wait_for_others(began)?,
            }
            patience.check()?;
        }
        let bytes = self.shape.bytes_of(&parts).len() as u64;
        self.room.note_read(bytes);
        locked(&self.counters.read).add(bytes);
        with_held(
            self.room.number(),
            || self.owner(),
            |mut held| {
                held.note(parts);
                Ok(())
            },
        )
    }

    /// They may have ended without a word.
    fn wait_for_others(&self, began: Instant) -> Result<()> {
        self.requests.check_open()?;
        if began.elapsed() > ANSWER_MAX {
            return Err(unanswered(&self.name));
        }
        self.room.wait(LOOK);
        Ok(())
    }

    fn next(self: &Arc<Self>, parts: &Range<u32>, may_fetch: bool) -> Result<Next> {
        let most = (FETCH_BYTES_MAX / self.shape.part_bytes).max(1) as u32;
        with_held(
            self.room.number(),
            || self.owner(),
            |held| {
                let held = std::cell::RefCell::new(held);
                let ahead = |part| held.borrow_mut().ahead(part, most);
                self.room.next_of(parts, may_fetch, ahead, |region| held.borrow().is_held(region))
            },
        )
    }

    /// Waits a while for room that others hold. Work that may not wait is told that the parts are absent: a thread that may does it.
    fn hold_regions(self: &Arc<Self>, parts: &Range<u32>, patience: &Patience) -> Result<()> {
        let began = Instant::now();
        loop {
            match self.hold_free_regions(parts) {
                Err(error) if error.code == ErrorCode::CircuitBreaking => {
                    let most = self.room.wait_for_room();
                    if !most.is_zero() && !patience.may_wait() {
                        return Err(self.absent(parts));
                    }
                    if began.elapsed() >= most {
                        self.room.refuse();
                        return Err(error);
                    }
                    patience.check()?;
                    self.room.wait(LOOK);
                }
                held => return held,
            }
        }
    }

    /// Has ranges fetched at once, each as long as can be fetched at once; work that may not wait has none fetched. What is not fetched is told
    /// to whoever reads it.
    pub fn fetch_ahead(self: &Arc<Self>, ranges: &[Range<usize>]) {
        let Some(patience) = patience().ok().filter(Patience::may_wait) else { return };
        let mut asked = Vec::new();
        for range in ranges.iter().filter(|range| !range.is_empty()).take(AHEAD_MAX) {
            let parts = self.shape.parts_of(range);
            if self.room.holds(parts.clone()) {
                continue;
            }
            if self.hold_free_regions(&parts).is_err() {
                break;
            }
            let Ok(Next::Fetch(wanted)) = self.next(&parts, true) else { continue };
            let number = self.ask(&wanted);
            asked.push((wanted, number, Instant::now()));
        }
        // All of them are waited for: others may wait for the same parts.
        for (parts, number, began) in asked {
            let _ = self.settle(&parts, number, began, &patience);
        }
    }

    fn hold_free_regions(self: &Arc<Self>, parts: &Range<u32>) -> Result<()> {
        with_held(
            self.room.number(),
            || self.owner(),
            |mut held| self.room.hold(&mut held, &self.shape, &self.shape.bytes_of(parts)),
        )
    }

    fn fetch(self: &Arc<Self>, parts: &Range<u32>, patience: &Patience) -> Result<()> {
        let began = Instant::now();
        let number = self.ask(parts);
        self.settle(parts, number, began, patience)
    }

    fn ask(&self, parts: &Range<u32>) -> Result<u32> {
        let range = self.shape.bytes_of(parts);
        self.requests.ask(&self.name, range.start as u64, range.len() as u64)
    }

    /// Takes what was asked for into the cache, or tells others that it failed.
    fn settle(
        self: &Arc<Self>,
        parts: &Range<u32>,
        number: Result<u32>,
        began: Instant,
        patience: &Patience,
    ) -> Result<()> {
        let fetched = number.and_then(|number| self.requests.wait(number, &self.name, || patience.check()));
        let fetched = fetched.and_then(|bytes| self.verify(parts, &bytes).map(|()| bytes));
        let nanos = began.elapsed().as_nanos() as u64;
        let told = fetched.as_deref().map_err(Clone::clone);
        self.room.fetched(parts, told)?;
        let length = self.shape.bytes_of(parts).len() as u64;
        locked(&self.counters.fetched).add(length);
        self.counters.fetch_nanos.fetch_add(nanos, Ordering::Relaxed);
        with_held(
            self.room.number(),
            || self.owner(),
            |mut held| {
                held.fetched(parts);
                Ok(())
            },
        )
    }

    fn verify(&self, parts: &Range<u32>, bytes: &[u8]) -> Result<()> {
        let range = self.shape.bytes_of(parts);
        let path = self.path.display();
        if bytes.len() != range.len() {
            let (got, wanted) = (bytes.len(), range.len());
            return Err(Error::corrupt(format!(
                "[{path}]: the repository has [{got}] of the [{wanted}] bytes at {}",
                range.start
            )));
        }
        let Some(part) = self.damaged_part(parts, bytes) else { return Ok(()) };
        self.counters.damaged.fetch_add(1, Ordering::Relaxed);
        let Range { start, end } = self.shape.bytes_of(&(part..part + 1));
        Err(Error::corrupt(format!(
            "[{path}]: bytes {start} to {end} of the repository's file do not match their checksum"
        )))
    }

    /// The first of them whose bytes are not those of its checksum.
    fn damaged_part(&self, parts: &Range<u32>, bytes: &[u8]) -> Option<u32> {
        let mut pieces = parts.clone().zip(bytes.chunks(self.shape.part_bytes));
        pieces.find(|(part, piece)| crc32c::crc32c(piece) != self.checksums[*part as usize]).map(|(part, _)| part)
    }

    fn absent(&self, parts: &Range<u32>) -> Error {
        let range = self.shape.bytes_of(parts);
        Error::new(ErrorCode::BlocksAbsent, format!("{}:{}:{}", self.path.display(), range.start, range.end))
    }

    fn owner(self: &Arc<Self>) -> Arc<dyn std::any::Any + Send + Sync> {
        Arc::<Self>::clone(self)
    }

    /// Parts of a copy that are missing and that nobody fetches: the caller does, and tells of it with [`RemoteFile::supply`]. `None`: there
    /// are none now.
    pub fn take_missing(&self, bytes: usize) -> Option<Range<usize>> {
        let parts = self.room.copy()?.take_missing(bytes)?;
        Some(self.shape.bytes_of(&parts))
    }

    /// [`RemoteFile::take_missing`] begins at the front again.
    pub fn take_from_front(&self) {
        if let Some(copy) = self.room.copy() {
            copy.take_from_front();
        }
    }

    /// What [`RemoteFile::take_missing`] said, or why it could not be had. Of a damaged piece whole parts are taken. Errors: that one,
    /// `Corrupt`, `Io`.
    pub fn supply(&self, range: &Range<usize>, bytes: Result<&[u8]>) -> Result<()> {
        let parts = self.shape.parts_of(range);
        match bytes {
            Ok(bytes) if bytes.len() == range.len() && self.damaged_part(&parts, bytes).is_some() => {
                let each = parts.zip(bytes.chunks(self.shape.part_bytes));
                let supplied: Vec<Result<()>> =
                    each.map(|(part, bytes)| self.supply_parts(part..part + 1, bytes)).collect();
                supplied.into_iter().collect()
            }
            Ok(bytes) => self.supply_parts(parts, bytes),
            Err(error) => self.room.fetched(&parts, Err(error)),
        }
    }

    fn supply_parts(&self, parts: Range<u32>, bytes: &[u8]) -> Result<()> {
        self.room.fetched(&parts, self.verify(&parts, bytes).map(|()| bytes))
    }

    /// Whether all of a copy is there.
    pub fn is_complete(&self) -> bool {
        self.room.copy().is_some_and(FileCopy::is_complete)
    }

    /// Gives up what is cached of it and not being read. Errors: `Io`.
    pub fn clear(&self) -> Result<()> {
        self.room.clear()
    }

    pub fn figures(&self) -> FileFigures {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (bytes_cached, evictions) = self.room.held(&self.shape);
        let Counters { opened, read, fetched, fetch_nanos, damaged } = &self.counters;
        FileFigures {
            opened: of(opened),
            read: *locked(read),
            fetched: *locked(fetched),
            fetch_nanos: of(fetch_nanos),
            damaged: of(damaged),
            evictions,
            bytes_cached,
        }
    }
}

/// What the reason of a `BlocksAbsent` names: path and range.
pub fn named_in(reason: &str) -> Option<(&Path, Range<usize>)> {
    let (rest, end) = reason.rsplit_once(':')?;
    let (path, start) = rest.rsplit_once(':')?;
    Some((Path::new(path), start.parse().ok()?..end.parse().ok()?))
}
