//! One open shard per directory and process.
//!
//! The data directory's lock keeps other processes away; this keeps a shard from being opened while an earlier object of
//! the same shard still works in its directory, as happens when the thread that owned it ended in the middle of a flush.

use quarry_base::error::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long an opening waits for the former owner.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// How many claims there are on each directory.
static CLAIMED: LazyLock<(Mutex<HashMap<PathBuf, usize>>, Condvar)> = LazyLock::new(Default::default);

/// Holds the directory until the last copy is dropped: whoever may still write there keeps one.
#[derive(Debug)]
pub(crate) struct DirectoryClaim(PathBuf);

impl DirectoryClaim {
    /// Waits while the directory is claimed. An error when that takes too long.
    pub fn wait_for(directory: &Path) -> Result<Arc<Self>> {
        Self::wait_until(directory, Instant::now() + WAIT_MAX)
    }

    fn wait_until(directory: &Path, deadline: Instant) -> Result<Arc<Self>> {
        let mut claimed = claimed();
        while claimed.contains_key(directory) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let path = directory.display();
                return Err(Error::illegal_state(format!(
                    "[{path}] is still in use by the shard that was open before"
                )));
            }
            claimed = CLAIMED.1.wait_timeout(claimed, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        claimed.insert(directory.to_owned(), 1);
        Ok(Arc::new(DirectoryClaim(directory.to_owned())))
    }

    /// A claim beside that of the open shard, for work that was begun by it. An error when no shard is open there: its next
    /// opening would not know of the work.
    pub fn beside(directory: &Path) -> Result<Self> {
        match claimed().get_mut(directory) {
            Some(count) => *count += 1,
            None => return Err(Error::illegal_state(format!("the shard of [{}] is closed", directory.display()))),
        }
        Ok(DirectoryClaim(directory.to_owned()))
    }
}

impl Drop for DirectoryClaim {
    fn drop(&mut self) {
        let mut claimed = claimed();
        if let Some(count) = claimed.get_mut(&self.0) {
            *count -= 1;
            if *count == 0 {
                claimed.remove(&self.0);
                CLAIMED.1.notify_all();
            }
        }
    }
}

fn claimed() -> MutexGuard<'static, HashMap<PathBuf, usize>> {
    // A map is whole whoever panicked.
    CLAIMED.0.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_waits_for_the_last_copy_of_the_former() {
        let directory = Path::new("/claimed/0");
        assert!(DirectoryClaim::beside(directory).is_err());
        let former = DirectoryClaim::wait_for(directory).unwrap();
        let copy = Arc::clone(&former);
        let beside = DirectoryClaim::beside(directory).unwrap();
        drop(former);
        assert!(DirectoryClaim::wait_until(directory, Instant::now()).is_err());
        drop(copy);
        assert!(DirectoryClaim::wait_until(directory, Instant::now()).is_err());
        let waiting = std::thread::spawn(|| drop(DirectoryClaim::wait_for(Path::new("/claimed/0")).unwrap()));
        drop(beside);
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
