//! What a search has taken of its thread.

use quarry_base::threads::processor_time;
use std::time::{Duration, Instant};

/// A thread that has no processor, or waits for the disk, is given so much more time.
const WAITS_MAX: Duration = Duration::from_millis(20);

/// So little passes for processor time as it is: to ask the system once more would take a hundredth of a small search.
const BRIEF_MAX: Duration = Duration::from_millis(1);

/// Since a search began on this thread. Where other processes or threads have the processor its own time stands still: a search does not become
/// dear because the machine is busy.
pub struct Effort {
    started: Instant,
    before: Duration,
}

impl Effort {
    pub fn begin() -> Self {
        Effort { started: Instant::now(), before: processor_time() }
    }

    /// Processor time of this thread; of what was over soon, all time.
    pub fn spent(&self) -> Duration {
        let elapsed = self.started.elapsed();
        if elapsed <= BRIEF_MAX { elapsed } else { self.of_processor() }
    }

    fn of_processor(&self) -> Duration {
        processor_time().saturating_sub(self.before)
    }

    /// Whether it was more than `bound`, or the search has waited for too long. Asked often: looks at the thread's clock, which is a call of the
    /// system, only where it may be.
    pub fn exceeds(&self, bound: Duration) -> bool {
        let elapsed = self.started.elapsed();
        elapsed > bound && (elapsed > bound + WAITS_MAX || self.of_processor() > bound)
    }
}
