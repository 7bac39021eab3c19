//! Best documents of a disjunction: MaxScore, with the terms split anew for each window.
//!
//! In a window, the terms with the lowest bounds whose sum cannot reach the threshold are optional: a document needs one
//! of the others to compete. Documents of the needed terms are scored, the optional ones are probed for those that are
//! still in the race. Before anything is scored, the threshold starts at the best of the terms' stored tenth scores.

use crate::topk::leaf::{Buffers, Leaf, competing, slack, with_buffers};
use crate::topk::simd;
use crate::topk::{SegmentRun, TermClause, TopK};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, window_count};
use quarry_postings::PRIMED_DOCUMENTS;

/// A needed term's documents are spread over the accumulator when the needed terms have one document in this many.
const DENSE_SHARE: u64 = 24;

/// Best documents by the sum of the scores of any of the clauses (one clause: a term query).
pub fn top_union(clauses: &[TermClause<'_>], segment: &mut SegmentRun<'_>, top: &mut TopK) -> Result<()> {
    if clauses.is_empty() || top.k() == 0 {
        return Ok(());
    }
    let mut leaves = Leaf::open_all(clauses)?;
    if segment.accept.is_none() && top.k() <= PRIMED_DOCUMENTS {
        for leaf in &leaves {
            if leaf.tenth_best() > 0.0 {
                top.prime(leaf.tenth_best());
            }
        }
    }
    with_buffers(|buffers| {
        let mut union = Union { slack: slack(leaves.len()), order: Vec::with_capacity(leaves.len()), buffers };
        let mut window = 0;
        while let Some(next) = next_window(&mut leaves, window, segment.max_doc) {
            interrupt::check()?;
            union.window(next, &mut leaves, segment, top)?;
            window = next + 1;
        }
        Ok(())
    })
}

/// The first window that one of the terms may have.
#[inline]
pub(crate) fn next_window(leaves: &mut [Leaf<'_>], from: u32, max_doc: u32) -> Option<u32> {
    let next = leaves.iter_mut().map(|leaf| leaf.cursor.next_window(from)).min()?;
    (next < window_count(max_doc)).then_some(next)
}

struct Union<'b> {
    slack: f32,
    /// (bound, leaf) of the terms that the window has, ascending.
    order: Vec<(f32, usize)>,
    buffers: &'b mut Buffers,
}

impl Union<'_> {
    #[inline]
    fn window(
        &mut self,
        window: u32,
        leaves: &mut [Leaf<'_>],
        segment: &mut SegmentRun<'_>,
        top: &mut TopK,
    ) -> Result<()> {
        let threshold = top.threshold();
        if self.order_terms(window, leaves) <= threshold || self.order.is_empty() {
            return Ok(());
        }
        let (optional, optional_bound) = self.optional_terms(threshold);
        let threshold = competing(threshold, leaves.len());
        let above = threshold - optional_bound;
        let mut count = match &self.order[optional..] {
            [(_, needed)] => self.score_one(window, &mut leaves[*needed], above)?,
            needed => {
                let documents: u64 = needed.iter().map(|(_, leaf)| u64::from(leaves[*leaf].cursor.doc_freq())).sum();
                let weighty = needed.iter().all(|(_, leaf)| leaves[*leaf].clause.weight > 0.0);
                if weighty && documents * DENSE_SHARE > u64::from(segment.max_doc) {
                    self.score_dense(window, optional, leaves, threshold, above)?
                } else {
                    self.score_sparse(window, optional, leaves, above)?
                }
            }
        };
        count = self.buffers.keep_accepted(window, count, segment)?;
        count = self.probe_optional(window, optional, optional_bound, count, leaves, threshold)?;
        self.buffers.insert(window, count, leaves, segment, top)
    }

    /// Sorts the terms by their bounds in the window and gives the sum.
    #[inline]
    fn order_terms(&mut self, window: u32, leaves: &mut [Leaf<'_>]) -> f32 {
        self.order.clear();
        let mut total = 0.0;
        for (index, leaf) in leaves.iter_mut().enumerate() {
            let factor = leaf.factor_bound(window);
            if factor > 0.0 {
                let bound = factor * leaf.clause.weight * self.slack;
                total += bound;
                self.order.push((bound, index));
            }
        }
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        total
    }

    /// How many terms cannot reach the threshold together, and the sum of their bounds.
    #[inline]
    fn optional_terms(&self, threshold: f32) -> (usize, f32) {
        let (mut optional, mut sum) = (0, 0.0);
        while optional + 1 < self.order.len() && sum + self.order[optional].0 <= threshold {
            sum += self.order[optional].0;
            optional += 1;
        }
        (optional, sum)
    }

    #[inline]
    fn score_one(&mut self, window: u32, leaf: &mut Leaf<'_>, above: f32) -> Result<usize> {
        let Buffers { docs, freqs, scores, .. } = self.buffers;
        let decoded = leaf.decode(window, above, docs, freqs)?;
        leaf.score(window, docs, freqs, decoded, scores)?;
        Ok(self.buffers.keep_above(decoded.count, above))
    }

    fn accumulate(&mut self, window: u32, leaf: &mut Leaf<'_>, above: f32) -> Result<usize> {
        let Buffers { docs, freqs, term_scores, accumulator, .. } = self.buffers;
        let decoded = leaf.decode(window, above, docs, freqs)?;
        leaf.score(window, docs, freqs, decoded, term_scores)?;
        for (doc, score) in docs[..decoded.count].iter().zip(term_scores) {
            accumulator[usize::from(*doc) % WINDOW] += *score;
        }
        Ok(decoded.count)
    }

    fn score_dense(
        &mut self,
        window: u32,
        optional: usize,
        leaves: &mut [Leaf<'_>],
        threshold: f32,
        above: f32,
    ) -> Result<usize> {
        let total: f32 = self.order.iter().map(|(bound, _)| bound).sum();
        for place in optional..self.order.len() {
            let (bound, leaf) = self.order[place];
            // A document of this term alone gets at most its score and those of all the others.
            self.accumulate(window, &mut leaves[leaf], threshold - (total - bound).max(0.0) * self.slack)?;
        }
        let Buffers { docs, scores, accumulator, .. } = self.buffers;
        Ok(simd::drain_above(accumulator, above.max(0.0), docs, scores))
    }

    fn score_sparse(&mut self, window: u32, optional: usize, leaves: &mut [Leaf<'_>], above: f32) -> Result<usize> {
        let mut touched = [0u64; WINDOW_WORDS];
        for place in optional..self.order.len() {
            let count = self.accumulate(window, &mut leaves[self.order[place].1], -1.0)?;
            for doc in &self.buffers.docs[..count] {
                touched[usize::from(doc / 64) % WINDOW_WORDS] |= 1 << (doc % 64);
            }
        }
        let Buffers { docs, scores, accumulator, .. } = self.buffers;
        let mut count = 0;
        for (index, mut word) in (0u16..).zip(touched) {
            while word != 0 {
                let doc = index * 64 + word.trailing_zeros() as u16;
                docs[count] = doc;
                scores[count] = std::mem::take(&mut accumulator[usize::from(doc) % WINDOW]);
                count += 1;
                word &= word - 1;
            }
        }
        Ok(self.buffers.keep_above(count, above))
    }

    /// Adds the optional terms, the highest bound first, dropping documents that can no longer compete.
    fn probe_optional(
        &mut self,
        window: u32,
        optional: usize,
        optional_bound: f32,
        mut count: usize,
        leaves: &mut [Leaf<'_>],
        threshold: f32,
    ) -> Result<usize> {
        let mut rest = optional_bound;
        for place in (0..optional).rev() {
            if count == 0 {
                break;
            }
            let (bound, leaf) = self.order[place];
            let Buffers { docs, freqs, term_scores, .. } = self.buffers;
            leaves[leaf].probe_scores(window, docs, count, freqs, term_scores)?;
            self.buffers.add_term_scores(count);
            rest = (rest - bound).max(0.0);
            count = self.buffers.keep_above(count, threshold - rest);
        }
        Ok(count)
    }
}
