//! How many searches and reads by id there were, and how long they took, counted by many threads at once.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

/// Parts of a counter, each written by some of the threads.
const STRIPES: usize = 8;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    Query,
    Fetch,
    Suggest,
    QueryFailed,
    FetchFailed,
    /// A read by id that found its document.
    GetFound,
    GetMissing,
}

impl Counted {
    pub fn of_get(found: bool) -> Self {
        if found { Counted::GetFound } else { Counted::GetMissing }
    }
}

const KINDS: usize = 7;

/// On cache lines of its own: how many, and nanoseconds, of each kind.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Stripe([(AtomicU64, AtomicU64); KINDS]);

/// Of one copy of a shard since it was opened.
#[derive(Debug, Default)]
pub struct ReadCounters([Stripe; STRIPES]);

/// Sums over all threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    pub total: u64,
    pub time: Duration,
}

thread_local! {
    static STRIPE: Cell<usize> = Cell::new(next_stripe());
}

fn next_stripe() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed) % STRIPES
}

impl ReadCounters {
    pub fn add(&self, kind: Counted, time: Duration) {
        let (total, nanos) = &self.0[STRIPE.get()].0[kind as usize];
        total.fetch_add(1, Ordering::Relaxed);
        nanos.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    pub fn sum(&self, kind: Counted) -> Sum {
        let parts = self.0.iter().map(|stripe| &stripe.0[kind as usize]);
        parts.fold(Sum::default(), |sum, (total, nanos)| Sum {
            total: sum.total + total.load(Ordering::Relaxed),
            time: sum.time + Duration::from_nanos(nanos.load(Ordering::Relaxed)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn all_threads_are_summed_up() {
        let counters = Arc::new(ReadCounters::default());
        let threads: Vec<_> = (0..2 * STRIPES)
            .map(|_| {
                let counters = Arc::clone(&counters);
                std::thread::spawn(move || {
                    (0..100).for_each(|_| counters.add(Counted::Query, Duration::from_micros(2)));
                    counters.add(Counted::Fetch, Duration::ZERO);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let queries = 200 * STRIPES as u64;
        assert_eq!(counters.sum(Counted::Query), Sum { total: queries, time: Duration::from_micros(2 * queries) });
        assert_eq!(counters.sum(Counted::Fetch).total, 2 * STRIPES as u64);
        assert_eq!(counters.sum(Counted::Suggest), Sum::default());
    }
}
