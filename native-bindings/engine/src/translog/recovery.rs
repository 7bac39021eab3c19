//! Reads a translog back after a stop or a crash.

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::generations::Generation;
use super::operation::{Operation, read_operations, summarize};
use super::terms::TermStarts;
use super::writer::{Found, Translog};
use super::{HEADER_BYTES, HistoryId, MAGIC, RECORD_HEADER_BYTES, TEMPORARY, generation_path, record_checksum};
use memmap2::Mmap;
use quarry_base::error::{Error, ErrorCode, Result};
use std::cmp::Ordering;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// What the commit point says of the translog.
#[derive(Debug, Clone, Copy)]
pub struct LogBounds {
    /// The first generation with operations that are not in the segments.
    pub needed: u64,
    /// Generations before it, from this one on, are history where they are still there.
    pub kept: u64,
}

/// What was found: whole, and followed by an empty generation.
#[derive(Debug)]
pub struct Recovered {
    pub translog: Translog,
    pub replay: Replay,
    /// Bytes at the end that were never acknowledged and not whole: cut off.
    pub dropped_bytes: u64,
}

/// The operations since the commit that were found, to be read again.
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
            let log = LogReader::open(&self.directory, number, &self.history)?;
            let (at, problem) = log.read(&mut |_, payload| read_operations(payload, &mut each).map(drop))?;
            if let Some(problem) = problem {
                return Err(log.damaged(at, problem));
            }
        }
        Ok(())
    }
}

fn damaged(path: &Path, at: u64, what: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("translog [{}] is damaged at byte {at}: {what}", path.display()))
}

/// One generation as it lies on disk.
pub(super) struct LogReader {
    number: u64,
    path: PathBuf,
    map: Option<Mmap>,
    previous_length: u64,
}

/// Is given a record's place and payload.
type EachRecord<'a> = dyn FnMut(u64, &[u8]) -> Result<()> + 'a;

impl LogReader {
    pub fn bytes(&self) -> &[u8] {
        self.map.as_deref().unwrap_or_default()
    }

    pub fn damaged(&self, at: u64, what: impl std::fmt::Display) -> Error {
        damaged(&self.path, at, what)
    }

    pub fn open(directory: &Path, number: u64, history: &HistoryId) -> Result<Self> {
        let path = generation_path(directory, number);
        let file = File::open(&path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Error::corrupt(format!("translog [{}] is missing", path.display())),
            _ => Error::io("opening", &path, error),
        })?;
        let length = file.metadata().map_err(|error| Error::io("reading", &path, error))?.len();
        let map = match length {
            0 => None,
            // SAFETY: the shard's lock keeps other processes of ours away; a generation that is open only grows, which
            // leaves the mapped bytes as they are, and none is cut while anybody reads it.
            _ => Some(unsafe { Mmap::map(&file) }.map_err(|error| Error::io("mapping", &path, error))?),
        };
        let mut log = LogReader { number, path, map, previous_length: 0 };
        log.previous_length = log.check_header(history)?;
        Ok(log)
    }

    fn check_header(&self, history: &HistoryId) -> Result<u64> {
        let header = self.bytes().get(..HEADER_BYTES as usize);
        let header = header.ok_or_else(|| self.damaged(0, "the header is cut off"))?;
        let long = |at: usize| u64::from_le_bytes(header[at..at + 8].try_into().unwrap_or_default());
        let checksum = u32::from_le_bytes(header[40..44].try_into().unwrap_or_default());
        if &header[..8] != MAGIC || checksum != crc32c::crc32c(&header[..40]) {
            return Err(self.damaged(0, "the header's checksum does not fit"));
        }
        if long(8) != self.number {
            return Err(self.damaged(8, format!("it says that it is generation [{}]", long(8))));
        }
        if header[24..40] != history[..] {
            return Err(self.damaged(24, "it belongs to another shard"));
        }
        Ok(long(16))
    }

    /// Hands out the records; returns the place after the last whole one, and what is wrong there.
    pub fn read(&self, each: &mut EachRecord<'_>) -> Result<(u64, Option<String>)> {
        let bytes = self.bytes();
        let mut at = HEADER_BYTES as usize;
        while at < bytes.len() {
            let payload = match record_at(bytes, at) {
                Ok(payload) => payload,
                Err(problem) => return Ok((at as u64, Some(problem))),
            };
            // The checksum fits, so a broken payload is no torn write.
            each(at as u64, payload).map_err(|error| match error.code {
                ErrorCode::Corrupt => self.damaged(at as u64, error.reason),
                _ => error,
            })?;
            at += RECORD_HEADER_BYTES + payload.len();
        }
        Ok((at as u64, None))
    }
}

pub(super) fn record_at(bytes: &[u8], at: usize) -> std::result::Result<&[u8], String> {
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

/// The numbers of the generations that have a file, and the names of what a rollback left behind.
fn list(directory: &Path) -> Result<(Vec<u64>, Vec<PathBuf>)> {
    let entries = std::fs::read_dir(directory).map_err(|error| Error::io("listing", directory, error))?;
    let (mut numbers, mut leftovers) = (Vec::new(), Vec::new());
    for entry in entries {
        let entry = entry.map_err(|error| Error::io("listing", directory, error))?;
        let name = entry.file_name();
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix("translog-")) else { continue };
        match rest.strip_suffix(".tlog").map(str::parse) {
            Some(Ok(number)) => numbers.push(number),
            _ if rest.ends_with(TEMPORARY) => leftovers.push(entry.path()),
            _ => {}
        }
    }
    numbers.sort_unstable();
    Ok((numbers, leftovers))
}

/// What a translog's files hold.
pub(super) struct Reading {
    pub found: Found,
    /// The generation whose end was never acknowledged and is not whole.
    torn: Option<u64>,
    checkpoint: Checkpoint,
}

impl Reading {
    /// Reads all generations that the bounds name and proves that what was acknowledged is there. Nothing is changed.
    pub fn of(directory: &Path, history: &HistoryId, bounds: LogBounds) -> Result<Self> {
        let (_, checkpoint) = CheckpointFile::open(directory)?;
        let (numbers, _) = list(directory)?;
        let newest = numbers.last().copied().unwrap_or(0).max(checkpoint.generation);
        let is_history = |number: &u64| *number >= bounds.kept && numbers.binary_search(number).is_ok();
        let first = (0..bounds.needed).rev().take_while(is_history).last().unwrap_or(bounds.needed);
        let committed = bounds.needed;
        let found = Found { committed, global_checkpoint: checkpoint.global_checkpoint, ..Found::default() };
        let mut reading = Reading { found, torn: None, checkpoint };
        for number in first..=newest {
            if !reading.read_generation(directory, history, number)? {
                reading.torn = Some(number);
                break;
            }
        }
        Ok(reading)
    }

    /// `false` when it is not whole and need not be.
    fn read_generation(&mut self, directory: &Path, history: &HistoryId, number: u64) -> Result<bool> {
        let acknowledged = self.checkpoint.generation;
        // The commit point proves that its generation was made; older ones it has made superfluous.
        let is_acknowledged = number <= acknowledged.max(self.found.committed);
        let log = match LogReader::open(directory, number, history) {
            Ok(log) => log,
            // Made just before the crash: nothing in it was acknowledged.
            Err(error) if !is_acknowledged && error.code == ErrorCode::Corrupt => return Ok(false),
            Err(error) => return Err(error),
        };
        let previous = self.found.generations.last();
        if let Some(previous) = previous.filter(|previous| previous.length != log.previous_length) {
            if !is_acknowledged {
                return Ok(false);
            }
            let path = generation_path(directory, previous.number);
            let expected = log.previous_length;
            return Err(damaged(&path, previous.length, format!("it should have {expected} bytes")));
        }
        let mut generation = Generation::new(number);
        let continuity = &mut self.found.continuity;
        let (length, problem) = log.read(&mut |_, payload| {
            if let Some(record) = summarize(payload)? {
                generation.add(&record, (RECORD_HEADER_BYTES + payload.len()) as u64);
                continuity.add(&record);
            }
            Ok(())
        })?;
        let required = match number.cmp(&acknowledged) {
            Ordering::Less => log.bytes().len() as u64,
            Ordering::Equal => self.checkpoint.synced_length,
            Ordering::Greater => HEADER_BYTES,
        };
        if length < required {
            let what = problem.unwrap_or_else(|| format!("it should have at least {required} bytes"));
            return Err(log.damaged(length, what));
        }
        generation.length = length;
        self.found.generations.push(generation);
        Ok(problem.is_none())
    }

    /// The newest generation, where nothing was appended to it and the checkpoint says that it is on disk: every generation
    /// before it is then on disk as well.
    fn empty_generation(&self) -> Option<u64> {
        let last = self.found.generations.last().filter(|last| self.torn.is_none() && last.length == HEADER_BYTES)?;
        let Checkpoint { generation, synced_length, .. } = self.checkpoint;
        (generation == last.number && synced_length == HEADER_BYTES).then_some(last.number)
    }

    /// Makes durable what was found behind the checkpoint: it may have been written and not synced.
    fn sync(&self, directory: &Path) -> Result<()> {
        let unsure = |generation: &&Generation| generation.number >= self.checkpoint.generation;
        for generation in self.found.generations.iter().filter(unsure) {
            let path = generation_path(directory, generation.number);
            let synced = File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|error| Error::io("syncing", &path, error))?;
        }
        Ok(())
    }
}

/// Proves that the generations are whole, cuts off a torn end, removes what the bounds do not name, and begins a new
/// generation; an empty one that the last run began is used again, so that nothing is written and nothing waits for the disk.
///
/// Errors: `Corrupt` naming file and place when anything acknowledged is missing or damaged.
pub fn recover(directory: &Path, history: HistoryId, bounds: LogBounds) -> Result<Recovered> {
    let reading = Reading::of(directory, &history, bounds)?;
    let dropped_bytes = cut_off(directory, &reading)?;
    let empty = reading.empty_generation();
    if empty.is_none() {
        reading.sync(directory)?;
    }
    let found = reading.found;
    let first = found.generations.first().map(|generation| generation.number);
    let first = first.ok_or_else(|| Error::corrupt(format!("no translog in [{}]", directory.display())))?;
    let needed = found.generations.iter().map(|generation| generation.number).filter(|number| *number >= bounds.needed);
    let replay = Replay { directory: directory.to_path_buf(), history, generations: needed.collect() };
    let translog = match empty {
        Some(generation) => Translog::go_on(directory, history, found, generation)?,
        None => Translog::start(directory, history, found)?,
    };
    remove_before(directory, first)?;
    Ok(Recovered { translog, replay, dropped_bytes })
}

fn remove_before(directory: &Path, first: u64) -> Result<()> {
    let (numbers, leftovers) = list(directory)?;
    let old = numbers.iter().filter(|number| **number < first).map(|&number| generation_path(directory, number));
    for path in old.chain(leftovers) {
        std::fs::remove_file(&path).map_err(|error| Error::io("removing", &path, error))?;
    }
    Ok(())
}

/// Removes what follows the last whole record, in its generation and in later ones.
fn cut_off(directory: &Path, reading: &Reading) -> Result<u64> {
    let Some(last) = reading.found.generations.last().filter(|_| reading.torn.is_some()) else { return Ok(0) };
    let mut dropped = 0;
    for number in list(directory)?.0.into_iter().rev().filter(|number| *number > last.number) {
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

/// Reads a translog without changing it, for `check`: the segments have everything before `next`, the rest must be there.
/// Returns the number of operations since the commit.
pub fn check_translog(directory: &Path, history: HistoryId, bounds: LogBounds, next: u64) -> Result<u64> {
    let Found { generations, continuity, .. } = Reading::of(directory, &history, bounds)?.found;
    continuity.after(next, TermStarts::default())?;
    let since = generations.iter().filter(|generation| generation.number >= bounds.needed);
    Ok(since.map(|generation| generation.operations).sum())
}

/// The generation that was synced last, and how much of it.
#[cfg(test)]
pub fn synced_extent(directory: &Path) -> (u64, u64) {
    let (_, checkpoint) = CheckpointFile::open(directory).unwrap();
    (checkpoint.generation, checkpoint.synced_length)
}
