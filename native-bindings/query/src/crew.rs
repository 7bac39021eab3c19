//! Idle threads that help one thread with a piece of work.
//!
//! Whoever has the work goes on with it whether anybody comes or not, and waits at its end for those who came. Where the pieces are that are left, and
//! what becomes of those that are finished, is the work's own affair.

use quarry_base::control::IsCancelled;
use quarry_base::threads::{SEARCH_THREADS, is_for_long_work, processor_time};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often who waits for helpers looks whether the search was cancelled.
const LOOK: Duration = Duration::from_millis(1);

static THREADS_MAX: AtomicUsize = AtomicUsize::new(1);
static HELPED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static HELP: Cell<Duration> = const { Cell::new(Duration::ZERO) };
    static IS_HELPING: Cell<bool> = const { Cell::new(false) };
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Threads that one search of a shard may have; 1 before it is set.
pub fn set_threads_max(threads: usize) {
    THREADS_MAX.store(threads.max(1), Ordering::Relaxed);
}

/// Pieces of work that were carried out by helpers since the process started.
pub fn helped() -> u64 {
    HELPED.load(Ordering::Relaxed)
}

/// What the work gives, and the processor time of those who helped this thread with it.
pub fn with_help<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    HELP.set(Duration::ZERO);
    let found = work();
    (found, HELP.take())
}

/// The work gets no helpers.
pub fn alone<T>(work: impl FnOnce() -> T) -> T {
    struct Leaving(bool);
    impl Drop for Leaving {
        fn drop(&mut self) {
            IS_ALONE.set(self.0);
        }
    }
    let _leaving = Leaving(IS_ALONE.replace(true));
    work()
}

/// Whether this thread helps another one, and should leave it what it has not begun: somebody waits for a thread, or for a processor.
#[inline]
pub fn should_leave() -> bool {
    IS_HELPING.get() && SEARCH_THREADS.is_crowded()
}

/// How many may be called: none where this thread itself is one that others wait for, or all processors have such work.
pub fn idle_helpers() -> usize {
    let threads_max = THREADS_MAX.load(Ordering::Relaxed);
    if threads_max <= 1 || IS_ALONE.get() || !is_for_long_work() {
        return 0;
    }
    SEARCH_THREADS.idle().min(threads_max - 1)
}

/// `T` is what each of the helpers has to tell in the end.
pub struct Crew<T> {
    work: Box<dyn Fn(IsCancelled<'_>) -> T + Send + Sync>,
    /// Nobody wants what is not finished.
    is_over: AtomicBool,
    state: Mutex<State<T>>,
    has_ended: Condvar,
}

struct State<T> {
    /// Who comes now finds nothing to do.
    is_closed: bool,
    helping: usize,
    /// `None`: it panicked.
    told: Vec<Option<T>>,
    help: Duration,
}

impl<T: Send + 'static> Crew<T> {
    /// `work` is carried out by each helper.
    pub fn new(work: impl Fn(IsCancelled<'_>) -> T + Send + Sync + 'static) -> Arc<Self> {
        let state = State { is_closed: false, helping: 0, told: Vec::new(), help: Duration::ZERO };
        let (is_over, has_ended) = (AtomicBool::new(false), Condvar::new());
        Arc::new(Crew { work: Box::new(work), is_over, state: Mutex::new(state), has_ended })
    }

    /// At most so many, as are idle still.
    pub fn call(self: &Arc<Self>, helpers: usize) {
        for _ in 0..helpers {
            let crew = Arc::clone(self);
            if !SEARCH_THREADS.start_if_idle(|| Box::new(move || crew.help())) {
                return;
            }
        }
    }

    /// Those who help should end at once.
    pub fn give_up(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Nobody comes any more; waits for those who did, or ends them where nobody wants the answer. `None` among
    /// what they tell: one has panicked.
    pub fn end(&self, is_cancelled: IsCancelled<'_>) -> Vec<Option<T>> {
        let mut state = self.lock();
        state.is_closed = true;
        while state.helping > 0 {
            if is_cancelled() {
                self.give_up();
            }
            state = self.has_ended.wait_timeout(state, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        HELP.set(HELP.get() + std::mem::take(&mut state.help));
        HELPED.fetch_add(state.told.len() as u64, Ordering::Relaxed);
        std::mem::take(&mut state.told)
    }

    fn help(&self) {
        {
            let mut state = self.lock();
            if state.is_closed {
                return;
            }
            state.helping += 1;
        }
        let before = processor_time();
        let is_over = || self.is_over.load(Ordering::Relaxed);
        IS_HELPING.set(true);
        let told = catch_unwind(AssertUnwindSafe(|| (self.work)(&is_over))).ok();
        IS_HELPING.set(false);
        let mut state = self.lock();
        state.helping -= 1;
        state.told.push(told);
        state.help += processor_time().saturating_sub(before);
        drop(state);
        self.has_ended.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the helpers when it is dropped, a panic or an error passing by.
pub struct Ending<'c, T: Send + 'static>(pub &'c Crew<T>);

impl<T: Send + 'static> Drop for Ending<'_, T> {
    fn drop(&mut self) {
        self.0.give_up();
        self.0.end(&|| true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_is_that_of_this_work_alone() {
        let helped = |millis| HELP.set(HELP.get() + Duration::from_millis(millis));
        helped(7);
        let (failed, help) = with_help(|| {
            helped(2);
            Err::<(), &str>("cancelled")
        });
        assert_eq!((failed, help), (Err("cancelled"), Duration::from_millis(2)));
        let _ = catch_unwind(|| {
            with_help(|| -> u8 {
                HELP.set(Duration::from_secs(1));
                panic!("in a search")
            })
        });
        assert_eq!(with_help(|| helped(3)), ((), Duration::from_millis(3)));
    }

    #[test]
    fn who_has_the_work_does_not_leave_it() {
        let crew = Crew::new(|_| should_leave());
        crew.call(1);
        assert!(!should_leave());
        while crew.lock().told.is_empty() && crew.lock().helping > 0 {
            std::thread::yield_now();
        }
        assert!(crew.end(&|| false).iter().all(Option::is_some) && !IS_HELPING.get());
    }
}
