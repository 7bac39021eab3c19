//! The same score for every match.

use super::bits;
use super::sets::DocSet;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_scores::scorer::WindowScorer;

/// Remembers the documents of the window it was last asked for, as `matches` and `score` come in turn.
pub struct ConstantScorer<S> {
    set: S,
    score: f32,
    window: Option<u32>,
    bits: WindowBits,
}

impl<S: DocSet> ConstantScorer<S> {
    pub fn new(set: S, score: f32) -> Self {
        ConstantScorer { set, score, window: None, bits: bits::EMPTY }
    }

    fn load(&mut self, window: u32) -> Result<&WindowBits> {
        if self.window != Some(window) {
            self.bits = bits::EMPTY;
            self.set.add(window, &mut self.bits)?;
            self.window = Some(window);
        }
        Ok(&self.bits)
    }
}

impl<S: DocSet> WindowScorer for ConstantScorer<S> {
    fn cost(&self) -> u64 {
        self.set.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.set.next_window(window)
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(self.score)
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        bits::or(bits, self.load(window)?);
        Ok(())
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        bits::and(bits, self.load(window)?);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        if self.score == 0.0 {
            return Ok(());
        }
        let score = self.score;
        let matched = self.load(window)?;
        for (&doc, total) in docs.iter().zip(scores) {
            if bits::contains(matched, doc) {
                *total += score;
            }
        }
        Ok(())
    }
}

/// The documents that another scorer matches, as a set.
pub struct MatchedDocs<'a> {
    pub scorer: Box<dyn WindowScorer + 'a>,
}

impl DocSet for MatchedDocs<'_> {
    fn cost(&self) -> u64 {
        self.scorer.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.scorer.next_window(window)
    }

    fn add(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.scorer.matches(window, bits)
    }
}
