//! A few threads for jobs that must not hold up whoever starts them.

use crate::limits::KERNEL_STACK_BYTES;
use crate::scheduling::yield_to_others;
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// Work for a thread.
pub type Job = Box<dyn FnOnce() + Send>;

/// Threads of one kind, started with the first job; jobs are begun in the order they come.
pub struct JobThreads {
    name: &'static str,
    count: usize,
    queue: OnceLock<Sender<Job>>,
}

impl JobThreads {
    pub const fn new(name: &'static str, count: usize) -> Self {
        JobThreads { name, count, queue: OnceLock::new() }
    }

    /// Whoever starts jobs bounds how many wait. A job that panics ends with its unwinding, its thread goes on.
    pub fn start(&self, job: impl FnOnce() + Send + 'static) {
        drop(self.queue.get_or_init(|| self.start_threads()).send(Box::new(job)));
    }

    fn start_threads(&self) -> Sender<Job> {
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..self.count {
            let receiver = Arc::clone(&receiver);
            let name = format!("{}-{number}", self.name);
            // A process that cannot start a few threads cannot serve anyway; those that did start do the work of the others.
            let builder = std::thread::Builder::new().name(name).stack_size(KERNEL_STACK_BYTES);
            drop(builder.spawn(move || work(&receiver)));
        }
        sender
    }
}

fn work(receiver: &Mutex<Receiver<Job>>) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(job) => drop(catch_unwind(AssertUnwindSafe(job))),
            Err(_) => return,
        }
    }
}

/// For searches that take long: who asks for them stays free for what is cheap meanwhile.
pub static SEARCH_THREADS: BoundedThreads = BoundedThreads::new("search", 4, 1_000);

/// For work that waits for files to come from elsewhere: it holds up nobody who does not.
pub static BLOCK_THREADS: BoundedThreads = BoundedThreads::new("blocks", 8, 1_000);

thread_local! {
    static IS_FOR_LONG: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is one of [`BoundedThreads`]: nobody who is in a hurry waits for it.
pub fn is_for_long_work() -> bool {
    IS_FOR_LONG.get()
}

static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// What this thread has had of a processor.
pub fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// How often this thread has waited for a page of a file, or of what was swapped out; `None` where the system does not tell.
pub fn major_faults() -> Option<u64> {
    // See proc(5): the name in the second field may hold anything but the last parenthesis, the twelfth field is the number.
    let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(9)?.parse().ok()
}

/// Threads of which there are so many at most, and so many jobs that wait for them. They are started as they are needed and never ended.
pub struct BoundedThreads {
    name: &'static str,
    state: Mutex<Bounded>,
    has_work: Condvar,
    /// See [`BoundedThreads::is_crowded`]: so that it is asked without the lock.
    is_crowded: AtomicBool,
}

struct Bounded {
    jobs: VecDeque<Job>,
    threads: usize,
    threads_max: usize,
    jobs_max: usize,
    figures: ThreadFigures,
}

/// What the threads do now, and did since the process started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ThreadFigures {
    pub active: usize,
    pub queued: usize,
    pub completed: u64,
    /// Jobs that found no room.
    pub refused: u64,
    /// The most that ran at once.
    pub largest: usize,
    /// As many as there may be, and how many jobs may wait for them.
    pub threads_max: usize,
    pub jobs_max: usize,
}

impl Bounded {
    /// Jobs that run or wait.
    fn pending(&self) -> usize {
        self.figures.active + self.jobs.len()
    }

    /// So many run at once, each with a processor.
    fn at_once(&self) -> usize {
        self.threads_max.min(*PROCESSORS)
    }
}

impl BoundedThreads {
    pub const fn new(name: &'static str, threads_max: usize, jobs_max: usize) -> Self {
        let figures =
            ThreadFigures { active: 0, queued: 0, completed: 0, refused: 0, largest: 0, threads_max, jobs_max };
        let state = Bounded { jobs: VecDeque::new(), threads: 0, threads_max, jobs_max, figures };
        let is_crowded = AtomicBool::new(false);
        BoundedThreads { name, state: Mutex::new(state), has_work: Condvar::new(), is_crowded }
    }

    /// Threads that were started stay, however many there are to be from now on.
    pub fn set_limits(&self, threads_max: usize, jobs_max: usize) {
        let mut state = self.lock();
        state.threads_max = threads_max.max(1);
        state.jobs_max = jobs_max;
    }

    /// How many more jobs could run at once without one processor for two of them.
    pub fn idle(&self) -> usize {
        let state = self.lock();
        state.at_once().saturating_sub(state.pending())
    }

    /// Whether jobs wait, or share processors: those that could as well be left to others make room.
    pub fn is_crowded(&self) -> bool {
        self.is_crowded.load(Ordering::Relaxed)
    }

    fn note_crowd(&self, state: &Bounded) {
        let is_crowded = state.pending() > state.at_once();
        if is_crowded != self.is_crowded() {
            self.is_crowded.store(is_crowded, Ordering::Relaxed);
        }
    }

    pub fn figures(&self) -> ThreadFigures {
        let state = self.lock();
        ThreadFigures {
            queued: state.jobs.len(),
            threads_max: state.threads_max,
            jobs_max: state.jobs_max,
            ..state.figures
        }
    }

    /// Has the job carried out if there is room for it; `make` makes it only then.
    ///
    /// Errors: those of `make`.
    pub fn start<E>(&'static self, make: impl FnOnce() -> Result<Job, E>) -> Result<bool, E> {
        let mut state = self.lock();
        self.start_thread(&mut state);
        if state.threads == 0 || state.pending() >= state.threads_max.saturating_add(state.jobs_max) {
            state.figures.refused += 1;
            return Ok(false);
        }
        let job = make()?;
        self.push(state, job);
        Ok(true)
    }

    /// Has the job carried out if that keeps nobody waiting: see [`BoundedThreads::idle`]. Otherwise it was not asked for.
    pub fn start_if_idle(&'static self, make: impl FnOnce() -> Job) -> bool {
        let mut state = self.lock();
        if state.pending() >= state.at_once() {
            return false;
        }
        self.start_thread(&mut state);
        // Threads that could not be started leave the job to those that work.
        let has_thread = state.pending() < state.threads;
        if has_thread {
            self.push(state, make());
        }
        has_thread
    }

    /// If the next job needs one.
    fn start_thread(&'static self, state: &mut Bounded) {
        if state.pending() >= state.threads && state.threads < state.threads_max {
            let builder = std::thread::Builder::new().name(format!("{}-{}", self.name, state.threads));
            if builder.stack_size(KERNEL_STACK_BYTES).spawn(move || self.work()).is_ok() {
                state.threads += 1;
            }
        }
    }

    fn push(&self, mut state: MutexGuard<'_, Bounded>, job: Job) {
        state.jobs.push_back(job);
        self.note_crowd(&state);
        drop(state);
        self.has_work.notify_one();
    }

    fn work(&self) {
        IS_FOR_LONG.set(true);
        yield_to_others();
        let mut state = self.lock();
        loop {
            let Some(job) = state.jobs.pop_front() else {
                state = self.has_work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.figures.active += 1;
            state.figures.largest = state.figures.largest.max(state.figures.active);
            drop(state);
            // What a panic leaves behind is its job's alone.
            drop(catch_unwind(AssertUnwindSafe(job)));
            state = self.lock();
            state.figures.active -= 1;
            state.figures.completed += 1;
            self.note_crowd(&state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Bounded> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(threads: &'static BoundedThreads, job: impl FnOnce() + Send + 'static) -> bool {
        threads.start(|| Ok::<_, ()>(Box::new(job))).unwrap()
    }

    fn wait_until(threads: &BoundedThreads, holds: impl Fn(ThreadFigures) -> bool) {
        while !holds(threads.figures()) {
            std::thread::yield_now();
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn faults_of_a_thread_only_grow() {
        let before = major_faults().unwrap();
        assert!(major_faults().unwrap() >= before);
    }

    #[test]
    fn jobs_run_wait_or_are_refused() {
        static THREADS: BoundedThreads = BoundedThreads::new("bounded-test", 2, 1);
        let (release, gate) = channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        let held = || {
            let gate = Arc::clone(&gate);
            move || gate.lock().unwrap().recv().unwrap()
        };
        assert!(started(&THREADS, held()) && started(&THREADS, held()) && started(&THREADS, held()));
        assert!(!started(&THREADS, || panic!("beyond the limit")));
        assert!(THREADS.start(|| Err::<Job, _>("not asked")).is_ok(), "nothing is made that there is no room for");
        wait_until(&THREADS, |figures| figures.active == 2 && figures.queued == 1);
        (0..3).for_each(|_| release.send(()).unwrap());
        wait_until(&THREADS, |figures| figures.completed == 3 && figures.active == 0);
        assert_eq!(THREADS.figures().refused, 2);
        assert_eq!(THREADS.start(|| Err::<Job, _>("no job")), Err("no job"));
        assert!(started(&THREADS, || panic!("in a job")));
        wait_until(&THREADS, |figures| figures.completed == 4);
        assert!(started(&THREADS, || ()));
        wait_until(&THREADS, |figures| figures.completed == 5);
    }

    #[test]
    fn no_queue_leaves_the_threads() {
        static THREADS: BoundedThreads = BoundedThreads::new("unqueued-test", 7, 9);
        THREADS.set_limits(0, 0);
        let (release, gate) = channel::<()>();
        assert!(started(&THREADS, move || gate.recv().unwrap()));
        assert!(!started(&THREADS, || ()));
        release.send(()).unwrap();
        wait_until(&THREADS, |figures| figures.completed == 1 && figures.active == 0);
        assert!(started(&THREADS, || ()));
    }

    #[test]
    fn who_may_be_spared_comes_only_where_nobody_waits() {
        static THREADS: BoundedThreads = BoundedThreads::new("spared-test", 1, 9);
        let (release, gate) = channel::<()>();
        assert!(THREADS.start_if_idle(|| Box::new(move || gate.recv().unwrap())));
        assert!(!THREADS.start_if_idle(|| panic!("there is no room")) && THREADS.idle() == 0);
        assert!(!THREADS.is_crowded(), "nobody waits");
        assert!(started(&THREADS, || ()));
        assert!(THREADS.is_crowded());
        release.send(()).unwrap();
        wait_until(&THREADS, |figures| figures.completed == 2 && figures.active == 0);
        assert_eq!((THREADS.is_crowded(), THREADS.idle(), THREADS.figures().refused), (false, 1, 0));
    }

    #[test]
    fn a_panic_does_not_end_the_thread() {
        static THREADS: JobThreads = JobThreads::new("test-jobs", 1);
        THREADS.start(|| panic!("a job that panics"));
        let (sender, receiver) = channel();
        THREADS.start(move || sender.send(7).unwrap());
        assert_eq!(receiver.recv(), Ok(7));
    }
}
