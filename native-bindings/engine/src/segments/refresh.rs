//! Refresh: the buffer becomes a segment, and searches see everything up to now.

use super::frozen::{Frozen, RefreshStep};
use super::slot::{SearchedSegment, Slot};
use crate::engine::{Identity, Shard};
use crate::reads::published::PublishedView;
use quarry_base::error::Result;
use quarry_buffer::release_waiting;
use quarry_query::view::ShardView;
use quarry_segment::id::SegmentId;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Smaller buffers become segments at once: that takes less than handing them over and coming back.
const FREEZE_BYTES_MIN: usize = 1 << 20;

impl Shard {
    /// Whether a refresh would change what searches see.
    pub fn is_dirty(&self) -> bool {
        self.buffer.document_count() > 0 || self.frozen.is_some() || self.view_is_stale
    }

    /// `false` when there was nothing new. `now_ms` decides which deletions may be forgotten.
    pub fn refresh(&mut self, now_ms: u64) -> Result<bool> {
        self.check_usable()?;
        let taken = self.take_built(now_ms)?;
        if !self.is_dirty() {
            return Ok(taken);
        }
        if self.buffer.memory_bytes() < FREEZE_BYTES_MIN {
            // Where little comes, a second buffer's memory is of no use.
            self.spare_buffer = None;
        }
        let started = Instant::now();
        let refreshed = self.write_buffer().and_then(|()| {
            self.versions.refreshed(now_ms, self.settings.gc_deletes_ms);
            self.buffered_routings.clear();
            // A segment without a live document is of no use to anyone.
            self.slots.retain(|slot| slot.live_count() > 0 || slot.is_merging);
            self.publish()
        });
        self.failing(refreshed)?;
        self.counters.refresh.add(started.elapsed());
        Ok(true)
    }

    /// Bytes of what was indexed since the last refresh: buffers and version maps.
    pub fn indexing_bytes(&self) -> usize {
        self.open_bytes() + self.frozen.as_ref().map_or(0, Frozen::memory_bytes)
    }

    /// Of the buffer that takes documents.
    pub(crate) fn open_bytes(&self) -> usize {
        self.buffer.memory_bytes() + self.versions.memory_bytes()
    }

    /// Gives back the memory that empty buffers keep for the next documents. Nothing happens when they are in use.
    pub fn release_memory(&mut self) -> Result<()> {
        self.spare_buffer = None;
        self.query_plans.forget_known();
        self.translog.release_memory();
        if self.buffer.document_count() > 0 {
            return Ok(());
        }
        self.buffer = self.next_buffer()?;
        release_waiting();
        Ok(())
    }

    /// Begins to make everything indexed so far searchable: a buffer that is worth it is written on another thread.
    pub fn begin_refresh(&mut self, now_ms: u64) -> Result<RefreshStep> {
        self.check_usable()?;
        if self.frozen.is_some() {
            return Ok(RefreshStep::Wait { is_last: !self.is_newer_than_frozen() });
        }
        if self.buffer.memory_bytes() < FREEZE_BYTES_MIN {
            return self.refresh(now_ms).map(RefreshStep::Done);
        }
        self.build_segment()?;
        Ok(RefreshStep::Wait { is_last: true })
    }

    /// Hands the buffer over to a thread of its own.
    fn build_segment(&mut self) -> Result<()> {
        let frozen = self.freeze();
        if let Some(build) = self.failing(frozen)? {
            build.start();
        }
        Ok(())
    }

    /// Whether searches will miss something when they see the frozen buffer.
    fn is_newer_than_frozen(&self) -> bool {
        let has_deletions = self.frozen.as_ref().is_some_and(Frozen::has_deletions);
        self.buffer.document_count() > 0 || self.view_is_stale || has_deletions
    }

    /// Whether buffer and version map have reached their bound: room must be made before the next document. One half of the
    /// memory is for the buffer that fills, the other for the one before, which is being written.
    pub(crate) fn is_full(&self) -> bool {
        self.buffer.is_full() || self.open_bytes() >= self.identity.buffer_bytes / 2
    }

    /// Makes the buffer a segment, on another thread. Waits where the buffer before is still being written: that bounds the
    /// memory. Where deletions alone fill it, they are forgotten before their time.
    pub(crate) fn make_room(&mut self, now_ms: u64) -> Result<()> {
        self.take_built(now_ms)?;
        self.build_segment()?;
        if self.is_full() {
            self.versions.forget_deletions();
        }
        Ok(())
    }

    fn write_buffer(&mut self) -> Result<()> {
        let (id, path) = self.next_segment()?;
        let Some(summary) = self.buffer.flush(&path, id)? else { return Ok(()) };
        self.next_segment_number += 1;
        if let Some(slot) = Slot::of_flushed(&path, &summary)? {
            self.slots.push(slot);
        }
        Ok(())
    }

    /// What the next segment is called and where it is written. Its number is used up by whoever writes it.
    pub(crate) fn next_segment(&self) -> Result<(SegmentId, PathBuf)> {
        let id = SegmentId { number: self.next_segment_number, uuid: quarry_base::random::random_16()? };
        Ok((id, self.identity.directory.join(id.file_name())))
    }

    /// These segments with the shard's present mapping.
    pub(crate) fn view_of(&self, segments: impl IntoIterator<Item = SearchedSegment>) -> Result<ShardView> {
        let Identity { index, shard, node, .. } = &self.identity;
        let (mapping, analysis) = (Arc::clone(&self.mapping), Arc::clone(&self.analysis));
        ShardView::new(Arc::clone(index), *shard, segments, mapping, analysis).map(|view| view.on_node(node))
    }

    /// Searches from now on see the slots as they are; nothing is buffered or frozen.
    pub(crate) fn publish(&mut self) -> Result<()> {
        self.view = self.view_of(self.slots.iter().map(Slot::searched))?;
        self.touched.show_all(self.publication.latest(), PublishedView::new(&self.view));
        self.view_checkpoint = self.sequence.local_checkpoint();
        self.view_generation += 1;
        self.slots.iter_mut().for_each(|slot| slot.is_searchable = true);
        self.view_is_stale = false;
        Ok(())
    }
}
