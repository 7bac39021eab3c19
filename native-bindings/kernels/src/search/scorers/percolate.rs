//! Stored queries that may match, each put to the documents when somebody wants to know.

use super::bits;
use super::sets::{Bitmap, DocSet};
use crate::error::Result;
use crate::search::percolate::{CompiledQuery, Verifier};
use crate::search::scorer::WindowScorer;
use crate::search::view::SegmentView;
use crate::segment::stored::StoredScratch;
use crate::window::{WINDOW, WindowBits};

/// A query is put to the documents in the time in which other clauses go over so many documents.
const COST_OF_ONE: u64 = 1_000;

/// Queries that are looked up before the first of them is put to the documents.
const DOCUMENTS_AT_ONCE: usize = 64;

fn document(window: u32, doc: u16) -> u32 {
    window * WINDOW as u32 + u32::from(doc)
}

pub struct PercolateScorer<'a> {
    verifier: &'a Verifier,
    /// Path of the nested documents that hold the queries; empty for the roots.
    scope: &'a str,
    segment: &'a SegmentView,
    candidates: Bitmap,
    /// `None`: nobody asks for scores.
    boost: Option<f32>,
    /// What is known of the documents of this window: document, and score where its query matches.
    verified: (u32, Vec<(u16, Option<f32>)>),
    scratch: StoredScratch,
}

impl<'a> PercolateScorer<'a> {
    pub(in crate::search) fn new(
        (verifier, scope): (&'a Verifier, &'a str),
        segment: &'a SegmentView,
        candidates: Bitmap,
        boost: Option<f32>,
    ) -> Self {
        let scratch = StoredScratch::default();
        PercolateScorer { verifier, scope, segment, candidates, boost, verified: (0, Vec::new()), scratch }
    }

    /// Clears the bits of documents whose query does not match. All of them are candidates.
    fn verify(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        // What is deleted is not worth a look.
        self.segment.retain_scope(window, bits, self.scope)?;
        let mut docs = Vec::new();
        bits::list(bits, &mut docs);
        *bits = bits::EMPTY;
        for some in docs.chunks(DOCUMENTS_AT_ONCE) {
            let known = self.verifier.known(self.segment, some.iter().map(|&doc| document(window, doc)));
            for (&doc, known) in some.iter().zip(known) {
                if self.score_of(window, doc, known)?.is_some() {
                    bits::set(bits, doc);
                }
            }
        }
        Ok(())
    }

    /// `known`: the query of the document, if it is at hand.
    fn score_of(&mut self, window: u32, doc: u16, known: Option<CompiledQuery>) -> Result<Option<f32>> {
        if self.verified.0 != window {
            self.verified = (window, Vec::new());
        }
        let place = match self.verified.1.binary_search_by_key(&doc, |(known, _)| *known) {
            Ok(place) => return Ok(self.verified.1[place].1),
            Err(place) => place,
        };
        let compiled = match known {
            Some(known) => Some(known),
            None => self.verifier.compiled(self.segment, document(window, doc), &mut self.scratch)?,
        };
        let score = match compiled {
            Some(compiled) => self.verifier.best(&compiled, self.boost.is_some())?,
            None => None,
        };
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
                && let Some(score) = self.score_of(window, doc, None)?
            {
                *total += score * boost;
            }
        }
        Ok(())
    }
}
