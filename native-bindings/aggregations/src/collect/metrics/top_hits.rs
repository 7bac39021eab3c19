//! `top_hits`: the best documents of each bucket, found here and fetched when the buckets that remain are known.

use crate::collect::tables::entry;
use crate::collect::{Batch, Collector, SortedHits};
use crate::partial::{Partial, PartialHit, PartialTopHits};
use quarry_base::error::Result;
use quarry_codec::window::WINDOW;
use quarry_query::sort::best::{Best, Ranks, SegmentKeys};
use quarry_query::sort::hit::Hit;
use quarry_query::sort::merge::merge_hits;
use quarry_query::view::SegmentView;

pub struct TopHitsCollector<'a> {
    of: &'a SortedHits<'a>,
    segment: Option<SegmentKeys<'a>>,
    owners: Vec<Owner>,
    ranks: Ranks,
}

/// The hits of one bucket.
#[derive(Debug, Clone)]
struct Owner {
    total: u64,
    max_score: f32,
    /// In order, of the segments finished so far.
    hits: Vec<Hit>,
    /// Of the current segment.
    best: Best,
}

impl Default for Owner {
    fn default() -> Self {
        Owner { total: 0, max_score: f32::NEG_INFINITY, hits: Vec::new(), best: Best::default() }
    }
}

impl<'a> TopHitsCollector<'a> {
    pub fn new(of: &'a SortedHits<'a>) -> Self {
        TopHitsCollector { of, segment: None, owners: Vec::new(), ranks: Ranks::new() }
    }

    fn end_segment(&mut self) -> Result<()> {
        let Some(segment) = self.segment.take() else { return Ok(()) };
        for owner in self.owners.iter_mut().filter(|owner| !owner.best.is_empty()) {
            let mut found = segment.hits(std::mem::take(&mut owner.best), self.of.keeps_scores())?;
            if self.of.is_by_score() {
                // What hits by score are sorted by is not shown.
                found.iter_mut().for_each(|hit| hit.sort.clear());
            }
            let before = std::mem::take(&mut owner.hits);
            owner.hits = merge_hits(&self.of.orders, before, found, self.of.window, |hit| hit)?;
        }
        Ok(())
    }
}

impl<'a> Collector<'a> for TopHitsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.end_segment()?;
        self.segment = Some(SegmentKeys::open(&self.of.keys, segment)?);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let Some(segment) = &mut self.segment else { return Ok(()) };
        let k = self.of.window;
        segment.load(batch.window, batch.docs, batch.scores.unwrap_or_default())?;
        for (place, &doc) in batch.docs.iter().enumerate() {
            let score = batch.scores.map_or(0.0, |scores| scores[place]);
            let owner = entry(&mut self.owners, batch.owners.of(place));
            owner.total += 1;
            owner.max_score = owner.max_score.max(score);
            if k > 0 {
                segment.ranks(doc, score, &mut self.ranks);
                owner.best.insert(k, &self.ranks, batch.window * WINDOW as u32 + u32::from(doc), score);
            }
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end_segment()?;
        self.owners.resize(owner_count, Owner::default());
        let keeps_scores = self.of.keeps_scores();
        let partial = |owner: Owner| {
            let hits = owner.hits.into_iter().map(|hit| PartialHit { hit, json: String::new() }).collect();
            let max_score = Some(owner.max_score).filter(|score| keeps_scores && score.is_finite());
            Partial::TopHits(PartialTopHits { total: owner.total, max_score, hits })
        };
        Ok(self.owners.drain(..).map(partial).collect())
    }
}
