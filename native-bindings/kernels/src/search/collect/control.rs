//! When a search must stop: the client went away, or its time is up.

use crate::error::{Error, ErrorCode, Result};
use std::time::{Duration, Instant};

/// Asked in every window whether somebody cancelled the search.
pub type IsCancelled<'a> = &'a dyn Fn() -> bool;

pub struct Control<'a> {
    is_cancelled: IsCancelled<'a>,
    deadline: Option<Instant>,
    timed_out: bool,
}

/// Nobody cancels.
pub const NEVER: IsCancelled<'static> = &|| false;

pub fn cancelled() -> Error {
    Error::new(ErrorCode::TaskCancelled, "task cancelled [the client went away]")
}

impl<'a> Control<'a> {
    /// The time starts now.
    pub fn new(is_cancelled: IsCancelled<'a>, timeout_ms: Option<u64>) -> Self {
        let deadline = timeout_ms.and_then(|millis| Instant::now().checked_add(Duration::from_millis(millis)));
        Control { is_cancelled, deadline, timed_out: false }
    }

    /// As long as another search has time.
    pub fn until(is_cancelled: IsCancelled<'a>, deadline: Option<Instant>) -> Self {
        Control { is_cancelled, deadline, timed_out: false }
    }

    /// `true` when the time is up; what was found until then counts. `TaskCancelled` when nobody wants the answer.
    pub fn should_stop(&mut self) -> Result<bool> {
        if (self.is_cancelled)() {
            return Err(cancelled());
        }
        self.timed_out = self.timed_out || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        Ok(self.timed_out)
    }

    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    pub fn is_cancelled(&self) -> IsCancelled<'a> {
        self.is_cancelled
    }

    pub fn timed_out(&self) -> bool {
        self.timed_out
    }
}
