//! Where a member keeps its files: a directory, or what a simulation has in the place of one.

use quarry_base::error::{Error, Result};
use quarry_base::files;
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A directory that holds one member and nothing else. After any error the member that met it writes nothing more.
pub trait Disk: Debug + Send + Sync {
    /// As messages name the file.
    fn path_of(&self, name: &str) -> PathBuf;
    /// Makes the directory where it is not there.
    fn make(&self) -> Result<()>;
    /// Sorted.
    fn names(&self) -> Result<Vec<String>>;
    /// None when there is no such file.
    fn read(&self, name: &str) -> Result<Option<Vec<u8>>>;
    /// Durable when it returns, and so is every removal before it; until then the name stands for the former file, whole.
    fn replace(&self, name: &str, bytes: &[u8]) -> Result<()>;
    /// A file that was removed may be back after a power cut.
    fn remove(&self, name: &str) -> Result<()>;
    /// None when there is no such file.
    fn open(&self, name: &str) -> Result<Option<Box<dyn OpenFile>>>;
}

/// A file that is written in place.
pub trait OpenFile: Debug + Send {
    /// Durable after the next [`OpenFile::sync`]; of what was not synced a power cut leaves any part.
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()>;
    fn sync(&self) -> io::Result<()>;
    /// What lies behind is gone, and what lies before it durable, when this returns.
    fn cut_at(&self, length: u64) -> io::Result<()>;
}

/// A directory of the file system.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    pub fn new(path: &Path) -> Self {
        Directory { path: path.to_owned() }
    }
}

impl Disk for Directory {
    fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    fn make(&self) -> Result<()> {
        std::fs::create_dir_all(&self.path).map_err(|error| Error::io("creating", &self.path, error))
    }

    fn names(&self) -> Result<Vec<String>> {
        files::names(&self.path)
    }

    fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.path_of(name);
        match std::fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("reading", &path, error)),
        }
    }

    fn replace(&self, name: &str, bytes: &[u8]) -> Result<()> {
        files::write_durably(&self.path_of(name), bytes)
    }

    fn remove(&self, name: &str) -> Result<()> {
        let path = self.path_of(name);
        std::fs::remove_file(&path).map_err(|error| Error::io("cannot remove", &path, error))
    }

    fn open(&self, name: &str) -> Result<Option<Box<dyn OpenFile>>> {
        let path = self.path_of(name);
        match OpenOptions::new().read(true).write(true).open(&path) {
            Ok(file) => Ok(Some(Box::new(file))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io("opening", &path, error)),
        }
    }
}

impl OpenFile for File {
    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.write_all_at(bytes, offset)
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_data()
    }

    fn cut_at(&self, length: u64) -> io::Result<()> {
        if self.metadata()?.len() > length {
            self.set_len(length)?;
        }
        self.sync_all()
    }
}
