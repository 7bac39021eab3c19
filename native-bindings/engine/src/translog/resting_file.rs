//! A file that is open only while it is used: see [`super::open_logs`].

use quarry_base::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How it is opened again. It must be there then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Append,
    Overwrite,
}

impl Access {
    /// Errors: the file is not there, or may not be written.
    pub fn open(self, path: &Path) -> std::io::Result<File> {
        let mut options = OpenOptions::new();
        match self {
            Access::Append => options.append(true),
            Access::Overwrite => options.read(true).write(true),
        };
        options.open(path)
    }
}

#[derive(Debug)]
pub(super) struct RestingFile {
    path: PathBuf,
    access: Access,
    /// `None`: it rests.
    file: Mutex<Option<Arc<File>>>,
}

impl RestingFile {
    /// `file` is what lies at `path`.
    pub fn new(file: File, path: PathBuf, access: Access) -> Self {
        RestingFile { path, access, file: Mutex::new(Some(Arc::new(file))) }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens it where it rests. Errors: as those of [`Access::open`].
    pub fn file(&self) -> Result<Arc<File>> {
        let mut slot = self.lock();
        if let Some(file) = &*slot {
            return Ok(Arc::clone(file));
        }
        let file = self.access.open(&self.path).map_err(|error| Error::io("opening", &self.path, error))?;
        Ok(Arc::clone(slot.insert(Arc::new(file))))
    }

    /// Closes it as soon as nobody uses it. All that was written must be on disk: an error of the disk that came later would be told to nobody.
    pub fn rest(&self) {
        *self.lock() = None;
    }

    #[cfg(test)]
    pub fn rests(&self) -> bool {
        self.lock().is_none()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<File>>> {
        // A panic elsewhere leaves a file that is open or not.
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
