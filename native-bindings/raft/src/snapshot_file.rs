//! The file of a snapshot: what the log's entries up to an index amounted to.

use super::disk::Disk;
use super::message::{read_snapshot, write_snapshot};
use quarry_base::envelope::Envelope;
use quarry_base::error::{Error, Result};
use quarry_base::files;
use raft::eraftpb::Snapshot;

const FILE: Envelope = Envelope { magic: *b"QRYRSNP\n", version: 1 };
const PREFIX: &str = "raft-snapshot-";
const ENDING: &str = ".snap";

fn name_of(index: u64) -> String {
    format!("{PREFIX}{index}{ENDING}")
}

/// Durable when it returns; nothing refers to it yet.
pub(super) fn write(disk: &dyn Disk, snapshot: &Snapshot) -> Result<()> {
    let mut body = Vec::with_capacity(snapshot.get_data().len() + 256);
    write_snapshot(&mut body, snapshot);
    disk.replace(&name_of(snapshot.get_metadata().get_index()), &FILE.seal(&body)?)
}

/// The snapshot that the log names. Errors: `Corrupt` naming the file when it is missing or damaged.
pub(super) fn read(disk: &dyn Disk, index: u64) -> Result<Snapshot> {
    let name = name_of(index);
    let path = disk.path_of(&name);
    let Some(bytes) = disk.read(&name)? else {
        return Err(Error::corrupt(format!("[{}] is missing", path.display())));
    };
    let decode = |body: &[u8]| {
        let mut at = 0;
        let snapshot = read_snapshot(body, &mut at)?;
        let found = snapshot.get_metadata().get_index();
        if found != index || at != body.len() {
            return Err(Error::corrupt(format!("it holds the snapshot of index [{found}]")));
        }
        Ok(snapshot)
    };
    let snapshot = FILE.open(&bytes).and_then(decode);
    snapshot.map_err(|error| Error::corrupt(format!("[{}]: {}", path.display(), error.reason)))
}

/// Removes what earlier snapshots and interrupted writes left behind.
pub(super) fn remove_others(disk: &dyn Disk, kept: u64) -> Result<()> {
    let kept = name_of(kept);
    for name in disk.names()? {
        let is_snapshot = name.starts_with(PREFIX) && name.ends_with(ENDING);
        let is_unfinished = name.starts_with("raft") && name.ends_with(files::TEMPORARY);
        if (is_snapshot && name != kept) || is_unfinished {
            disk.remove(&name)?;
        }
    }
    Ok(())
}
