//! The translog's checkpoint: how far the newest generation is known to be on disk.

use super::checkpoint_path;
use crate::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"QRYTCKP1";
const SLOT_BYTES: usize = 36;
/// Slots lie in different disk sectors, so that a torn write damages one at most.
const SLOT_DISTANCE: u64 = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    pub generation: u64,
    /// Bytes of that generation that are on disk; all of older ones are.
    pub synced_length: u64,
}

#[derive(Debug)]
pub struct CheckpointFile {
    file: File,
    path: PathBuf,
    /// Writes so far: decides the slot, and which slot is newer.
    count: u64,
}

impl CheckpointFile {
    /// Replaces whatever is there, by rename; the caller syncs the directory.
    pub fn create(directory: &Path, checkpoint: Checkpoint) -> Result<Self> {
        let path = checkpoint_path(directory);
        let beside = path.with_extension("ckp.new");
        let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&beside);
        let file = file.map_err(|error| Error::io("creating", &beside, error))?;
        let mut created = CheckpointFile { file, path, count: 0 };
        created.write(checkpoint)?;
        created.file.sync_all().map_err(|error| Error::io("syncing", &beside, error))?;
        std::fs::rename(&beside, &created.path).map_err(|error| Error::io("renaming", &beside, error))?;
        Ok(created)
    }

    /// The newer of the two slots. Errors when neither can be read.
    pub fn open(directory: &Path) -> Result<(Self, Checkpoint)> {
        let path = checkpoint_path(directory);
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::corrupt(format!("[{}] is missing", path.display())),
            _ => Error::io("opening", &path, error),
        })?;
        let newest = [0, 1].into_iter().filter_map(|slot| read_slot(&file, slot)).max_by_key(|(count, _)| *count);
        let (count, checkpoint) =
            newest.ok_or_else(|| Error::corrupt(format!("[{}]: neither slot is whole", path.display())))?;
        Ok((CheckpointFile { file, path, count }, checkpoint))
    }

    /// Not synced: see the module's comment.
    pub fn write(&mut self, checkpoint: Checkpoint) -> Result<()> {
        self.count += 1;
        let mut slot = [0; SLOT_BYTES];
        slot[..8].copy_from_slice(MAGIC);
        slot[8..16].copy_from_slice(&self.count.to_le_bytes());
        slot[16..24].copy_from_slice(&checkpoint.generation.to_le_bytes());
        slot[24..32].copy_from_slice(&checkpoint.synced_length.to_le_bytes());
        let checksum = crc32c::crc32c(&slot[..32]);
        slot[32..].copy_from_slice(&checksum.to_le_bytes());
        let offset = self.count % 2 * SLOT_DISTANCE;
        self.file.write_all_at(&slot, offset).map_err(|error| Error::io("writing", &self.path, error))
    }
}

fn read_slot(file: &File, slot: u64) -> Option<(u64, Checkpoint)> {
    let mut bytes = [0; SLOT_BYTES];
    file.read_exact_at(&mut bytes, slot * SLOT_DISTANCE).ok()?;
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let checksum = u32::from_le_bytes(bytes.get(32..)?.try_into().ok()?);
    if &bytes[..8] != MAGIC || checksum != crc32c::crc32c(&bytes[..32]) {
        return None;
    }
    Some((long(8)?, Checkpoint { generation: long(16)?, synced_length: long(24)? }))
}
