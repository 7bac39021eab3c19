//! What is to be fetched of the files of one shard. Threads that need it wait; one that can fetch it takes requests one by one.

use quarry_base::error::{Error, ErrorCode, Result};
use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often who waits looks whether anybody wants the bytes still.
const LOOK: Duration = Duration::from_millis(20);
/// A store that does not answer for so long has failed.
pub(crate) const ANSWER_MAX: Duration = Duration::from_mins(1);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub number: u32,
    pub file: String,
    pub offset: u64,
    pub length: u64,
}

/// Takes the next request; `None`: there will be none any more.
pub type Taker = Box<dyn FnOnce(Option<Request>) + Send>;

#[derive(Default)]
pub struct Requests {
    state: Mutex<State>,
    has_answer: Condvar,
}

#[derive(Default)]
struct State {
    next_number: u32,
    queued: VecDeque<Request>,
    taker: Option<Taker>,
    /// By number; `None`: not answered yet. Those whose threads gave up are not here any more.
    answers: HashMap<u32, Option<Result<Vec<u8>>>>,
    is_closed: bool,
}

impl Requests {
    /// Waits for what was asked for. Errors: those of the store; `Io` where it does not answer; whatever `check` finds.
    pub fn wait(&self, number: u32, file: &str, check: impl Fn() -> Result<()>) -> Result<Vec<u8>> {
        let started = Instant::now();
        let mut state = self.lock();
        loop {
            if let Some(Some(_)) = state.answers.get(&number) {
                return state.answers.remove(&number).flatten().unwrap_or_else(|| Err(closed()));
            }
            let is_late = started.elapsed() > ANSWER_MAX;
            let refused = if state.is_closed { Err(closed()) } else { check() };
            if is_late || refused.is_err() {
                state.answers.remove(&number);
                state.queued.retain(|request| request.number != number);
                refused?;
                return Err(unanswered(file));
            }
            state = self.has_answer.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whoever asks waits for the answer as well. Errors: `IllegalState` of files that are closed.
    pub fn ask(&self, file: &str, offset: u64, length: u64) -> Result<u32> {
        let mut state = self.lock();
        if state.is_closed {
            return Err(closed());
        }
        let number = state.next_number;
        state.next_number = number.wrapping_add(1);
        state.answers.insert(number, None);
        let request = Request { number, file: file.to_owned(), offset, length };
        match state.taker.take() {
            Some(taker) => {
                drop(state);
                taker(Some(request));
            }
            None => state.queued.push_back(request),
        }
        Ok(number)
    }

    /// Gives the next request to `taker`, as soon as there is one. Of two that wait the former gets none.
    pub fn take_next(&self, taker: Taker) {
        let mut state = self.lock();
        let (next, is_closed) = (state.queued.pop_front(), state.is_closed);
        if next.is_some() || is_closed {
            drop(state);
            return taker(next);
        }
        let former = state.taker.replace(taker);
        drop(state);
        if let Some(former) = former {
            former(None);
        }
    }

    /// Of a request that was taken. Nobody may want it any more.
    pub fn answer(&self, number: u32, answer: Result<Vec<u8>>) {
        if let Some(slot) = self.lock().answers.get_mut(&number) {
            *slot = Some(answer);
        }
        self.has_answer.notify_all();
    }

    /// Errors: `IllegalState` of files that are closed.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.lock().is_closed { Err(closed()) } else { Ok(()) }
    }

    /// Whoever waits fails.
    pub fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.queued.clear();
        let taker = state.taker.take();
        drop(state);
        if let Some(taker) = taker {
            taker(None);
        }
        self.has_answer.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Requests {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Requests").finish_non_exhaustive()
    }
}

pub(crate) fn unanswered(file: &str) -> Error {
    let reason = format!("[{file}]: the repository did not answer for {} s", ANSWER_MAX.as_secs());
    Error::new(ErrorCode::Io, reason)
}

fn closed() -> Error {
    Error::illegal_state("the shard is closed")
}
