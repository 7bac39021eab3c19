//! How the system is to schedule a thread.

use std::time::Duration;

/// What threads for long work have less of when all processors are busy, as `nice` counts it: what is cheap goes before what is dear.
const NICE: i32 = 5;
/// How long such a thread keeps a processor that nobody else wants. Linux (from 6.12 on, EEVDF) lets a thread that wakes up take the processor at once
/// from one with a longer slice; with the same slice it would wait until that is over, some 4 ms at each of the steps of a write.
const SLICE: Duration = Duration::from_millis(20);

/// Makes this thread one for long work: all others go first. A system that does not allow it, or knows no slices, treats all threads more alike.
pub(crate) fn yield_to_others() {
    if !has_long_slices() {
        let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
    }
}

/// Sets niceness and slice of this thread. False: the system refused.
#[cfg(target_os = "linux")]
fn has_long_slices() -> bool {
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_OTHER as u32,
        sched_flags: 0,
        sched_nice: NICE,
        sched_priority: 0,
        sched_runtime: SLICE.as_nanos() as u64,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the call reads as many bytes of the structure as this says it has, and keeps nothing of it. 0 is the calling thread.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn has_long_slices() -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_nice_and_has_a_long_slice() {
        let found = std::thread::spawn(|| {
            yield_to_others();
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
            assert_eq!(result, 0);
            (found.sched_policy as i32, found.sched_nice, found.sched_runtime)
        });
        let (policy, nice, runtime) = found.join().unwrap();
        assert_eq!((policy, nice), (libc::SCHED_OTHER, NICE));
        // Systems that know no slices tell of none.
        assert!(runtime == 0 || runtime == SLICE.as_nanos() as u64, "{runtime}");
    }
}
