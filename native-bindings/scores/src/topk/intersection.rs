//! Best documents of a conjunction.
//!
//! Windows that some term lacks, or whose bounds together do not reach the threshold, are skipped. Of the others, either
//! the documents that the two rarest terms share are found first: bits are ANDed, arrays compared. Or, where the rarest
//! term's scores leave most documents behind, and for lists that are stored in other ways, that term is decoded and scored
//! alone. The other terms are probed for what is still in the race.

use crate::topk::count::{accepted, count_intersection};
use crate::topk::leaf::{Buffers, Leaf, competing, slack, with_buffers};
use crate::topk::lists::{Common, DocumentList, and_rarest, and_stored, common_documents, common_window, documents_of};
use crate::topk::{SegmentRun, TermClause, TopK};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW_WORDS, WindowBits};
use quarry_postings::cursor::Decoded;

/// Documents that the rarest two terms share are few where less than one in this many of the rarest term's is among them.
const FEW_SHARED: u32 = 4;

/// Where documents need more than this of the rarest term's bound from that term, most are left behind by its scores.
const STRONG_SHARE: f32 = 0.8;

/// Best documents that match all of the clauses.
pub fn top_intersection(clauses: &[TermClause<'_>], segment: &mut SegmentRun<'_>, top: &mut TopK) -> Result<()> {
    if let [_] = clauses {
        return crate::topk::union::top_union(clauses, segment, top);
    }
    if clauses.is_empty() || top.k() == 0 {
        return Ok(());
    }
    walk(clauses, segment, top, 0).map(|_| ())
}

/// As [`top_intersection`], and counts the documents that match: more than `enough` are not all counted.
pub fn top_and_count_intersection(
    clauses: &[TermClause<'_>],
    segment: &mut SegmentRun<'_>,
    top: &mut TopK,
    enough: u64,
) -> Result<u64> {
    if clauses.len() < 2 || top.k() == 0 {
        top_intersection(clauses, segment, top)?;
        return count_intersection(clauses, segment);
    }
    // One more is counted, to know that there are others.
    walk(clauses, segment, top, enough.saturating_add(1))
}

/// Counts until there are `counted` documents or more.
fn walk(clauses: &[TermClause<'_>], segment: &mut SegmentRun<'_>, top: &mut TopK, counted: u64) -> Result<u64> {
    let mut leaves = Leaf::open_all(clauses)?;
    leaves.sort_by_key(|leaf| leaf.cursor.doc_freq());
    with_buffers(|buffers| {
        let bounds = vec![0.0; leaves.len()];
        let mut intersection = Intersection { slack: slack(leaves.len()), bounds, buffers };
        let (mut total, mut window) = (0, 0);
        while let Some(next) = common_window(&mut leaves, Leaf::next_window, window, segment.max_doc) {
            interrupt::check()?;
            if total < counted {
                total += intersection.count_window(next, &mut leaves, segment, top)?;
            } else {
                intersection.window(next, &mut leaves, segment, top)?;
            }
            window = next + 1;
        }
        Ok(total)
    })
}

struct Intersection<'b> {
    slack: f32,
    /// The leaves' bounds in the window.
    bounds: Vec<f32>,
    buffers: &'b mut Buffers,
}

impl Intersection<'_> {
    /// Sets the leaves' bounds in the window and gives their sum.
    #[inline]
    fn bound_terms(&mut self, window: u32, leaves: &mut [Leaf<'_>]) -> f32 {
        let mut total = 0.0;
        for (leaf, bound) in leaves.iter_mut().zip(&mut self.bounds) {
            *bound = leaf.window_bound(window) * self.slack;
            total += *bound;
        }
        total
    }

    /// Inserts the best of the window's matches.
    #[inline]
    fn window(
        &mut self,
        window: u32,
        leaves: &mut [Leaf<'_>],
        segment: &mut SegmentRun<'_>,
        top: &mut TopK,
    ) -> Result<()> {
        let threshold = top.threshold();
        let total = self.bound_terms(window, leaves);
        if total <= threshold {
            return Ok(());
        }
        let threshold = competing(threshold, leaves.len());
        let (first, mut count) = self.first_candidates(window, leaves, threshold, total)?;
        let mut rest = total - self.bounds[..first].iter().sum::<f32>();
        for (leaf, bound) in leaves[first..].iter_mut().zip(&self.bounds[first..]) {
            if count == 0 {
                return Ok(());
            }
            count = self.buffers.add_required(window, leaf, count)?;
            rest = (rest - bound).max(0.0);
            count = self.buffers.keep_above(count, threshold - rest);
        }
        count = self.buffers.keep_accepted(window, count, segment)?;
        self.buffers.insert(window, count, leaves, segment, top)
    }

    /// As [`Self::window`], and gives the number of the window's matches.
    fn count_window(
        &mut self,
        window: u32,
        leaves: &mut [Leaf<'_>],
        segment: &mut SegmentRun<'_>,
        top: &mut TopK,
    ) -> Result<u64> {
        let mut bits = [0; WINDOW_WORDS];
        match common_documents(window, leaves, self.buffers, &mut bits)? {
            Common::Bits => {
                let count = accepted(window, &mut bits, segment)?;
                if count > 0 {
                    self.window(window, leaves, segment, top)?;
                }
                Ok(count)
            }
            Common::Documents(count) => {
                let count = self.buffers.keep_accepted(window, count, segment)?;
                self.score_matches(window, count, leaves, segment, top)?;
                Ok(count as u64)
            }
        }
    }

    /// Inserts the best of the window's matches, the first `count` of the buffers' documents.
    fn score_matches(
        &mut self,
        window: u32,
        mut count: usize,
        leaves: &mut [Leaf<'_>],
        segment: &SegmentRun<'_>,
        top: &mut TopK,
    ) -> Result<()> {
        let mut rest = self.bound_terms(window, leaves);
        if count == 0 || rest <= top.threshold() {
            return Ok(());
        }
        let threshold = competing(top.threshold(), leaves.len());
        self.buffers.scores[..count].fill(0.0);
        for (leaf, bound) in leaves.iter_mut().zip(&self.bounds) {
            let Buffers { docs, freqs, term_scores, .. } = &mut *self.buffers;
            leaf.probe_scores(window, docs, count, freqs, term_scores)?;
            self.buffers.add_term_scores(count);
            rest = (rest - bound).max(0.0);
            count = self.buffers.keep_above(count, threshold - rest);
        }
        self.buffers.insert(window, count, leaves, segment, top)
    }

    /// Candidates with what the first leaves score them, the number of those leaves, and of the candidates.
    #[inline]
    fn first_candidates(
        &mut self,
        window: u32,
        leaves: &mut [Leaf<'_>],
        threshold: f32,
        total: f32,
    ) -> Result<(usize, usize)> {
        let above = threshold - (total - self.bounds[0]).max(0.0) * self.slack;
        let Buffers { docs, scores, .. } = self.buffers;
        if let Some(bits) = common_bits(window, leaves, above > 0.0)? {
            let count = documents_of(&bits, docs);
            scores[..count].fill(0.0);
            return Ok((0, count));
        }
        if above <= self.bounds[0] * STRONG_SHARE
            && let Some(count) = self.buffers.first_common(window, leaves)?
        {
            let rest = (total - self.bounds[0] - self.bounds[1]).max(0.0) * self.slack;
            return Ok((2, self.buffers.keep_above(count, threshold - rest)));
        }
        let Buffers { docs, freqs, scores, .. } = self.buffers;
        let decoded: Decoded = leaves[0].decode(window, above, docs, freqs)?;
        leaves[0].score(window, docs, freqs, decoded, scores)?;
        Ok((1, self.buffers.keep_above(decoded.count, above)))
    }
}

/// The documents of all terms that are stored as bits, where the two rarest are. `None` as well where `may_prune` (documents
/// can be left behind by the rarest term's scores) and the rarest two share more than a few of its documents.
#[inline]
fn common_bits(window: u32, leaves: &[Leaf<'_>], may_prune: bool) -> Result<Option<WindowBits>> {
    let [rarest, next, others @ ..] = leaves else { return Ok(None) };
    let mut bits = [0; WINDOW_WORDS];
    let Some(of_rarest) = and_rarest(window, &rarest.cursor, &next.cursor, &mut bits)? else { return Ok(None) };
    if may_prune {
        let shared: u32 = bits.iter().map(|word| word.count_ones()).sum();
        let of_rarest: u32 = of_rarest.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
        if shared * FEW_SHARED >= of_rarest {
            return Ok(None);
        }
    }
    for leaf in others {
        if let Some(stored) = leaf.cursor.dense_bits(window)? {
            and_stored(&mut bits, stored);
        }
    }
    Ok(Some(bits))
}

impl Buffers {
    /// What the two rarest terms score the documents that have both, where these are better found first.
    #[inline]
    fn first_common(&mut self, window: u32, leaves: &mut [Leaf<'_>]) -> Result<Option<usize>> {
        let [first, second, ..] = leaves else { return Ok(None) };
        let Buffers { docs, scores, term_scores, common, .. } = self;
        let Some([of_first, of_second]) = first.cursor.decode_common(&second.cursor, window, common)? else {
            return Ok(None);
        };
        let count = of_first.count;
        first.score(window, &common.docs, &common.freqs[0], of_first, scores)?;
        second.score(window, &common.docs, &common.freqs[1], of_second, term_scores)?;
        docs[..count].copy_from_slice(&common.docs[..count]);
        self.add_term_scores(count);
        Ok(Some(count))
    }

    /// Adds the scores of a term that documents must have, and removes those that do not.
    #[inline]
    fn add_required(&mut self, window: u32, leaf: &mut Leaf<'_>, count: usize) -> Result<usize> {
        let has_large = leaf.cursor.probe(window, &self.docs[..count], &mut self.freqs)?;
        let mut kept = 0;
        for index in 0..count {
            self.docs[kept] = self.docs[index];
            self.scores[kept] = self.scores[index];
            let freq = self.freqs[index];
            self.freqs[kept] = freq;
            kept += usize::from(freq != 0);
        }
        leaf.score(window, &self.docs, &self.freqs, Decoded { count: kept, has_large }, &mut self.term_scores)?;
        self.add_term_scores(kept);
        Ok(kept)
    }
}
