//! Files that have their room from the beginning.

use quarry_base::error::{Error, Result};
use std::fs::File;
use std::path::Path;

/// Takes the room of a file, so that it is not missing later. Where the file system cannot do that, it gives it bit by bit. Errors: `Io`.
pub(crate) fn take_room(file: &File, path: &Path, bytes: u64) -> Result<()> {
    if let Err(error) = rustix::fs::fallocate(file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
        if error == rustix::io::Errno::NOSPC {
            return Err(Error::io("cannot take the room of", path, error.into()));
        }
        file.set_len(bytes).map_err(|error| Error::io("cannot extend", path, error))?;
    }
    Ok(())
}
