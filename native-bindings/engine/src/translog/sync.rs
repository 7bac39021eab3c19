//! Group commit: threads of their own write and sync translogs, while their shards go on; whoever waits meanwhile shares the
//! next sync.

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::open_logs::OPEN_LOGS;
use super::resting_file::RestingFile;
use quarry_base::error::{Error, Result};
use quarry_base::threads::JobThreads;
use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Syncs of different shards that may run at the same time in this process.
const SYNC_THREADS: usize = 3;

/// Bytes that wait to be written, above which their writer waits.
const QUEUED_BYTES_MAX: usize = 16 << 20;
/// Emptied bodies kept for their memory, and the most that one may hold on to.
const SPARES_MAX: usize = 4;
const SPARE_BYTES_MAX: usize = 4 << 20;

/// Called once, on a sync thread (or at once by the caller's when there is nothing to wait for).
pub type SyncCallback = Box<dyn FnOnce(Result<()>) + Send>;

/// A generation's file.
#[derive(Debug, Clone)]
pub(super) struct LogFile {
    pub file: Arc<RestingFile>,
    pub generation: u64,
}

/// What is written in one piece: a record, in two parts, or several of another copy.
#[derive(Debug)]
pub(super) struct RecordBytes {
    pub start: Vec<u8>,
    pub body: Vec<u8>,
}

impl RecordBytes {
    pub fn length(&self) -> usize {
        self.start.len() + self.body.len()
    }
}

/// A record on its way to its file.
#[derive(Debug)]
pub(super) struct Record {
    pub log: LogFile,
    pub bytes: Arc<RecordBytes>,
    pub last_seq_no: i64,
}

impl Record {
    fn write(&self) -> Result<()> {
        let opened = self.log.file.file()?;
        let mut file = &*opened;
        let written = file.write_all(&self.bytes.start).and_then(|()| file.write_all(&self.bytes.body));
        written.map_err(|error| Error::io("appending to", self.log.file.path(), error))
    }
}

/// What the writer of a translog and the sync threads share.
pub struct SyncState {
    inner: Mutex<Inner>,
    /// A turn is over: queued records were written, or will never be.
    queue_shrank: Condvar,
}

struct Inner {
    checkpoint: CheckpointFile,
    /// Files with writes that may not be on disk; the last one is the current generation.
    files: Vec<LogFile>,
    /// Directory to sync after a new generation was made.
    directory: Option<PathBuf>,
    /// In the order in which they are written.
    queue: Vec<Record>,
    /// Of the queue and of what a turn took from it.
    queued_bytes: usize,
    spares: Vec<Vec<u8>>,
    current_length: u64,
    /// Bytes appended since the translog was opened, over all generations.
    appended: u64,
    /// Of these, bytes that their files hold, on disk or not.
    written: u64,
    synced: u64,
    /// Of the newest operation that was appended, and of the newest that is on disk; -1 for none.
    appended_seq_no: i64,
    synced_seq_no: i64,
    /// Goes into the checkpoint with the next sync.
    global_checkpoint: i64,
    waiters: Vec<(u64, SyncCallback)>,
    is_queued: bool,
    /// It is among those in [`OPEN_LOGS`].
    is_open: bool,
    /// It was written to since it was asked to rest.
    was_used: bool,
    /// After a failed sync nothing can be known to be on disk: the shard must be opened anew.
    failure: Option<Error>,
}

impl std::fmt::Debug for SyncState {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inner = self.lock();
        write!(out, "SyncState {{ appended: {}, synced: {} }}", inner.appended, inner.synced)
    }
}

impl SyncState {
    /// Everything up to `max_seq_no` is on disk.
    pub(super) fn new(
        checkpoint: CheckpointFile,
        file: LogFile,
        length: u64,
        max_seq_no: i64,
        global_checkpoint: i64,
    ) -> Arc<Self> {
        let inner = Inner {
            checkpoint,
            files: vec![file],
            directory: None,
            queue: Vec::new(),
            queued_bytes: 0,
            spares: Vec::new(),
            current_length: length,
            appended: 0,
            written: 0,
            synced: 0,
            appended_seq_no: max_seq_no,
            synced_seq_no: max_seq_no,
            global_checkpoint,
            waiters: Vec::new(),
            is_queued: false,
            is_open: true,
            was_used: false,
            failure: None,
        };
        let state = Arc::new(SyncState { inner: Mutex::new(inner), queue_shrank: Condvar::new() });
        OPEN_LOGS.opened(&state);
        state
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change below leaves the state consistent at each step, so a panic elsewhere does not spoil it.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a record of the current generation; returns the location to wait for. Waits where too much is queued.
    pub(super) fn append(self: &Arc<Self>, record: Record) -> Result<u64> {
        let full = |inner: &mut Inner| inner.queued_bytes >= QUEUED_BYTES_MAX && inner.failure.is_none();
        let mut inner = self.queue_shrank.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = inner.failure.clone() {
            return Err(failure);
        }
        let bytes = record.bytes.length();
        inner.appended += bytes as u64;
        inner.appended_seq_no = inner.appended_seq_no.max(record.last_seq_no);
        inner.current_length += bytes as u64;
        inner.queued_bytes += bytes;
        inner.queue.push(record);
        let location = inner.appended;
        self.wake(inner);
        Ok(location)
    }

    /// Gives back the memory of emptied records.
    pub fn release_memory(&self) {
        self.lock().spares = Vec::new();
    }

    /// An empty vector, with memory where there is some to spare.
    pub(super) fn spare(&self) -> Vec<u8> {
        self.lock().spares.pop().unwrap_or_default()
    }

    /// Blocks until the files hold all records, which may not be on disk yet.
    #[cfg(test)]
    pub(crate) fn wait_for_queue(&self) {
        drop(self.queue_shrank.wait_while(self.lock(), |inner| inner.queued_bytes > 0));
    }

    /// Blocks until no sync thread writes or will write. Nothing must be asked for meanwhile.
    pub(super) fn wait_for_turns(&self) {
        drop(self.queue_shrank.wait_while(self.lock(), |inner| inner.is_queued));
    }

    /// Blocks until the files hold what was appended up to `location`, which may not be on disk yet.
    pub(super) fn wait_until_written(&self, location: u64) -> Result<()> {
        let waits = |inner: &mut Inner| inner.written < location && inner.failure.is_none();
        let inner = self.queue_shrank.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner);
        inner.failure.clone().map_or(Ok(()), Err)
    }

    /// Keeps the memory of a record that nobody needs any more for a next one.
    pub(super) fn reuse(&self, bytes: Arc<RecordBytes>) {
        self.lock().reuse(bytes);
    }

    /// Nothing waits, and everything up to this number is on disk.
    pub(super) fn resume(&self, max_seq_no: i64) {
        let mut inner = self.lock();
        inner.appended_seq_no = max_seq_no;
        inner.synced_seq_no = max_seq_no;
    }

    /// Everything up to this number is on disk; -1 for nothing.
    pub fn synced_seq_no(&self) -> i64 {
        self.lock().synced_seq_no
    }

    /// Every in-sync copy has everything up to this number. Never falls.
    pub fn set_global_checkpoint(&self, seq_no: i64) {
        let mut inner = self.lock();
        inner.global_checkpoint = inner.global_checkpoint.max(seq_no);
    }

    pub fn global_checkpoint(&self) -> i64 {
        self.lock().global_checkpoint
    }

    /// Sees to it that a sync thread takes a turn.
    fn wake(self: &Arc<Self>, mut inner: MutexGuard<'_, Inner>) {
        if !inner.is_queued {
            inner.is_queued = true;
            drop(inner);
            enqueue(Arc::clone(self));
        }
    }

    /// The next generation takes over: the older files are synced before it.
    pub(super) fn rolled(&self, file: LogFile, length: u64, directory: PathBuf) {
        let mut inner = self.lock();
        inner.files.push(file);
        inner.current_length = length;
        inner.directory = Some(directory);
        // A header counts as appended, so that a sync after a roll has something to do. It is written already.
        inner.appended += length;
        if inner.queued_bytes == 0 {
            inner.written = inner.appended;
        }
    }

    /// The error of a sync that failed.
    pub fn failure(&self) -> Option<Error> {
        self.lock().failure.clone()
    }

    #[cfg(test)]
    pub fn rests(&self) -> bool {
        let inner = self.lock();
        inner.files.iter().all(|log| log.file.rests())
    }

    #[cfg(test)]
    pub fn synced(&self) -> u64 {
        self.lock().synced
    }

    /// The location of the newest record.
    pub fn appended(&self) -> u64 {
        self.lock().appended
    }

    /// Calls back when everything up to `location` is on disk.
    pub fn when_synced(self: &Arc<Self>, location: u64, callback: SyncCallback) {
        let mut inner = self.lock();
        if let Some(failure) = inner.failure.clone() {
            drop(inner);
            return callback(Err(failure));
        }
        if location <= inner.synced {
            drop(inner);
            return callback(Ok(()));
        }
        inner.waiters.push((location, callback));
        self.wake(inner);
    }

    /// Blocks until everything written so far is on disk.
    pub fn sync_now(self: &Arc<Self>) -> Result<()> {
        let location = self.appended();
        let (sender, receiver) = channel();
        self.when_synced(location, Box::new(move |result| drop(sender.send(result))));
        receiver.recv().unwrap_or_else(|_| Err(Error::illegal_state("the translog's sync thread has ended")))
    }

    /// Closes the files until the next write, where all that was written is on disk. False: they stay open, for now.
    pub(super) fn try_rest(&self) -> bool {
        // Whoever holds the lock uses it.
        let Ok(mut inner) = self.inner.try_lock() else { return false };
        inner.try_rest()
    }

    /// One turn of a sync thread: writes what is queued; where somebody waits, syncs it, writes the checkpoint and answers.
    fn turn(self: &Arc<Self>) {
        let (work, opens) = {
            let mut inner = self.lock();
            inner.was_used = true;
            (inner.take_work(), !std::mem::replace(&mut inner.is_open, true))
        };
        let opened = if opens { self.open() } else { Ok(()) };
        let mut result = opened.and_then(|()| work.records.iter().try_for_each(Record::write));
        if work.syncs {
            result = result.and_then(|()| work.sync());
        }
        let mut inner = self.lock();
        if work.syncs {
            result = result.and_then(|()| inner.checkpoint.write(work.checkpoint()));
        }
        let done = inner.finish_work(work, &result);
        let again = !inner.waiters.is_empty() || !inner.queue.is_empty();
        inner.is_queued = again;
        self.queue_shrank.notify_all();
        drop(inner);
        for (_, callback) in done {
            callback(result.clone());
        }
        if again {
            enqueue(Arc::clone(self));
        }
    }

    /// Opens files that rest, all of them before the first is written to.
    fn open(self: &Arc<Self>) -> Result<()> {
        OPEN_LOGS.opened(self);
        let files = self.lock().resting_files();
        files.iter().try_for_each(|file| file.file().map(drop))
    }
}

/// What one turn does.
struct Work {
    records: Vec<Record>,
    syncs: bool,
    files: Vec<LogFile>,
    directory: Option<PathBuf>,
    /// As of the last of the records.
    current_length: u64,
    appended: u64,
    appended_seq_no: i64,
    global_checkpoint: i64,
}

impl Work {
    fn sync(&self) -> Result<()> {
        sync_files(&self.files)?;
        self.directory.as_deref().map_or(Ok(()), sync_directory)
    }

    fn checkpoint(&self) -> Checkpoint {
        let generation = self.files.last().map_or(0, |file| file.generation);
        let global_checkpoint = self.global_checkpoint;
        Checkpoint { generation, synced_length: self.current_length, global_checkpoint }
    }
}

impl Inner {
    fn try_rest(&mut self) -> bool {
        let is_settled = self.synced == self.appended && self.waiters.is_empty() && !self.is_queued;
        if std::mem::take(&mut self.was_used) || !is_settled || self.failure.is_some() {
            return false;
        }
        self.resting_files().iter().for_each(|file| file.rest());
        self.is_open = false;
        true
    }

    fn resting_files(&self) -> Vec<Arc<RestingFile>> {
        let logs = self.files.iter().map(|log| &log.file);
        logs.chain([self.checkpoint.file()]).cloned().collect()
    }

    fn take_work(&mut self) -> Work {
        let syncs = !self.waiters.is_empty();
        Work {
            records: std::mem::take(&mut self.queue),
            syncs,
            files: self.files.clone(),
            directory: if syncs { self.directory.take() } else { None },
            current_length: self.current_length,
            appended: self.appended,
            appended_seq_no: self.appended_seq_no,
            global_checkpoint: self.global_checkpoint,
        }
    }

    fn reuse(&mut self, bytes: Arc<RecordBytes>) {
        let Some(RecordBytes { mut body, .. }) = Arc::into_inner(bytes) else { return };
        if self.spares.len() < SPARES_MAX && body.capacity() <= SPARE_BYTES_MAX {
            body.clear();
            self.spares.push(body);
        }
    }

    /// Takes note of the result; returns who is to be told of it.
    fn finish_work(&mut self, work: Work, result: &Result<()>) -> Vec<(u64, SyncCallback)> {
        self.queued_bytes -= work.records.iter().map(|record| record.bytes.length()).sum::<usize>();
        if result.is_ok() {
            // A generation's header counts as appended, and is written by whoever begins it.
            self.written = if self.queue.is_empty() { self.appended } else { work.appended };
        }
        match result {
            Ok(()) if work.syncs => {
                self.synced = self.synced.max(work.appended);
                self.synced_seq_no = self.synced_seq_no.max(work.appended_seq_no);
                self.files.drain(..work.files.len() - 1);
            }
            Ok(()) => {}
            Err(error) => {
                self.failure = Some(error.clone());
                self.queue.clear();
                self.queued_bytes = 0;
            }
        }
        work.records.into_iter().for_each(|record| self.reuse(record.bytes));
        let (synced, failed) = (self.synced, result.is_err());
        let waiters = std::mem::take(&mut self.waiters);
        let (done, waiting) = waiters.into_iter().partition(|(location, _)| failed || *location <= synced);
        self.waiters = waiting;
        done
    }
}

fn sync_files(files: &[LogFile]) -> Result<()> {
    files.iter().try_for_each(|LogFile { file, .. }| {
        file.file()?.sync_data().map_err(|error| Error::io("syncing", file.path(), error))
    })
}

/// Makes new and removed names of the directory durable.
pub(crate) fn sync_directory(path: &std::path::Path) -> Result<()> {
    File::open(path).and_then(|directory| directory.sync_all()).map_err(|error| Error::io("syncing", path, error))
}

fn enqueue(state: Arc<SyncState>) {
    static THREADS: JobThreads = JobThreads::new("translog-sync", SYNC_THREADS);
    THREADS.start(move || state.turn());
}
