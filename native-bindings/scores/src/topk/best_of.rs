//! Best documents by the best score of several disjunctions, as one text that is looked for in several fields has them.
//!
//! A document that is among the best has its score from one of the unions, and is among the best of that one. So each is
//! walked by itself, under the threshold that those before it reached.

use crate::topk::union::top_union;
use crate::topk::{SegmentRun, TermClause, TopK};
use quarry_base::error::Result;
use rapidhash::RapidHashMap;

/// Best documents by the highest of the unions' scores.
pub fn top_best_of(unions: &[Vec<TermClause<'_>>], segment: &mut SegmentRun<'_>, top: &mut TopK) -> Result<()> {
    let mut best: RapidHashMap<u32, f32> = RapidHashMap::default();
    for clauses in unions {
        let mut own = TopK::new(top.k());
        own.prime(top.threshold().max(beaten_by(&best, top.k())));
        top_union(clauses, segment, &mut own)?;
        for found in own.into_sorted() {
            let score = best.entry(found.doc).or_insert(found.score);
            *score = score.max(found.score);
        }
    }
    for (doc, score) in best {
        top.insert(score, doc);
    }
    Ok(())
}

/// The highest score that `k` of the documents exceed: one that ties with the last of them may have a lower number.
fn beaten_by(best: &RapidHashMap<u32, f32>, k: usize) -> f32 {
    if k == 0 || best.len() < k {
        return f32::NEG_INFINITY;
    }
    let mut scores: Vec<f32> = best.values().copied().collect();
    let (_, last, _) = scores.select_nth_unstable_by(k - 1, |left, right| right.total_cmp(left));
    last.next_down()
}
