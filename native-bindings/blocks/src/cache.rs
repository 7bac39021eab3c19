//! The cache file: regions of one size, each of which holds a stretch of one file. What nobody reads is given up when room is
//! needed, what was read longest ago first.

use crate::address::{Reservation, page_bytes};
use crate::disk::take_room;
use crate::part_set::PartSet;
use crate::shape::{Next, Shape};
use quarry_base::error::{Error, ErrorCode, Result};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// Each region takes an entry in the system's table of mappings, of which it allows 65,530.
pub const REGIONS_MAX: u64 = 32_768;

/// What is waited for is looked at again so often, should nobody tell of it.
pub(crate) const LOOK: Duration = Duration::from_millis(20);

static CACHE: RwLock<Option<Arc<Cache>>> = RwLock::new(None);

/// The one of the process. Errors: `IllegalState` where the node has none.
pub fn shared() -> Result<Arc<Cache>> {
    let cache = CACHE.read().unwrap_or_else(PoisonError::into_inner);
    cache.clone().ok_or_else(|| Error::illegal_state("the node has no shared cache for searchable snapshots"))
}

/// Makes the one of the process; what a former process left in the file is not read.
///
/// Errors: `IllegalArgument` for sizes that cannot be; `Io`.
pub fn configure(path: &Path, bytes: u64, region_bytes: u64) -> Result<()> {
    let cache = Cache::create(path, bytes, region_bytes)?;
    *CACHE.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(cache));
    Ok(())
}

#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    file: File,
    region_bytes: usize,
    regions: u32,
    state: Mutex<State>,
    /// Something was fetched, failed, or is not held any more.
    has_changed: Condvar,
    figures: Counters,
}

#[derive(Debug, Default)]
struct Counters {
    reads: AtomicU64,
    bytes_read: AtomicU64,
    writes: AtomicU64,
    bytes_written: AtomicU64,
    evictions: AtomicU64,
    /// Pieces of work that found no room.
    refused: AtomicU64,
}

/// Since the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    pub reads: u64,
    pub bytes_read: u64,
    pub writes: u64,
    pub bytes_written: u64,
    pub evictions: u64,
    pub refused: u64,
    pub regions: u32,
    pub region_bytes: u64,
    /// Regions that hold something now.
    pub regions_used: u32,
}

#[derive(Debug, Default)]
struct State {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// Slots that nobody holds, by when they were held last.
    unheld: BTreeSet<(u64, u32)>,
    clock: u64,
    files: HashMap<u64, FileState>,
    /// Takes regions alone until it has done its work.
    turn_of: Option<ThreadId>,
}

#[derive(Debug, Clone, Default)]
struct Slot {
    /// Whose it is; `None`: nobody's.
    of: Option<(u64, u32)>,
    holders: u32,
    released: u64,
}

#[derive(Debug)]
struct FileState {
    shape: Shape,
    addresses: Arc<Reservation>,
    regions: HashMap<u32, Region>,
    /// Parts that some thread is fetching.
    in_flight: HashSet<u32>,
    evictions: u64,
}

#[derive(Debug)]
struct Region {
    slot: u32,
    /// Parts of which this region has its share, by their numbers in the file less that of its first one.
    present: PartSet,
}

impl FileState {
    fn is_present(&self, part: u32) -> bool {
        let regions = self.shape.regions_of(&self.shape.bytes_of(&(part..part + 1)));
        regions.into_iter().all(|number| {
            let first = self.shape.first_part(number);
            self.regions.get(&number).is_some_and(|region| region.present.contains(part - first))
        })
    }
}

/// Holds a region until it is dropped.
#[derive(Debug)]
pub(crate) struct Pin {
    cache: Arc<Cache>,
    slot: u32,
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.cache.release(self.slot);
    }
}

impl Pin {
    pub fn slot(&self) -> u32 {
        self.slot
    }
}

/// Nobody but this thread takes regions until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a>(&'a Cache);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.lock().turn_of = None;
        self.0.has_changed.notify_all();
    }
}

impl Cache {
    fn create(path: &Path, bytes: u64, region_bytes: u64) -> Result<Self> {
        let page = page_bytes() as u64;
        if region_bytes == 0 || !region_bytes.is_multiple_of(page) {
            let reason =
                format!("a region of the shared cache has [{region_bytes}] bytes, which is no multiple of [{page}]");
            return Err(Error::illegal_argument(reason));
        }
        let regions = bytes / region_bytes;
        if regions == 0 || regions > REGIONS_MAX {
            let reason = format!("[{regions}] regions in the shared cache: there must be 1 to {REGIONS_MAX}");
            return Err(Error::illegal_argument(reason));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path);
        let file = file.map_err(|error| Error::io("cannot create", path, error))?;
        take_room(&file, path, regions * region_bytes)?;
        let regions = regions as u32;
        let state = State {
            slots: vec![Slot::default(); regions as usize],
            free: (0..regions).rev().collect(),
            ..State::default()
        };
        Ok(Cache {
            path: path.to_owned(),
            file,
            region_bytes: region_bytes as usize,
            regions,
            state: Mutex::new(state),
            has_changed: Condvar::new(),
            figures: Counters::default(),
        })
    }

    pub(crate) fn region_bytes(&self) -> usize {
        self.region_bytes
    }

    pub(crate) fn regions(&self) -> u32 {
        self.regions
    }

    /// The file is read through the cache from now on.
    pub(crate) fn add(&self, file: u64, shape: Shape, addresses: Arc<Reservation>) {
        let (regions, in_flight) = (HashMap::new(), HashSet::new());
        self.lock().files.insert(file, FileState { shape, addresses, regions, in_flight, evictions: 0 });
    }

    /// Nobody reads the file any more.
    pub(crate) fn remove(&self, file: u64) {
        let mut state = self.lock();
        let Some(removed) = state.files.remove(&file) else { return };
        for region in removed.regions.into_values() {
            let slot = std::mem::take(&mut state.slots[region.slot as usize]);
            state.unheld.remove(&(slot.released, region.slot));
            state.free.push(region.slot);
        }
        self.has_changed.notify_all();
    }

    /// The caller holds nothing, and waits until it is its turn; `None` where that takes too long. Errors: those of the check.
    pub(crate) fn turn(&self, at_most: Duration, check: impl Fn() -> Result<()>) -> Result<Option<Turn<'_>>> {
        let began = Instant::now();
        loop {
            {
                let mut state = self.lock();
                if state.turn_of.is_none() {
                    state.turn_of = Some(std::thread::current().id());
                    return Ok(Some(Turn(self)));
                }
            }
            check()?;
            if began.elapsed() > at_most {
                return Ok(None);
            }
            self.wait(LOOK);
        }
    }

    /// Errors: `CircuitBreaking` where all regions are held, or another thread has its turn; `Io`.
    pub(crate) fn pin(self: &Arc<Self>, file: u64, region: u32) -> Result<Pin> {
        let mut state = self.lock();
        let known = state.files.get(&file).and_then(|state| state.regions.get(&region)).map(|region| region.slot);
        let is_held = known.is_some_and(|slot| state.slots[slot as usize].holders > 0);
        // What is held anyway may be read by all.
        if !is_held && state.turn_of.is_some_and(|thread| thread != std::thread::current().id()) {
            return Err(self.all_are_read());
        }
        let slot = match known {
            Some(slot) => slot,
            None => self.take_region(&mut state, file, region)?,
        };
        let held = &mut state.slots[slot as usize];
        held.holders += 1;
        let (is_first, released) = (held.holders == 1, held.released);
        if is_first {
            state.unheld.remove(&(released, slot));
        }
        Ok(Pin { cache: Arc::clone(self), slot })
    }

    fn take_region(&self, state: &mut State, file: u64, region: u32) -> Result<u32> {
        let slot = match state.free.pop() {
            Some(slot) => slot,
            None => self.evict(state)?,
        };
        let of = state.files.get_mut(&file).ok_or_else(|| Error::illegal_state("the file is closed"))?;
        let bytes = of.shape.bytes_of_region(region);
        let place = u64::from(slot) * self.region_bytes as u64;
        if let Err(error) = of.addresses.map(bytes.start, bytes.len(), &self.file, place) {
            state.free.push(slot);
            return Err(Error::io("cannot map", &self.path, error));
        }
        of.regions.insert(region, Region { slot, present: PartSet::default() });
        state.slots[slot as usize] = Slot { of: Some((file, region)), holders: 0, released: 0 };
        Ok(slot)
    }

    /// Gives up the region that was held longest ago.
    fn evict(&self, state: &mut State) -> Result<u32> {
        let Some(&(released, slot)) = state.unheld.first() else {
            return Err(self.all_are_read());
        };
        self.give_up(state, released, slot)?;
        // It was put with the free ones.
        state.free.pop().ok_or_else(|| Error::internal("a region of the shared cache was lost"))
    }

    fn all_are_read(&self) -> Error {
        let (regions, bytes) = (self.regions, self.region_bytes);
        let reason = format!(
            "the shared cache of searchable snapshots has [{regions}] regions of [{bytes}] bytes, and all of them are being read"
        );
        Error::new(ErrorCode::CircuitBreaking, reason)
    }

    fn give_up(&self, state: &mut State, released: u64, slot: u32) -> Result<()> {
        let Some((file, region)) = state.slots[slot as usize].of else {
            return Err(Error::internal("a region of the shared cache belongs to no file"));
        };
        if let Some(of) = state.files.get_mut(&file) {
            let bytes = of.shape.bytes_of_region(region);
            let unmapped = of.addresses.unmap(bytes.start, bytes.len());
            unmapped.map_err(|error| Error::io("cannot unmap", &self.path, error))?;
            of.regions.remove(&region);
            of.evictions += 1;
        }
        state.slots[slot as usize] = Slot::default();
        state.unheld.remove(&(released, slot));
        state.free.push(slot);
        self.figures.evictions.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn release(&self, slot: u32) {
        let mut state = self.lock();
        let clock = state.clock;
        state.clock += 1;
        let held = &mut state.slots[slot as usize];
        held.holders = held.holders.saturating_sub(1);
        if held.holders > 0 {
            return;
        }
        held.released = clock;
        state.unheld.insert((clock, slot));
        self.has_changed.notify_all();
    }

    /// What to do about parts whose regions the caller holds; see [`Shape::next_of`].
    pub(crate) fn next_of(
        &self,
        file: u64,
        parts: &Range<u32>,
        may_fetch: bool,
        ahead: impl FnMut(u32) -> u32,
        is_held: impl Fn(u32) -> bool,
    ) -> Result<Next> {
        let mut state = self.lock();
        let of = state.files.get_mut(&file).ok_or_else(|| Error::illegal_state("the file is closed"))?;
        let (shape, mut in_flight) = (of.shape, std::mem::take(&mut of.in_flight));
        let can = |part: u32| shape.regions_of(&shape.bytes_of(&(part..part + 1))).into_iter().all(&is_held);
        let next = shape.next_of(parts, may_fetch, &mut in_flight, |part| of.is_present(part), ahead, can);
        of.in_flight = in_flight;
        Ok(next)
    }

    /// The parts are there from now on, or their fetching failed: others may try.
    pub(crate) fn fetched(&self, file: u64, parts: &Range<u32>, bytes: Result<&[u8]>) -> Result<()> {
        let written = bytes.and_then(|bytes| self.write(file, parts, bytes));
        let mut state = self.lock();
        if let Some(of) = state.files.get_mut(&file) {
            let shape = of.shape;
            for part in parts.clone() {
                of.in_flight.remove(&part);
                if written.is_err() {
                    continue;
                }
                for number in shape.regions_of(&shape.bytes_of(&(part..part + 1))) {
                    if let Some(region) = of.regions.get_mut(&number) {
                        region.present.insert(part - shape.first_part(number));
                    }
                }
            }
        }
        drop(state);
        self.has_changed.notify_all();
        written
    }

    /// The caller holds the regions.
    fn write(&self, file: u64, parts: &Range<u32>, bytes: &[u8]) -> Result<()> {
        let state = self.lock();
        let of = state.files.get(&file).ok_or_else(|| Error::illegal_state("the file is closed"))?;
        let (shape, range) = (of.shape, of.shape.bytes_of(parts));
        let mut writes = Vec::new();
        for number in shape.regions_of(&range) {
            let region =
                of.regions.get(&number).ok_or_else(|| Error::internal("a region was given up while it was held"))?;
            let own = shape.bytes_of_region(number);
            let piece = own.start.max(range.start)..own.end.min(range.end);
            let place = u64::from(region.slot) * self.region_bytes as u64 + (piece.start - own.start) as u64;
            writes.push((piece.start - range.start..piece.end - range.start, place));
        }
        drop(state);
        for (piece, place) in writes {
            let length = piece.len() as u64;
            let written = self.file.write_all_at(&bytes[piece], place);
            written.map_err(|error| Error::io("cannot write to", &self.path, error))?;
            self.figures.writes.fetch_add(1, Ordering::Relaxed);
            self.figures.bytes_written.fetch_add(length, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Until something changes, or for a moment.
    pub(crate) fn wait(&self, for_long: Duration) {
        let state = self.lock();
        drop(self.has_changed.wait_timeout(state, for_long).unwrap_or_else(PoisonError::into_inner));
    }

    /// Gives up what is not held of a file. Errors: `Io`.
    pub(crate) fn clear(&self, file: u64) -> Result<()> {
        let mut state = self.lock();
        let Some(of) = state.files.get(&file) else { return Ok(()) };
        let slots: Vec<u32> = of.regions.values().map(|region| region.slot).collect();
        for slot in slots {
            let Slot { holders, released, .. } = state.slots[slot as usize];
            if holders == 0 {
                self.give_up(&mut state, released, slot)?;
            }
        }
        Ok(())
    }

    pub(crate) fn note_read(&self, bytes: u64) {
        self.figures.reads.fetch_add(1, Ordering::Relaxed);
        self.figures.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn note_refused(&self) {
        self.figures.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Regions of the file that the cache has, and how many it has given up.
    pub(crate) fn held_of(&self, file: u64) -> (usize, u64) {
        let state = self.lock();
        state.files.get(&file).map_or((0, 0), |of| (of.regions.len(), of.evictions))
    }

    pub fn figures(&self) -> Figures {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let Counters { reads, bytes_read, writes, bytes_written, evictions, refused } = &self.figures;
        Figures {
            reads: of(reads),
            bytes_read: of(bytes_read),
            writes: of(writes),
            bytes_written: of(bytes_written),
            evictions: of(evictions),
            refused: of(refused),
            regions: self.regions,
            region_bytes: self.region_bytes as u64,
            regions_used: self.regions - self.lock().free.len() as u32,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
