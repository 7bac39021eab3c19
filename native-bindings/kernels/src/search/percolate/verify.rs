//! Puts stored queries to the documents.

use super::percolated::Percolated;
use super::stored::{StoredQuery, query_of};
use crate::error::Result;
use crate::search::collect::control::NEVER;
use crate::search::derived::view_of;
use crate::search::interrupt;
use crate::search::plan::request::SearchLimits;
use crate::search::scorers::bits;
use crate::search::view::{SegmentView, ShardView};
use crate::search::weight::{QueryEnv, compile};
use crate::segment::stored::StoredScratch;
use crate::window::WINDOW;
use std::ops::ControlFlow;
use std::sync::Arc;

/// The documents of a `percolate` query, ready for the queries of one field.
pub(in crate::search) struct Verifier {
    pub percolated: Percolated,
    /// The percolator field.
    pub field: String,
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
        let env = QueryEnv { now_ms, limits: limits.clone(), is_cancelled: NEVER };
        Ok(Verifier { percolated, field: field.to_owned(), env })
    }

    /// The query that a document of the shard holds.
    pub fn query_of(
        &self,
        segment: &SegmentView,
        doc: u32,
        scratch: &mut StoredScratch,
    ) -> Result<Option<Arc<StoredQuery>>> {
        interrupt::check()?;
        query_of(segment, &self.field, doc, scratch)
    }

    /// The best score that the query gives a document, or any where nobody asks for scores; `None` where it matches none.
    pub fn best(&self, stored: &StoredQuery, scoring: bool) -> Result<Option<f32>> {
        let mut best: Option<f32> = None;
        self.each_match(stored, scoring, |_, score| {
            best = Some(best.map_or(score, |best| best.max(score)));
            if scoring { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(best)
    }

    /// Places in the request of the documents that the query matches, ascending.
    pub fn slots(&self, stored: &StoredQuery) -> Result<Vec<usize>> {
        let mut slots = Vec::new();
        self.each_match(stored, false, |root, _| {
            slots.extend(self.percolated.slot_of(root));
            ControlFlow::Continue(())
        })?;
        Ok(slots)
    }

    fn each_match(
        &self,
        stored: &StoredQuery,
        scoring: bool,
        mut each: impl FnMut(u32, f32) -> ControlFlow<()>,
    ) -> Result<()> {
        let view = view_of(&self.percolated.view, stored.plan.as_bytes(), NEVER)?;
        let weight = compile(&view, &self.env, &stored.query, scoring)?;
        let mut docs = Vec::new();
        let mut scores = Vec::new();
        for segment in view.segments.iter() {
            let Some(mut scorer) = weight.scorer(segment)? else { continue };
            let mut window = scorer.next_window(0)?;
            while window < segment.window_count() {
                let mut matched = bits::EMPTY;
                scorer.matches(window, &mut matched)?;
                segment.retain_live(window, &mut matched);
                bits::list(&matched, &mut docs);
                scores.clear();
                scores.resize(docs.len(), 0.0);
                if scoring {
                    scorer.score(window, &docs, &mut scores)?;
                }
                for (&doc, &score) in docs.iter().zip(&scores) {
                    if each(window * WINDOW as u32 + u32::from(doc), score).is_break() {
                        return Ok(());
                    }
                }
                window = scorer.next_window(window + 1)?;
            }
        }
        Ok(())
    }
}
