//! What a search that takes long within one window looks at: whether somebody cancelled it, or its time is up.
//!
//! A call searches on one thread from its beginning to its end, so that whatever takes long (scripts, phrases of frequent words) can ask
//! here without being handed anything.

use crate::allocation;
use crate::control::{Control, IsCancelled};
use crate::error::{Error, ErrorCode, Result};
use std::cell::Cell;
use std::time::Instant;

/// What the search that runs on this thread is asked about.
#[derive(Clone, Copy)]
struct Watched {
    is_cancelled: *const (dyn Fn() -> bool + 'static),
    deadline: Option<Instant>,
}

thread_local! {
    static WATCHED: Cell<Option<Watched>> = const { Cell::new(None) };
}

/// Puts back what was watched before, also when the search panics.
struct Restore(Option<Watched>);

impl Drop for Restore {
    fn drop(&mut self) {
        WATCHED.set(self.0);
    }
}

/// Runs a search, or a part of one, in which [`check`] looks at this.
pub fn watching<T>(is_cancelled: IsCancelled<'_>, deadline: Option<Instant>, run: impl FnOnce() -> T) -> T {
    // SAFETY: the pointer is read by this thread only and not after this function: the guard takes it back before the borrow ends.
    let is_cancelled = unsafe {
        std::mem::transmute::<*const (dyn Fn() -> bool + '_), *const (dyn Fn() -> bool + 'static)>(is_cancelled)
    };
    let _restore = Restore(WATCHED.replace(Some(Watched { is_cancelled, deadline })));
    run()
}

/// Whether the search should end at once.
#[inline]
pub fn is_raised() -> bool {
    let Some(watched) = WATCHED.get() else { return false };
    // SAFETY: whoever put it there waits in `watching` for the caller of this function.
    let is_cancelled = unsafe { &*watched.is_cancelled };
    is_cancelled() || watched.deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// `TaskCancelled` when the search should end at once; [`ended_in_time`] tells whose wish that was. What [`allocation::check`] says.
#[inline]
pub fn check() -> Result<()> {
    allocation::check()?;
    if is_raised() {
        Err(Error::new(ErrorCode::TaskCancelled, "task cancelled [the client went away]"))
    } else {
        Ok(())
    }
}

/// What becomes of a part of a search: one that ended because the time is up is as good as one that found nothing more.
#[inline]
pub fn ended_in_time(result: Result<()>, control: &mut Control<'_>) -> Result<()> {
    match result {
        Err(error) if error.code == ErrorCode::TaskCancelled && control.should_stop()? => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_innermost_is_asked_and_gone_afterwards() {
        assert!(check().is_ok());
        watching(&|| false, None, || {
            assert!(check().is_ok());
            watching(&|| true, None, || assert!(is_raised()));
            assert!(check().is_ok());
        });
        let late = Instant::now().checked_sub(Duration::from_secs(1));
        watching(&|| false, late, || assert_eq!(check().unwrap_err().code, ErrorCode::TaskCancelled));
        let panicked = std::panic::catch_unwind(|| watching(&|| true, None, || panic!("in a search")));
        assert!(panicked.is_err() && !is_raised());
    }

    #[test]
    fn time_that_is_up_ends_a_part_and_a_cancellation_the_whole() {
        let stopped = || Err(Error::new(ErrorCode::TaskCancelled, "stopped"));
        let in_time = |is_cancelled: bool, timeout_ms| {
            ended_in_time(stopped(), &mut Control::new(&|| is_cancelled, timeout_ms)).is_ok()
        };
        assert!(in_time(false, Some(0)));
        assert!(!in_time(true, Some(0)));
        assert!(!in_time(false, None));
    }
}
