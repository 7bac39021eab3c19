//! A full buffer on its way to a segment: another thread writes it while the shard goes on.
//!
//! The shard still answers for the documents in it: versions, routing and records are read from here, and deletions that
//! come meanwhile are noted for the segment. Searches see the segment together with the deletions there were when the buffer
//! was frozen: a document that was replaced since then is visible in its old state, never in none.

use super::slot::{SearchedSegment, Slot};
use crate::directory::claim::DirectoryClaim;
use crate::engine::Shard;
use crate::reads::published::PublishedView;
use crate::version_map::VersionMap;
use hashbrown::HashMap;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::threads::JobThreads;
use quarry_buffer::{FlushSummary, FrozenBuffer, IndexBuffer, Records};
use quarry_query::view::ShardView;
use quarry_segment::id::SegmentId;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far a refresh got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshStep {
    /// Searches see everything. `false`: they did before.
    Done(bool),
    /// A segment is being written: when [`Shard::running_build`] has ended, [`Shard::take_this`] shows it to searches.
    /// Unless that is the last one, the refresh begins anew then.
    Wait { is_last: bool },
}

/// Builds of different shards that may run at the same time in this process.
static BUILD_THREADS: JobThreads = JobThreads::new("segment-build", 2);

/// What became of a build.
#[derive(Debug)]
struct Built {
    summary: Result<FlushSummary>,
    /// The emptied buffer, for its memory.
    buffer: Option<IndexBuffer>,
    took: Duration,
}

/// Called once, when a build has ended, on the thread that ended it.
type BuildCallback = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct CompletionState {
    built: Option<Built>,
    has_ended: bool,
    callbacks: Vec<BuildCallback>,
}

/// Where the thread that builds leaves its result.
#[derive(Default)]
pub struct Completion {
    state: Mutex<CompletionState>,
    ended: Condvar,
}

impl std::fmt::Debug for Completion {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Completion(ended: {})", self.lock().has_ended)
    }
}

impl Completion {
    fn lock(&self) -> MutexGuard<'_, CompletionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first result counts.
    fn end(&self, built: Built) {
        let mut state = self.lock();
        if std::mem::replace(&mut state.has_ended, true) {
            return;
        }
        state.built = Some(built);
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.ended.notify_all();
        callbacks.into_iter().for_each(|callback| callback());
    }

    /// Calls back when the segment is written, or that failed.
    pub fn when_ended(&self, callback: BuildCallback) {
        let mut state = self.lock();
        if state.has_ended {
            drop(state);
            return callback();
        }
        state.callbacks.push(callback);
    }

    /// Blocks until then. `None` when the result was taken before.
    fn take(&self) -> Option<Built> {
        let ended = self.ended.wait_while(self.lock(), |state| !state.has_ended);
        ended.unwrap_or_else(PoisonError::into_inner).built.take()
    }
}

/// The writing of a frozen buffer, for any thread. Dropped without having run, it counts as failed.
#[derive(Debug)]
pub struct SegmentBuild {
    buffer: Option<FrozenBuffer>,
    path: PathBuf,
    id: SegmentId,
    completion: Arc<Completion>,
    /// The build may outlive its shard: nobody may open the directory meanwhile.
    _claim: Arc<DirectoryClaim>,
}

impl SegmentBuild {
    fn run(mut self) {
        if let Some(buffer) = self.buffer.take() {
            let started = Instant::now();
            let (summary, buffer) = buffer.write(&self.path, self.id);
            self.completion.end(Built { summary, buffer: Some(buffer), took: started.elapsed() });
        }
    }

    /// Runs on a thread for builds.
    pub(crate) fn start(self) {
        BUILD_THREADS.start(move || self.run());
    }
}

impl Drop for SegmentBuild {
    fn drop(&mut self) {
        let error = Error::new(ErrorCode::Internal, format!("segment [{}] was not written", self.path.display()));
        self.completion.end(Built { summary: Err(error), buffer: None, took: Duration::ZERO });
    }
}

/// What the shard keeps of a frozen buffer.
#[derive(Debug)]
pub(crate) struct Frozen {
    pub versions: VersionMap,
    pub routings: HashMap<u32, Box<str>>,
    pub records: Arc<Records>,
    /// Documents deleted since the buffer was frozen, by their ordinals in it.
    deleted: Vec<u32>,
    document_count: u32,
    memory_bytes: usize,
    id: SegmentId,
    path: PathBuf,
    /// What searches see beside the new segment.
    view: Vec<SearchedSegment>,
    /// All operations up to here are in the buffer or in the segments beside.
    checkpoint: i64,
    completion: Arc<Completion>,
}

impl Frozen {
    pub fn delete(&mut self, ordinal: u32) {
        self.deleted.push(ordinal);
    }

    /// Searches that see the segment will not see these deletions.
    pub fn has_deletions(&self) -> bool {
        !self.deleted.is_empty()
    }

    /// Of the segment that it becomes.
    pub fn id(&self) -> SegmentId {
        self.id
    }

    /// Nested and deleted documents are counted.
    pub fn document_count(&self) -> u32 {
        self.document_count
    }

    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }
}

impl Shard {
    /// Hands the buffer over. The build must be run, on any thread. `None` when the buffer is empty or another one is
    /// still being written.
    pub(crate) fn freeze(&mut self) -> Result<Option<SegmentBuild>> {
        if self.frozen.is_some() || self.buffer.document_count() == 0 {
            return Ok(None);
        }
        let (id, path) = self.next_segment()?;
        let (document_count, memory_bytes) = (self.buffer.document_count(), self.open_bytes());
        let next = self.next_buffer()?;
        let buffer = std::mem::replace(&mut self.buffer, next).freeze();
        self.next_segment_number += 1;
        let completion = Arc::new(Completion::default());
        self.frozen = Some(Frozen {
            versions: std::mem::take(&mut self.versions),
            routings: std::mem::take(&mut self.buffered_routings),
            records: Arc::clone(buffer.records()),
            deleted: Vec::new(),
            document_count,
            memory_bytes,
            id,
            path: path.clone(),
            view: self.slots.iter().map(Slot::searched).collect(),
            checkpoint: self.sequence.local_checkpoint(),
            completion: Arc::clone(&completion),
        });
        // What changes from now on is not in the view that comes with the segment.
        self.touched.freeze();
        self.view_is_stale = false;
        let _claim = Arc::clone(&self.identity.claim);
        Ok(Some(SegmentBuild { buffer: Some(buffer), path, id, completion, _claim }))
    }

    /// An empty buffer: the one of the build before, whose memory is there already, or a new one.
    pub(crate) fn next_buffer(&mut self) -> Result<IndexBuffer> {
        if let Some(mut spare) = self.spare_buffer.take() {
            spare.update_mapping(&self.mapping)?;
            return Ok(spare);
        }
        let buffer = IndexBuffer::new(&self.mapping, self.settings.codec.into(), self.identity.buffer_bytes)?;
        Ok(buffer.sorted_by(self.sort.clone()))
    }

    /// The build that runs, for who waits for it.
    pub fn running_build(&self) -> Option<Arc<Completion>> {
        self.frozen.as_ref().map(|frozen| Arc::clone(&frozen.completion))
    }

    /// As [`Shard::take_built`], where that build is still the one that runs.
    pub fn take_this(&mut self, build: &Arc<Completion>, now_ms: u64) -> Result<bool> {
        let is_running = self.frozen.as_ref().is_some_and(|frozen| Arc::ptr_eq(&frozen.completion, build));
        if is_running { self.take_built(now_ms) } else { Ok(false) }
    }

    /// Waits for the build that runs and puts its segment among the others; searches see it from now on. `false` when there
    /// was none. After an error the shard has failed; it still answers reads by id from the frozen buffer.
    pub fn take_built(&mut self, now_ms: u64) -> Result<bool> {
        self.check_usable()?;
        let Some(frozen) = &self.frozen else { return Ok(false) };
        let built = frozen.completion.take().ok_or_else(|| Error::illegal_state("the segment was taken already"));
        let opened = built.and_then(|built| {
            let summary = built.summary?;
            Ok((self.open_built(frozen, &summary)?, summary, built.buffer, built.took))
        });
        let ((slot, view), summary, spare, took) = self.failing(opened)?;
        let Some(mut frozen) = self.frozen.take() else { return Ok(false) };
        frozen.versions.refreshed(now_ms, self.settings.gc_deletes_ms);
        self.versions.inherit(&frozen.versions);
        if let Some(mut slot) = slot {
            for &ordinal in &frozen.deleted {
                self.view_is_stale |= slot.delete(summary.document_of(ordinal));
            }
            self.slots.push(slot);
        }
        for slot in self.slots.iter_mut() {
            slot.is_searchable |= view.segments.iter().any(|segment| segment.reader.id() == slot.id);
        }
        self.view = view;
        self.touched.show_frozen(self.publication.latest(), PublishedView::new(&self.view));
        self.view_checkpoint = frozen.checkpoint;
        self.view_generation += 1;
        self.counters.refresh.add(took);
        self.spare_buffer = spare;
        if let (Some(spare), Some(records)) = (&mut self.spare_buffer, Arc::into_inner(frozen.records)) {
            spare.reuse(records);
        }
        Ok(true)
    }

    /// The slot of the built segment, unless nothing in it was alive, and what searches are to see with it.
    fn open_built(&self, frozen: &Frozen, summary: &FlushSummary) -> Result<(Option<Slot>, ShardView)> {
        let slot = Slot::of_flushed(&frozen.path, summary)?;
        let view = self.view_of(frozen.view.iter().cloned().chain(slot.as_ref().map(Slot::searched)))?;
        Ok((slot, view))
    }
}
