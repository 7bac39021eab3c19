//! A full buffer on its way to a segment: another thread writes it while the shard goes on.
//!
//! The shard still answers for the documents in it: versions, routing and records are read from here, and deletions that
//! come meanwhile are noted for the segment. Searches see the segment together with the deletions there were when the buffer
//! was frozen: a document that was replaced since then is visible in its old state, never in none.

use super::claim::DirectoryClaim;
use super::engine::Shard;
use super::slot::Slot;
use super::version_map::VersionMap;
use crate::buffer::{FlushSummary, FrozenBuffer, IndexBuffer, Records};
use crate::error::{Error, ErrorCode, Result};
use crate::search::view::ShardView;
use crate::segment::id::SegmentId;
use crate::segment::live_docs::LiveDocs;
use crate::segment::reader::{SegmentReader, Verify};
use hashbrown::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// How far a refresh got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefreshStep {
    /// Searches see everything. `false`: they did before.
    Done(bool),
    /// A segment is being written: when [`Shard::running_build`] has completed, [`Shard::take_built`] shows it to searches.
    /// Unless that is the last one, the refresh begins anew then.
    Wait { is_last: bool },
}

/// What became of a build, and the emptied buffer for its memory.
type Built = (Result<FlushSummary>, Option<IndexBuffer>);

/// Where the thread that builds leaves its result.
#[derive(Debug, Default)]
pub struct Completion {
    built: Mutex<Option<Built>>,
    changed: Condvar,
}

impl Completion {
    fn complete(&self, built: Built) {
        *self.built.lock().unwrap_or_else(PoisonError::into_inner) = Some(built);
        self.changed.notify_all();
    }

    /// Blocks until the segment is written, or that failed.
    pub fn wait(&self) {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is given back at once: what is waited for is the fact.
        drop(self.changed.wait_while(built, |built| built.is_none()));
    }

    fn take(&self) -> Built {
        self.wait();
        let ended = || (Err(Error::illegal_state("the segment was taken already")), None);
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        built.replace(ended()).unwrap_or_else(ended)
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
    pub fn run(mut self) {
        if let Some(buffer) = self.buffer.take() {
            let (summary, buffer) = buffer.write(&self.path, self.id);
            self.completion.complete((summary, Some(buffer)));
        }
    }

    /// Runs on a thread of its own.
    pub(super) fn spawn(self) -> Result<()> {
        let spawned = std::thread::Builder::new().name("segment-build".into()).spawn(move || self.run());
        spawned.map(drop).map_err(|error| Error::new(ErrorCode::Internal, format!("cannot start a thread: {error}")))
    }
}

impl Drop for SegmentBuild {
    fn drop(&mut self) {
        let mut built = self.completion.built.lock().unwrap_or_else(PoisonError::into_inner);
        let error = || Error::new(ErrorCode::Internal, format!("segment [{}] was not written", self.path.display()));
        built.get_or_insert_with(|| (Err(error()), None));
        self.completion.changed.notify_all();
    }
}

/// What the shard keeps of a frozen buffer.
#[derive(Debug)]
pub(super) struct Frozen {
    pub versions: VersionMap,
    pub routings: HashMap<u32, Box<str>>,
    pub records: Arc<Records>,
    /// Documents deleted since the buffer was frozen.
    deleted: Vec<u32>,
    memory_bytes: usize,
    id: SegmentId,
    path: PathBuf,
    /// What searches see beside the new segment.
    view: Vec<(Arc<SegmentReader>, Option<Arc<LiveDocs>>)>,
    completion: Arc<Completion>,
    started: Instant,
}

impl Frozen {
    pub fn delete(&mut self, ordinal: u32) {
        self.deleted.push(ordinal);
    }

    /// Of the segment that it becomes.
    pub fn id(&self) -> SegmentId {
        self.id
    }

    pub fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }
}

impl Shard {
    /// Hands the buffer over. The build must be run, on any thread. `None` when the buffer is empty or another one is
    /// still being written.
    pub(super) fn freeze(&mut self) -> Result<Option<SegmentBuild>> {
        if self.frozen.is_some() || self.buffer.document_count() == 0 {
            return Ok(None);
        }
        let id = SegmentId { number: self.next_segment_number, uuid: super::random::random_16()? };
        let path = self.identity.directory.join(id.file_name());
        let memory_bytes = self.buffer.memory_bytes() + self.versions.memory_bytes();
        let next = self.next_buffer()?;
        let buffer = std::mem::replace(&mut self.buffer, next).freeze();
        self.next_segment_number += 1;
        let completion = Arc::new(Completion::default());
        self.frozen = Some(Frozen {
            versions: std::mem::take(&mut self.versions),
            routings: std::mem::take(&mut self.buffered_routings),
            records: Arc::clone(buffer.records()),
            deleted: Vec::new(),
            memory_bytes,
            id,
            path: path.clone(),
            view: self.slots.iter().map(|slot| (Arc::clone(&slot.reader), slot.live.clone())).collect(),
            completion: Arc::clone(&completion),
            started: Instant::now(),
        });
        // What changes from now on is not in the view that comes with the segment.
        self.view_is_stale = false;
        let _claim = Arc::clone(&self.identity.claim);
        Ok(Some(SegmentBuild { buffer: Some(buffer), path, id, completion, _claim }))
    }

    /// An empty buffer: the one of the build before, whose memory is there already, or a new one.
    pub(super) fn next_buffer(&mut self) -> Result<IndexBuffer> {
        if let Some(mut spare) = self.spare_buffer.take() {
            spare.update_mapping(&self.mapping)?;
            return Ok(spare);
        }
        IndexBuffer::new(&self.mapping, self.settings.codec.into(), self.identity.buffer_bytes)
    }

    /// The build that runs, for who waits for it.
    pub fn running_build(&self) -> Option<Arc<Completion>> {
        self.frozen.as_ref().map(|frozen| Arc::clone(&frozen.completion))
    }

    /// Waits for the build that runs and puts its segment among the others; searches see it from now on. `false` when there
    /// was none.
    pub fn take_built(&mut self, now_ms: u64) -> Result<bool> {
        self.check_usable()?;
        let Some(mut frozen) = self.frozen.take() else { return Ok(false) };
        let (summary, spare) = frozen.completion.take();
        let taken = summary.and_then(|summary| self.take_segment(&mut frozen, &summary, now_ms));
        self.spare_buffer = spare;
        let records = Arc::into_inner(std::mem::take(&mut frozen.records));
        if let (Some(spare), Some(records)) = (&mut self.spare_buffer, records) {
            spare.reuse(records);
        }
        self.failing(taken)?;
        Ok(true)
    }

    fn take_segment(&mut self, frozen: &mut Frozen, summary: &FlushSummary, now_ms: u64) -> Result<()> {
        frozen.versions.refreshed(now_ms, self.settings.gc_deletes_ms);
        self.versions.inherit(&frozen.versions);
        let mut view = std::mem::take(&mut frozen.view);
        if summary.deleted.len() == summary.document_count as usize {
            std::fs::remove_file(&frozen.path).map_err(|error| Error::io("removing", &frozen.path, error))?;
        } else {
            let reader = SegmentReader::open(&frozen.path, Verify::Metadata)?;
            let mut slot = Slot::new(reader, &summary.deleted);
            view.push((Arc::clone(&slot.reader), slot.live.clone()));
            for &doc in &frozen.deleted {
                self.view_is_stale |= slot.delete(doc);
            }
            self.slots.push(slot);
        }
        self.view = ShardView::new(
            Arc::clone(&self.identity.index),
            self.identity.shard,
            view,
            Arc::clone(&self.mapping),
            Arc::clone(&self.analysis),
        )?;
        for slot in &mut self.slots {
            slot.is_searchable |= self.view.segments.iter().any(|segment| segment.reader.id() == slot.id);
        }
        self.counters.refresh.add(frozen.started.elapsed());
        Ok(())
    }
}
