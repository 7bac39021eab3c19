//! How the system is to schedule a thread.

use std::time::Duration;

/// What threads for long work have less of than others when all processors are busy, as `nice` counts it: what is cheap goes before what is dear, and
/// writes go before both. Such a thread has a tenth of a processor that another one wants whole, and all of one that nobody wants. With 5 it has a
/// fourth, and a bulk beside one long search after the other is a fifth slower than alone.
const NICE: i32 = 10;
/// How long such a thread runs before others that want its processor. Linux (EEVDF, from 6.12 on) lets a thread that wakes up take the processor at
/// once from one with a longer slice; with the same slice it would wait until that is over, some 4 ms at each of the steps of a write.
const SLICE: Duration = Duration::from_millis(20);

/// Makes this thread one for long work: those that the process started with go first. A system that does not allow it, or knows no slices, is asked for
/// what is left; a policy that an administrator has chosen stays.
pub(crate) fn yield_to_others() {
    if !platform::yield_with_slices() {
        platform::yield_by_niceness();
    }
}

#[cfg(target_os = "linux")]
mod platform {
    use super::{NICE, SLICE};

    /// The least of all.
    const NICE_MAX: i32 = 19;

    /// False: the system refused.
    pub fn yield_with_slices() -> bool {
        let Some(found) = attributes() else { return false };
        let policy = found.sched_policy as i32;
        if policy != libc::SCHED_OTHER && policy != libc::SCHED_BATCH {
            return true;
        }
        let sched_nice = (found.sched_nice + NICE).min(NICE_MAX);
        set(&libc::sched_attr { sched_nice, sched_runtime: SLICE.as_nanos() as u64, ..found })
    }

    pub fn yield_by_niceness() {
        let thread = Some(rustix::thread::gettid());
        if let Ok(found) = rustix::process::getpriority_process(thread) {
            let _ = rustix::process::setpriority_process(thread, (found + NICE).min(NICE_MAX));
        }
    }

    /// Those of this thread.
    pub fn attributes() -> Option<libc::sched_attr> {
        let mut found = libc::sched_attr {
            size: 0,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        let size = size_of::<libc::sched_attr>();
        // SAFETY: the call writes at most `size` bytes to the structure, which has as many. 0 is the calling thread.
        let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut found, size, 0) };
        (result == 0).then_some(libc::sched_attr { size: size as u32, ..found })
    }

    fn set(wanted: &libc::sched_attr) -> bool {
        // SAFETY: the call reads as many bytes of the structure as its `size` says, which are all it has, and keeps nothing of it. 0 is the calling
        // thread.
        unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *wanted, 0) == 0 }
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    pub fn yield_with_slices() -> bool {
        true
    }

    pub fn yield_by_niceness() {}
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_nicer_than_before_and_has_a_long_slice() {
        let threads = std::thread::spawn(|| {
            let before = platform::attributes().unwrap();
            yield_to_others();
            (before, platform::attributes().unwrap())
        });
        let (before, after) = threads.join().unwrap();
        assert_eq!(after.sched_policy, before.sched_policy);
        let policy = after.sched_policy as i32;
        if policy == libc::SCHED_OTHER || policy == libc::SCHED_BATCH {
            assert_eq!(after.sched_nice, (before.sched_nice + NICE).min(19));
            // Systems that know no slices tell of none.
            let slice = after.sched_runtime;
            assert!(slice == 0 || slice == SLICE.as_nanos() as u64, "{slice}");
        }
    }
}
