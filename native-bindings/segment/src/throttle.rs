//! The pace and the end of long work on files: bytes per second, cancellation, progress.

use quarry_base::error::{Error, ErrorCode, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The longest sleep between two looks at the cancel flag.
const NAP: Duration = Duration::from_millis(50);

/// Shared with whoever watches or stops the work. All of it may be changed while the work runs.
#[derive(Debug, Default)]
pub struct MergeControl {
    /// 0: as fast as it goes.
    pub bytes_per_second: AtomicU64,
    pub cancelled: AtomicBool,
    /// Of the segments to merge: with `bytes_written` a measure of progress.
    pub input_bytes: AtomicU64,
    pub bytes_written: AtomicU64,
    /// Nanoseconds spent waiting for the throttle.
    pub throttled_nanos: AtomicU64,
}

impl MergeControl {
    /// An error once the work was cancelled.
    pub fn check_cancelled(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorCode::TaskCancelled, "merge was cancelled"));
        }
        Ok(())
    }
}

/// Holds the writing of one file to the pace of its control.
#[derive(Debug)]
pub(super) struct Pace<'c> {
    control: Option<&'c MergeControl>,
    /// When the bytes written until now are paid for.
    due: Option<Instant>,
}

impl<'c> Pace<'c> {
    pub(super) fn new(control: Option<&'c MergeControl>) -> Self {
        Pace { control, due: None }
    }

    /// Call after each write: counts, and waits as long as the pace demands.
    pub(super) fn wrote(&mut self, bytes: usize) -> Result<()> {
        let Some(control) = self.control else { return Ok(()) };
        control.bytes_written.fetch_add(bytes as u64, Ordering::Relaxed);
        let rate = control.bytes_per_second.load(Ordering::Relaxed);
        if rate == 0 {
            self.due = None;
            return control.check_cancelled();
        }
        let now = Instant::now();
        let due = self.due.map_or(now, |due| due.max(now)) + Duration::from_secs_f64(bytes as f64 / rate as f64);
        self.due = Some(due);
        wait_until(due, control)
    }
}

fn wait_until(due: Instant, control: &MergeControl) -> Result<()> {
    loop {
        control.check_cancelled()?;
        let rest = due.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Ok(());
        }
        let before = Instant::now();
        std::thread::sleep(rest.min(NAP));
        control.throttled_nanos.fetch_add(before.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_wait_ends_with_the_cancellation() {
        let control = MergeControl::default();
        control.bytes_per_second.store(1, Ordering::Relaxed);
        control.cancelled.store(true, Ordering::Relaxed);
        let error = Pace::new(Some(&control)).wrote(1 << 40).unwrap_err();
        assert_eq!(error.code, ErrorCode::TaskCancelled);
        assert_eq!(control.bytes_written.load(Ordering::Relaxed), 1 << 40);
    }

    #[test]
    fn waiting_is_counted() {
        let control = MergeControl::default();
        control.bytes_per_second.store(1_000_000, Ordering::Relaxed);
        Pace::new(Some(&control)).wrote(2_000).unwrap();
        assert!(control.throttled_nanos.load(Ordering::Relaxed) > 0);
    }
}
