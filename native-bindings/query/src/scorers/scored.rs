//! Documents that were found and scored beforehand.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use quarry_scores::scorer::WindowScorer;

/// A document of a segment and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    pub doc: u32,
    pub score: f32,
}

pub struct ScoredDocs<'a> {
    /// By document.
    found: &'a [Scored],
    boost: f32,
}

impl<'a> ScoredDocs<'a> {
    pub fn new(found: &'a [Scored], boost: f32) -> Self {
        ScoredDocs { found, boost }
    }

    fn within(&self, window: u32) -> &'a [Scored] {
        let start = self.found.partition_point(|scored| scored.doc / (WINDOW as u32) < window);
        let end = self.found.partition_point(|scored| scored.doc / (WINDOW as u32) <= window);
        &self.found[start..end]
    }
}

impl WindowScorer for ScoredDocs<'_> {
    fn cost(&self) -> u64 {
        self.found.len() as u64
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let first = self.found.partition_point(|scored| scored.doc / (WINDOW as u32) < window);
        Ok(self.found.get(first).map_or(NO_MORE_WINDOWS, |scored| scored.doc / WINDOW as u32))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        Ok(self.within(window).iter().map(|scored| scored.score * self.boost).fold(0.0, f32::max))
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        for scored in self.within(window) {
            bits::set(bits, (scored.doc % WINDOW as u32) as u16);
        }
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        let mut found = self.within(window).iter().peekable();
        for (&doc, total) in docs.iter().zip(scores) {
            let doc = window * WINDOW as u32 + u32::from(doc);
            while found.next_if(|scored| scored.doc < doc).is_some() {}
            if let Some(scored) = found.next_if(|scored| scored.doc == doc) {
                *total += scored.score * self.boost;
            }
        }
        Ok(())
    }
}
