//! The file of a member's log: see the room's comment for its layout.

use super::disk::{Disk, OpenFile};
use super::membership::bounded;
use quarry_base::error::{Error, Result};
use std::path::{Path, PathBuf};

const HEADER_MAGIC: &[u8; 8] = b"QRYRAFT1";
const SLOT_MAGIC: &[u8; 8] = b"QRYRSLT1";
const HEADER_BYTES: usize = 44;
const SLOT_BYTES: usize = 36;
/// Slots lie in different disk sectors, so that a torn write damages one at most.
const SLOT_DISTANCE: u64 = 4096;
pub(super) const RECORDS_START: u64 = 3 * SLOT_DISTANCE;
const RECORD_HEADER_BYTES: usize = 8;

/// What the log is the log of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogHeader {
    pub member: u64,
    /// Index and term of the entry before the first one that is kept.
    pub previous_index: u64,
    pub previous_term: u64,
    /// 0: there is no snapshot.
    pub snapshot_index: u64,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    count: u64,
    synced_length: u64,
    commit: u64,
}

/// The open log; whatever fails, nothing may be appended any more.
#[derive(Debug)]
pub(super) struct LogFile {
    file: Box<dyn OpenFile>,
    path: PathBuf,
    /// Where the next record goes.
    length: u64,
    slot_count: u64,
}

/// Place and payload of a record.
pub(super) type PlacedRecord = (u64, Vec<u8>);

/// A log as it was found.
#[derive(Debug)]
pub(super) struct FoundLog {
    pub file: LogFile,
    pub header: LogHeader,
    pub commit: u64,
    pub records: Vec<PlacedRecord>,
}

pub(super) const LOG: &str = "raft.log";

pub(super) fn damaged(path: &Path, at: u64, what: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("[{}] is damaged at byte {at}: {what}", path.display()))
}

impl LogFile {
    /// Writes a log that holds these records only and gives it its name; durable when it returns.
    pub fn replace(disk: &dyn Disk, header: LogHeader, commit: u64, payloads: &[Vec<u8>]) -> Result<Self> {
        let path = disk.path_of(LOG);
        let mut bytes = encode_header(header);
        bytes.resize(RECORDS_START as usize, 0);
        for payload in payloads {
            append_record(&mut bytes, payload)?;
        }
        let slot = Slot { count: 1, synced_length: bytes.len() as u64, commit };
        bytes[slot.offset() as usize..][..SLOT_BYTES].copy_from_slice(&slot.encode());
        disk.replace(LOG, &bytes)?;
        let file = disk.open(LOG)?.ok_or_else(|| Error::internal(format!("[{}] is gone", path.display())))?;
        Ok(LogFile { file, path, length: bytes.len() as u64, slot_count: 1 })
    }

    /// None when there is no log; changes nothing. Errors: `Corrupt` naming file and place when anything acknowledged is missing
    /// or damaged.
    pub fn find(disk: &dyn Disk) -> Result<Option<FoundLog>> {
        let path = disk.path_of(LOG);
        let (Some(file), Some(bytes)) = (disk.open(LOG)?, disk.read(LOG)?) else { return Ok(None) };
        let header = decode_header(&bytes).map_err(|error| damaged(&path, 0, error.reason))?;
        let slot = [1, 2].into_iter().filter_map(|slot| read_slot(&bytes, slot)).max_by_key(|slot| slot.count);
        let slot = slot.ok_or_else(|| damaged(&path, SLOT_DISTANCE, "neither slot is whole"))?;
        let (records, length, problem) = read_records(&bytes);
        if length < slot.synced_length {
            let what = problem.unwrap_or_else(|| format!("it should have at least {} bytes", slot.synced_length));
            return Err(damaged(&path, length, what));
        }
        let file = LogFile { file, path, length, slot_count: slot.count };
        Ok(Some(FoundLog { file, header, commit: slot.commit, records }))
    }

    /// Makes the log that was found one to append to. What lies behind the last whole record was never acknowledged and is cut
    /// off; what lies before it must not be lost any more.
    pub fn begin(&mut self, commit: u64) -> Result<()> {
        let cut = self.file.cut_at(self.length);
        cut.map_err(|error| Error::io("cutting off the end of", &self.path, error))?;
        self.note(commit)
    }

    /// Appends records; durable when it returns.
    pub fn append(&mut self, payloads: &[Vec<u8>]) -> Result<()> {
        let mut bytes = Vec::with_capacity(payloads.iter().map(|payload| payload.len() + RECORD_HEADER_BYTES).sum());
        for payload in payloads {
            append_record(&mut bytes, payload)?;
        }
        let written = self.file.write_at(&bytes, self.length);
        written.map_err(|error| Error::io("appending to", &self.path, error))?;
        self.file.sync().map_err(|error| Error::io("syncing", &self.path, error))?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Notes how far the log was synced and committed. Not synced itself.
    pub fn note(&mut self, commit: u64) -> Result<()> {
        self.slot_count += 1;
        let slot = Slot { count: self.slot_count, synced_length: self.length, commit };
        let written = self.file.write_at(&slot.encode(), slot.offset());
        written.map_err(|error| Error::io("writing", &self.path, error))
    }

    pub fn length(&self) -> u64 {
        self.length
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Slot {
    fn offset(self) -> u64 {
        (1 + self.count % 2) * SLOT_DISTANCE
    }

    fn encode(self) -> [u8; SLOT_BYTES] {
        let mut bytes = [0; SLOT_BYTES];
        bytes[..8].copy_from_slice(SLOT_MAGIC);
        bytes[8..16].copy_from_slice(&self.count.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.synced_length.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.commit.to_le_bytes());
        let checksum = crc32c::crc32c(&bytes[..32]);
        bytes[32..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }
}

fn read_slot(bytes: &[u8], place: usize) -> Option<Slot> {
    let bytes = bytes.get(place * SLOT_DISTANCE as usize..)?.get(..SLOT_BYTES)?;
    let is_whole = &bytes[..8] == SLOT_MAGIC && crc32c::crc32c(&bytes[..32]).to_le_bytes() == bytes[32..];
    is_whole.then(|| Slot { count: long(bytes, 8), synced_length: long(bytes, 16), commit: long(bytes, 24) })
}

/// The place must be inside.
fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default())
}

fn encode_header(header: LogHeader) -> Vec<u8> {
    let mut bytes = HEADER_MAGIC.to_vec();
    for number in [header.member, header.previous_index, header.previous_term, header.snapshot_index] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
    bytes
}

fn decode_header(bytes: &[u8]) -> Result<LogHeader> {
    let bytes = bytes.get(..HEADER_BYTES).ok_or_else(|| Error::corrupt("the header is cut off"))?;
    if &bytes[..8] != HEADER_MAGIC || crc32c::crc32c(&bytes[..40]).to_le_bytes() != bytes[40..] {
        return Err(Error::corrupt("the header's checksum does not fit"));
    }
    Ok(LogHeader {
        member: long(bytes, 8),
        previous_index: bounded("index", long(bytes, 16))?,
        previous_term: bounded("term", long(bytes, 24))?,
        snapshot_index: bounded("index", long(bytes, 32))?,
    })
}

fn append_record(out: &mut Vec<u8>, payload: &[u8]) -> Result<()> {
    let length = u32::try_from(payload.len()).map_err(|_| Error::internal("a record is at most 4 GiB"))?.to_le_bytes();
    out.extend_from_slice(&length);
    out.extend_from_slice(&record_checksum(length, payload).to_le_bytes());
    out.extend_from_slice(payload);
    Ok(())
}

fn record_checksum(length: [u8; 4], payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&length), payload)
}

/// The whole records, where they end, and what is wrong there.
fn read_records(bytes: &[u8]) -> (Vec<PlacedRecord>, u64, Option<String>) {
    let mut records = Vec::new();
    let mut at = RECORDS_START as usize;
    while at < bytes.len() {
        match record_at(bytes, at) {
            Ok(payload) => {
                records.push((at as u64, payload.to_vec()));
                at += RECORD_HEADER_BYTES + payload.len();
            }
            Err(problem) => return (records, at as u64, Some(problem.to_owned())),
        }
    }
    // A file that ends before its records begin has none of them.
    (records, at.min(bytes.len()) as u64, None)
}

fn record_at(bytes: &[u8], at: usize) -> std::result::Result<&[u8], &'static str> {
    let header = bytes.get(at..at + RECORD_HEADER_BYTES).ok_or("a record's header is cut off")?;
    let (length, checksum) = header.split_at(4);
    let length: [u8; 4] = length.try_into().unwrap_or_default();
    let start = at + RECORD_HEADER_BYTES;
    let payload = bytes.get(start..start + u32::from_le_bytes(length) as usize).ok_or("a record is cut off")?;
    if record_checksum(length, payload).to_le_bytes() != *checksum {
        return Err("a record's checksum does not fit");
    }
    Ok(payload)
}
