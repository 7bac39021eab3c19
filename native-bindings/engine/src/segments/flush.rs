//! Flush: a commit point that names everything, after which older translog generations are superfluous.
//!
//! In three steps, so that the disk is waited for off the event loop: [`Shard::begin_flush`], [`FlushJob::run`] on any
//! thread, [`Shard::finish_flush`]. Writes go on meanwhile; they belong to the generation after.

use super::frozen::Frozen;
use super::slot::Slot;
use crate::copies::history::terms_up_to;
use crate::directory::claim::DirectoryClaim;
use crate::engine::{Identity, Shard};
use crate::translog::{HEADER_BYTES, SyncState};
use quarry_base::error::Result;
use quarry_segment::directory::commit::CommitPoint;
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::id::SegmentId;
use quarry_segment::writer::sync_segment;
use std::path::PathBuf;
use std::sync::Arc;

/// Merged bytes that no commit names yet, after which a flush is due: their inputs still take space.
const UNCOMMITTED_MERGE_BYTES_MAX: u64 = 512 << 20;

/// What is to be made durable.
#[derive(Debug)]
pub struct FlushJob {
    directory: PathBuf,
    /// The job may outlive its shard: nobody may open the directory meanwhile.
    _claim: Arc<DirectoryClaim>,
    commit: CommitPoint,
    segments: Vec<PathBuf>,
    live_docs: DirtyLiveDocs,
    sync: Arc<SyncState>,
    /// Of the merges that the commit makes durable.
    merge_bytes: u64,
}

/// Deletions that no sidecar has yet, with their segment and the generation of their sidecar.
pub(crate) type DirtyLiveDocs = Vec<(SegmentId, u64, Arc<LiveDocs>)>;

pub(crate) fn take_dirty_live_docs(slots: &mut [Slot]) -> DirtyLiveDocs {
    let dirty = slots.iter_mut().filter(|slot| slot.live_is_dirty);
    dirty
        .filter_map(|slot| {
            let live = slot.live.clone()?;
            slot.live_generation += 1;
            slot.live_is_dirty = false;
            Some((slot.id, slot.live_generation, live))
        })
        .collect()
}

impl FlushJob {
    pub(crate) fn new(
        identity: &Identity,
        slots: &[Slot],
        commit: CommitPoint,
        live_docs: DirtyLiveDocs,
        sync: Arc<SyncState>,
    ) -> Self {
        let directory = identity.directory.clone();
        // What lies elsewhere is as durable as it is there.
        let fresh = slots.iter().filter(|slot| !slot.is_committed && !slot.reader.is_remote());
        let segments = fresh.map(|slot| directory.join(slot.id.file_name())).collect();
        FlushJob { segments, live_docs, commit, directory, _claim: Arc::clone(&identity.claim), sync, merge_bytes: 0 }
    }

    /// Takes note in the slots of what became of it; returns the commit that is the newest now.
    pub(crate) fn settle(self, slots: &mut [Slot], result: Result<()>) -> Result<CommitPoint> {
        for slot in slots {
            match result {
                Ok(()) => slot.is_committed |= self.commit.segments.iter().any(|segment| segment.id == slot.id),
                Err(_) => slot.live_is_dirty |= self.live_docs.iter().any(|(id, _, _)| *id == slot.id),
            }
        }
        result.map(|()| self.commit)
    }

    /// Segments, deletions, then the commit point; each on disk before the next names it.
    pub fn run(&self) -> Result<()> {
        self.sync.sync_now()?;
        self.segments.iter().try_for_each(|path| sync_segment(path))?;
        for (id, generation, live_docs) in &self.live_docs {
            live_docs.write(&self.directory, id, *generation)?;
        }
        self.commit.write(&self.directory).map(drop)
    }
}

impl Shard {
    /// Whether the translog is so large, or so much was merged, that a flush is due.
    pub fn needs_flush(&self) -> bool {
        let is_large = self.translog.uncommitted_bytes() >= self.settings.flush_threshold_bytes;
        let translog = is_large && self.translog.uncommitted_operations() > 0;
        translog || self.uncommitted_merge_bytes >= UNCOMMITTED_MERGE_BYTES_MAX
    }

    /// Refreshes and begins a new translog generation. `None` when everything is committed already (unless `force`), or
    /// while another flush runs.
    pub fn begin_flush(&mut self, force: bool, now_ms: u64) -> Result<Option<FlushJob>> {
        self.check_usable()?;
        if self.flush_is_running {
            return Ok(None);
        }
        self.refresh(now_ms)?;
        if !force && !self.differs_from_commit() {
            return Ok(None);
        }
        if self.translog.uncommitted_bytes() > HEADER_BYTES {
            let rolled = self.translog.roll();
            self.failing(rolled)?;
        }
        let live_docs = take_dirty_live_docs(&mut self.slots);
        self.flush_is_running = true;
        let (commit, sync) = (self.next_commit(), Arc::clone(self.translog.sync_state()));
        let mut job = FlushJob::new(&self.identity, &self.slots, commit, live_docs, sync);
        job.merge_bytes = self.uncommitted_merge_bytes;
        Ok(Some(job))
    }

    fn differs_from_commit(&self) -> bool {
        // A merge that was left behind may still write the segment it was given: no later one may have its number.
        self.next_segment_number != self.commit.next_segment_number
            || self.translog.uncommitted_operations() > 0
            || self.slots.len() != self.commit.segments.len()
            || self.slots.iter().any(|slot| !slot.is_committed || slot.live_is_dirty)
    }

    fn next_commit(&self) -> CommitPoint {
        CommitPoint {
            generation: self.commit.generation + 1,
            segments: self.slots.iter().map(Slot::committed).collect(),
            next_segment_number: self.next_segment_number,
            max_seq_no: self.sequence.max_seq_no(),
            local_checkpoint: self.sequence.local_checkpoint(),
            translog_generation: self.translog.generation(),
            primary_term: self.identity.primary_term,
            history_uuid: self.commit.history_uuid.clone(),
            user_data: Vec::new(),
            global_checkpoint: self.translog.sync_state().global_checkpoint(),
            kept_translog_generation: self.translog.oldest_generation(),
            terms: terms_up_to(self.translog.terms(), self.sequence.local_checkpoint()),
        }
    }

    /// Takes the written commit as the newest and removes what it made superfluous. A flush that failed changes nothing:
    /// the former commit and the translog still hold everything.
    pub fn finish_flush(&mut self, job: FlushJob, result: Result<()>) -> Result<()> {
        self.flush_is_running = false;
        let merge_bytes = job.merge_bytes;
        self.commit = job.settle(&mut self.slots, result)?;
        self.uncommitted_merge_bytes -= merge_bytes;
        self.translog.trim(self.commit.translog_generation)?;
        self.commit.remove_unreferenced(&self.identity.directory, &self.files_in_use())?;
        Ok(())
    }

    /// Files that no commit names yet but somebody needs.
    fn files_in_use(&self) -> Vec<String> {
        let mut names: Vec<String> = self.slots.iter().flat_map(Slot::file_names).collect();
        let unfinished = self.merges.iter().map(|merge| merge.output).chain(self.frozen.as_ref().map(Frozen::id));
        for id in unfinished {
            let name = id.file_name();
            names.push(format!("{name}.tmp"));
            names.push(name);
        }
        names
    }

    /// All steps at once, waiting for the disk.
    pub fn flush(&mut self, force: bool, now_ms: u64) -> Result<bool> {
        let Some(job) = self.begin_flush(force, now_ms)? else { return Ok(false) };
        let result = job.run();
        self.finish_flush(job, result)?;
        Ok(true)
    }
}
