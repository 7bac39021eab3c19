//! A file that is open only while it is used: see [`super::open_logs`].

use super::open_logs::OPEN_LOGS;
use quarry_base::error::{Error, Result};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Where the system has no room for one more open file, so often it is asked again, and how long others have meanwhile to close theirs.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(20);

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

    /// Opens it where it rests. Errors: as those of [`Access::open`]; the process has had no room for one more open file for a second.
    pub fn file(&self) -> Result<Arc<File>> {
        let mut slot = self.lock();
        if let Some(file) = &*slot {
            return Ok(Arc::clone(file));
        }
        let mut opened = self.access.open(&self.path);
        for _ in 0..TRIES {
            match &opened {
                Err(error) if is_want_of_files(error) => OPEN_LOGS.make_room(),
                _ => break,
            }
            std::thread::sleep(PAUSE);
            opened = self.access.open(&self.path);
        }
        let file = opened.map_err(|error| Error::io("opening", &self.path, error))?;
        Ok(Arc::clone(slot.insert(Arc::new(file))))
    }

    /// Closes it as soon as nobody uses it. What must be on disk has to be there: the system would tell nobody of an error of the disk that came later.
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

fn is_want_of_files(error: &std::io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}
