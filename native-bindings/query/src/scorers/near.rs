//! All documents with a vector, by how near it is to one.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use quarry_scores::scorer::WindowScorer;
use quarry_segment::vectors::column::{ClosenessTo, VectorColumn};
use quarry_vectors::measure::Measure;

pub struct NearDocs<'a> {
    column: &'a VectorColumn,
    closeness: ClosenessTo<'a>,
    measure: Measure,
    /// Documents with a lower score do not match.
    least: f32,
    boost: f32,
}

impl<'a> NearDocs<'a> {
    pub fn new(column: &'a VectorColumn, closeness: ClosenessTo<'a>, measure: Measure, least: f32, boost: f32) -> Self {
        NearDocs { column, closeness, measure, least, boost }
    }

    /// Before it is boosted. `None`: the document has no vector.
    fn score_of(&self, window: u32, doc: u16) -> Option<f32> {
        let ordinal = self.column.ordinal(window * WINDOW as u32 + u32::from(doc))?;
        Some(self.measure.score((self.closeness)(ordinal)))
    }
}

impl WindowScorer for NearDocs<'_> {
    fn cost(&self) -> u64 {
        u64::from(self.column.count())
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let docs = self.column.docs();
        let first = docs.partition_point(|&doc| doc / (WINDOW as u32) < window);
        Ok(docs.get(first).map_or(NO_MORE_WINDOWS, |doc| doc / WINDOW as u32))
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(f32::INFINITY)
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let mut own = bits::EMPTY;
        self.column.has_value(window, &mut own);
        if self.least.is_finite() {
            let mut docs = Vec::new();
            bits::list(&own, &mut docs);
            docs.retain(|&doc| self.score_of(window, doc).is_some_and(|score| score >= self.least));
            own = bits::EMPTY;
            docs.iter().for_each(|&doc| bits::set(&mut own, doc));
        }
        bits::or(bits, &own);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        for (&doc, total) in docs.iter().zip(scores) {
            if let Some(score) = self.score_of(window, doc).filter(|&score| score >= self.least) {
                *total += score * self.boost;
            }
        }
        Ok(())
    }
}
