//! Documents in which a tree of spans or intervals has a place, scored by how many and how narrow those are.

use super::Tree;
use super::leaves::{InDocument, Leaves};
use crate::scorers::bits;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_scores::bm25::NORM_OF_FIELD_WITHOUT_NORMS;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating::Rating;

/// How a sloppy frequency becomes a score.
#[derive(Clone, Copy)]
pub enum PositionalScore<'a> {
    /// Spans: as a phrase of that frequency.
    Rated { rating: &'a Rating, norms: Option<&'a [u8]> },
    /// Intervals: `weight * freq / (1 + freq)`.
    Saturation { weight: f32 },
}

impl PositionalScore<'_> {
    fn of(&self, freq: f32, doc: usize) -> Result<f32> {
        match self {
            PositionalScore::Rated { rating, norms } => {
                let norm = norms.and_then(|norms| norms.get(doc).copied());
                rating.score(freq, norm.unwrap_or(NORM_OF_FIELD_WITHOUT_NORMS))
            }
            PositionalScore::Saturation { weight } => Ok(weight * (1.0 - 1.0 / (1.0 + freq))),
        }
    }

    fn most(&self) -> f32 {
        match self {
            PositionalScore::Rated { rating, .. } => rating.bound(1.0),
            PositionalScore::Saturation { weight } => *weight,
        }
    }
}

/// A cancellation is looked at after so many documents.
const DOCUMENTS_PER_LOOK: usize = 64;

pub struct PositionalScorer<'a> {
    tree: &'a Tree,
    leaves: Leaves<'a>,
    score: PositionalScore<'a>,
    window: Option<u32>,
    /// Matches of the window with their frequencies.
    docs: Vec<u16>,
    freqs: Vec<f32>,
}

impl<'a> PositionalScorer<'a> {
    pub fn new(tree: &'a Tree, leaves: Leaves<'a>, score: PositionalScore<'a>) -> Self {
        PositionalScorer { tree, leaves, score, window: None, docs: Vec::new(), freqs: Vec::new() }
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        self.window = Some(window);
        self.leaves.load(window)?;
        let candidates = match self.tree {
            Tree::Spans(tree) => tree.candidates(&self.leaves),
            Tree::Intervals(tree) => tree.candidates(&self.leaves),
        };
        bits::list(&candidates, &mut self.docs);
        self.freqs.clear();
        let mut kept = 0;
        for place in 0..self.docs.len() {
            let doc = self.docs[place];
            if place.is_multiple_of(DOCUMENTS_PER_LOOK) {
                interrupt::check()?;
            }
            let mut at = InDocument { leaves: &mut self.leaves, window, doc };
            let freq = match self.tree {
                Tree::Spans(tree) => tree.freq(&mut at)?,
                Tree::Intervals(tree) => tree.freq(&mut at)?,
            };
            if freq > 0.0 {
                self.docs[kept] = doc;
                self.freqs.push(freq);
                kept += 1;
            }
        }
        self.docs.truncate(kept);
        Ok(())
    }
}

impl WindowScorer for PositionalScorer<'_> {
    fn cost(&self) -> u64 {
        self.leaves.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(self.leaves.next_window(window))
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(self.score.most())
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        self.docs.iter().for_each(|&doc| bits::set(bits, doc));
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        let mut at = 0;
        for (&doc, total) in docs.iter().zip(scores) {
            at += self.docs[at..].iter().take_while(|&&own| own < doc).count();
            if self.docs.get(at) == Some(&doc) {
                *total += self.score.of(self.freqs[at], window as usize * WINDOW + usize::from(doc))?;
            }
        }
        Ok(())
    }
}
