//! Merging: the shard lends segments, somebody merges them elsewhere, the shard swaps the result in.

use super::merge_job::{MergeJob, MergeJobInput, MergeOutcome};
use super::slot::Slot;
use crate::engine::Shard;
use quarry_base::error::{Error, Result};
use quarry_segment::directory::live_docs::LiveDocs;
use quarry_segment::id::SegmentId;
use quarry_segment::merge::Run;
use quarry_segment::reader::{SegmentReader, Verify};
use std::sync::Arc;
use std::time::Duration;

/// A merge that was begun and neither finished nor aborted.
#[derive(Debug)]
pub(crate) struct RunningMerge {
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
        let output = SegmentId { number: self.next_segment_number, uuid: quarry_base::random::random_16()? };
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
        for slot in self.slots.iter_mut() {
            slot.is_merging &= !merge.inputs.iter().any(|(id, _)| *id == slot.id);
        }
    }

    fn merged_slot(&self, merge: &RunningMerge, outcome: &MergeOutcome) -> Result<Option<Slot>> {
        let mut inputs = Vec::with_capacity(merge.inputs.len());
        for (id, known) in &merge.inputs {
            let slot = self.slots.iter().find(|slot| slot.id == *id);
            let slot = slot.ok_or_else(|| Error::illegal_state("an input of the merge is gone"))?;
            inputs.push(KeptInput {
                count: slot.reader.max_doc() - known.as_ref().map_or(0, |known| known.deleted_count()),
                deleted: deleted_since(known.as_deref(), slot.live.as_deref()),
            });
        }
        let kept: u32 = inputs.iter().map(|input| input.count).sum();
        if kept != outcome.max_doc {
            let found = outcome.max_doc;
            return Err(Error::corrupt(format!("a merge of [{kept}] documents made a segment of [{found}]")));
        }
        if kept == 0 {
            return Ok(None);
        }
        let deleted = deleted_in_merged(&inputs, &outcome.runs)?;
        let path = self.identity.directory.join(merge.output.file_name());
        let reader = SegmentReader::open(&path, Verify::Metadata)?;
        if reader.id() != merge.output || reader.max_doc() != kept {
            return Err(Error::corrupt(format!("segment [{}] is not the one that was merged", path.display())));
        }
        let slot = Slot::new(reader, &deleted);
        slot.check_sort(self.sort.as_deref())?;
        Ok(Some(slot))
    }
}

/// An input of a merge, by the documents that the merge kept; these have the numbers from 0 on.
struct KeptInput {
    count: u32,
    /// Deleted after the merge began, ascending.
    deleted: Vec<u32>,
}

/// The documents of the merged segment that were deleted after the merge began, ascending. `runs`: how the inputs took turns.
fn deleted_in_merged(inputs: &[KeptInput], runs: &[Run]) -> Result<Vec<u32>> {
    let one_after_another;
    let runs = if runs.is_empty() {
        one_after_another = (0..).zip(inputs).map(|(input, kept)| Run { input, count: kept.count }).collect::<Vec<_>>();
        &one_after_another
    } else {
        runs
    };
    // Of each input the deletions that are left and how many documents were met.
    let mut left: Vec<(&[u32], u32)> = inputs.iter().map(|input| (input.deleted.as_slice(), 0)).collect();
    let mut deleted = Vec::new();
    let mut start = 0u32;
    for run in runs {
        let no_input = || Error::corrupt("a merge has documents of an input that it was not given");
        let (rest, met) = left.get_mut(run.input as usize).ok_or_else(no_input)?;
        let end = met.saturating_add(run.count);
        let (own, behind) = rest.split_at(rest.partition_point(|&doc| doc < end));
        deleted.extend(own.iter().map(|doc| start + (doc - *met)));
        (*rest, *met) = (behind, end);
        start = start.saturating_add(run.count);
    }
    if left.iter().zip(inputs).any(|((_, met), input)| *met != input.count) {
        return Err(Error::corrupt("a merge has more or fewer documents of an input than it had"));
    }
    Ok(deleted)
}

/// Documents that were deleted after the merge began: a merge keeps the order of an input's live documents, so each moved
/// down by the deletions before it.
fn deleted_since(known: Option<&LiveDocs>, now: Option<&LiveDocs>) -> Vec<u32> {
    let mut deleted = Vec::new();
    let mut known = known.into_iter().flat_map(LiveDocs::deleted).peekable();
    let mut gone = 0;
    for doc in now.into_iter().flat_map(LiveDocs::deleted) {
        while known.next_if(|&earlier| earlier < doc).is_some() {
            gone += 1;
        }
        if known.peek() != Some(&doc) {
            deleted.push(doc - gone);
        }
    }
    deleted
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn later_deletions_move_with_their_documents(
            first in prop::collection::vec(any::<bool>(), 50), later in prop::collection::vec(any::<bool>(), 50),
        ) {
            let mut known = LiveDocs::all_live(50);
            for doc in (0..50).filter(|&doc| first[doc as usize]) { known.delete(doc); }
            let mut now = known.clone();
            for doc in (0..50).filter(|&doc| later[doc as usize]) { now.delete(doc); }
            let survivors: Vec<u32> = (0..50).filter(|&doc| known.is_live(doc)).collect();
            let expected: Vec<u32> = (0..survivors.len() as u32)
                .filter(|&new| !now.is_live(survivors[new as usize])).collect();
            prop_assert_eq!(deleted_since(Some(&known), Some(&now)), expected);
        }

        /// `turns`: which input each document of the merged segment is of, and whether it was deleted.
        #[test]
        fn deletions_follow_the_turns_of_the_inputs(turns in prop::collection::vec((0u32..3, any::<bool>()), 0..60)) {
            let mut inputs: Vec<KeptInput> = (0..3).map(|_| KeptInput { count: 0, deleted: Vec::new() }).collect();
            for &(input, is_deleted) in &turns {
                let kept = &mut inputs[input as usize];
                kept.deleted.extend(is_deleted.then_some(kept.count));
                kept.count += 1;
            }
            let deleted = |turns: &[(u32, bool)]| -> Vec<u32> {
                turns.iter().zip(0..).filter(|((_, is_deleted), _)| *is_deleted).map(|(_, doc)| doc).collect()
            };
            let runs: Vec<Run> = turns.chunk_by(|a, b| a.0 == b.0)
                .map(|run| Run { input: run[0].0, count: run.len() as u32 }).collect();
            if !runs.is_empty() {
                prop_assert_eq!(deleted_in_merged(&inputs, &runs).unwrap(), deleted(&turns));
                prop_assert!(deleted_in_merged(&inputs, &runs[1..]).is_err() || runs.len() == 1);
            }
            let mut concatenated = turns;
            concatenated.sort_by_key(|(input, _)| *input);
            prop_assert_eq!(deleted_in_merged(&inputs, &[]).unwrap(), deleted(&concatenated));
        }
    }
}
