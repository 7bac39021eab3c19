//! Puts stored queries to the documents.

use super::compiled::{CompiledQuery, compiled_query};
use super::matching::{DocumentSet, Index, Matching};
use super::one_window::OneWindow;
use super::percolated::Percolated;
use super::segment_queries::SegmentQueries;
use super::stored::{StoredQuery, query_of};
use quarry_base::control::NEVER;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_plan::request::SearchLimits;
use quarry_query::scorers::bits;
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::Above;
use quarry_query::weight::{QueryEnv, weigh};
use quarry_segment::stored::StoredScratch;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The documents of a `percolate` query, ready for the queries of one field.
pub struct Verifier {
    pub percolated: Percolated,
    /// The percolator field.
    pub field: Arc<str>,
    env: QueryEnv<'static>,
}

impl Verifier {
    /// Errors: see [`Percolated::new`].
    pub fn new(
        view: &ShardView,
        field: &str,
        documents: &[String],
        (now_ms, limits): (i64, &SearchLimits),
    ) -> Result<Self> {
        let percolated = Percolated::new(view, documents)?;
        // Cancellation is looked at for each query, by whoever runs on this thread.
        let env = QueryEnv { now_ms, limits: limits.clone(), is_cancelled: NEVER, above: Above::NOTHING };
        Ok(Verifier { percolated, field: field.into(), env })
    }

    /// The query that a document of the shard holds.
    pub fn stored(
        &self,
        segment: &SegmentView,
        doc: u32,
        scratch: &mut StoredScratch,
    ) -> Result<Option<Arc<StoredQuery>>> {
        query_of(segment, &self.field, doc, scratch)
    }

    /// The same, ready to be put to the documents.
    pub fn compiled(
        &self,
        segment: &SegmentView,
        doc: u32,
        scratch: &mut StoredScratch,
    ) -> Result<Option<CompiledQuery>> {
        compiled_query(&self.percolated.view, &self.env, (segment, doc), &self.field, scratch)
    }

    /// The queries of a segment, to be put to the documents.
    pub fn queries<'a>(&'a self, segment: &'a SegmentView) -> SegmentQueries<'a> {
        SegmentQueries::new(self, &self.env, segment)
    }

    /// The best score that the query gives one of some documents that it matches.
    pub(super) fn best_of(&self, query: &CompiledQuery, matched: &WindowBits) -> Result<f32> {
        let mut best = f32::NEG_INFINITY;
        let view = &self.percolated.view;
        for segment in view.segments.iter() {
            let scored = Run { view, env: &self.env, segment, query }.scored(matched, true)?;
            best = scored.into_iter().fold(best, |best, (_, score)| best.max(score));
        }
        Ok(best)
    }

    /// The best score that the query gives a document, or any where nobody asks for scores; `None` where it matches none.
    pub(super) fn best(&self, query: &CompiledQuery, scoring: bool) -> Result<Option<f32>> {
        let mut best: Option<f32> = None;
        self.each_match(query, scoring, |_, score| {
            best = Some(best.map_or(score, |best| best.max(score)));
            if scoring { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(best)
    }

    /// Places in the request of the documents that the query matches, ascending.
    pub fn slots(&self, query: &CompiledQuery) -> Result<Vec<usize>> {
        let mut slots = Vec::new();
        self.each_match(query, false, |root, _| {
            slots.extend(self.percolated.slot_of(root));
            ControlFlow::Continue(())
        })?;
        Ok(slots)
    }

    fn each_match(
        &self,
        query: &CompiledQuery,
        scoring: bool,
        mut each: impl FnMut(u32, f32) -> ControlFlow<()>,
    ) -> Result<()> {
        interrupt::check()?;
        let view = query.computed.as_ref().unwrap_or(&self.percolated.view);
        for segment in view.segments.iter() {
            let run = Run { view, env: &self.env, segment, query };
            let ended = match self.percolated.few.as_ref().filter(|_| query.computed.is_none()) {
                _ if query.scores_decide() => run.of_windows(true, &mut each)?,
                Some(few) => run.of_matching(few, scoring, &mut each)?,
                None if segment.window_count() == 1 => {
                    // Fields that are computed have terms that the keys do not tell of.
                    let keys = self.percolated.keys.as_deref().filter(|_| query.computed.is_none());
                    run.of_matching(&OneWindow { segment, keys }, scoring, &mut each)?
                }
                None => run.of_windows(scoring, &mut each)?,
            };
            if ended.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// One query on one segment.
struct Run<'a> {
    view: &'a ShardView,
    env: &'a QueryEnv<'a>,
    segment: &'a SegmentView,
    query: &'a CompiledQuery,
}

impl Run<'_> {
    /// Scores only what matches, in a segment of one window.
    fn of_matching(
        &self,
        index: &impl Index,
        scoring: bool,
        each: &mut impl FnMut(u32, f32) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>> {
        let Run { view, env, segment, query } = *self;
        let matched = Matching { view, env, segment, index }.of(query.node())?;
        if matched.is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let scored = self.scored(&index.to_window(&matched), scoring)?;
        Ok(scored.into_iter().try_for_each(|(doc, score)| each(doc.into(), score)))
    }

    /// The documents among those that match in the first window, with their scores (0 where nobody asks for them).
    fn scored(&self, matched: &WindowBits, scoring: bool) -> Result<Vec<(u16, f32)>> {
        let Run { view, env, segment, query } = *self;
        let mut matched = *matched;
        segment.retain_live(0, &mut matched);
        let mut docs = Vec::new();
        bits::list(&matched, &mut docs);
        let mut scores = vec![0.0; docs.len()];
        if scoring && !docs.is_empty() {
            let weight = weigh(view, env, query.node(), Some(1.0))?;
            if let Some(mut scorer) = weight.scorer(segment)? {
                scorer.score(0, &docs, &mut scores)?;
            }
        }
        Ok(docs.into_iter().zip(scores).collect())
    }

    fn of_windows(&self, scoring: bool, each: &mut impl FnMut(u32, f32) -> ControlFlow<()>) -> Result<ControlFlow<()>> {
        let weight = weigh(self.view, self.env, self.query.node(), scoring.then_some(1.0))?;
        let Some(mut scorer) = weight.scorer(self.segment)? else { return Ok(ControlFlow::Continue(())) };
        let (mut docs, mut scores) = (Vec::new(), Vec::new());
        let mut window = scorer.next_window(0)?;
        while window < self.segment.window_count() {
            let mut matched = bits::EMPTY;
            scorer.matches(window, &mut matched)?;
            self.segment.retain_live(window, &mut matched);
            bits::list(&matched, &mut docs);
            scores.clear();
            scores.resize(docs.len(), 0.0);
            if scoring {
                scorer.score(window, &docs, &mut scores)?;
            }
            for (&doc, &score) in docs.iter().zip(&scores) {
                if each(window * WINDOW as u32 + u32::from(doc), score).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            window = scorer.next_window(window + 1)?;
        }
        Ok(ControlFlow::Continue(()))
    }
}
