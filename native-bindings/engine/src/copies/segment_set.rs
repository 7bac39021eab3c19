//! The segments and deletions that searches see, lent to replicas that copy them.

use super::history::terms_up_to;
use crate::engine::Shard;
use quarry_base::error::{Error, Result};
use quarry_query::view::SegmentView;
use quarry_segment::check::file::FileCheck;
use quarry_segment::directory::set::{SegmentSetDescriptor, SetSegment};
use quarry_segment::id::SegmentId;
use quarry_segment::reader::SegmentReader;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Immutable. The files can be read while this is held, whatever becomes of their names.
#[derive(Debug, Clone)]
pub struct SegmentSet {
    pub descriptor: SegmentSetDescriptor,
    readers: Vec<Arc<SegmentReader>>,
}

/// Reads of a set's files that prove what they give, each file from its first byte on.
#[derive(Debug, Default)]
pub struct ProvedReads {
    files: Mutex<HashMap<String, FileCheck>>,
}

/// What [`ProvedReads::read`] is asked for.
#[derive(Debug, Clone, Copy)]
pub struct ProvedPart<'a> {
    pub file: &'a str,
    pub offset: u64,
    pub length: usize,
    pub part_bytes: usize,
}

/// A file of a set as JSON tells of it.
#[derive(Debug, Serialize)]
pub(crate) struct FileDescription {
    name: String,
    uuid: String,
    length: u64,
    checksum: u32,
}

impl FileDescription {
    pub fn new(id: &SegmentId, length: u64, checksum: u32) -> Self {
        let uuid = id.uuid.iter().fold(String::with_capacity(32), |mut uuid, byte| {
            // Writing to memory does not fail.
            let _ = write!(uuid, "{byte:02x}");
            uuid
        });
        FileDescription { name: id.file_name(), uuid, length, checksum }
    }
}

fn described(segment: &SegmentView) -> SetSegment {
    let reader = &segment.reader;
    SetSegment {
        id: reader.id(),
        max_doc: reader.max_doc(),
        bytes: reader.bytes(),
        checksum: reader.checksum(),
        live: segment.deletions.clone().filter(|live| live.deleted_count() > 0),
    }
}

impl SegmentSet {
    /// The files, JSON.
    pub fn files_json(&self) -> String {
        let segments = self.descriptor.segments.iter();
        let files = segments.map(|segment| FileDescription::new(&segment.id, segment.bytes, segment.checksum));
        // Plain data always serializes.
        serde_json::to_string(&files.collect::<Vec<_>>()).unwrap_or_default()
    }

    /// A part of a file; shorter at its end.
    pub fn read(&self, file: &str, offset: u64, length: usize) -> Result<&[u8]> {
        let bytes = self.reader(file)?.file();
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
        Ok(&bytes[start..start.saturating_add(length).min(bytes.len())])
    }

    fn reader(&self, file: &str) -> Result<&SegmentReader> {
        let reader = self.readers.iter().find(|reader| reader.id().file_name() == file);
        reader
            .map(Arc::as_ref)
            .ok_or_else(|| Error::illegal_argument(format!("file [{file}] is not in the segment set")))
    }
}

impl ProvedReads {
    /// As [`SegmentSet::read`]. Damage is an error that names the file, before its bytes are given. Parts of a file are read in
    /// order; what was given once may be read again. `part_bytes`: see [`FileCheck::with_parts`].
    pub fn read<'a>(
        &self,
        set: &'a SegmentSet,
        file: &str,
        offset: u64,
        length: usize,
        part_bytes: usize,
    ) -> Result<&'a [u8]> {
        let bytes = set.read(file, offset, length)?;
        let reader = set.reader(file)?;
        // Others read other files meanwhile.
        let known = if offset == 0 { None } else { self.lock().remove(file) };
        let mut check = known.map_or_else(|| FileCheck::of(reader).map(|check| check.with_parts(part_bytes)), Ok)?;
        let position = check.position();
        if offset > position {
            let reason = format!("the next byte of [{file}] is [{position}], not [{offset}]");
            return Err(Error::illegal_argument(reason));
        }
        let seen = usize::try_from(position - offset).unwrap_or(usize::MAX).min(bytes.len());
        check.update(&bytes[seen..]).map_err(|error| reader.name_damage(error))?;
        self.lock().insert(file.to_owned(), check);
        Ok(bytes)
    }

    /// As [`ProvedReads::read`], into a file that is there, at `at`: bytes of a mapped file go there without another copy. How many. Errors:
    /// `Io` as well.
    pub fn copy(&self, set: &SegmentSet, part: &ProvedPart<'_>, into: &Path, at: u64) -> Result<usize> {
        let ProvedPart { file, offset, length, part_bytes } = *part;
        let bytes = self.read(set, file, offset, length, part_bytes)?;
        let written = File::options().write(true).open(into).and_then(|target| target.write_all_at(bytes, at));
        written.map_err(|error| Error::io("cannot write to", into, error))?;
        Ok(bytes.len())
    }

    /// crc32c of each part of a file, little-endian, once all of it was read.
    pub fn part_checksums(&self, file: &str) -> Result<Vec<u8>> {
        let files = self.lock();
        let check = files.get(file).ok_or_else(|| Error::illegal_state(format!("[{file}] was not read")))?;
        check.part_checksums()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, FileCheck>> {
        // A check that another thread left half done is not in the table.
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    /// What searches see now.
    pub fn segment_set(&self) -> SegmentSet {
        let segments = &self.view.segments;
        let descriptor = SegmentSetDescriptor {
            history_uuid: self.commit.history_uuid.clone(),
            primary_term: self.identity.primary_term,
            checkpoint: self.view_checkpoint,
            refresh_generation: self.view_generation,
            next_segment_number: self.next_segment_number,
            segments: segments.iter().map(described).collect(),
            terms: terms_up_to(self.translog.terms(), self.view_checkpoint),
        };
        SegmentSet { descriptor, readers: segments.iter().map(|segment| Arc::clone(&segment.reader)).collect() }
    }
}
