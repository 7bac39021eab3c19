//! The `script` query, which asks a script of each document, and `script_score`, which has one compute the score.

use super::docs::SegmentDocs;
use crate::scorers::bits;
use crate::view::SegmentView;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use quarry_scores::scorer::WindowScorer;
use quarry_script::Instance;

/// Documents for which a script is true. Each is asked once in a window; deleted ones are not.
pub struct ScriptScorer<'a> {
    segment: &'a SegmentView,
    docs: SegmentDocs<'a>,
    instance: Instance,
    score: f32,
    /// Path of the nested documents that it is asked for; empty for the roots.
    scope: &'a str,
    window: u32,
    asked: WindowBits,
    matched: WindowBits,
}

impl<'a> ScriptScorer<'a> {
    pub fn new(
        (segment, scope): (&'a SegmentView, &'a str),
        docs: SegmentDocs<'a>,
        instance: Instance,
        score: f32,
    ) -> Self {
        let (asked, matched) = (bits::EMPTY, bits::EMPTY);
        ScriptScorer { segment, docs, instance, score, scope, window: NO_MORE_WINDOWS, asked, matched }
    }

    /// Asks for those of the documents that were not asked for yet.
    fn ask(&mut self, window: u32, wanted: &WindowBits) -> Result<()> {
        if self.window != window {
            self.window = window;
            self.asked = bits::EMPTY;
            self.matched = bits::EMPTY;
        }
        let mut missing = *wanted;
        self.segment.retain_scope(window, &mut missing, self.scope)?;
        bits::and_not(&mut missing, &self.asked);
        bits::or(&mut self.asked, &missing);
        let mut docs = Vec::new();
        bits::list(&missing, &mut docs);
        for doc in docs {
            self.docs.at(window * WINDOW as u32 + u32::from(doc), None);
            if self.instance.run_bool(&mut self.docs)? {
                bits::set(&mut self.matched, doc);
            }
        }
        Ok(())
    }
}

impl WindowScorer for ScriptScorer<'_> {
    fn cost(&self) -> u64 {
        // Any other clause should go first.
        u64::from(self.segment.max_doc()).saturating_mul(100)
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        Ok(if window < self.segment.window_count() { window } else { NO_MORE_WINDOWS })
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(self.score)
    }

    fn matches(&mut self, window: u32, into: &mut WindowBits) -> Result<()> {
        let mut all = bits::EMPTY;
        bits::fill(window, self.segment.max_doc(), &mut all);
        self.ask(window, &all)?;
        bits::or(into, &self.matched);
        Ok(())
    }

    fn retain(&mut self, window: u32, kept: &mut WindowBits) -> Result<()> {
        self.ask(window, kept)?;
        bits::and(kept, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        if self.score == 0.0 {
            return Ok(());
        }
        let mut wanted = bits::EMPTY;
        docs.iter().for_each(|&doc| bits::set(&mut wanted, doc));
        self.ask(window, &wanted)?;
        for (&doc, total) in docs.iter().zip(scores) {
            if bits::contains(&self.matched, doc) {
                *total += self.score;
            }
        }
        Ok(())
    }
}

/// Matches of another scorer, with scores that a script computes.
pub struct ScriptScoreScorer<'a> {
    inner: Box<dyn WindowScorer + 'a>,
    segment: &'a SegmentView,
    /// Path of the nested documents that it scores; empty for the roots.
    scope: &'a str,
    docs: SegmentDocs<'a>,
    instance: Instance,
    /// The script reads `_score`.
    uses_score: bool,
    boost: f32,
    min_score: Option<f32>,
    window: u32,
    matched: WindowBits,
}

impl<'a> ScriptScoreScorer<'a> {
    pub fn new(
        inner: Box<dyn WindowScorer + 'a>,
        (segment, scope): (&'a SegmentView, &'a str),
        docs: SegmentDocs<'a>,
        instance: Instance,
        (boost, min_score): (f32, Option<f32>),
    ) -> Self {
        let uses_score = instance.program().uses_score;
        let (window, matched) = (NO_MORE_WINDOWS, bits::EMPTY);
        ScriptScoreScorer { inner, segment, scope, docs, instance, uses_score, boost, min_score, window, matched }
    }

    fn load(&mut self, window: u32) -> Result<()> {
        if self.window == window {
            return Ok(());
        }
        self.window = window;
        self.matched = bits::EMPTY;
        if self.inner.next_window(window)? == window {
            self.inner.matches(window, &mut self.matched)?;
        }
        let Some(min_score) = self.min_score else { return Ok(()) };
        self.segment.retain_scope(window, &mut self.matched, self.scope)?;
        let mut docs = Vec::new();
        bits::list(&self.matched, &mut docs);
        let scores = self.compute(window, &docs)?;
        for (doc, score) in docs.into_iter().zip(scores) {
            if score * self.boost < min_score {
                let mut below = bits::EMPTY;
                bits::set(&mut below, doc);
                bits::and_not(&mut self.matched, &below);
            }
        }
        Ok(())
    }

    /// The script's score of each of the documents.
    fn compute(&mut self, window: u32, docs: &[u16]) -> Result<Vec<f32>> {
        let mut scores = vec![0f32; docs.len()];
        if self.uses_score {
            self.inner.score(window, docs, &mut scores)?;
        }
        for (&doc, score) in docs.iter().zip(&mut scores) {
            let number = window * WINDOW as u32 + u32::from(doc);
            *score = script_score(&mut self.instance, &mut self.docs, number, *score)?;
        }
        Ok(scores)
    }
}

impl WindowScorer for ScriptScoreScorer<'_> {
    fn cost(&self) -> u64 {
        self.inner.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.inner.next_window(window)
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(f32::INFINITY)
    }

    fn matches(&mut self, window: u32, into: &mut WindowBits) -> Result<()> {
        self.load(window)?;
        bits::or(into, &self.matched);
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.load(window)?;
        let mine: Vec<u16> = docs.iter().copied().filter(|&doc| bits::contains(&self.matched, doc)).collect();
        let computed = self.compute(window, &mine)?;
        let mut all = mine.into_iter().zip(computed).peekable();
        for (&doc, total) in docs.iter().zip(scores) {
            if let Some((_, score)) = all.next_if(|(mine, _)| *mine == doc) {
                *total += score * self.boost;
            }
        }
        Ok(())
    }
}

/// The script's score of a document of the segment that a query scores `score`.
///
/// Errors: those of the script; `IllegalArgument` for a result that is no score.
fn script_score(script: &mut Instance, docs: &mut SegmentDocs<'_>, doc: u32, score: f32) -> Result<f32> {
    docs.at(doc, Some(f64::from(score)));
    let computed = script.run_double(docs)? as f32;
    if computed.is_nan() || computed < 0.0 {
        let shown = if computed.is_nan() { "NaN".into() } else { quarry_script::number::single_text(computed) };
        return Err(Error::illegal_argument(format!(
            "script_score script returned an invalid score [{shown}] for doc [{doc}]. Must be a non-negative score!"
        )));
    }
    Ok(computed)
}
