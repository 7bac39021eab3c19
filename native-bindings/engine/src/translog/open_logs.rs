//! How many translogs of a process have their files open. A node may have more shards than the system lets it open files, and most of them are not
//! written to: beyond a limit, those that were not written to of late close theirs until they are.

use super::sync::SyncState;
use rustix::process::{Resource, getrlimit};
use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

/// Of the files that the process may open, this part is for translogs, with two files each.
const SHARE_OF_FILES: u64 = 8;
const LOGS_MIN: usize = 16;
const LOGS_MAX: usize = 4_096;
/// Looked at for each one that opens its files. More than one: the number falls again after many were busy at once.
const LOOKS: usize = 16;

/// Of this process.
pub(super) static OPEN_LOGS: LazyLock<OpenLogs> = LazyLock::new(|| {
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    OpenLogs::new(usize::try_from(files / SHARE_OF_FILES).unwrap_or(usize::MAX).clamp(LOGS_MIN, LOGS_MAX))
});

/// A clock: whoever was used since the hand came by stays.
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
        let mut logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        logs.push_back(Arc::downgrade(log));
        for _ in 0..LOOKS {
            if logs.len() <= self.logs_max {
                break;
            }
            let Some(oldest) = logs.pop_front() else { break };
            if let Some(log) = oldest.upgrade()
                && !log.try_rest()
            {
                logs.push_back(oldest);
            }
        }
    }

    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.logs.lock().unwrap().len()
    }
}
