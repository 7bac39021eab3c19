//! A set of the primary's segments takes the place of the former one, and becomes the commit point when that is asked for.

use super::{Installed, Replica};
use crate::copies::history::{term_starts, terms_up_to};
use crate::engine::Identity;
use crate::reads::published::PublishedView;
use crate::segments::flush::{FlushJob, take_dirty_live_docs};
use crate::segments::slot::Slot;
use crate::sequence::next_after;
use crate::translog::HEADER_BYTES;
use quarry_base::error::{Error, Result};
use quarry_query::view::ShardView;
use quarry_segment::directory::commit::CommitPoint;
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::directory::set::{SegmentSetDescriptor, SetSegment};
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallMode {
    /// Searches see the segments. Not on disk for certain.
    View,
    /// And they are the commit point.
    Commit,
    /// And everything else that the replica had is given up, operations too.
    Replace,
}

impl InstallMode {
    pub fn from_name(name: &str) -> Result<Self> {
        match name {
            "view" => Ok(InstallMode::View),
            "commit" => Ok(InstallMode::Commit),
            "replace" => Ok(InstallMode::Replace),
            _ => Err(Error::illegal_argument(format!("unknown mode of installation [{name}]"))),
        }
    }
}

/// What is to be made durable.
#[derive(Debug)]
pub struct InstallJob {
    flush: FlushJob,
    replaces: bool,
}

impl InstallJob {
    pub fn run(&self) -> Result<()> {
        self.flush.run()
    }
}

/// How far an installation got.
#[derive(Debug)]
pub enum Begun {
    /// `false`: the set is older than what is installed, nothing was done.
    Done(bool),
    /// The job must be run, on any thread, and finished.
    Commit(Box<InstallJob>),
}

impl Replica {
    /// Searches see the set from now on; with a commit it is durable when the job was run and finished.
    ///
    /// Errors: `IllegalArgument` when one of its files is missing; `PrimaryTermStale`; `ReplicaNotAligned` (unless the set replaces
    /// everything).
    pub fn begin_install(&mut self, descriptor: &[u8], mode: InstallMode) -> Result<Begun> {
        self.check_usable()?;
        let started = Instant::now();
        let set = SegmentSetDescriptor::decode(descriptor)?;
        self.check_set(&set)?;
        if mode != InstallMode::Replace {
            self.check_aligned(set.primary_term)?;
            if set.checkpoint < self.installed.checkpoint {
                return Ok(Begun::Done(false));
            }
        }
        if self.step_is_running {
            return Err(Error::illegal_state("the replica is being committed or rolled back"));
        }
        let terms = term_starts(&set.terms);
        let terms = terms.ok_or_else(|| Error::corrupt("the primary terms of a segment set do not ascend"))?;
        let slots = set.segments.iter().map(|segment| self.slot_of(segment)).collect::<Result<Vec<_>>>()?;
        self.show(slots)?;
        self.installed = Installed {
            checkpoint: set.checkpoint,
            primary_term: set.primary_term,
            terms,
            next_segment_number: set.next_segment_number,
        };
        self.identity.primary_term = self.identity.primary_term.max(set.primary_term);
        self.receiving.retain(|_, receiving| !set.segments.iter().any(|segment| segment.id == receiving.id));
        self.counters.refresh.add(started.elapsed());
        if mode == InstallMode::View {
            self.remove_unneeded()?;
            return Ok(Begun::Done(true));
        }
        self.begin_commit(mode == InstallMode::Replace).map(|job| Begun::Commit(Box::new(job)))
    }

    /// The reader that is here already, with the deletions of the set.
    fn slot_of(&self, segment: &SetSegment) -> Result<Slot> {
        let held = self.slots.iter().find(|slot| slot.id == segment.id).cloned();
        let received = || self.receiving.values().find(|receiving| receiving.id == segment.id)?.reader.clone();
        let slot = held.or_else(|| received().map(|reader| Slot::new(reader, &[])));
        let name = segment.id.file_name();
        let mut slot = slot.ok_or_else(|| Error::illegal_argument(format!("file [{name}] is missing")))?;
        let SetSegment { max_doc, bytes, checksum, .. } = *segment;
        if (slot.reader.max_doc(), slot.reader.bytes(), slot.reader.checksum()) != (max_doc, bytes, checksum) {
            return Err(Error::corrupt(format!("file [{name}] is not the one that the primary described")));
        }
        slot.check_sort(self.sort.as_deref())?;
        // A segment may have lost its deletions, when the primary is another one: it keeps a sidecar then, which names none.
        let none = || slot.live.as_ref().map(|_| Arc::new(LiveDocs::all_live(max_doc)));
        let live = segment.live.clone().or_else(none);
        if slot.live != live {
            slot.live_is_dirty = true;
            slot.live = live;
        }
        Ok(slot)
    }

    fn show(&mut self, mut slots: Vec<Slot>) -> Result<()> {
        let Identity { index, shard, node, .. } = &self.identity;
        let (mapping, analysis) = (Arc::clone(&self.mapping), Arc::clone(&self.analysis));
        let segments = slots.iter().map(Slot::searched);
        self.view = ShardView::new(Arc::clone(index), *shard, segments, mapping, analysis)?.on_node(node);
        self.publication.latest().show(PublishedView::new(&self.view), None);
        slots.iter_mut().for_each(|slot| slot.is_searchable = true);
        self.slots = slots;
        self.view_generation += 1;
        Ok(())
    }

    fn remove_unneeded(&self) -> Result<()> {
        self.commit.remove_unreferenced(&self.identity.directory, &self.files_in_use()).map(drop)
    }

    /// The installed segments become the commit point. Later operations go into a translog generation of their own.
    fn begin_commit(&mut self, replaces: bool) -> Result<InstallJob> {
        self.begin_step()?;
        if replaces {
            self.aligned_term = None;
        }
        let prepared = self.prepare_commit(replaces);
        self.step_is_running = prepared.is_ok();
        prepared.map(|flush| InstallJob { flush, replaces })
    }

    fn prepare_commit(&mut self, replaces: bool) -> Result<FlushJob> {
        if self.translog()?.generation_bytes() > HEADER_BYTES {
            let rolled = self.translog_mut()?.roll();
            self.failing(rolled)?;
        }
        let live_docs = take_dirty_live_docs(&mut self.slots);
        let translog = self.translog()?;
        let checkpoint = self.installed.checkpoint;
        let (needed, kept) = match replaces {
            true => (translog.generation(), translog.generation()),
            false => (translog.generation_above(checkpoint), translog.oldest_generation()),
        };
        let commit = CommitPoint {
            generation: self.commit.generation + 1,
            segments: self.slots.iter().map(Slot::committed).collect(),
            next_segment_number: self.installed.next_segment_number,
            max_seq_no: checkpoint,
            local_checkpoint: checkpoint,
            translog_generation: needed,
            primary_term: self.installed.primary_term,
            history_uuid: self.commit.history_uuid.clone(),
            user_data: Vec::new(),
            global_checkpoint: translog.sync_state().global_checkpoint(),
            kept_translog_generation: kept,
            terms: terms_up_to(&self.installed.terms, checkpoint),
        };
        let sync = Arc::clone(translog.sync_state());
        Ok(FlushJob::new(&self.identity, &self.slots, commit, live_docs, sync))
    }

    /// Takes the written commit as the newest and removes what it made superfluous. One that failed changes nothing.
    pub fn finish_install(&mut self, job: InstallJob, result: Result<()>) -> Result<()> {
        self.step_is_running = false;
        self.commit = job.flush.settle(&mut self.slots, result)?;
        if job.replaces {
            let (next, terms) = (next_after(self.installed.checkpoint), self.installed.terms.clone());
            self.translog_mut()?.restart(next, terms)?;
            self.aligned_term = Some(self.installed.primary_term);
        }
        let needed = self.commit.translog_generation;
        self.translog_mut()?.trim(needed)?;
        self.remove_unneeded()
    }

    /// Whether the translog has grown past its threshold and a commit would shorten it.
    pub fn needs_flush(&self) -> bool {
        let threshold = self.settings.flush_threshold_bytes;
        let is_large = self.translog.as_ref().is_some_and(|translog| translog.uncommitted_bytes() >= threshold);
        is_large && !self.step_is_running && self.differs_from_commit()
    }

    fn differs_from_commit(&self) -> bool {
        self.installed.checkpoint != self.commit.local_checkpoint
            || self.slots.len() != self.commit.segments.len()
            || self.slots.iter().any(|slot| !slot.is_committed || slot.live_is_dirty)
    }

    /// Begins to make the installed segments the commit point. `None` when they are (unless `force`).
    pub fn begin_flush(&mut self, force: bool) -> Result<Option<InstallJob>> {
        self.check_usable()?;
        if !force && !self.differs_from_commit() {
            return Ok(None);
        }
        self.begin_commit(false).map(Some)
    }

    /// All steps at once, waiting for the disk.
    pub fn install(&mut self, descriptor: &[u8], mode: InstallMode) -> Result<bool> {
        match self.begin_install(descriptor, mode)? {
            Begun::Done(installed) => Ok(installed),
            Begun::Commit(job) => {
                let result = job.run();
                self.finish_install(*job, result).map(|()| true)
            }
        }
    }
}
