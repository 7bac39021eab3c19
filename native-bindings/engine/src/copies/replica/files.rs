//! Segment files of the primary, received piece by piece. One counts when all of it was received and verified.

use super::Replica;
use crate::copies::history::stale_term;
use crate::copies::segment_set::FileDescription;
use crate::directory::claim::DirectoryClaim;
use crate::segments::slot::Slot;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_blocks::folder;
use quarry_segment::check::ELSEWHERE;
use quarry_segment::directory::set::{SegmentSetDescriptor, SetSegment};
use quarry_segment::id::SegmentId;
use quarry_segment::reader::{SegmentReader, Verify};
use quarry_segment::writer::sync_segment;
use serde::Serialize;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that is on its way, or was received and is not installed yet.
#[derive(Debug)]
pub(super) struct Receiving {
    pub id: SegmentId,
    length: u64,
    checksum: u32,
    received: u64,
    /// Opened with the first bytes.
    file: Option<Arc<File>>,
    /// A write or a check works on another thread.
    is_busy: bool,
    /// Verified.
    pub reader: Option<Arc<SegmentReader>>,
}

#[derive(Debug, Serialize)]
struct MissingFile {
    #[serde(flatten)]
    file: FileDescription,
    received: u64,
}

/// Writes a piece of a file; for any thread.
#[derive(Debug)]
pub struct FileWrite {
    name: String,
    path: PathBuf,
    file: Arc<File>,
    offset: u64,
    bytes: Vec<u8>,
    _claim: Arc<DirectoryClaim>,
}

impl FileWrite {
    pub fn run(&self) -> Result<()> {
        let written = self.file.write_all_at(&self.bytes, self.offset);
        written.map_err(|error| Error::io("writing", &self.path, error))
    }
}

/// Verifies and syncs a whole file and gives it its name; for any thread.
#[derive(Debug)]
pub struct FileCheck {
    name: String,
    temporary: PathBuf,
    path: PathBuf,
    id: SegmentId,
    checksum: u32,
    _claim: Arc<DirectoryClaim>,
}

impl FileCheck {
    pub fn run(&self) -> Result<Arc<SegmentReader>> {
        if folder::find(&self.path).is_some() {
            return self.run_remote();
        }
        let reader = SegmentReader::open(&self.temporary, Verify::All)?;
        if reader.id() != self.id || reader.checksum() != self.checksum {
            let path = self.temporary.display();
            return Err(Error::corrupt(format!("[{path}] is not the file that the primary described")));
        }
        drop(reader);
        sync_segment(&self.temporary)?;
        std::fs::rename(&self.temporary, &self.path).map_err(|error| Error::io("renaming", &self.temporary, error))?;
        SegmentReader::open(&self.path, Verify::Metadata)
    }

    /// What lies elsewhere is verified as it is read.
    fn run_remote(&self) -> Result<Arc<SegmentReader>> {
        let reader = SegmentReader::open(&self.path, Verify::Metadata)?;
        if reader.id() != self.id || reader.checksum() != self.checksum {
            return Err(reader.name_damage(Error::corrupt("is not the file that the snapshot described")));
        }
        // Whoever makes a view of it must not wait for that.
        let _ = reader.nested();
        let mark = self.path.with_file_name(ELSEWHERE);
        std::fs::write(&mark, b"").map_err(|error| Error::io("writing", &mark, error))?;
        Ok(reader)
    }
}

fn temporary(directory: &Path, name: &str) -> PathBuf {
    directory.join(format!("{name}.tmp"))
}

fn remove_if_there(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::io("removing", path, error)),
        _ => Ok(()),
    }
}

impl Replica {
    /// The files of a set that are not here, JSON (`MissingFile` of `src/native/replication.ts`). What was received of files
    /// that are not in the set is removed.
    ///
    /// Errors: `CopyAnew` when a committed segment has the name of another one of the set: the directory must be emptied.
    pub fn missing_files(&mut self, descriptor: &[u8]) -> Result<String> {
        self.check_usable()?;
        let set = SegmentSetDescriptor::decode(descriptor)?;
        self.check_set(&set)?;
        self.abandon_files_but(|id| set.segments.iter().any(|segment| segment.id == *id))?;
        let mut missing = Vec::new();
        for segment in &set.segments {
            if self.slots.iter().any(|slot| slot.id == segment.id) {
                continue;
            }
            self.check_name(&segment.id)?;
            let receiving = self.receiving.entry(segment.id.file_name()).or_insert_with(|| Receiving::new(segment));
            if receiving.reader.is_none() {
                let file = FileDescription::new(&segment.id, segment.bytes, segment.checksum);
                missing.push(MissingFile { file, received: receiving.received });
            }
        }
        // Plain data always serializes.
        Ok(serde_json::to_string(&missing).unwrap_or_default())
    }

    /// The set must be of this shard's history and not of a primary that was replaced.
    pub(super) fn check_set(&self, set: &SegmentSetDescriptor) -> Result<()> {
        let known = &self.commit.history_uuid;
        if set.history_uuid != *known {
            let reason = format!("the replica has history [{known}], the segments [{}]", set.history_uuid);
            return Err(Error::new(ErrorCode::CopyAnew, reason + ": its directory must be emptied"));
        }
        if set.primary_term < self.identity.primary_term {
            return Err(stale_term(set.primary_term, self.identity.primary_term));
        }
        Ok(())
    }

    /// A file that the commit point names cannot be replaced.
    fn check_name(&self, id: &SegmentId) -> Result<()> {
        let committed = self.commit.segments.iter().any(|segment| segment.id.number == id.number && segment.id != *id);
        if !committed {
            return Ok(());
        }
        let name = id.file_name();
        let reason = format!("[{name}] is committed here as another segment: the directory must be emptied");
        Err(Error::new(ErrorCode::CopyAnew, reason))
    }

    /// Begins to write the next bytes of a missing file.
    pub fn begin_write(&mut self, name: &str, offset: u64, bytes: Vec<u8>) -> Result<FileWrite> {
        self.check_usable()?;
        let path = temporary(&self.identity.directory, name);
        let claim = Arc::clone(&self.identity.claim);
        let receiving = idle(self.receiving.get_mut(name), name)?;
        if offset != receiving.received {
            let received = receiving.received;
            return Err(Error::illegal_argument(format!("the next byte of [{name}] is [{received}], not [{offset}]")));
        }
        if bytes.len() as u64 > receiving.length - offset {
            let length = receiving.length;
            return Err(Error::illegal_argument(format!("[{name}] has only [{length}] bytes")));
        }
        let file = match &receiving.file {
            Some(file) => Arc::clone(file),
            None => Arc::new(File::create(&path).map_err(|error| Error::io("creating", &path, error))?),
        };
        receiving.file = Some(Arc::clone(&file));
        receiving.is_busy = true;
        Ok(FileWrite { name: name.into(), path, file, offset, bytes, _claim: claim })
    }

    /// What was written counts as received.
    pub fn finish_write(&mut self, write: &FileWrite, result: Result<()>) -> Result<()> {
        // It may have been abandoned meanwhile, and even begun anew.
        let receiving = self.receiving.get_mut(&write.name);
        let same = receiving.filter(|it| it.file.as_ref().is_some_and(|file| Arc::ptr_eq(file, &write.file)));
        if let Some(receiving) = same {
            receiving.is_busy = false;
            if result.is_ok() {
                receiving.received = write.offset + write.bytes.len() as u64;
            }
        }
        result
    }

    /// Begins to verify a file of which all bytes were written.
    pub fn begin_check(&mut self, name: &str) -> Result<FileCheck> {
        self.check_usable()?;
        let directory = self.identity.directory.clone();
        let claim = Arc::clone(&self.identity.claim);
        let receiving = idle(self.receiving.get_mut(name), name)?;
        let is_remote = folder::find(&directory.join(name)).is_some();
        if receiving.received < receiving.length && !is_remote {
            let Receiving { received, length, .. } = receiving;
            return Err(Error::illegal_argument(format!("[{received}] of [{length}] bytes of [{name}] were received")));
        }
        receiving.is_busy = true;
        let (id, checksum) = (receiving.id, receiving.checksum);
        let (temporary, path) = (temporary(&directory, name), directory.join(name));
        Ok(FileCheck { name: name.into(), temporary, path, id, checksum, _claim: claim })
    }

    /// The file can be installed. A damaged one is removed: it must be sent again.
    pub fn finish_check(&mut self, check: &FileCheck, result: Result<Arc<SegmentReader>>) -> Result<()> {
        let receiving = self.receiving.get_mut(&check.name).filter(|receiving| receiving.id == check.id);
        let Some(receiving) = receiving else {
            return Err(Error::illegal_argument(format!("[{}] was abandoned", check.name)));
        };
        receiving.is_busy = false;
        receiving.file = None;
        match result {
            Ok(reader) => receiving.reader = Some(reader),
            Err(error) => {
                receiving.received = 0;
                remove_if_there(&check.temporary)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Removes what was received and not installed.
    pub fn abandon_files(&mut self) -> Result<()> {
        self.abandon_files_but(|_| false)
    }

    fn abandon_files_but(&mut self, wanted: impl Fn(&SegmentId) -> bool) -> Result<()> {
        let directory = self.identity.directory.clone();
        let unwanted = self.receiving.extract_if(|_, receiving| !wanted(&receiving.id) && !receiving.is_busy);
        for (name, receiving) in unwanted {
            let path = if receiving.reader.is_some() { directory.join(&name) } else { temporary(&directory, &name) };
            remove_if_there(&path)?;
        }
        Ok(())
    }

    /// Names of files that no commit names and that are needed all the same.
    pub(super) fn files_in_use(&self) -> Vec<String> {
        let mut names: Vec<String> = self.slots.iter().flat_map(Slot::file_names).collect();
        for name in self.receiving.keys() {
            names.push(name.clone());
            names.push(format!("{name}.tmp"));
        }
        names
    }
}

impl Receiving {
    fn new(segment: &SetSegment) -> Self {
        let SetSegment { id, bytes, checksum, .. } = *segment;
        Receiving { id, length: bytes, checksum, received: 0, file: None, is_busy: false, reader: None }
    }
}

/// A file that was asked for and that nothing works on.
fn idle<'a>(receiving: Option<&'a mut Receiving>, name: &str) -> Result<&'a mut Receiving> {
    let receiving = receiving.filter(|receiving| receiving.reader.is_none());
    let receiving = receiving.ok_or_else(|| Error::illegal_argument(format!("[{name}] is not missing")))?;
    if receiving.is_busy {
        return Err(Error::illegal_argument(format!("[{name}] is being written already")));
    }
    Ok(receiving)
}
