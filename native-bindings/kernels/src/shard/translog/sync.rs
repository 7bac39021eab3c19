//! Group commit: threads of their own sync translogs; whoever waits meanwhile shares the next sync.

use super::checkpoint::{Checkpoint, CheckpointFile};
use crate::error::{Error, Result};
use std::fs::File;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Syncs of different shards that may run at the same time in this process.
const SYNC_THREADS: usize = 3;

/// Called once, on a sync thread (or at once by the caller's when there is nothing to wait for).
pub type SyncCallback = Box<dyn FnOnce(Result<()>) + Send>;

/// A generation's file with its name for messages.
#[derive(Debug, Clone)]
pub(super) struct LogFile {
    pub file: Arc<File>,
    pub path: PathBuf,
    pub generation: u64,
}

/// What the writer of a translog and the sync threads share.
pub struct SyncState {
    inner: Mutex<Inner>,
}

struct Inner {
    checkpoint: CheckpointFile,
    /// Files with writes that may not be on disk; the last one is the current generation.
    files: Vec<LogFile>,
    /// Directory to sync after a new generation was made.
    directory: Option<PathBuf>,
    current_length: u64,
    /// Bytes appended since the translog was opened, over all generations.
    written: u64,
    synced: u64,
    waiters: Vec<(u64, SyncCallback)>,
    is_queued: bool,
    /// After a failed sync nothing can be known to be on disk: the shard must be opened anew.
    failure: Option<Error>,
}

impl std::fmt::Debug for SyncState {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inner = self.lock();
        write!(out, "SyncState {{ written: {}, synced: {} }}", inner.written, inner.synced)
    }
}

impl SyncState {
    pub(super) fn new(checkpoint: CheckpointFile, file: LogFile, length: u64) -> Arc<Self> {
        let inner = Inner {
            checkpoint,
            files: vec![file],
            directory: None,
            current_length: length,
            written: 0,
            synced: 0,
            waiters: Vec::new(),
            is_queued: false,
            failure: None,
        };
        Arc::new(SyncState { inner: Mutex::new(inner) })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Every change below leaves the state consistent at each step, so a panic elsewhere does not spoil it.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes `bytes` more in the current generation; returns the location to wait for.
    pub(super) fn appended(&self, bytes: u64) -> u64 {
        let mut inner = self.lock();
        inner.written += bytes;
        inner.current_length += bytes;
        inner.written
    }

    /// The next generation takes over: the older files are synced before it.
    pub(super) fn rolled(&self, file: LogFile, length: u64, directory: PathBuf) {
        let mut inner = self.lock();
        inner.files.push(file);
        inner.current_length = length;
        inner.directory = Some(directory);
        // A header counts as written, so that a sync after a roll has something to do.
        inner.written += length;
    }

    /// The error of a sync that failed.
    pub fn failure(&self) -> Option<Error> {
        self.lock().failure.clone()
    }

    pub fn synced(&self) -> u64 {
        self.lock().synced
    }

    pub fn written(&self) -> u64 {
        self.lock().written
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
        if !inner.is_queued {
            inner.is_queued = true;
            drop(inner);
            enqueue(Arc::clone(self));
        }
    }

    /// Blocks until everything written so far is on disk.
    pub fn sync_now(self: &Arc<Self>) -> Result<()> {
        let location = self.written();
        let (sender, receiver) = channel();
        self.when_synced(location, Box::new(move |result| drop(sender.send(result))));
        receiver.recv().unwrap_or_else(|_| Err(Error::illegal_state("the translog's sync thread has ended")))
    }

    /// One turn of a sync thread: syncs what is written by now, writes the checkpoint, answers the waiters.
    fn turn(self: &Arc<Self>) {
        let (files, directory, length, written) = {
            let mut inner = self.lock();
            (inner.files.clone(), inner.directory.take(), inner.current_length, inner.written)
        };
        let result = sync_files(&files).and_then(|()| directory.map_or(Ok(()), |path| sync_directory(&path)));
        let mut inner = self.lock();
        let result = result.and_then(|()| {
            let generation = files.last().map_or(0, |file| file.generation);
            inner.checkpoint.write(Checkpoint { generation, synced_length: length })
        });
        match &result {
            Ok(()) => {
                inner.synced = inner.synced.max(written);
                inner.files.drain(..files.len() - 1);
            }
            Err(error) => inner.failure = Some(error.clone()),
        }
        let waiters = std::mem::take(&mut inner.waiters);
        let (done, waiting): (Vec<_>, Vec<_>) =
            waiters.into_iter().partition(|(location, _)| result.is_err() || *location <= inner.synced);
        inner.waiters = waiting;
        inner.is_queued = !inner.waiters.is_empty();
        let again = inner.is_queued;
        drop(inner);
        for (_, callback) in done {
            callback(result.clone());
        }
        if again {
            enqueue(Arc::clone(self));
        }
    }
}

fn sync_files(files: &[LogFile]) -> Result<()> {
    files.iter().try_for_each(|log| log.file.sync_data().map_err(|error| Error::io("syncing", &log.path, error)))
}

/// Makes new and removed names of the directory durable.
pub(crate) fn sync_directory(path: &std::path::Path) -> Result<()> {
    File::open(path).and_then(|directory| directory.sync_all()).map_err(|error| Error::io("syncing", path, error))
}

fn enqueue(state: Arc<SyncState>) {
    static QUEUE: OnceLock<Sender<Arc<SyncState>>> = OnceLock::new();
    let queue = QUEUE.get_or_init(|| {
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        for number in 0..SYNC_THREADS {
            let receiver = Arc::clone(&receiver);
            let name = format!("translog-sync-{number}");
            // Without its threads no write could ever be acknowledged; a process that cannot start three threads cannot
            // serve anyway. Those that did start do the work of the others.
            drop(std::thread::Builder::new().name(name).spawn(move || run(&receiver)));
        }
        sender
    });
    drop(queue.send(state));
}

fn run(receiver: &Mutex<Receiver<Arc<SyncState>>>) {
    loop {
        let next = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match next {
            Ok(state) => state.turn(),
            Err(_) => return,
        }
    }
}
