//! Matches of one scorer; those that a second one matches as well score less.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_scores::scorer::WindowScorer;

pub struct BoostingScorer<'a> {
    positive: Box<dyn WindowScorer + 'a>,
    negative: Box<dyn WindowScorer + 'a>,
    negative_boost: f32,
    window: Option<u32>,
    negative_bits: WindowBits,
}

impl<'a> BoostingScorer<'a> {
    pub fn new(
        positive: Box<dyn WindowScorer + 'a>,
        negative: Box<dyn WindowScorer + 'a>,
        negative_boost: f32,
    ) -> Self {
        BoostingScorer { positive, negative, negative_boost, window: None, negative_bits: bits::EMPTY }
    }
}

impl WindowScorer for BoostingScorer<'_> {
    fn cost(&self) -> u64 {
        self.positive.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.positive.next_window(window)
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        Ok(self.positive.max_score(window)? * self.negative_boost.max(1.0))
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.positive.matches(window, bits)
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.positive.retain(window, bits)
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        if self.window != Some(window) {
            self.negative_bits = bits::EMPTY;
            if self.negative.next_window(window)? == window {
                self.negative.matches(window, &mut self.negative_bits)?;
            }
            self.window = Some(window);
        }
        let mut positive = vec![0f32; docs.len()];
        self.positive.score(window, docs, &mut positive)?;
        for ((&doc, total), score) in docs.iter().zip(scores).zip(positive) {
            let factor = if bits::contains(&self.negative_bits, doc) { self.negative_boost } else { 1.0 };
            *total += score * factor;
        }
        Ok(())
    }
}
