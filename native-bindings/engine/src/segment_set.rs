//! The segments and deletions that searches see, lent to replicas that copy them.

use super::engine::Shard;
use super::history::terms_up_to;
use quarry_base::error::{Error, Result};
use quarry_blocks::reading;
use quarry_query::view::SegmentView;
use quarry_segment::id::SegmentId;
use quarry_segment::reader::SegmentReader;
use quarry_segment::set::{SegmentSetDescriptor, SetSegment};
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// Immutable. The files can be read while this is held, whatever becomes of their names.
#[derive(Debug, Clone)]
pub struct SegmentSet {
    pub descriptor: SegmentSetDescriptor,
    readers: Vec<Arc<SegmentReader>>,
}

/// A file of a set as JSON tells of it.
#[derive(Debug, Serialize)]
pub(super) struct FileDescription {
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

    /// crc32c of each part of a file, little-endian; the last part may be shorter. All of the file is verified first: a checksum of damaged
    /// bytes would say that they are whole.
    pub fn part_checksums(&self, file: &str, part_bytes: usize) -> Result<Vec<u8>> {
        let (reader, part_bytes) = (self.reader(file)?, part_bytes.max(1));
        let bytes = reader.file();
        if !reader.is_remote() {
            reader.verify_checksums()?;
        }
        let mut checksums = Vec::with_capacity(bytes.len().div_ceil(part_bytes) * 4);
        for start in (0..bytes.len()).step_by(part_bytes) {
            let part = start..(start + part_bytes).min(bytes.len());
            // What lies elsewhere is verified as it comes.
            let checksum = reading::piece(|| Ok(crc32c::crc32c(&bytes[part])))?;
            checksums.extend(checksum.to_le_bytes());
        }
        Ok(checksums)
    }

    fn reader(&self, file: &str) -> Result<&Arc<SegmentReader>> {
        let reader = self.readers.iter().find(|reader| reader.id().file_name() == file);
        reader.ok_or_else(|| Error::illegal_argument(format!("file [{file}] is not in the segment set")))
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
