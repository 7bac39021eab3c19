//! Refresh: the buffer becomes a segment, and searches see everything up to now.

use super::engine::Shard;
use super::slot::Slot;
use crate::buffer::IndexBuffer;
use crate::error::{Error, Result};
use crate::search::view::ShardView;
use crate::segment::id::SegmentId;
use crate::segment::reader::{SegmentReader, Verify};
use std::sync::Arc;
use std::time::Instant;

impl Shard {
    /// Whether a refresh would change what searches see.
    pub fn is_dirty(&self) -> bool {
        self.buffer.document_count() > 0 || self.view_is_stale
    }

    /// `false` when there was nothing new. `now_ms` decides which deletions may be forgotten.
    pub fn refresh(&mut self, now_ms: u64) -> Result<bool> {
        self.check_usable()?;
        if !self.is_dirty() {
            return Ok(false);
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

    /// Bytes of what was indexed since the last refresh: the buffer and the version map.
    pub fn indexing_bytes(&self) -> usize {
        self.buffer.memory_bytes() + self.versions.memory_bytes()
    }

    /// Gives back the memory that the empty buffer keeps for the next documents. Nothing happens when it is in use.
    pub fn release_memory(&mut self) -> Result<()> {
        if self.buffer.document_count() > 0 {
            return Ok(());
        }
        self.buffer = IndexBuffer::new(&self.mapping, self.settings.codec.into(), self.identity.buffer_bytes)?;
        Ok(())
    }

    /// Whether buffer and version map have reached their bound: room must be made before the next document.
    pub(super) fn is_full(&self) -> bool {
        self.buffer.is_full() || self.indexing_bytes() >= self.identity.buffer_bytes
    }

    /// Empties the buffer into a segment. Where deletions alone fill the memory, they are forgotten before their time.
    pub(super) fn make_room(&mut self, now_ms: u64) -> Result<bool> {
        let refreshed = self.refresh(now_ms)?;
        if self.is_full() {
            self.versions.forget_deletions();
        }
        Ok(refreshed)
    }

    fn write_buffer(&mut self) -> Result<()> {
        let id = SegmentId { number: self.next_segment_number, uuid: super::random::random_16()? };
        let path = self.identity.directory.join(id.file_name());
        let Some(summary) = self.buffer.flush(&path, id)? else { return Ok(()) };
        self.next_segment_number += 1;
        if summary.deleted.len() == summary.document_count as usize {
            return std::fs::remove_file(&path).map_err(|error| Error::io("removing", &path, error));
        }
        let reader = SegmentReader::open(&path, Verify::Metadata)?;
        self.slots.push(Slot::new(reader, &summary.deleted));
        Ok(())
    }

    /// Searches from now on see the slots as they are.
    pub(super) fn publish(&mut self) -> Result<()> {
        self.view = ShardView::new(
            Arc::clone(&self.identity.index),
            self.identity.shard,
            self.slots.iter().map(|slot| (Arc::clone(&slot.reader), slot.live.clone())),
            Arc::clone(&self.mapping),
            Arc::clone(&self.analysis),
        )?;
        self.slots.iter_mut().for_each(|slot| slot.is_searchable = true);
        self.view_is_stale = false;
        Ok(())
    }
}
