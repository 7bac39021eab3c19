//! Documents that are kept to be collected once more, when it is known which buckets remain.

use crate::budget::Budget;
use crate::collect::{Batch, Owners};
use quarry_base::error::Result;
use quarry_query::view::SegmentView;

#[derive(Default)]
pub struct Replay<'a> {
    segments: Vec<(&'a SegmentView, Vec<KeptBatch>)>,
}

pub struct KeptBatch {
    window: u32,
    docs: Vec<u16>,
    owners: Option<Vec<u32>>,
    scores: Option<Vec<f32>>,
}

impl KeptBatch {
    pub fn batch(&self) -> Batch<'_> {
        Batch {
            window: self.window,
            docs: &self.docs,
            owners: self.owners.as_deref().map_or(Owners::Root, Owners::Each),
            scores: self.scores.as_deref(),
        }
    }
}

impl<'a> Replay<'a> {
    pub fn start_segment(&mut self, segment: &'a SegmentView) {
        self.segments.push((segment, Vec::new()));
    }

    pub fn keep(&mut self, batch: &Batch<'_>, budget: &Budget) -> Result<()> {
        let owners = match batch.owners {
            Owners::Root => None,
            Owners::Same(owner) => Some(vec![owner; batch.docs.len()]),
            Owners::Each(owners) => Some(owners.to_vec()),
        };
        let each = 2 + owners.as_ref().map_or(0, |_| 4) + batch.scores.map_or(0, |_| 4);
        budget.take_bytes(batch.docs.len() * each)?;
        if let Some((_, batches)) = self.segments.last_mut() {
            let scores = batch.scores.map(<[f32]>::to_vec);
            batches.push(KeptBatch { window: batch.window, docs: batch.docs.to_vec(), owners, scores });
        }
        Ok(())
    }

    /// In the order in which they were kept.
    pub fn segments(&self) -> impl Iterator<Item = (&'a SegmentView, &[KeptBatch])> {
        self.segments.iter().map(|(segment, batches)| (*segment, batches.as_slice()))
    }
}
