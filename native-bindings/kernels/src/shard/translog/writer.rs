//! Appends records to the current generation.

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::operation::BatchWriter;
use super::sync::{LogFile, Record, SyncState, sync_directory};
use super::{HEADER_BYTES, HistoryId, generation_path, header, record_checksum};
use crate::error::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The open translog of a shard. Owned by the shard's writer; syncing is shared through [`SyncState`].
#[derive(Debug)]
pub struct Translog {
    directory: PathBuf,
    history: HistoryId,
    current: LogFile,
    /// Bytes and operations of the current generation.
    length: u64,
    operations: u64,
    /// Older generations that no commit has made superfluous: number, bytes, operations.
    older: Vec<(u64, u64, u64)>,
    sync: Arc<SyncState>,
}

fn create_generation(directory: &Path, generation: u64, previous: u64, history: &HistoryId) -> Result<LogFile> {
    let path = generation_path(directory, generation);
    let create = || -> std::io::Result<File> {
        let mut file = OpenOptions::new().create_new(true).append(true).open(&path)?;
        file.write_all(&header(generation, previous, history))?;
        Ok(file)
    };
    let file = create().map_err(|error| Error::io("creating", &path, error))?;
    Ok(LogFile { file: Arc::new(file), path, generation })
}

impl Translog {
    /// The first generation of a new shard; on disk when it returns.
    pub fn create(directory: &Path, history: HistoryId) -> Result<Self> {
        Self::start(directory, history, 1, 0, Vec::new())
    }

    /// Begins generation `generation` after `older` ones were recovered; `previous_length` is that of the newest of them.
    pub(super) fn start(
        directory: &Path,
        history: HistoryId,
        generation: u64,
        previous_length: u64,
        older: Vec<(u64, u64, u64)>,
    ) -> Result<Self> {
        let current = create_generation(directory, generation, previous_length, &history)?;
        current.file.sync_all().map_err(|error| Error::io("syncing", &current.path, error))?;
        let checkpoint = CheckpointFile::create(directory, Checkpoint { generation, synced_length: HEADER_BYTES })?;
        sync_directory(directory)?;
        let sync = SyncState::new(checkpoint, current.clone(), HEADER_BYTES);
        let directory = directory.to_path_buf();
        Ok(Translog { directory, history, current, length: HEADER_BYTES, operations: 0, older, sync })
    }

    /// Appends a batch as one record and empties it; returns the location to wait for before acknowledging it. A sync
    /// thread writes: an error of the disk comes to those who wait, and to every later call. The file may hold half a
    /// record then: nothing must be appended any more.
    pub fn append(&mut self, batch: &mut BatchWriter, primary_term: u64) -> Result<u64> {
        let operations = batch.count();
        let (head, body) = batch.take(primary_term, self.sync.spare());
        let length = u32::try_from(head.len() + body.len())
            .map_err(|_| Error::illegal_argument("a batch of operations is at most 4 GiB"))?
            .to_le_bytes();
        let checksum = crc32c::crc32c_append(record_checksum(length, &head), &body);
        let mut start = Vec::with_capacity(8 + head.len());
        start.extend_from_slice(&length);
        start.extend_from_slice(&checksum.to_le_bytes());
        start.extend_from_slice(&head);
        let bytes = (start.len() + body.len()) as u64;
        let location = self.sync.append(Record { log: self.current.clone(), start, body })?;
        self.length += bytes;
        self.operations += operations;
        Ok(location)
    }

    /// Begins the next generation; returns its number. Does not wait for the disk.
    pub fn roll(&mut self) -> Result<u64> {
        let generation = self.current.generation + 1;
        let next = create_generation(&self.directory, generation, self.length, &self.history)?;
        self.older.push((self.current.generation, self.length, self.operations));
        self.current = next.clone();
        self.length = HEADER_BYTES;
        self.operations = 0;
        self.sync.rolled(next, HEADER_BYTES, self.directory.clone());
        Ok(generation)
    }

    /// Removes the generations before `generation`: a commit has made them superfluous.
    pub fn trim(&mut self, generation: u64) -> Result<()> {
        let (gone, kept): (Vec<_>, Vec<_>) = self.older.drain(..).partition(|(number, _, _)| *number < generation);
        self.older = kept;
        for (number, _, _) in gone {
            let path = generation_path(&self.directory, number);
            std::fs::remove_file(&path).map_err(|error| Error::io("removing", &path, error))?;
        }
        Ok(())
    }

    /// See [`SyncState`].
    pub fn sync_state(&self) -> &Arc<SyncState> {
        &self.sync
    }

    pub fn generation(&self) -> u64 {
        self.current.generation
    }

    /// Bytes of the current generation.
    pub fn generation_bytes(&self) -> u64 {
        self.length
    }

    /// Bytes of all generations that are kept.
    pub fn bytes(&self) -> u64 {
        self.length + self.older.iter().map(|(_, bytes, _)| bytes).sum::<u64>()
    }

    /// Operations in all generations that are kept: those since the last commit.
    pub fn operations(&self) -> u64 {
        self.operations + self.older.iter().map(|(_, _, operations)| operations).sum::<u64>()
    }
}

impl Drop for Translog {
    /// Whoever opens the directory next must find all that was appended, and nobody else writing.
    fn drop(&mut self) {
        self.sync.wait_for_queue();
    }
}
