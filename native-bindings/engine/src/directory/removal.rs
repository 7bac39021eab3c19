//! Removing the directory of a copy that is of no use any more.

use super::claim::DirectoryClaim;
use crate::translog::sync_directory;
use quarry_base::error::{Error, Result};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What a directory is called while it is being removed: a crash leaves nothing that looks like a copy.
const SUFFIX: &str = ".removed";

/// Removes the shard's directory with everything in it, as one step for whoever looks at it; fine where there is none.
/// Waits for those who still work in it, and keeps others from opening it meanwhile.
///
/// Errors: `IllegalState` when somebody works there for too long, `Io`.
pub fn remove_shard_directory(directory: &Path) -> Result<()> {
    let _claim = DirectoryClaim::wait_for(directory)?;
    let removed = removed_name(directory);
    remove_all(&removed)?;
    match std::fs::rename(directory, &removed) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        outcome => outcome.map_err(|error| Error::io("removing", directory, error))?,
    }
    if let Some(parent) = directory.parent() {
        sync_directory(parent)?;
    }
    remove_all(&removed)
}

fn removed_name(directory: &Path) -> PathBuf {
    let mut name = OsString::from(directory.as_os_str());
    name.push(SUFFIX);
    PathBuf::from(name)
}

fn remove_all(directory: &Path) -> Result<()> {
    match std::fs::remove_dir_all(directory) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("removing", directory, error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::directory::TestDirectory;

    #[test]
    fn removes_everything_and_what_a_crash_left() {
        let home = TestDirectory::new();
        let shard = home.path().join("0");
        for directory in [shard.clone(), removed_name(&shard)] {
            std::fs::create_dir_all(&directory).unwrap();
            std::fs::write(directory.join("file"), b"x").unwrap();
        }
        remove_shard_directory(&shard).unwrap();
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        remove_shard_directory(&shard).unwrap();
    }

    #[test]
    fn waits_for_who_works_there() {
        let home = TestDirectory::new();
        let shard = home.path().join("0");
        std::fs::create_dir_all(&shard).unwrap();
        let claim = DirectoryClaim::wait_for(&shard).unwrap();
        let removing = {
            let shard = shard.clone();
            std::thread::spawn(move || remove_shard_directory(&shard))
        };
        assert!(shard.exists());
        drop(claim);
        removing.join().unwrap().unwrap();
        assert!(!shard.exists());
    }
}
