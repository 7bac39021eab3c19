//! Merging: the shard lends segments, somebody merges them elsewhere, the shard swaps the result in.

use super::engine::Shard;
use super::merge_job::{MergeJob, MergeJobInput, MergeOutcome};
use super::slot::Slot;
use crate::error::{Error, Result};
use crate::segment::id::SegmentId;
use crate::segment::live_docs::LiveDocs;
use crate::segment::reader::{SegmentReader, Verify};
use std::sync::Arc;
use std::time::Duration;

/// A merge that was begun and neither finished nor aborted.
#[derive(Debug)]
pub(super) struct RunningMerge {
    pub output: SegmentId,
    /// The inputs in order, with the deletions that the merge knows.
    inputs: Vec<(SegmentId, Option<Arc<LiveDocs>>)>,
}

impl Shard {
    /// Reserves the segments with these names (`_1b`), to be merged in the order in which the shard holds them.
    pub fn begin_merge(&mut self, names: &[String]) -> Result<MergeJob> {
        self.check_usable()?;
        for name in names {
            let slot = self.slots.iter().find(|slot| slot.id.name() == *name);
            let problem = match slot {
                None => "there is no such segment",
                Some(slot) if slot.is_merging => "it is being merged already",
                Some(_) => continue,
            };
            return Err(Error::illegal_argument(format!("segment [{name}] cannot be merged: {problem}")));
        }
        let output = SegmentId { number: self.next_segment_number, uuid: super::random::random_16()? };
        self.next_segment_number += 1;
        let mut job = MergeJob {
            directory: self.identity.directory.clone(),
            output,
            codec: self.settings.codec.into(),
            inputs: Vec::new(),
        };
        let mut inputs = Vec::new();
        for slot in self.slots.iter_mut().filter(|slot| names.contains(&slot.id.name())) {
            slot.is_merging = true;
            let deleted = slot.live.iter().flat_map(|live| live.deleted()).collect();
            job.inputs.push(MergeJobInput { id: slot.id, max_doc: slot.reader.max_doc(), deleted });
            inputs.push((slot.id, slot.live.clone()));
        }
        self.merges.push(RunningMerge { output, inputs });
        self.counters.merge_started();
        Ok(job)
    }

    /// Puts the merged segment in the place of its inputs, with the deletions that came meanwhile. Searches see it after
    /// the next refresh.
    pub fn finish_merge(&mut self, outcome: &MergeOutcome) -> Result<()> {
        self.check_usable()?;
        let merge = self.take_merge(outcome.output_number)?;
        let merged = self.merged_slot(&merge, outcome);
        if merged.is_err() {
            self.release(&merge);
            self.counters.merge_aborted();
        }
        let merged = merged?;
        let is_input = |slot: &Slot| merge.inputs.iter().any(|(id, _)| *id == slot.id);
        let place = self.slots.iter().position(is_input).unwrap_or(self.slots.len());
        self.slots.retain(|slot| !is_input(slot));
        if let Some(merged) = merged {
            self.uncommitted_merge_bytes += merged.reader.bytes();
            self.slots.insert(place, merged);
        }
        self.view_is_stale = true;
        self.counters.merge_ended(outcome.max_doc, outcome.bytes, Duration::from_millis(outcome.millis));
        Ok(())
    }

    /// The merge failed or was cancelled: its inputs are free again. Nothing happens when it has ended already.
    pub fn abort_merge(&mut self, job: &MergeJob) {
        if let Ok(merge) = self.take_merge(job.output.number) {
            self.release(&merge);
            self.counters.merge_aborted();
        }
    }

    fn take_merge(&mut self, output_number: u64) -> Result<RunningMerge> {
        let place = self.merges.iter().position(|merge| merge.output.number == output_number);
        place
            .map(|place| self.merges.swap_remove(place))
            .ok_or_else(|| Error::illegal_argument(format!("no merge into segment [{output_number}] is running")))
    }

    fn release(&mut self, merge: &RunningMerge) {
        for slot in &mut self.slots {
            slot.is_merging &= !merge.inputs.iter().any(|(id, _)| *id == slot.id);
        }
    }

    fn merged_slot(&self, merge: &RunningMerge, outcome: &MergeOutcome) -> Result<Option<Slot>> {
        let mut base = 0u32;
        let mut deleted = Vec::new();
        for (id, known) in &merge.inputs {
            let slot = self.slots.iter().find(|slot| slot.id == *id);
            let slot = slot.ok_or_else(|| Error::illegal_state("an input of the merge is gone"))?;
            deleted_since(known.as_deref(), slot.live.as_deref(), base, &mut deleted);
            base += slot.reader.max_doc() - known.as_ref().map_or(0, |known| known.deleted_count());
        }
        if base != outcome.max_doc {
            let found = outcome.max_doc;
            return Err(Error::corrupt(format!("a merge of [{base}] documents made a segment of [{found}]")));
        }
        if base == 0 {
            return Ok(None);
        }
        let path = self.identity.directory.join(merge.output.file_name());
        let reader = SegmentReader::open(&path, Verify::Metadata)?;
        if reader.id() != merge.output || reader.max_doc() != base {
            return Err(Error::corrupt(format!("segment [{}] is not the one that was merged", path.display())));
        }
        Ok(Some(Slot::new(reader, &deleted)))
    }
}

/// Documents of the merged segment that were deleted after the merge began: a merge keeps the order of an input's live
/// documents, so each moved down by the deletions before it.
fn deleted_since(known: Option<&LiveDocs>, now: Option<&LiveDocs>, base: u32, deleted: &mut Vec<u32>) {
    let mut known = known.into_iter().flat_map(LiveDocs::deleted).peekable();
    let mut gone = 0;
    for doc in now.into_iter().flat_map(LiveDocs::deleted) {
        while known.next_if(|&earlier| earlier < doc).is_some() {
            gone += 1;
        }
        if known.peek() != Some(&doc) {
            deleted.push(base + doc - gone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn later_deletions_move_with_their_documents(
            first in prop::collection::vec(any::<bool>(), 50), later in prop::collection::vec(any::<bool>(), 50), base in 0u32..9,
        ) {
            let mut known = LiveDocs::all_live(50);
            for doc in (0..50).filter(|&doc| first[doc as usize]) { known.delete(doc); }
            let mut now = known.clone();
            for doc in (0..50).filter(|&doc| later[doc as usize]) { now.delete(doc); }
            let survivors: Vec<u32> = (0..50).filter(|&doc| known.is_live(doc)).collect();
            let expected: Vec<u32> = (0..survivors.len() as u32)
                .filter(|&new| !now.is_live(survivors[new as usize])).map(|new| base + new).collect();
            let mut deleted = Vec::new();
            deleted_since(Some(&known), Some(&now), base, &mut deleted);
            prop_assert_eq!(deleted, expected);
        }
    }
}
