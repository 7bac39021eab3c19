//! The open copies of the process, by the directory that each of them claims.

use super::Published;
use quarry_publication::open_copies::OpenCopies;
use std::path::Path;
use std::sync::{Arc, LazyLock};

static OPEN: LazyLock<OpenCopies<Published>> = LazyLock::new(OpenCopies::default);

/// As [`OpenCopies::register`].
pub fn register(directory: &Path, published: &Arc<Published>) {
    OPEN.register(directory, published);
}

/// As [`OpenCopies::find`], but none that is closed.
pub fn find(directory: &Path) -> Option<Arc<Published>> {
    OPEN.find(directory).filter(|copy| copy.newest().is_some())
}
