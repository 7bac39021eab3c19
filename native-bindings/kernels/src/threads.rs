//! A few threads for jobs that must not hold up whoever starts them.

use crate::limits::KERNEL_STACK_BYTES;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

type Job = Box<dyn FnOnce() + Send>;

/// Threads of one kind, started with the first job; jobs are begun in the order they come.
pub(crate) struct JobThreads {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_does_not_end_the_thread() {
        static THREADS: JobThreads = JobThreads::new("test-jobs", 1);
        THREADS.start(|| panic!("a job that panics"));
        let (sender, receiver) = channel();
        THREADS.start(move || sender.send(7).unwrap());
        assert_eq!(receiver.recv(), Ok(7));
    }
}
