//! The file of a snapshot: what the log's entries up to an index amounted to.

use super::message::{read_snapshot, write_snapshot};
use crate::error::{Error, Result};
use crate::segment::envelope::Envelope;
use crate::segment::files;
use raft::eraftpb::Snapshot;
use std::path::{Path, PathBuf};

const FILE: Envelope = Envelope { magic: *b"QRYRSNP\n", version: 1 };
const PREFIX: &str = "raft-snapshot-";
const ENDING: &str = ".snap";

pub(super) fn snapshot_path(directory: &Path, index: u64) -> PathBuf {
    directory.join(format!("{PREFIX}{index}{ENDING}"))
}

/// Durable when it returns; nothing refers to it yet.
pub(super) fn write(directory: &Path, snapshot: &Snapshot) -> Result<()> {
    let mut body = Vec::with_capacity(snapshot.get_data().len() + 256);
    write_snapshot(&mut body, snapshot);
    FILE.write(&snapshot_path(directory, snapshot.get_metadata().get_index()), &body).map(drop)
}

/// The snapshot that the log names. Errors: `Corrupt` naming the file when it is missing or damaged.
pub(super) fn read(directory: &Path, index: u64) -> Result<Snapshot> {
    let path = snapshot_path(directory, index);
    if !path.exists() {
        return Err(Error::corrupt(format!("[{}] is missing", path.display())));
    }
    FILE.read(&path, |body| {
        let mut at = 0;
        let snapshot = read_snapshot(body, &mut at)?;
        let found = snapshot.get_metadata().get_index();
        if found != index || at != body.len() {
            return Err(Error::corrupt(format!("it holds the snapshot of index [{found}]")));
        }
        Ok(snapshot)
    })
}

/// Removes what earlier snapshots and interrupted writes left behind.
pub(super) fn remove_others(directory: &Path, kept: u64) -> Result<()> {
    let kept = snapshot_path(directory, kept);
    for name in files::names(directory)? {
        let path = directory.join(&name);
        let is_snapshot = name.starts_with(PREFIX) && name.ends_with(ENDING);
        let is_unfinished = name.starts_with("raft") && name.ends_with(files::TEMPORARY);
        if (is_snapshot && path != kept) || is_unfinished {
            std::fs::remove_file(&path).map_err(|error| Error::io("cannot remove", &path, error))?;
        }
    }
    Ok(())
}
