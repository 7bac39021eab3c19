//! The best score of several scorers, and a share of the others'.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WindowBits};
use quarry_scores::scorer::WindowScorer;

pub struct DisMaxScorer<'a> {
    parts: Vec<Box<dyn WindowScorer + 'a>>,
    tie_breaker: f32,
    window: Option<u32>,
    part_bits: Vec<WindowBits>,
}

impl<'a> DisMaxScorer<'a> {
    pub fn new(parts: Vec<Box<dyn WindowScorer + 'a>>, tie_breaker: f32) -> Self {
        let part_bits = vec![bits::EMPTY; parts.len()];
        DisMaxScorer { parts, tie_breaker, window: None, part_bits }
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        for (part, bits) in self.parts.iter_mut().zip(&mut self.part_bits) {
            *bits = bits::EMPTY;
            if part.next_window(window)? == window {
                part.matches(window, bits)?;
            }
        }
        self.window = Some(window);
        Ok(())
    }
}

impl WindowScorer for DisMaxScorer<'_> {
    fn cost(&self) -> u64 {
        self.parts.iter().map(|part| part.cost()).sum()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let mut first = NO_MORE_WINDOWS;
        for part in &mut self.parts {
            first = first.min(part.next_window(window)?);
        }
        Ok(first)
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        let (mut best, mut sum) = (0f32, 0f32);
        for part in &mut self.parts {
            let score = part.max_score(window)?;
            best = best.max(score);
            sum += score;
        }
        Ok(if self.tie_breaker == 0.0 { best } else { best + (sum - best) * self.tie_breaker })
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        for part in &self.part_bits {
            bits::or(bits, part);
        }
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        let mut best = vec![0f32; docs.len()];
        let mut others = vec![0f32; docs.len()];
        let mut part_docs = Vec::new();
        let mut places = Vec::new();
        for (part, bits) in self.parts.iter_mut().zip(&self.part_bits) {
            part_docs.clear();
            places.clear();
            for (place, &doc) in docs.iter().enumerate() {
                if bits::contains(bits, doc) {
                    part_docs.push(doc);
                    places.push(place);
                }
            }
            if part_docs.is_empty() {
                continue;
            }
            let mut part_scores = vec![0f32; part_docs.len()];
            part.score(window, &part_docs, &mut part_scores)?;
            for (&place, &score) in places.iter().zip(&part_scores) {
                others[place] += score.min(best[place]);
                best[place] = best[place].max(score);
            }
        }
        for ((total, best), others) in scores.iter_mut().zip(best).zip(others) {
            *total += best + others * self.tie_breaker;
        }
        Ok(())
    }
}
