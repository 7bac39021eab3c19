//! The work that a thread does at the moment: what of the cache it holds until it ends, and whether it may wait for more.
//!
//! Readers of columns and lists cannot fail. So what is missing ends the work as a panic does, without the noise of one, and
//! [`reading`] turns it into the error that it is.

use crate::cache::{Cache, Pin};
use crate::part_set::PartSet;
use quarry_base::error::{Error, ErrorCode, Result};
use std::any::Any;
use std::cell::RefCell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

thread_local! {
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
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
    let _leaving = Leaving::enter(patience);
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
    let patience = patience()?;
    let _rest = Rest(HELD.take());
    reading(&patience, work)
}

/// What the rest of the work holds.
struct Rest(Option<Held>);

impl Drop for Rest {
    fn drop(&mut self) {
        HELD.set(self.0.take());
    }
}

struct Leaving {
    is_outermost: bool,
}

impl Leaving {
    fn enter(patience: &Patience) -> Self {
        HELD.with_borrow_mut(|held| {
            let is_outermost = held.is_none();
            if is_outermost {
                *held = Some(Held { patience: patience.clone(), pins: Vec::new(), files: Vec::new() });
            }
            Leaving { is_outermost }
        })
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if self.is_outermost {
            // Dropped outside of the borrow: the last owner of a file may go with it.
            drop(HELD.take());
        }
    }
}

/// Errors: `IllegalState` where this thread does no work that may read such files.
pub(crate) fn patience() -> Result<Patience> {
    let patience = HELD.with_borrow(|held| held.as_ref().map(|held| held.patience.clone()));
    patience.ok_or_else(|| Error::illegal_state("blocks of a repository are asked for where nobody may wait for them"))
}

#[inline]
pub(crate) fn holds(file: u64, parts: Range<u32>) -> bool {
    HELD.with_borrow(|held| {
        let files = held.as_ref().map_or(&[][..], |held| &held.files);
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
        let held = held.as_mut().ok_or_else(|| Error::illegal_state("nothing is being read"))?;
        let place = held.files.iter().position(|held| held.number == file).unwrap_or_else(|| {
            let parts = PartSet::default();
            let regions = PartSet::default();
            held.files.push(HeldFile { number: file, parts, regions, next: 0, ahead: 1, _file: owner() });
            held.files.len() - 1
        });
        work(Holding(&mut held.files[place], &mut held.pins))
    })
}
