//! How many translogs of a process have their files open. A node may have more shards than the system lets it open files, and most of them are not
//! written to: beyond a limit, those that were not written to of late close theirs until they are.

use super::sync::SyncState;
use rustix::process::{Resource, getrlimit};
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

/// Translogs may have a quarter of the files that the process may open, and each has two.
const FILES_PER_LOG: u64 = 8;
const LOGS_MIN: usize = 16;
const LOGS_MAX: usize = 4_096;
/// Looked at for each one that opens its files. More than one: the number falls again after many were busy at once.
const LOOKS: usize = 16;

/// Of this process.
pub(super) static OPEN_LOGS: LazyLock<OpenLogs> = LazyLock::new(|| {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    // Tests run side by side in one process, and none is to have files of another one closed.
    let logs = if cfg!(test) { u64::MAX } else { files / FILES_PER_LOG };
    OpenLogs::new(usize::try_from(logs).map_or(LOGS_MAX, |logs| logs.clamp(LOGS_MIN, LOGS_MAX)))
});

/// A clock: whoever was used since the hand came by stays. One that was closed altogether counts until the hand comes by.
pub(super) struct OpenLogs {
    logs_max: usize,
    logs: Mutex<VecDeque<Weak<SyncState>>>,
}

impl OpenLogs {
    pub fn new(logs_max: usize) -> Self {
        OpenLogs { logs_max, logs: Mutex::default() }
    }

    /// Takes note of one that opens its files, and has others close theirs where there are too many. Where all have something to do, the limit is
    /// exceeded: a write is worth more.
    pub fn opened(&self, log: &Arc<SyncState>) {
        self.lock().push_back(Arc::downgrade(log));
        self.rest_down_to(self.logs_max);
    }

    /// Has some close their files because the process may open no more.
    pub fn make_room(&self) {
        self.rest_down_to(0);
    }

    fn rest_down_to(&self, logs: usize) {
        for _ in 0..LOOKS {
            let Some(oldest) = self.take_oldest(logs) else { return };
            // Files are closed outside the lock.
            if let Some(log) = oldest.upgrade()
                && !log.try_rest()
            {
                self.lock().push_back(oldest);
            }
        }
    }

    /// `None`: there are no more than so many.
    fn take_oldest(&self, logs: usize) -> Option<Weak<SyncState>> {
        let mut queue = self.lock();
        if queue.len() > logs { queue.pop_front() } else { None }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Weak<SyncState>>> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.lock().len()
    }
}
