//! Documents that match as many of several scorers as a field of theirs says; scores added.

use super::bits;
use crate::error::Result;
use crate::search::scorer::WindowScorer;
use crate::segment::column::numeric::{NumericColumn, NumericWindow};
use crate::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};

pub struct CoveringScorer<'a> {
    parts: Vec<Box<dyn WindowScorer + 'a>>,
    /// How many parts must match, at least one.
    minimum: &'a NumericColumn,
    window: Option<u32>,
    matched: WindowBits,
}

impl<'a> CoveringScorer<'a> {
    pub fn new(parts: Vec<Box<dyn WindowScorer + 'a>>, minimum: &'a NumericColumn) -> Self {
        CoveringScorer { parts, minimum, window: None, matched: bits::EMPTY }
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        self.window = Some(window);
        self.matched = bits::EMPTY;
        let mut counts = vec![0i64; WINDOW];
        let mut docs = Vec::new();
        for part in &mut self.parts {
            if part.next_window(window)? != window {
                continue;
            }
            let mut own = bits::EMPTY;
            part.matches(window, &mut own)?;
            bits::list(&own, &mut docs);
            docs.iter().for_each(|&doc| counts[usize::from(doc)] += 1);
        }
        let mut wanted = NumericWindow::default();
        self.minimum.decode_window(window, &mut wanted);
        bits::list(&wanted.present, &mut docs);
        for &doc in &docs {
            let least = wanted.values_of(doc).first().map_or(i64::MAX, |&least| least.max(1));
            if counts[usize::from(doc)] >= least {
                bits::set(&mut self.matched, doc);
            }
        }
        Ok(())
    }
}

impl WindowScorer for CoveringScorer<'_> {
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
        let mut sum = 0.0;
        for part in &mut self.parts {
            if part.next_window(window)? == window {
                sum += part.max_score(window)?;
            }
        }
        Ok(sum)
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::or(bits, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        let mut sums = vec![0f32; docs.len()];
        for part in &mut self.parts {
            if part.next_window(window)? == window {
                part.score(window, docs, &mut sums)?;
            }
        }
        for ((&doc, total), sum) in docs.iter().zip(scores).zip(sums) {
            if bits::contains(&self.matched, doc) {
                *total += sum;
            }
        }
        Ok(())
    }
}
