//! The work that a thread does at the moment: what of the cache it holds until it ends, and whether it may wait for more.
//!
//! Readers of columns and lists cannot fail. So what is missing ends the work as a panic does, without the noise of one, and
//! [`reading`] turns it into the error that it is.

use crate::cache::{Cache, Pin};
use crate::part_set::PartSet;
use crate::requests::ANSWER_MAX;
use quarry_base::erased::erased;
use quarry_base::error::{Error, ErrorCode, Result};
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// So long work that holds a part of the cache waits for more: others may wait for what it holds.
const ROOM_WAIT: Duration = Duration::from_secs(1);
/// The same for work that would be done again.
const FIRST_ROOM_WAIT: Duration = Duration::from_millis(100);

/// What work does that meets bytes which are not there.
#[derive(Debug, Clone)]
pub enum Patience {
    /// It ends with `BlocksAbsent`.
    Never,
    /// It waits until they are, or the flag is raised.
    Until(Arc<AtomicBool>),
}

impl Patience {
    pub fn may_wait(&self) -> bool {
        matches!(self, Patience::Until(_))
    }

    /// Errors: `TaskCancelled`.
    pub fn check(&self) -> Result<()> {
        match self {
            Patience::Until(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::new(ErrorCode::TaskCancelled, "task cancelled"))
            }
            _ => Ok(()),
        }
    }
}

/// What the work holds of one file.
struct HeldFile {
    number: u64,
    parts: PartSet,
    regions: PartSet,
    /// The part behind the last one that was fetched, and how many are fetched at once: who reads on and on gets more.
    next: u32,
    ahead: u32,
    _file: Arc<dyn Any + Send + Sync>,
}

struct Held {
    patience: Patience,
    /// Before the files: it is let go of first.
    pins: Vec<Pin>,
    files: Vec<HeldFile>,
}

/// How work goes on that finds no room in the cache.
#[derive(Default)]
enum Try {
    /// It fails.
    #[default]
    Only,
    /// It is done again when its turn has come; in the cache that refused it.
    First(Option<Arc<Cache>>),
    /// Others make room, and it waits for that.
    InTurn,
}

thread_local! {
    /// Of the work, and of pieces within it.
    static HELD: RefCell<Vec<Held>> = const { RefCell::new(Vec::new()) };
    static TRY: RefCell<Try> = const { RefCell::new(Try::Only) };
}

/// An error on its way through those who cannot fail.
struct Raised(Error);

/// Ends the work. See [`reading`].
pub fn raise(error: Error) -> ! {
    resume_unwind(Box::new(Raised(error)))
}

/// Does the work, which may read files that lie elsewhere. What it read of them is held until then. Within other such work it is a part
/// of that.
///
/// Errors are those of the work; `BlocksAbsent`, `CircuitBreaking` (the cache is too small for all that is read at once), `Corrupt`, `Io` and
/// `TaskCancelled` where something could not be read.
pub fn reading<T>(patience: &Patience, work: impl FnOnce() -> Result<T>) -> Result<T> {
    erased(work, |work| {
        let is_outermost = HELD.with_borrow(Vec::is_empty);
        caught(is_outermost.then_some(patience), work)
    })
}

/// `patience`: of work that begins here, and not where it is a part of other work.
fn caught(patience: Option<&Patience>, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let _leaving = patience.map(|patience| Leaving::enter(patience.clone()));
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result,
        Err(payload) => match payload.downcast::<Raised>() {
            Ok(raised) => Err(raised.0),
            Err(panic) => resume_unwind(panic),
        },
    }
}

/// Does a piece of the work of which nothing is held any longer than that: so that work may read more than the cache has room for. Errors: see
/// [`reading`].
pub fn piece<T: 'static>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    erased(work, |work| caught(Some(&patience()?), work))
}

/// Does work of this thread that changes nothing, as a piece. Several that each hold a part of the cache and wait for more would wait for each
/// other: one that finds no room lets go of all that it holds, and is done again from its beginning when its turn has come. One at a time has
/// its turn, and nobody else takes regions meanwhile. Errors: see [`reading`].
pub fn in_turn<T: 'static>(work: impl Fn() -> Result<T>) -> Result<T> {
    let patience = patience()?;
    let first = Trying::enter(Try::First(None));
    let found = piece(&work);
    let Try::First(refused) = first.leave() else { return found };
    let (Some(cache), Err(error)) = (refused, &found) else { return found };
    if error.code != ErrorCode::CircuitBreaking {
        return found;
    }
    let Some(_turn) = cache.turn(ANSWER_MAX, || patience.check())? else {
        cache.note_refused();
        return found;
    };
    let _last = Trying::enter(Try::InTurn);
    piece(work)
}

/// What the work was before it is left.
struct Trying(Try);

impl Trying {
    fn enter(now: Try) -> Self {
        Trying(TRY.replace(now))
    }

    fn leave(self) -> Try {
        TRY.take()
    }
}

impl Drop for Trying {
    fn drop(&mut self) {
        TRY.set(std::mem::take(&mut self.0));
    }
}

struct Leaving;

impl Leaving {
    fn enter(patience: Patience) -> Self {
        HELD.with_borrow_mut(|held| held.push(Held { patience, pins: Vec::new(), files: Vec::new() }));
        Leaving
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        // Dropped outside of the borrow: the last owner of a file may go with it.
        let held = HELD.with_borrow_mut(Vec::pop);
        drop(held);
    }
}

/// How long the work may wait for room in the cache that others hold. Zero where there are none: it holds all of it.
pub(crate) fn room_wait(cache: &Cache) -> Duration {
    HELD.with_borrow(|held| {
        let slots: HashSet<u32> = held.iter().flat_map(|held| &held.pins).map(Pin::slot).collect();
        if slots.len() >= cache.regions() as usize {
            return Duration::ZERO;
        }
        TRY.with_borrow(|now| match now {
            _ if slots.is_empty() => ANSWER_MAX,
            Try::InTurn => ANSWER_MAX,
            Try::First(_) => FIRST_ROOM_WAIT,
            Try::Only => ROOM_WAIT,
        })
    })
}

/// Work found no room in the cache. `false`: it is done again.
pub(crate) fn is_refused_for_good(cache: &Arc<Cache>) -> bool {
    TRY.with_borrow_mut(|now| match now {
        Try::First(refused) => {
            *refused = Some(Arc::clone(cache));
            false
        }
        Try::Only | Try::InTurn => true,
    })
}

/// Errors: `IllegalState` where this thread does no work that may read such files.
pub(crate) fn patience() -> Result<Patience> {
    let patience = HELD.with_borrow(|held| held.last().map(|held| held.patience.clone()));
    patience.ok_or_else(|| Error::illegal_state("blocks of a repository are asked for where nobody may wait for them"))
}

#[inline]
pub(crate) fn holds(file: u64, parts: Range<u32>) -> bool {
    HELD.with_borrow(|held| {
        let files = held.last().map_or(&[][..], |held| &held.files);
        // The last ones are those that are read at the moment.
        files.iter().rev().find(|held| held.number == file).is_some_and(|held| held.parts.contains_all(parts))
    })
}

/// What of the file the work holds by now.
pub(crate) struct Holding<'a>(&'a mut HeldFile, &'a mut Vec<Pin>);

impl Holding<'_> {
    /// Holds a region that is not held yet. Errors: those of the cache.
    pub fn hold(&mut self, cache: &Arc<Cache>, file: u64, region: u32) -> Result<()> {
        if !self.0.regions.contains(region) {
            self.1.push(cache.pin(file, region)?);
            self.0.regions.insert(region);
        }
        Ok(())
    }

    pub fn is_held(&self, region: u32) -> bool {
        self.0.regions.contains(region)
    }

    /// The parts are there.
    pub fn note(&mut self, parts: Range<u32>) {
        parts.into_iter().for_each(|part| self.0.parts.insert(part));
    }

    /// How many parts are to be fetched at once from `part` on, where one more is missing: twice as many as before when it is the
    /// next one, else one.
    pub fn ahead(&mut self, part: u32, most: u32) -> u32 {
        self.0.ahead = if part == self.0.next { (self.0.ahead * 2).min(most) } else { 1 };
        self.0.ahead
    }

    pub fn fetched(&mut self, parts: &Range<u32>) {
        self.0.next = parts.end;
    }
}

pub(crate) fn with_held<T>(
    file: u64,
    owner: impl FnOnce() -> Arc<dyn Any + Send + Sync>,
    work: impl FnOnce(Holding<'_>) -> Result<T>,
) -> Result<T> {
    HELD.with_borrow_mut(|held| {
        let held = held.last_mut().ok_or_else(|| Error::illegal_state("nothing is being read"))?;
        let place = held.files.iter().position(|held| held.number == file).unwrap_or_else(|| {
            let parts = PartSet::default();
            let regions = PartSet::default();
            held.files.push(HeldFile { number: file, parts, regions, next: 0, ahead: 1, _file: owner() });
            held.files.len() - 1
        });
        work(Holding(&mut held.files[place], &mut held.pins))
    })
}
