//! Matches of a query, scored by functions.

use super::bits;
use crate::functions::Modes;
use crate::functions::combine::{Factor, FunctionBound, combine, factor_bound};
use crate::functions::function::SegmentFunction;
use crate::view::SegmentView;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_scores::scorer::WindowScorer;

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
    /// Of the documents that are scored: places among those asked for, numbers, scores.
    scored: Scored,
    /// Of the functions, while the greatest score of a window is worked out.
    bounds: Vec<FunctionBound>,
}

/// Kept from window to window.
#[derive(Default)]
struct Scored {
    places: Vec<usize>,
    docs: Vec<u16>,
    scores: Vec<f32>,
}

impl<'a> FunctionScoreScorer<'a> {
    pub fn new(
        inner: Box<dyn WindowScorer + 'a>,
        functions: Vec<FilteredFunction<'a>>,
        modes: Modes,
        min_score: Option<f32>,
        (segment, scope): (&'a SegmentView, &'a str),
    ) -> Self {
        FunctionScoreScorer {
            inner,
            functions,
            modes,
            min_score,
            segment,
            scope,
            window: None,
            matched: bits::EMPTY,
            scored: Scored::default(),
            bounds: Vec::new(),
        }
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
        bits::list(&self.matched, &mut self.scored.docs);
        self.compute(window)?;
        let mut kept = bits::EMPTY;
        for (&doc, &score) in self.scored.docs.iter().zip(&self.scored.scores) {
            if score >= least {
                bits::set(&mut kept, doc);
            }
        }
        self.matched = kept;
        Ok(())
    }

    /// The scores of `scored.docs`, all of which the inner query matches.
    fn compute(&mut self, window: u32) -> Result<()> {
        let Scored { places, docs, mut scores } = std::mem::take(&mut self.scored);
        scores.clear();
        scores.resize(docs.len(), 0.0);
        self.inner.score(window, &docs, &mut scores)?;
        for (&doc, score) in docs.iter().zip(&mut scores) {
            let combined = combine(self.modes, *score, self.factor(window, doc, *score)?);
            if combined.is_nan() || combined < 0.0 || combined == f32::INFINITY {
                return Err(invalid(combined, self.segment.doc_base + window * WINDOW as u32 + u32::from(doc)));
            }
            *score = combined;
        }
        self.scored = Scored { places, docs, scores };
        Ok(())
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

    /// Finite only where no function can fail: documents that are passed over would not tell.
    fn max_score(&mut self, window: u32) -> Result<f32> {
        self.bounds.clear();
        for FilteredFunction { filter, weight, function } in &self.functions {
            let is_always = match filter {
                FunctionFilter::Everything => true,
                FunctionFilter::Nothing => continue,
                FunctionFilter::Scorer { .. } => false,
            };
            let (value, weight) = (function.max_value(window), weight.unwrap_or(1.0));
            self.bounds.push(FunctionBound { value, weight, is_always });
        }
        let factor = factor_bound(self.modes.score, &self.bounds);
        if factor.is_infinite() {
            return Ok(f32::INFINITY);
        }
        let score = combine(self.modes, self.inner.max_score(window)?, factor);
        // A limit below zero is an error of each document.
        Ok(if score.is_nan() || score < 0.0 { f32::INFINITY } else { score })
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::or(bits, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        self.scored.places.clear();
        self.scored.docs.clear();
        for (place, &doc) in docs.iter().enumerate() {
            if bits::contains(&self.matched, doc) {
                self.scored.places.push(place);
                self.scored.docs.push(doc);
            }
        }
        self.compute(window)?;
        for (&place, &score) in self.scored.places.iter().zip(&self.scored.scores) {
            scores[place] += score;
        }
        Ok(())
    }
}
