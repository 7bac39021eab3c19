//! One term while its windows are walked, and the room that executors work in.

use crate::bm25::NORM_OF_FIELD_WITHOUT_NORMS;
use crate::similarity::rating::Rating;
use crate::topk::simd::{self, Accumulator, WindowNorms, WindowScores};
use crate::topk::{SegmentRun, TermClause, TopK};
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, WINDOW_WORDS};
use quarry_postings::BoundScale;
use quarry_postings::cursor::{CommonDocs, Decoded, SATURATED, TermCursor, WINDOW_ROOM, WindowDocs, WindowFreqs};
use std::cell::RefCell;

static NO_NORMS: WindowNorms = [NORM_OF_FIELD_WITHOUT_NORMS; WINDOW];

/// The norms of one window.
#[inline]
pub(crate) fn window_norms(norms: Option<&[u8]>, window: u32) -> Result<&WindowNorms> {
    let Some(norms) = norms else { return Ok(&NO_NORMS) };
    let from = norms.get(window as usize * WINDOW..).and_then(<[u8]>::first_chunk);
    from.ok_or_else(|| Error::internal("norms are not padded to whole windows"))
}

/// Relative error of adding one more score to a sum, generously.
const ROUNDING_OF_EACH_TERM: f32 = 2.5e-7;

/// The factor by which bounds are enlarged before they are added up: sums of bounds and of scores are rounded in
/// different orders.
pub(crate) fn slack(terms: usize) -> f32 {
    1.0 + ROUNDING_OF_EACH_TERM * (terms as f32 + 4.0)
}

/// What a rounded sum of scores must exceed so that the exact sum may exceed `threshold`. Sums of two are exact.
#[inline]
pub(crate) fn competing(threshold: f32, terms: usize) -> f32 {
    if terms > 2 && threshold > 0.0 { threshold / slack(terms) } else { threshold }
}

/// A term's cursor with what scoring needs.
pub(crate) struct Leaf<'a> {
    pub(crate) cursor: TermCursor<'a>,
    pub(crate) clause: TermClause<'a>,
    scale: BoundScale,
}

impl<'a> Leaf<'a> {
    pub(crate) fn open(clause: &TermClause<'a>) -> Result<Self> {
        let cursor = clause.postings.cursor(&clause.entry)?;
        let scale = BoundScale::new(clause.similarity, clause.postings.average_length());
        Ok(Leaf { cursor, clause: *clause, scale })
    }

    pub(crate) fn open_all(clauses: &[TermClause<'a>]) -> Result<Vec<Self>> {
        clauses.iter().map(Leaf::open).collect()
    }

    /// At least as high as any of the window's scores; 0 for a window without documents.
    #[inline]
    pub(crate) fn window_bound(&mut self, window: u32) -> f32 {
        self.factor_bound(window) * self.clause.weight
    }

    /// The same without the weight.
    #[inline]
    pub(crate) fn factor_bound(&mut self, window: u32) -> f32 {
        self.scale.upper(self.cursor.window_bound(window))
    }

    /// Ten documents of the segment score more than this; 0 where unknown.
    pub(crate) fn tenth_best(&self) -> f32 {
        self.scale.lower(self.cursor.tenth_best()) * self.clause.weight
    }

    /// Decodes the documents that may score more than `above`.
    #[inline]
    pub(crate) fn decode(
        &mut self,
        window: u32,
        above: f32,
        docs: &mut WindowDocs,
        freqs: &mut WindowFreqs,
    ) -> Result<Decoded> {
        let stored = self.scale.stored(above / self.clause.weight);
        let stored = if stored.is_nan() || above < 0.0 { -1.0 } else { stored };
        self.cursor.decode(window, stored, docs, freqs)
    }

    /// Scores the first `count` of `docs` by `freqs`, which decoding or probing gave; a frequency of 0 scores 0.
    #[inline]
    pub(crate) fn score(
        &mut self,
        window: u32,
        docs: &WindowDocs,
        freqs: &WindowFreqs,
        decoded: Decoded,
        scores: &mut WindowScores,
    ) -> Result<()> {
        let TermClause { similarity, weight, .. } = self.clause;
        let norms = window_norms(self.clause.norms, window)?;
        simd::score(docs, freqs, decoded.count, norms, similarity.inverse(), weight, scores);
        if decoded.has_large {
            for index in (0..decoded.count).filter(|index| freqs[*index] == SATURATED) {
                let doc = docs[index];
                let exact = self.cursor.exact_freq(window, doc)?;
                scores[index] = similarity.score(weight, exact as f32, norms[usize::from(doc)]);
            }
        }
        Ok(())
    }

    /// As [`Leaf::score`], by a similarity that knows one document at a time.
    pub(crate) fn rate(
        &mut self,
        window: u32,
        docs: &WindowDocs,
        freqs: &WindowFreqs,
        count: usize,
        rating: &Rating,
        scores: &mut WindowScores,
    ) -> Result<()> {
        let norms = window_norms(self.clause.norms, window)?;
        for index in 0..count {
            let doc = docs[index];
            let freq = match freqs[index] {
                SATURATED => self.cursor.exact_freq(window, doc)?,
                freq => u32::from(freq),
            };
            scores[index] = if freq == 0 { 0.0 } else { rating.score(freq as f32, norms[usize::from(doc)])? };
        }
        Ok(())
    }

    /// Scores of any documents of a window, 0 for those without the term.
    #[inline]
    pub(crate) fn probe_scores(
        &mut self,
        window: u32,
        docs: &WindowDocs,
        count: usize,
        freqs: &mut WindowFreqs,
        scores: &mut WindowScores,
    ) -> Result<()> {
        let has_large = self.cursor.probe(window, &docs[..count], freqs)?;
        self.score(window, docs, freqs, Decoded { count, has_large }, scores)
    }
}

/// What one query works in; kept by the thread between queries.
pub(crate) struct Buffers {
    pub(crate) docs: WindowDocs,
    pub(crate) freqs: WindowFreqs,
    pub(crate) scores: WindowScores,
    /// What two terms have in common.
    pub(crate) common: CommonDocs,
    /// Scores of one term, to be added.
    pub(crate) term_scores: WindowScores,
    /// Sums of scores by document; zero between windows.
    pub(crate) accumulator: Accumulator,
    /// Sums that do not depend on the order of their parts.
    pub(crate) exact: [f64; WINDOW],
}

thread_local! {
    static KEPT: RefCell<Option<Box<Buffers>>> = const { RefCell::new(None) };
}

/// Lends the thread's buffers to `work`.
pub(crate) fn with_buffers<T>(work: impl FnOnce(&mut Buffers) -> Result<T>) -> Result<T> {
    let mut buffers = KEPT.with_borrow_mut(Option::take).unwrap_or_else(|| {
        Box::new(Buffers {
            docs: [0; WINDOW_ROOM],
            freqs: [0; WINDOW_ROOM],
            common: CommonDocs::default(),
            scores: [0.0; WINDOW_ROOM],
            term_scores: [0.0; WINDOW_ROOM],
            accumulator: [0.0; WINDOW],
            exact: [0.0; WINDOW],
        })
    });
    let result = work(&mut buffers);
    // After an error the accumulator may not be zero.
    if result.is_ok() {
        KEPT.with_borrow_mut(|kept| *kept = Some(buffers));
    }
    result
}

impl Buffers {
    /// Adds the first `count` of `term_scores` to `scores`.
    #[inline]
    pub(crate) fn add_term_scores(&mut self, count: usize) {
        for (score, more) in self.scores[..count].iter_mut().zip(&self.term_scores) {
            *score += more;
        }
    }

    #[inline]
    pub(crate) fn keep_above(&mut self, count: usize, threshold: f32) -> usize {
        simd::keep_above(&mut self.docs, &mut self.scores, count, threshold)
    }

    /// Removes documents (and their scores) that may not be returned.
    pub(crate) fn keep_accepted(&mut self, window: u32, count: usize, segment: &mut SegmentRun<'_>) -> Result<usize> {
        let Some(accept) = segment.accept.as_deref_mut() else { return Ok(count) };
        let mut bits = [0u64; WINDOW_WORDS];
        for doc in &self.docs[..count] {
            bits[usize::from(doc / 64)] |= 1 << (doc % 64);
        }
        accept.retain(window, &mut bits)?;
        let mut kept = 0;
        for index in 0..count {
            let doc = self.docs[index];
            self.docs[kept] = doc;
            self.scores[kept] = self.scores[index];
            self.freqs[kept] = self.freqs[index];
            kept += (bits[usize::from(doc / 64)] >> (doc % 64) & 1) as usize;
        }
        Ok(kept)
    }

    /// Puts the first `count` documents in order of the clauses' scores into `top`. With three terms or more the
    /// accumulated scores depend on the order of addition, which differs from window to window: they are summed again,
    /// so that equal documents score equally.
    pub(crate) fn insert(
        &mut self,
        window: u32,
        count: usize,
        leaves: &mut [Leaf<'_>],
        segment: &SegmentRun<'_>,
        top: &mut TopK,
    ) -> Result<()> {
        if count > 0 && leaves.len() > 2 {
            self.exact[..count].fill(0.0);
            for leaf in leaves {
                leaf.probe_scores(window, &self.docs, count, &mut self.freqs, &mut self.term_scores)?;
                for (sum, score) in self.exact[..count].iter_mut().zip(&self.term_scores) {
                    *sum += f64::from(*score);
                }
            }
            for (score, sum) in self.scores[..count].iter_mut().zip(&self.exact) {
                *score = *sum as f32;
            }
        }
        let first = segment.doc_base + window * WINDOW as u32;
        for (doc, score) in self.docs[..count].iter().zip(&self.scores) {
            top.insert(*score, first + u32::from(*doc));
        }
        Ok(())
    }
}
