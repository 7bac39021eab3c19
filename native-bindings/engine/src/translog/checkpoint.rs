//! The translog's checkpoint: how far the newest generation is known to be on disk.

use super::checkpoint_path;
use super::resting_file::{Access, RestingFile};
use quarry_base::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"QRYTCKP2";
const SLOT_BYTES: usize = 44;
/// As written before there were copies: without a global checkpoint.
const MAGIC_1: &[u8; 8] = b"QRYTCKP1";
const SLOT_BYTES_1: usize = 36;
/// Slots lie in different disk sectors, so that a torn write damages one at most.
const SLOT_DISTANCE: u64 = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    pub generation: u64,
    /// Bytes of that generation that are on disk; all of older ones are.
    pub synced_length: u64,
    /// Every in-sync copy has the operations up to here, as far as this copy was told; -1 for none.
    pub global_checkpoint: i64,
}

#[derive(Debug)]
pub struct CheckpointFile {
    file: Arc<RestingFile>,
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
        let count = 1;
        write_slot(&file, &beside, count, checkpoint)?;
        file.sync_all().map_err(|error| Error::io("syncing", &beside, error))?;
        std::fs::rename(&beside, &path).map_err(|error| Error::io("renaming", &beside, error))?;
        Ok(CheckpointFile { file: Arc::new(RestingFile::new(file, path, Access::Overwrite)), count })
    }

    /// The newer of the two slots. Errors when neither can be read.
    pub fn open(directory: &Path) -> Result<(Self, Checkpoint)> {
        let path = checkpoint_path(directory);
        let file = Access::Overwrite.open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::corrupt(format!("[{}] is missing", path.display())),
            _ => Error::io("opening", &path, error),
        })?;
        let newest = [0, 1].into_iter().filter_map(|slot| read_slot(&file, slot)).max_by_key(|(count, _)| *count);
        let (count, checkpoint) =
            newest.ok_or_else(|| Error::corrupt(format!("[{}]: neither slot is whole", path.display())))?;
        Ok((CheckpointFile { file: Arc::new(RestingFile::new(file, path, Access::Overwrite)), count }, checkpoint))
    }

    /// Not synced: see the module's comment.
    pub fn write(&mut self, checkpoint: Checkpoint) -> Result<()> {
        self.count += 1;
        write_slot(&*self.file.file()?, self.file.path(), self.count, checkpoint)
    }

    pub(super) fn file(&self) -> &Arc<RestingFile> {
        &self.file
    }
}

fn write_slot(file: &File, path: &Path, count: u64, checkpoint: Checkpoint) -> Result<()> {
    let mut slot = [0; SLOT_BYTES];
    slot[..8].copy_from_slice(MAGIC);
    slot[8..16].copy_from_slice(&count.to_le_bytes());
    slot[16..24].copy_from_slice(&checkpoint.generation.to_le_bytes());
    slot[24..32].copy_from_slice(&checkpoint.synced_length.to_le_bytes());
    slot[32..40].copy_from_slice(&checkpoint.global_checkpoint.to_le_bytes());
    let checksum = crc32c::crc32c(&slot[..40]);
    slot[40..].copy_from_slice(&checksum.to_le_bytes());
    file.write_all_at(&slot, count % 2 * SLOT_DISTANCE).map_err(|error| Error::io("writing", path, error))
}

fn read_slot(file: &File, slot: u64) -> Option<(u64, Checkpoint)> {
    let mut bytes = [0; SLOT_BYTES];
    let start = slot * SLOT_DISTANCE;
    file.read_exact_at(&mut bytes[..SLOT_BYTES_1], start).ok()?;
    let is_old = &bytes[..8] == MAGIC_1;
    if !is_old {
        file.read_exact_at(&mut bytes[SLOT_BYTES_1..], start + SLOT_BYTES_1 as u64).ok()?;
    }
    let (magic, body) = if is_old { (MAGIC_1, SLOT_BYTES_1 - 4) } else { (MAGIC, SLOT_BYTES - 4) };
    let long = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?));
    let checksum = u32::from_le_bytes(bytes.get(body..body + 4)?.try_into().ok()?);
    if &bytes[..8] != magic || checksum != crc32c::crc32c(&bytes[..body]) {
        return None;
    }
    let global_checkpoint = if is_old { -1 } else { long(32)? as i64 };
    Some((long(8)?, Checkpoint { generation: long(16)?, synced_length: long(24)?, global_checkpoint }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_testing::directory::TestDirectory;

    #[test]
    fn slots_of_both_forms_are_read_and_the_newer_counts() {
        let directory = TestDirectory::new();
        let mut old = vec![0; SLOT_DISTANCE as usize + SLOT_BYTES_1];
        for (slot, count) in [(0, 8u64), (1, 7)] {
            let bytes = &mut old[slot * SLOT_DISTANCE as usize..][..SLOT_BYTES_1];
            bytes[..8].copy_from_slice(MAGIC_1);
            bytes[8..16].copy_from_slice(&count.to_le_bytes());
            bytes[16..24].copy_from_slice(&3u64.to_le_bytes());
            bytes[24..32].copy_from_slice(&(count * 100).to_le_bytes());
            let checksum = crc32c::crc32c(&bytes[..32]);
            bytes[32..].copy_from_slice(&checksum.to_le_bytes());
        }
        std::fs::write(checkpoint_path(directory.path()), &old).unwrap();
        let (mut file, read) = CheckpointFile::open(directory.path()).unwrap();
        assert_eq!(read, Checkpoint { generation: 3, synced_length: 800, global_checkpoint: -1 });
        let next = Checkpoint { generation: 4, synced_length: 48, global_checkpoint: 17 };
        file.write(next).unwrap();
        assert_eq!(CheckpointFile::open(directory.path()).unwrap().1, next);
        file.write(Checkpoint { global_checkpoint: 20, ..next }).unwrap();
        assert_eq!(CheckpointFile::open(directory.path()).unwrap().1.global_checkpoint, 20);
    }
}
