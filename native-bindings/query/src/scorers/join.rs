//! Documents whose parent's id was found on the other side of a relation.

use super::bits;
use crate::join::found::Found;
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_scores::scorer::WindowScorer;
use quarry_segment::column::ordinal::{OrdinalColumn, OrdinalWindow};

/// Remembers the documents of the window it was last asked for, as `matches` and `score` come in turn.
pub struct JoinScorer<'a> {
    /// The documents of this side.
    side: Box<dyn WindowScorer + 'a>,
    column: &'a OrdinalColumn,
    /// By the segment's ordinals.
    numbers: &'a [u32],
    found: &'a Found,
    boost: f32,
    window: Option<u32>,
    matched: WindowBits,
    decoded: OrdinalWindow,
}

impl<'a> JoinScorer<'a> {
    pub fn new(
        side: Box<dyn WindowScorer + 'a>,
        column: &'a OrdinalColumn,
        numbers: &'a [u32],
        found: &'a Found,
        boost: f32,
    ) -> Self {
        let decoded = OrdinalWindow::default();
        JoinScorer { side, column, numbers, found, boost, window: None, matched: bits::EMPTY, decoded }
    }

    /// The number of the parent of a document of the window, if that was found.
    fn found_of(&self, doc: u16) -> Option<u32> {
        let ordinals = self.decoded.ordinals_of(doc).iter();
        let mut numbers = ordinals.filter_map(|&ordinal| self.numbers.get(ordinal as usize).copied());
        numbers.find(|&number| self.found.contains(number))
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        self.window = Some(window);
        self.matched = bits::EMPTY;
        let mut of_side = bits::EMPTY;
        if self.side.next_window(window)? == window {
            self.side.matches(window, &mut of_side)?;
        }
        let mut docs = Vec::new();
        bits::list(&of_side, &mut docs);
        if !docs.is_empty() {
            self.column.decode_window(window, &mut self.decoded);
        }
        for doc in docs {
            if self.found_of(doc).is_some() {
                bits::set(&mut self.matched, doc);
            }
        }
        Ok(())
    }
}

impl WindowScorer for JoinScorer<'_> {
    fn cost(&self) -> u64 {
        self.side.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.side.next_window(window)
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(f32::INFINITY)
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::or(bits, &self.matched);
        Ok(())
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::and(bits, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        for (&doc, total) in docs.iter().zip(scores).filter(|(doc, _)| bits::contains(&self.matched, **doc)) {
            *total += self.found_of(doc).map_or(0.0, |number| self.found.score(number)) * self.boost;
        }
        Ok(())
    }
}
