//! Reads a translog back after a stop or a crash.

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::operation::{Operation, read_operations};
use super::writer::Translog;
use super::{HEADER_BYTES, HistoryId, MAGIC, RECORD_HEADER_BYTES, generation_path, record_checksum};
use crate::error::{Error, Result};
use memmap2::Mmap;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// What was found: whole, and followed by a new generation.
#[derive(Debug)]
pub struct Recovered {
    pub translog: Translog,
    pub replay: Replay,
    /// Bytes at the end that were never acknowledged and not whole: cut off.
    pub dropped_bytes: u64,
}

/// The operations that were found, to be read again.
#[derive(Debug)]
pub struct Replay {
    directory: PathBuf,
    history: HistoryId,
    generations: Vec<u64>,
}

impl Replay {
    /// Hands every operation to `each`, in order.
    pub fn run(&self, mut each: impl FnMut(Operation<'_>) -> Result<()>) -> Result<()> {
        for &number in &self.generations {
            let generation = Generation::open(&self.directory, number, &self.history)?;
            let (at, _, problem) = generation.read(&mut each)?;
            if let Some(problem) = problem {
                return Err(damaged(&generation.path, at, problem));
            }
        }
        Ok(())
    }
}

fn damaged(path: &Path, at: u64, what: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("translog [{}] is damaged at byte {at}: {what}", path.display()))
}

/// One generation as it lies on disk.
struct Generation {
    number: u64,
    path: PathBuf,
    map: Option<Mmap>,
    previous_length: u64,
}

impl Generation {
    fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    fn open(directory: &Path, number: u64, history: &HistoryId) -> Result<Self> {
        let path = generation_path(directory, number);
        let file = File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::corrupt(format!("translog [{}] is missing", path.display())),
            _ => Error::io("opening", &path, error),
        })?;
        let length = file.metadata().map_err(|error| Error::io("reading", &path, error))?.len();
        let map = match length {
            0 => None,
            // SAFETY: the shard's lock keeps other processes of ours away, and nothing here writes to this generation.
            _ => Some(unsafe { Mmap::map(&file) }.map_err(|error| Error::io("mapping", &path, error))?),
        };
        let mut generation = Generation { number, path, map, previous_length: 0 };
        generation.previous_length = generation.check_header(history)?;
        Ok(generation)
    }

    fn check_header(&self, history: &HistoryId) -> Result<u64> {
        let header = self.bytes().get(..HEADER_BYTES as usize);
        let header = header.ok_or_else(|| damaged(&self.path, 0, "the header is cut off"))?;
        let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
        let checksum = u32::from_le_bytes(header[40..44].try_into().unwrap_or_default());
        if &header[..8] != MAGIC || checksum != crc32c::crc32c(&header[..40]) {
            return Err(damaged(&self.path, 0, "the header's checksum does not fit"));
        }
        if long(8) != self.number {
            return Err(damaged(&self.path, 8, format!("it says that it is generation [{}]", long(8))));
        }
        if header[24..40] != history[..] {
            return Err(damaged(&self.path, 24, "it belongs to another shard"));
        }
        Ok(long(16))
    }

    /// Hands out the operations from `at`; returns the place after the last whole record, the number of operations, and
    /// what is wrong there.
    fn read(&self, each: &mut dyn FnMut(Operation<'_>) -> Result<()>) -> Result<(u64, u64, Option<String>)> {
        let bytes = self.bytes();
        let mut at = HEADER_BYTES as usize;
        let mut operations = 0;
        while at < bytes.len() {
            let payload = match record_at(bytes, at) {
                Ok(payload) => payload,
                Err(problem) => return Ok((at as u64, operations, Some(problem))),
            };
            // The checksum fits, so a broken payload is no torn write.
            let place = |error: Error| match error.code {
                crate::error::ErrorCode::Corrupt => damaged(&self.path, at as u64, error.reason),
                _ => error,
            };
            operations += read_operations(payload, &mut *each).map_err(place)?;
            at += RECORD_HEADER_BYTES + payload.len();
        }
        Ok((at as u64, operations, None))
    }
}

fn record_at(bytes: &[u8], at: usize) -> std::result::Result<&[u8], String> {
    let header = bytes.get(at..at + RECORD_HEADER_BYTES).ok_or("a record's header is cut off")?;
    let (length, checksum) = header.split_at(4);
    let length: [u8; 4] = length.try_into().unwrap_or_default();
    let start = at + RECORD_HEADER_BYTES;
    let payload = bytes.get(start..start + u32::from_le_bytes(length) as usize).ok_or("a record is cut off")?;
    if record_checksum(length, payload).to_le_bytes() != *checksum {
        return Err("a record's checksum does not fit".into());
    }
    Ok(payload)
}

/// The newest generation that has a file.
fn newest_generation(directory: &Path) -> Result<Option<u64>> {
    let entries = std::fs::read_dir(directory).map_err(|error| Error::io("listing", directory, error))?;
    let mut newest = None;
    for entry in entries {
        let name = entry.map_err(|error| Error::io("listing", directory, error))?.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix("translog-")?.strip_suffix(".tlog")?.parse().ok());
        newest = newest.max(number);
    }
    Ok(newest)
}

/// Where the whole records of a generation end, and how many operations they hold.
struct Extent {
    number: u64,
    length: u64,
    operations: u64,
}

/// Reads all generations from `from` on and proves that what was acknowledged is there. Nothing is changed.
///
/// Returns the extents, and the generation whose end was never acknowledged and is not whole.
fn read_all(
    directory: &Path,
    history: &HistoryId,
    from: u64,
    checkpoint: Checkpoint,
) -> Result<(Vec<Extent>, Option<u64>)> {
    let newest = newest_generation(directory)?.unwrap_or(0).max(checkpoint.generation);
    let mut extents: Vec<Extent> = Vec::new();
    // The commit point proves that its generation was made; older ones it has made superfluous.
    for number in from..=newest {
        let is_acknowledged = number <= checkpoint.generation.max(from);
        let generation = match Generation::open(directory, number, history) {
            Ok(generation) => generation,
            // Made just before the crash: nothing in it was acknowledged.
            Err(error) if !is_acknowledged && error.code == crate::error::ErrorCode::Corrupt => {
                return Ok((extents, Some(number)));
            }
            Err(error) => return Err(error),
        };
        if let Some(previous) = extents.last().filter(|previous| previous.length != generation.previous_length) {
            if !is_acknowledged {
                return Ok((extents, Some(number)));
            }
            let path = generation_path(directory, previous.number);
            let expected = generation.previous_length;
            return Err(damaged(&path, previous.length, format!("it should have {expected} bytes")));
        }
        let (length, operations, problem) = generation.read(&mut |_| Ok(()))?;
        let required = if number < checkpoint.generation {
            generation.bytes().len() as u64
        } else if number == checkpoint.generation {
            checkpoint.synced_length
        } else {
            HEADER_BYTES
        };
        if length < required {
            let what = problem.unwrap_or_else(|| format!("it should have at least {required} bytes"));
            return Err(damaged(&generation.path, length, what));
        }
        extents.push(Extent { number, length, operations });
        if problem.is_some() {
            return Ok((extents, Some(number)));
        }
    }
    Ok((extents, None))
}

/// Proves that generation `from` and later ones are whole, cuts off a torn end, and begins a new generation.
///
/// Errors: `Corrupt` naming file and place when anything acknowledged is missing or damaged.
pub fn recover(directory: &Path, history: HistoryId, from: u64) -> Result<Recovered> {
    let (_, checkpoint) = CheckpointFile::open(directory)?;
    let (extents, torn) = read_all(directory, &history, from, checkpoint)?;
    let dropped_bytes = cut_off(directory, &extents, torn)?;
    let last = extents.last().ok_or_else(|| Error::corrupt(format!("no translog in [{}]", directory.display())))?;
    let (generation, previous_length) = (last.number + 1, last.length);
    let older = extents.iter().map(|extent| (extent.number, extent.length, extent.operations)).collect();
    let translog = Translog::start(directory, history, generation, previous_length, older)?;
    let generations = extents.iter().map(|extent| extent.number).collect();
    let replay = Replay { directory: directory.to_path_buf(), history, generations };
    Ok(Recovered { translog, replay, dropped_bytes })
}

/// Removes what follows the last whole record, in its generation and in later ones.
fn cut_off(directory: &Path, extents: &[Extent], torn: Option<u64>) -> Result<u64> {
    let Some(last) = extents.last() else { return Ok(0) };
    if torn.is_none() {
        return Ok(0);
    }
    let mut dropped = 0;
    for number in (last.number + 1..=newest_generation(directory)?.unwrap_or(0)).rev() {
        let path = generation_path(directory, number);
        dropped += std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        std::fs::remove_file(&path).map_err(|error| Error::io("removing", &path, error))?;
    }
    let path = generation_path(directory, last.number);
    let cut = || -> std::io::Result<u64> {
        let file = OpenOptions::new().write(true).open(&path)?;
        let length = file.metadata()?.len();
        file.set_len(last.length)?;
        file.sync_all()?;
        Ok(length.saturating_sub(last.length))
    };
    Ok(dropped + cut().map_err(|error| Error::io("cutting", &path, error))?)
}

/// Reads a translog without changing it, for `check`: the number of operations from generation `from` on.
pub fn check_translog(directory: &Path, history: HistoryId, from: u64) -> Result<u64> {
    let (_, checkpoint) = CheckpointFile::open(directory)?;
    let (extents, _) = read_all(directory, &history, from, checkpoint)?;
    Ok(extents.iter().map(|extent| extent.operations).sum())
}
