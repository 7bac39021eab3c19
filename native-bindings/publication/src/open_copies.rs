//! The open copies of the process, by the directory that each of them claims.

use super::shared::{PoisonError, RwLock};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// A table of them. It keeps none of them open.
#[derive(Debug)]
pub struct OpenCopies<C>(RwLock<HashMap<PathBuf, Weak<C>>>);

impl<C> Default for OpenCopies<C> {
    fn default() -> Self {
        OpenCopies(RwLock::new(HashMap::new()))
    }
}

impl<C> OpenCopies<C> {
    /// Lets other threads find the copy. One that was in this directory before is found no more.
    pub fn register(&self, directory: &Path, copy: &Arc<C>) {
        let mut open = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // What was closed meanwhile: looked for only where the table would grow.
        if open.len() == open.capacity() {
            open.retain(|_, copy| copy.strong_count() > 0);
        }
        open.insert(directory.to_owned(), Arc::downgrade(copy));
    }

    /// The copy of the directory, if others keep it. Threads keep what they find: this takes a lock.
    pub fn find(&self, directory: &Path) -> Option<Arc<C>> {
        let open = self.0.read().unwrap_or_else(PoisonError::into_inner);
        open.get(directory)?.upgrade()
    }
}
