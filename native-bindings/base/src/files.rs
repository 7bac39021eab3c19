//! Durable writing: beside, fsync, rename, fsync of the directory.

use crate::error::{Error, Result};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Ending of the name of a file that is being written.
pub const TEMPORARY: &str = ".tmp";

/// The path to write to before the file gets its name.
pub fn temporary(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(TEMPORARY);
    PathBuf::from(name)
}

/// After this the file is on disk whole, under its name; before, it is not there under that name.
pub fn write_durably(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = temporary(path);
    let mut file = File::create(&beside).map_err(|error| Error::io("cannot create", &beside, error))?;
    file.write_all(bytes).map_err(|error| Error::io("cannot write", &beside, error))?;
    file.sync_all().map_err(|error| Error::io("cannot sync", &beside, error))?;
    drop(file);
    fs::rename(&beside, path).map_err(|error| Error::io("cannot rename to", path, error))?;
    sync_parent(path)
}

/// Makes a file's bytes and its name durable.
pub fn sync(path: &Path) -> Result<()> {
    let file = File::open(path).map_err(|error| Error::io("cannot open", path, error))?;
    file.sync_all().map_err(|error| Error::io("cannot sync", path, error))?;
    sync_parent(path)
}

/// Makes the names in the file's directory durable.
pub fn sync_parent(path: &Path) -> Result<()> {
    let Some(directory) = path.parent() else { return Ok(()) };
    let file = File::open(directory).map_err(|error| Error::io("cannot open", directory, error))?;
    file.sync_all().map_err(|error| Error::io("cannot sync", directory, error))
}

/// Names in a directory, sorted; names that are not UTF-8 are not ours and left out.
pub fn names(directory: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(directory).map_err(|error| Error::io("cannot list", directory, error))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| Error::io("cannot list", directory, error))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}
