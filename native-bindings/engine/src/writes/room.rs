//! How many documents a shard may hold, and room for those that were acknowledged.
//!
//! Nested documents count, and so do deleted ones until a merge leaves them out: searches number them all.

use crate::engine::Shard;
use crate::segments::frozen::Frozen;
use crate::version_map::UNKNOWN_TIME;
use quarry_base::error::{Error, Result};
use quarry_segment::merge::MergeControl;

impl Shard {
    /// Documents of the segments, of the frozen buffer and of the one that fills.
    pub(crate) fn document_count(&self) -> u64 {
        let frozen = self.frozen.as_ref().map_or(0, Frozen::document_count);
        self.slots.document_count() + u64::from(frozen) + u64::from(self.buffer.document_count())
    }

    /// Refuses the parsed document where it and its nested ones do not fit. A deletion adds none, so it is never refused.
    pub(crate) fn check_room(&self) -> Result<()> {
        if self.has_room() {
            return Ok(());
        }
        let max = self.identity.documents_max;
        Err(Error::illegal_argument(format!("Number of documents in the index can't exceed [{max}]")))
    }

    pub(crate) fn has_room(&self) -> bool {
        let total = self.document_count() + u64::from(self.buffer.open_document_count());
        total <= u64::from(self.identity.documents_max)
    }

    /// Writes segments anew without their deleted documents until half of those are gone, the worst first. For replays: they
    /// begin with the segments of a commit, or with those that a promoted copy was sent, and writes were acknowledged into room
    /// that later merges had made. It suffices, as the live documents fitted beside each write.
    ///
    /// `false` where nothing is deleted.
    pub(crate) fn reclaim_deleted(&mut self) -> Result<bool> {
        self.refresh(UNKNOWN_TIME)?;
        let mut segments: Vec<(u32, String)> = self
            .slots
            .iter()
            .map(|slot| (slot.deleted_count(), slot.id.name()))
            .filter(|(deleted, _)| *deleted > 0)
            .collect();
        segments.sort_unstable_by(|left, right| right.cmp(left));
        let deleted: u64 = segments.iter().map(|(deleted, _)| u64::from(*deleted)).sum();
        let mut reclaimed = 0;
        for (own, name) in segments {
            if reclaimed * 2 >= deleted {
                break;
            }
            self.rewrite_segment(name)?;
            reclaimed += u64::from(own);
        }
        self.refresh(UNKNOWN_TIME)?;
        Ok(deleted > 0)
    }

    fn rewrite_segment(&mut self, name: String) -> Result<()> {
        let job = self.begin_merge(&[name])?;
        match job.run(&MergeControl::default()) {
            Ok(outcome) => self.finish_merge(&outcome),
            Err(error) => {
                self.abort_merge(&job);
                Err(error)
            }
        }
    }
}
