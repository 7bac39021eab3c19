//! Segments that were read from elsewhere while they were copied: once all of one is here, the shard reads it as any other file.

use crate::directory::claim::DirectoryClaim;
use crate::engine::Shard;
use crate::translog::sync_directory;
use crate::version_map::UNKNOWN_TIME;
use quarry_base::error::{Error, Result};
use quarry_blocks::file::copying_path;
use quarry_segment::check::ELSEWHERE;
use quarry_segment::id::SegmentId;
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::writer::sync_segment;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Proves a copy, syncs it and gives it its name; for any thread.
#[derive(Debug)]
pub struct AdoptionJob {
    directory: PathBuf,
    path: PathBuf,
    id: SegmentId,
    checksum: u32,
    _claim: Arc<DirectoryClaim>,
}

impl AdoptionJob {
    /// Errors: `Corrupt` where the copy is not the segment; `Io`.
    pub fn run(&self) -> Result<Arc<SegmentReader>> {
        let copying = copying_path(&self.path);
        let proved = SegmentReader::open_here(&copying, Verify::All)?;
        if proved.id().uuid != self.id.uuid || proved.checksum() != self.checksum {
            return Err(proved.name_damage(Error::corrupt("is not the segment that was copied")));
        }
        drop(proved);
        sync_segment(&copying)?;
        std::fs::rename(&copying, &self.path).map_err(|error| Error::io("renaming", &copying, error))?;
        sync_directory(&self.directory)?;
        SegmentReader::open_here(&self.path, Verify::Metadata)
    }
}

impl Shard {
    /// Of the segment whose file has this name, of which all was copied; `None` where the shard has it no more.
    pub fn begin_adoption(&self, name: &str) -> Result<Option<AdoptionJob>> {
        self.check_usable()?;
        let slot = self.slots.iter().find(|slot| slot.reader.is_remote() && slot.id.file_name() == name);
        Ok(slot.map(|slot| AdoptionJob {
            directory: self.identity.directory.clone(),
            path: self.identity.directory.join(name),
            id: slot.id,
            checksum: slot.reader.checksum(),
            _claim: Arc::clone(&self.identity.claim),
        }))
    }

    /// Searches from now on read the file. Those that run keep what they have.
    pub fn finish_adoption(&mut self, reader: Arc<SegmentReader>) -> Result<()> {
        self.check_usable()?;
        let Some(slot) = self.slots.iter_mut().find(|slot| slot.id == reader.id()) else { return Ok(()) };
        slot.reader = reader;
        self.view_is_stale = true;
        self.refresh(UNKNOWN_TIME).map(drop)
    }

    /// The directory is whole: it can be opened again without what lies elsewhere. Errors: `IllegalState` where it is not; `Io`.
    pub fn end_adoption(&mut self) -> Result<()> {
        if let Some(slot) = self.slots.iter().find(|slot| slot.reader.is_remote()) {
            let name = slot.id.file_name();
            return Err(Error::illegal_state(format!("[{name}] lies elsewhere")));
        }
        remove_mark(&self.identity.directory)
    }
}

fn remove_mark(directory: &Path) -> Result<()> {
    let mark = directory.join(ELSEWHERE);
    match std::fs::remove_file(&mark) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("removing", &mark, error)),
        _ => sync_directory(directory),
    }
}
