//! When a search must stop: the client went away, or its time is up.

use crate::allocation;
use crate::error::{Error, ErrorCode, Result};
use std::time::{Duration, Instant};

/// Asked in every window whether somebody cancelled the search.
pub type IsCancelled<'a> = &'a dyn Fn() -> bool;

pub struct Control<'a> {
    is_cancelled: IsCancelled<'a>,
    /// That the search has, from its beginning.
    time: Option<Duration>,
    deadline: Option<Instant>,
    timed_out: bool,
}

/// Nobody cancels.
pub const NEVER: IsCancelled<'static> = &|| false;

#[inline]
pub fn cancelled() -> Error {
    Error::new(ErrorCode::TaskCancelled, "task cancelled [the client went away]")
}

impl<'a> Control<'a> {
    /// The time starts now.
    #[inline]
    pub fn new(is_cancelled: IsCancelled<'a>, timeout_ms: Option<u64>) -> Self {
        let mut control = Self::until(is_cancelled, None);
        control.time = timeout_ms.map(Duration::from_millis);
        control.restart();
        control
    }

    /// As long as another search has time.
    #[inline]
    pub fn until(is_cancelled: IsCancelled<'a>, deadline: Option<Instant>) -> Self {
        Control { is_cancelled, time: None, deadline, timed_out: false }
    }

    /// For a search that is carried out once more: its time starts again.
    #[inline]
    pub fn restart(&mut self) {
        if let Some(time) = self.time {
            (self.deadline, self.timed_out) = (Instant::now().checked_add(time), false);
        }
    }

    /// `true` when the time is up; what was found until then counts. `TaskCancelled` when nobody wants the answer; what
    /// [`allocation::check`] says.
    #[inline]
    pub fn should_stop(&mut self) -> Result<bool> {
        allocation::check()?;
        if (self.is_cancelled)() {
            return Err(cancelled());
        }
        self.timed_out = self.timed_out || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        Ok(self.timed_out)
    }

    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    #[inline]
    pub fn is_cancelled(&self) -> IsCancelled<'a> {
        self.is_cancelled
    }

    #[inline]
    pub fn timed_out(&self) -> bool {
        self.timed_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_is_carried_out_again_has_all_of_its_time() {
        let mut control = Control::new(NEVER, Some(3_600_000));
        control.deadline = Some(Instant::now());
        assert!(control.should_stop().unwrap() && control.timed_out());
        control.restart();
        assert!(!control.should_stop().unwrap() && !control.timed_out());
        let mut of_another = Control::until(NEVER, Some(Instant::now()));
        of_another.restart();
        assert!(of_another.should_stop().unwrap());
    }
}
