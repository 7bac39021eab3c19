//! One open shard per directory and process.
//!
//! The data directory's lock keeps other processes away; this keeps a shard from being opened while an earlier object of
//! the same shard still works in its directory, as happens when the thread that owned it ended in the middle of a flush.

use crate::error::{Error, Result};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an opening waits for the former owner.
const WAIT_MAX: Duration = Duration::from_secs(30);

static CLAIMED: LazyLock<(Mutex<HashSet<PathBuf>>, Condvar)> = LazyLock::new(Default::default);

/// Holds the directory until the last copy is dropped: whoever may still write there keeps one.
#[derive(Debug)]
pub(super) struct DirectoryClaim(PathBuf);

impl DirectoryClaim {
    /// Waits while the directory is claimed. An error when that takes too long.
    pub fn wait_for(directory: &Path) -> Result<Arc<Self>> {
        Self::wait_until(directory, Instant::now() + WAIT_MAX)
    }

    fn wait_until(directory: &Path, deadline: Instant) -> Result<Arc<Self>> {
        let mut claimed = claimed();
        while claimed.contains(directory) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let path = directory.display();
                return Err(Error::illegal_state(format!(
                    "[{path}] is still in use by the shard that was open before"
                )));
            }
            claimed = CLAIMED.1.wait_timeout(claimed, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        claimed.insert(directory.to_owned());
        Ok(Arc::new(DirectoryClaim(directory.to_owned())))
    }
}

impl Drop for DirectoryClaim {
    fn drop(&mut self) {
        claimed().remove(&self.0);
        CLAIMED.1.notify_all();
    }
}

fn claimed() -> MutexGuard<'static, HashSet<PathBuf>> {
    // A set is whole whoever panicked.
    CLAIMED.0.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn the_next_waits_for_the_last_copy_of_the_former() {
        let directory = Path::new("/claimed/0");
        let former = DirectoryClaim::wait_for(directory).unwrap();
        let copy = Arc::clone(&former);
        let (sender, receiver) = channel();
        let waiting = std::thread::spawn(move || {
            let next = DirectoryClaim::wait_for(Path::new("/claimed/0")).unwrap();
            sender.send(()).unwrap();
            drop(next);
        });
        drop(former);
        assert!(receiver.try_recv().is_err());
        drop(copy);
        receiver.recv().unwrap();
        waiting.join().unwrap();
    }

    #[test]
    fn waiting_has_an_end() {
        let directory = Path::new("/claimed/1");
        let _former = DirectoryClaim::wait_for(directory).unwrap();
        let error = DirectoryClaim::wait_until(directory, Instant::now()).unwrap_err();
        assert!(error.reason.contains("[/claimed/1] is still in use"));
    }
}
