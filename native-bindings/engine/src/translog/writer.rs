//! Appends records to the current generation.

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::continuity::Continuity;
use super::generations::Generation;
use super::operation::{BatchWriter, RecordSummary};
use super::resting_file::{Access, RestingFile};
use super::sync::{LogFile, Record, RecordBytes, SyncState, sync_directory};
use super::tail::Tail;
use super::terms::TermStarts;
use super::wire::WireOperations;
use super::{HEADER_BYTES, HistoryId, generation_path, header, record_checksum};
use crate::sequence::next_after;
use quarry_base::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The open translog of a shard. Owned by the shard's writer; syncing is shared through [`SyncState`].
#[derive(Debug)]
pub struct Translog {
    pub(super) directory: PathBuf,
    pub(super) history: HistoryId,
    current: LogFile,
    /// Ascending; the last one is the current.
    pub(super) generations: Vec<Generation>,
    /// Generations before this one are kept as history only.
    committed: u64,
    /// Operations from this number on are kept, up to so many bytes in generations that are kept as history only.
    retained_from: u64,
    retained_bytes_max: u64,
    continuity: Continuity,
    pub(super) tail: Tail,
    sync: Arc<SyncState>,
}

/// What was found of a translog when its files were read.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub generations: Vec<Generation>,
    pub continuity: Continuity,
    /// The first generation that the commit point needs.
    pub committed: u64,
    pub global_checkpoint: i64,
}

fn create_generation(directory: &Path, generation: u64, previous: u64, history: &HistoryId) -> Result<LogFile> {
    let path = generation_path(directory, generation);
    let create = || -> std::io::Result<File> {
        let mut file = OpenOptions::new().create_new(true).append(true).open(&path)?;
        file.write_all(&header(generation, previous, history))?;
        Ok(file)
    };
    let file = create().map_err(|error| Error::io("creating", &path, error))?;
    Ok(LogFile { file: Arc::new(RestingFile::new(file, path, Access::Append)), generation })
}

/// Everything of a record but its body: length and checksum, then the payload's head.
pub(super) fn record_start(head: &[u8], body: &[u8]) -> Result<Vec<u8>> {
    let length = u32::try_from(head.len() + body.len())
        .map_err(|_| Error::illegal_argument("a batch of operations is at most 4 GiB"))?
        .to_le_bytes();
    let checksum = crc32c::crc32c_append(record_checksum(length, head), body);
    let mut start = Vec::with_capacity(super::RECORD_HEADER_BYTES + head.len());
    start.extend_from_slice(&length);
    start.extend_from_slice(&checksum.to_le_bytes());
    start.extend_from_slice(head);
    Ok(start)
}

impl Translog {
    /// The first generation of a new shard; on disk when it returns.
    pub fn create(directory: &Path, history: HistoryId) -> Result<Self> {
        Self::start(directory, history, Found { committed: 1, global_checkpoint: -1, ..Found::default() })
    }

    /// Begins the generation after those that were found.
    pub(super) fn start(directory: &Path, history: HistoryId, mut found: Found) -> Result<Self> {
        let (generation, previous) = found.generations.last().map_or((1, 0), |last| (last.number + 1, last.length));
        let current = create_generation(directory, generation, previous, &history)?;
        let path = current.file.path();
        current.file.file()?.sync_all().map_err(|error| Error::io("syncing", path, error))?;
        let global_checkpoint = found.global_checkpoint;
        let checkpoint = Checkpoint { generation, synced_length: HEADER_BYTES, global_checkpoint };
        let checkpoint = CheckpointFile::create(directory, checkpoint)?;
        sync_directory(directory)?;
        found.generations.push(Generation::new(generation));
        Ok(Self::of(directory, history, found, current, checkpoint))
    }

    /// Goes on with the last generation that was found, which is empty and, as the checkpoint says, on disk.
    pub(super) fn go_on(directory: &Path, history: HistoryId, found: Found, generation: u64) -> Result<Self> {
        let path = generation_path(directory, generation);
        let file = Access::Append.open(&path).map_err(|error| Error::io("opening", &path, error))?;
        let (checkpoint, _) = CheckpointFile::open(directory)?;
        let current = LogFile { file: Arc::new(RestingFile::new(file, path, Access::Append)), generation };
        Ok(Self::of(directory, history, found, current, checkpoint))
    }

    fn of(directory: &Path, history: HistoryId, found: Found, current: LogFile, checkpoint: CheckpointFile) -> Self {
        let Found { generations, continuity, committed, global_checkpoint } = found;
        let max_seq_no = continuity.next as i64 - 1;
        let sync = SyncState::new(checkpoint, current.clone(), HEADER_BYTES, max_seq_no, global_checkpoint);
        Translog {
            directory: directory.to_path_buf(),
            history,
            current,
            generations,
            committed,
            retained_from: u64::MAX,
            retained_bytes_max: 0,
            continuity,
            tail: Tail::default(),
            sync,
        }
    }

    /// The segments have all operations before `next`, made in these terms. Errors when the log does not go on there.
    pub fn resume(&mut self, next: u64, terms: TermStarts) -> Result<()> {
        self.continuity = std::mem::take(&mut self.continuity).after(next, terms)?;
        self.sync.resume(self.continuity.next as i64 - 1);
        Ok(())
    }

    /// Appends a batch as one record and empties it; returns the location to wait for before acknowledging it. A sync
    /// thread writes: an error of the disk comes to those who wait, and to every later call. The file may hold half a
    /// record then: nothing must be appended any more.
    pub fn append(&mut self, batch: &mut BatchWriter, primary_term: u64) -> Result<u64> {
        let record = batch.summary(primary_term);
        let (head, body) = batch.take(primary_term, self.sync.spare());
        let bytes = Arc::new(RecordBytes { start: record_start(&head, &body)?, body });
        let location = self.enqueue(&bytes, &record)?;
        self.note(&record, bytes.length() as u64);
        let Translog { tail, sync, .. } = self;
        tail.push(record, &bytes, |dropped| sync.reuse(dropped));
        Ok(location)
    }

    /// Appends the operations of another copy that are not here yet; returns the location to wait for.
    /// Errors: `OperationGap` when some before them are missing; nothing was appended then.
    pub fn append_operations(&mut self, operations: &WireOperations<'_>) -> Result<u64> {
        let fresh = operations.from(self.next_seq_no())?;
        let Some((last, _)) = fresh.records.last().copied() else { return Ok(self.sync.appended()) };
        let bytes = Arc::new(RecordBytes { start: Vec::new(), body: fresh.bytes });
        let location = self.enqueue(&bytes, &last)?;
        for (record, length) in &fresh.records {
            self.note(record, *length);
        }
        Ok(location)
    }

    fn enqueue(&self, bytes: &Arc<RecordBytes>, last: &RecordSummary) -> Result<u64> {
        let last_seq_no = last.last_seq_no as i64;
        self.sync.append(Record { log: self.current.clone(), bytes: Arc::clone(bytes), last_seq_no })
    }

    fn note(&mut self, record: &RecordSummary, bytes: u64) {
        self.continuity.add(record);
        if let Some(current) = self.generations.last_mut() {
            current.add(record, bytes);
        }
    }

    /// Begins the next generation; returns its number. Does not wait for the disk.
    pub fn roll(&mut self) -> Result<u64> {
        let generation = self.current.generation + 1;
        let next = create_generation(&self.directory, generation, self.generation_bytes(), &self.history)?;
        self.generations.push(Generation::new(generation));
        self.current = next.clone();
        self.sync.rolled(next, HEADER_BYTES, self.directory.clone());
        Ok(generation)
    }

    /// The generations before `generation` are needed by no commit: those that are not kept as history are removed.
    pub fn trim(&mut self, generation: u64) -> Result<()> {
        self.committed = self.committed.max(generation);
        self.remove_superfluous()
    }

    /// Operations from `seq_no` on are kept for copies that catch up, up to `max_bytes` of them in generations that no
    /// commit needs. Before the first call nothing is kept.
    pub fn retain_from(&mut self, seq_no: u64, max_bytes: u64) -> Result<()> {
        self.retained_from = seq_no;
        self.retained_bytes_max = max_bytes;
        let Translog { tail, sync, .. } = self;
        tail.forget_below(seq_no, |dropped| sync.reuse(dropped));
        self.remove_superfluous()
    }

    /// What [`Translog::retain_from`] was told last.
    pub fn retention(&self) -> (u64, u64) {
        (self.retained_from, self.retained_bytes_max)
    }

    fn remove_superfluous(&mut self) -> Result<()> {
        while let Some(oldest) = self.generations.first() {
            let is_wanted = oldest.reaches(self.retained_from) && self.history_bytes() <= self.retained_bytes_max;
            if oldest.number >= self.committed || is_wanted {
                break;
            }
            let path = generation_path(&self.directory, oldest.number);
            std::fs::remove_file(&path).map_err(|error| Error::io("removing", &path, error))?;
            let gone = self.generations.remove(0);
            if let Some(last) = gone.seq_nos.map(|range| *range.end()) {
                self.continuity.start = self.continuity.start.max(last.saturating_add(1));
            }
        }
        Ok(())
    }

    /// Bytes of generations that are kept as history only.
    pub fn history_bytes(&self) -> u64 {
        let kept = self.generations.iter().filter(|generation| generation.number < self.committed);
        kept.map(|generation| generation.length).sum()
    }

    /// A commit has made everything so far superfluous, history too: operations go on with `next`.
    pub fn restart(&mut self, next: u64, terms: TermStarts) -> Result<()> {
        self.continuity = Continuity::new(next, terms);
        self.tail.clear();
        self.retained_from = u64::MAX;
        self.sync.resume(next as i64 - 1);
        self.trim(self.current.generation)
    }

    /// See [`SyncState`].
    pub fn sync_state(&self) -> &Arc<SyncState> {
        &self.sync
    }

    /// Lets go of memory that is kept for the next records and for copies.
    pub fn release_memory(&mut self) {
        self.tail.clear();
        self.sync.release_memory();
    }

    /// Bytes of the newest operations that are kept in memory for copies.
    pub fn tail_bytes(&self) -> usize {
        self.tail.bytes()
    }

    /// The number of the next operation.
    pub fn next_seq_no(&self) -> u64 {
        self.continuity.next
    }

    /// Operations from here on are kept.
    pub fn history_start(&self) -> u64 {
        self.continuity.start
    }

    pub fn terms(&self) -> &TermStarts {
        &self.continuity.terms
    }

    pub fn generation(&self) -> u64 {
        self.current.generation
    }

    /// The oldest that is kept, as history or for the commit.
    pub fn oldest_generation(&self) -> u64 {
        self.generations.first().map_or(self.current.generation, |oldest| oldest.number)
    }

    /// The first generation with operations above `seq_no`; the current one when there are none.
    pub fn generation_above(&self, seq_no: i64) -> u64 {
        let next = next_after(seq_no);
        let needed = self.generations.iter().find(|generation| generation.reaches(next));
        needed.map_or(self.current.generation, |generation| generation.number)
    }

    /// Bytes of the current generation.
    pub fn generation_bytes(&self) -> u64 {
        self.generations.last().map_or(HEADER_BYTES, |current| current.length)
    }

    /// Bytes of all generations that are kept.
    pub fn bytes(&self) -> u64 {
        self.generations.iter().map(|generation| generation.length).sum()
    }

    /// Operations in all generations that are kept.
    pub fn operations(&self) -> u64 {
        self.generations.iter().map(|generation| generation.operations).sum()
    }

    /// Bytes of the generations since the last commit.
    pub fn uncommitted_bytes(&self) -> u64 {
        self.bytes() - self.history_bytes()
    }

    /// Operations since the last commit.
    pub fn uncommitted_operations(&self) -> u64 {
        let since = self.generations.iter().filter(|generation| generation.number >= self.committed);
        since.map(|generation| generation.operations).sum()
    }
}

impl Drop for Translog {
    /// Whoever opens the directory next must find all that was appended, and nobody else writing: a turn opens files by their names.
    fn drop(&mut self) {
        self.sync.wait_for_turns();
    }
}
