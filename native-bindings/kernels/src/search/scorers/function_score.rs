//! Matches of a query, scored by functions.

use super::bits;
use crate::error::{Error, Result};
use crate::search::functions::Modes;
use crate::search::functions::combine::{Factor, combine};
use crate::search::functions::function::SegmentFunction;
use crate::search::scorer::WindowScorer;
use crate::search::view::SegmentView;
use crate::window::{WINDOW, WindowBits};

/// A function over one segment.
pub struct FilteredFunction<'a> {
    pub filter: FunctionFilter<'a>,
    pub weight: Option<f64>,
    pub function: SegmentFunction<'a>,
}

/// For which documents a function counts.
pub enum FunctionFilter<'a> {
    Everything,
    Nothing,
    Scorer { scorer: Box<dyn WindowScorer + 'a>, bits: Box<WindowBits> },
}

impl FunctionFilter<'_> {
    fn load(&mut self, window: u32) -> Result<()> {
        if let FunctionFilter::Scorer { scorer, bits } = self {
            **bits = bits::EMPTY;
            if scorer.next_window(window)? == window {
                scorer.matches(window, bits)?;
            }
        }
        Ok(())
    }

    fn accepts(&self, doc: u16) -> bool {
        match self {
            FunctionFilter::Everything => true,
            FunctionFilter::Nothing => false,
            FunctionFilter::Scorer { bits, .. } => bits::contains(bits, doc),
        }
    }
}

pub struct FunctionScoreScorer<'a> {
    inner: Box<dyn WindowScorer + 'a>,
    functions: Vec<FilteredFunction<'a>>,
    modes: Modes,
    min_score: Option<f32>,
    segment: &'a SegmentView,
    /// Path of the nested documents that are scored; empty for the roots.
    scope: &'a str,
    window: Option<u32>,
    matched: WindowBits,
}

impl<'a> FunctionScoreScorer<'a> {
    pub fn new(
        inner: Box<dyn WindowScorer + 'a>,
        functions: Vec<FilteredFunction<'a>>,
        modes: Modes,
        min_score: Option<f32>,
        (segment, scope): (&'a SegmentView, &'a str),
    ) -> Self {
        FunctionScoreScorer { inner, functions, modes, min_score, segment, scope, window: None, matched: bits::EMPTY }
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == Some(window) {
            return Ok(());
        }
        self.matched = bits::EMPTY;
        self.window = Some(window);
        self.inner.matches(window, &mut self.matched)?;
        for function in &mut self.functions {
            function.filter.load(window)?;
        }
        let Some(least) = self.min_score else { return Ok(()) };
        // Functions may fail on documents that nobody sees.
        self.segment.retain_scope(window, &mut self.matched, self.scope)?;
        let mut docs = Vec::new();
        bits::list(&self.matched, &mut docs);
        let scores = self.computed(window, &docs)?;
        let mut kept = bits::EMPTY;
        for (&doc, score) in docs.iter().zip(scores) {
            if score >= least {
                bits::set(&mut kept, doc);
            }
        }
        self.matched = kept;
        Ok(())
    }

    /// The scores of documents that the inner query matches.
    fn computed(&mut self, window: u32, docs: &[u16]) -> Result<Vec<f32>> {
        let mut scores = vec![0f32; docs.len()];
        self.inner.score(window, docs, &mut scores)?;
        for (&doc, score) in docs.iter().zip(&mut scores) {
            let combined = combine(self.modes, *score, self.factor(window, doc, *score)?);
            if combined.is_nan() || combined < 0.0 || combined == f32::INFINITY {
                return Err(invalid(combined, self.segment.doc_base + window * WINDOW as u32 + u32::from(doc)));
            }
            *score = combined;
        }
        Ok(scores)
    }

    fn factor(&mut self, window: u32, doc: u16, score: f32) -> Result<f64> {
        let mut factor = Factor::new(self.modes.score);
        for FilteredFunction { filter, weight, function } in &mut self.functions {
            if factor.is_settled() {
                break;
            }
            if filter.accepts(doc) {
                let weight = weight.unwrap_or(1.0);
                factor.add(function.value(window, doc, score)? * weight, weight);
            }
        }
        Ok(factor.value())
    }
}

fn invalid(score: f32, doc: u32) -> Error {
    Error::illegal_argument(format!("function score query returned an invalid score: {score} for doc: {doc}"))
}

impl WindowScorer for FunctionScoreScorer<'_> {
    fn cost(&self) -> u64 {
        self.inner.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.inner.next_window(window)
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(f32::INFINITY)
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::or(bits, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        let is_matched = |&(_, &doc): &(usize, &u16)| bits::contains(&self.matched, doc);
        let (places, matched): (Vec<usize>, Vec<u16>) =
            docs.iter().enumerate().filter(is_matched).map(|(place, &doc)| (place, doc)).unzip();
        for (place, score) in places.into_iter().zip(self.computed(window, &matched)?) {
            scores[place] += score;
        }
        Ok(())
    }
}
