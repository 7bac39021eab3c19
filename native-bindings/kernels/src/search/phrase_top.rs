//! Best documents of a phrase, and their number.
//!
//! Positions are read last: only in documents that have all the terms, and, for the best ones, only where the frequency
//! of the document's rarest term would be enough to compete.

use super::phrase::PhraseRun;
use super::topk::{PhraseClause, SegmentRun, TopK};
use super::topk_leaf::{Buffers, with_buffers};
use super::topk_simd;
use crate::error::Result;
use crate::postings::cursor::SATURATED;
use crate::window::WINDOW;

/// Best documents of a phrase.
pub fn top_phrase(phrase: &PhraseClause<'_>, segment: &mut SegmentRun<'_>, top: &mut TopK) -> Result<()> {
    if top.k() == 0 {
        return Ok(());
    }
    let mut run = PhraseRun::open(phrase.clone())?;
    with_buffers(|buffers| {
        let mut window = 0;
        while let Some(next) = run.next_window(window) {
            if run.window_bound(next) > top.threshold() {
                top_of_window(next, &mut run, buffers, segment, top)?;
            }
            window = next + 1;
        }
        Ok(())
    })
}

fn top_of_window(
    window: u32,
    run: &mut PhraseRun<'_>,
    buffers: &mut Buffers,
    segment: &mut SegmentRun<'_>,
    top: &mut TopK,
) -> Result<()> {
    let candidates = run.candidates(window, buffers)?;
    let mut count = buffers.keep_accepted(window, candidates, segment)?;
    let (norms, similarity, weight) = (run.norms(window)?, run.clause().similarity, run.clause().weight);
    if top.threshold() >= 0.0 && count > 0 {
        run.freq_bounds(window, count, buffers)?;
        let Buffers { docs, freqs, scores, .. } = buffers;
        topk_simd::score(docs, freqs, count, norms, similarity.inverse(), weight, scores);
        for index in (0..count).filter(|index| freqs[*index] == SATURATED) {
            scores[index] = weight;
        }
        count = buffers.keep_above(count, top.threshold());
    } else {
        buffers.scores[..count].fill(f32::INFINITY);
    }
    if count == 0 {
        return Ok(());
    }
    run.locate(window, &buffers.docs[..count])?;
    let first = segment.doc_base + window * WINDOW as u32;
    for (index, (&doc, &bound)) in buffers.docs[..count].iter().zip(&buffers.scores).enumerate() {
        if bound <= top.threshold() {
            continue;
        }
        let freq = run.freq(index, false)?;
        if freq > 0.0 {
            top.insert(similarity.score(weight, freq, norms[usize::from(doc)]), first + u32::from(doc));
        }
    }
    Ok(())
}

/// Documents that hold the phrase.
pub fn count_phrase(phrase: &PhraseClause<'_>, segment: &mut SegmentRun<'_>) -> Result<u64> {
    let mut run = PhraseRun::open(phrase.clone())?;
    with_buffers(|buffers| {
        let (mut total, mut window) = (0, 0);
        while let Some(next) = run.next_window(window) {
            let candidates = run.candidates(next, buffers)?;
            let count = buffers.keep_accepted(next, candidates, segment)?;
            if count > 0 {
                run.locate(next, &buffers.docs[..count])?;
            }
            for index in 0..count {
                total += u64::from(run.freq(index, true)? > 0.0);
            }
            window = next + 1;
        }
        Ok(total)
    })
}
