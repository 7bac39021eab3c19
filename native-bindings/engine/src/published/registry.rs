//! The open copies of the process, by the directory that each of them claims.

use super::Published;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, PoisonError, RwLock, Weak};

static OPEN: LazyLock<RwLock<HashMap<PathBuf, Weak<Published>>>> = LazyLock::new(RwLock::default);

/// Lets other threads find the copy. One that was in this directory before is found no more.
pub fn register(directory: &Path, published: &Arc<Published>) {
    let mut open = OPEN.write().unwrap_or_else(PoisonError::into_inner);
    // What was closed meanwhile: looked for only where the table would grow.
    if open.len() == open.capacity() {
        open.retain(|_, copy| copy.strong_count() > 0);
    }
    open.insert(directory.to_owned(), Arc::downgrade(published));
}

/// The open copy of the directory. Threads keep what they find: this takes a lock.
pub fn find(directory: &Path) -> Option<Arc<Published>> {
    let open = OPEN.read().unwrap_or_else(PoisonError::into_inner);
    open.get(directory)?.upgrade().filter(|copy| copy.newest().is_some())
}
