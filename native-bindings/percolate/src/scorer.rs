//! Stored queries that may match, each put to the documents when somebody wants to know.

use crate::{SegmentQueries, Verifier};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_query::scorers::bits;
use quarry_query::scorers::sets::{Bitmap, DocSet};
use quarry_query::view::SegmentView;
use quarry_scores::scorer::WindowScorer;

/// A query is put to the documents in the time in which other clauses go over so many documents.
const COST_OF_ONE: u64 = 1_000;

/// Documents between looks for cancellation.
const DOCUMENTS_BETWEEN_LOOKS: usize = 64;

pub struct PercolateScorer<'a> {
    queries: SegmentQueries<'a>,
    /// Path of the nested documents that hold the queries; empty for the roots.
    scope: &'a str,
    segment: &'a SegmentView,
    candidates: Bitmap,
    /// `None`: nobody asks for scores.
    boost: Option<f32>,
    /// What is known of the documents of this window: document, and score where its query matches.
    verified: (u32, Vec<(u16, Option<f32>)>),
}

impl<'a> PercolateScorer<'a> {
    pub fn new(
        (verifier, scope): (&'a Verifier, &'a str),
        segment: &'a SegmentView,
        candidates: Bitmap,
        boost: Option<f32>,
    ) -> Self {
        let queries = verifier.queries(segment);
        PercolateScorer { queries, scope, segment, candidates, boost, verified: (0, Vec::new()) }
    }

    /// Clears the bits of documents whose query does not match. All of them are candidates.
    fn verify(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        // What is deleted is not worth a look.
        self.segment.retain_scope(window, bits, self.scope)?;
        let mut docs = Vec::new();
        bits::list(bits, &mut docs);
        *bits = bits::EMPTY;
        for some in docs.chunks(DOCUMENTS_BETWEEN_LOOKS) {
            interrupt::check()?;
            for &doc in some {
                if self.score_of(window, doc)?.is_some() {
                    bits::set(bits, doc);
                }
            }
        }
        Ok(())
    }

    fn score_of(&mut self, window: u32, doc: u16) -> Result<Option<f32>> {
        if self.verified.0 != window {
            self.verified = (window, Vec::new());
        }
        let known = &self.verified.1;
        // Documents ascend when they are looked at for the first time.
        let place = match known.last() {
            Some((last, _)) if *last >= doc => match known.binary_search_by_key(&doc, |(known, _)| *known) {
                Ok(place) => return Ok(known[place].1),
                Err(place) => place,
            },
            _ => known.len(),
        };
        let score = self.queries.best(window * WINDOW as u32 + u32::from(doc), self.boost.is_some())?;
        self.verified.1.insert(place, (doc, score));
        Ok(score)
    }
}

impl WindowScorer for PercolateScorer<'_> {
    fn cost(&self) -> u64 {
        self.candidates.cost().saturating_mul(COST_OF_ONE)
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.candidates.next_window(window)
    }

    fn max_score(&mut self, _window: u32) -> Result<f32> {
        Ok(if self.boost.is_some() { f32::INFINITY } else { 0.0 })
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let mut found = bits::EMPTY;
        self.candidates.add(window, &mut found)?;
        self.verify(window, &mut found)?;
        bits::or(bits, &found);
        Ok(())
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let mut found = bits::EMPTY;
        self.candidates.add(window, &mut found)?;
        bits::and(bits, &found);
        self.verify(window, bits)
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        let Some(boost) = self.boost else { return Ok(()) };
        let mut found = bits::EMPTY;
        self.candidates.add(window, &mut found)?;
        for (&doc, total) in docs.iter().zip(scores) {
            if bits::contains(&found, doc)
                && let Some(score) = self.score_of(window, doc)?
            {
                *total += score * boost;
            }
        }
        Ok(())
    }
}
