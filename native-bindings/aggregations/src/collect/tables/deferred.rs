//! What lies below the buckets of terms: collected at once, or when it is known which buckets remain (`breadth_first`).

use super::bucket_table::ChildBatch;
use super::replay::Replay;
use crate::budget::Budget;
use crate::collect::{Children, Owners};
use crate::partial::{Bucket, Partial, TermKey};
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use std::rc::Rc;

/// Of a bucket that did not remain.
const CUT_OFF: u32 = u32::MAX;

pub struct TermChildren<'a> {
    children: Children<'a>,
    /// Documents with the buckets that they fall in; `None` where they are collected at once.
    kept: Option<Replay<'a>>,
    budget: Rc<Budget>,
}

impl<'a> TermChildren<'a> {
    pub fn new(children: Children<'a>, breadth_first: bool, budget: &Rc<Budget>) -> Self {
        let kept = (breadth_first && !children.is_empty()).then(Replay::default);
        TermChildren { children, kept, budget: Rc::clone(budget) }
    }

    pub fn is_empty(&self) -> bool {
        self.children.is_empty()
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        match &mut self.kept {
            Some(kept) => {
                kept.start_segment(segment);
                Ok(())
            }
            None => self.children.start_segment(segment),
        }
    }

    pub fn collect(&mut self, sent: &ChildBatch, window: u32, scored: bool) -> Result<()> {
        match (sent.batch(window, scored), &mut self.kept) {
            (None, _) => Ok(()),
            (Some(batch), Some(kept)) => kept.keep(&batch, &self.budget),
            (Some(batch), None) => self.children.collect(batch),
        }
    }

    /// Buckets with these counts, without what [`TermChildren::complete`] adds.
    pub fn finish_buckets(&mut self, counts: &[u64]) -> Result<Vec<Bucket>> {
        match self.kept {
            Some(_) => Ok(counts.iter().map(|&doc_count| Bucket { doc_count, aggs: Vec::new() }).collect()),
            None => self.children.finish_buckets(counts),
        }
    }

    /// Collects what lies below the buckets that remain of each owner. `number_of`: the number of a bucket by owner and key.
    pub fn complete(
        &mut self,
        partials: &mut [Partial],
        bucket_count: usize,
        number_of: impl Fn(u32, &TermKey) -> Option<u32>,
    ) -> Result<()> {
        let Some(kept) = self.kept.take() else { return Ok(()) };
        let mut slots = vec![CUT_OFF; bucket_count];
        let mut remaining: Vec<&mut Bucket> = Vec::new();
        for (owner, partial) in partials.iter_mut().enumerate() {
            let Partial::Terms(terms) = partial else { continue };
            for term in &mut terms.buckets {
                if let Some(number) = number_of(owner as u32, &term.key) {
                    slots[number as usize] = remaining.len() as u32;
                }
                remaining.push(&mut term.bucket);
            }
        }
        self.replay(&kept, &slots)?;
        let below = self.children.finish(remaining.len())?;
        for (bucket, aggs) in remaining.iter_mut().zip(below) {
            bucket.aggs = aggs;
        }
        Ok(())
    }

    fn replay(&mut self, kept: &Replay<'a>, slots: &[u32]) -> Result<()> {
        let mut sent = ChildBatch::default();
        for (segment, batches) in kept.segments() {
            self.children.start_segment(segment)?;
            for batch in batches.iter().map(|kept| kept.batch()) {
                sent.clear();
                let Owners::Each(buckets) = batch.owners else { continue };
                for (place, &bucket) in buckets.iter().enumerate() {
                    let slot = slots[bucket as usize];
                    if slot != CUT_OFF {
                        sent.push(&batch, place, slot);
                    }
                }
                sent.send(batch.window, batch.scores.is_some(), &mut self.children)?;
            }
        }
        Ok(())
    }
}
