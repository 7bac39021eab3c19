//! Best documents of a phrase, and their number.
//!
//! Positions are read last: only in documents that have all the terms, and, for the best ones, only where the frequency
//! of the document's rarest term would be enough to compete.

use crate::topk::leaf::{Buffers, with_buffers};
use crate::topk::phrase::PhraseRun;
use crate::topk::phrase::batch::BATCH;
use crate::topk::phrase::pairs::OpenPhrase;
use crate::topk::simd;
use crate::topk::{PhraseClause, SegmentRun, TopK, count_union, top_union};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::WINDOW;
use quarry_postings::cursor::SATURATED;

/// Best documents of a phrase.
pub fn top_phrase(phrase: &PhraseClause<'_>, segment: &mut SegmentRun<'_>, top: &mut TopK) -> Result<()> {
    if top.k() == 0 {
        return Ok(());
    }
    let mut run = match OpenPhrase::open(phrase.clone())? {
        OpenPhrase::Nothing => return Ok(()),
        OpenPhrase::Listed(pair) => return top_union(&[pair], segment, top),
        OpenPhrase::Run(run) => run,
    };
    with_buffers(|buffers| {
        let mut window = 0;
        while let Some(next) = run.next_window(window) {
            interrupt::check()?;
            top_window(next, &mut run, buffers, segment, top)?;
            window = next + 1;
        }
        Ok(())
    })
}

/// Best documents of a window.
fn top_window(
    window: u32,
    run: &mut PhraseRun<'_>,
    buffers: &mut Buffers,
    segment: &mut SegmentRun<'_>,
    top: &mut TopK,
) -> Result<()> {
    if run.window_bound(window) > top.threshold() {
        let mut count = candidates(window, run, buffers, segment)?;
        bound_scores(window, count, run, buffers, top.threshold())?;
        count = buffers.keep_above(count, top.threshold());
        insert_matches(window, count, run, buffers, segment, top, false)?;
    }
    Ok(())
}

/// Best documents of a phrase, and the number of all that hold it: less work than one after the other. Once more than
/// `enough` were counted, others are not.
pub fn top_and_count_phrase(
    phrase: &PhraseClause<'_>,
    segment: &mut SegmentRun<'_>,
    top: &mut TopK,
    enough: u64,
) -> Result<u64> {
    let mut run = match OpenPhrase::open(phrase.clone())? {
        OpenPhrase::Nothing => return Ok(0),
        OpenPhrase::Listed(pair) => {
            top_union(&[pair], segment, top)?;
            return count_union(&[pair], segment);
        }
        OpenPhrase::Run(run) => run,
    };
    with_buffers(|buffers| {
        let (mut total, mut window) = (0, 0);
        while let Some(next) = run.next_window(window) {
            interrupt::check()?;
            if total > enough {
                top_window(next, &mut run, buffers, segment, top)?;
            } else {
                let count = candidates(next, &mut run, buffers, segment)?;
                // Positions of all of them are read: bounds would save nothing.
                buffers.scores[..count].fill(f32::INFINITY);
                total += insert_matches(next, count, &mut run, buffers, segment, top, true)?;
            }
            window = next + 1;
        }
        Ok(total)
    })
}

/// Documents that hold the phrase.
pub fn count_phrase(phrase: &PhraseClause<'_>, segment: &mut SegmentRun<'_>) -> Result<u64> {
    top_and_count_phrase(phrase, segment, &mut TopK::new(0), u64::MAX)
}

/// Documents that have all the terms and may be returned.
fn candidates(
    window: u32,
    run: &mut PhraseRun<'_>,
    buffers: &mut Buffers,
    segment: &mut SegmentRun<'_>,
) -> Result<usize> {
    let count = run.candidates(window, buffers)?;
    buffers.keep_accepted(window, count, segment)
}

/// Upper bounds of the candidates' scores, where a threshold makes them worth having.
fn bound_scores(
    window: u32,
    count: usize,
    run: &mut PhraseRun<'_>,
    buffers: &mut Buffers,
    threshold: f32,
) -> Result<()> {
    if count == 0 || threshold < 0.0 || threshold == f32::INFINITY {
        buffers.scores[..count].fill(f32::INFINITY);
        return Ok(());
    }
    run.freq_bounds(window, count, buffers)?;
    let (norms, weight, similarity) = (run.norms(window)?, run.clause().weight, run.clause().similarity);
    let Buffers { docs, freqs, scores, .. } = buffers;
    simd::score(docs, freqs, count, norms, similarity.inverse(), weight, scores);
    for index in (0..count).filter(|index| freqs[*index] == SATURATED) {
        scores[index] = f32::INFINITY;
    }
    Ok(())
}

/// Reads the positions of the candidates. Those whose bounds cannot compete are only counted, or with `counting` off left
/// out. Gives how many hold the phrase, as far as they were looked at.
fn insert_matches(
    window: u32,
    count: usize,
    run: &mut PhraseRun<'_>,
    buffers: &Buffers,
    segment: &SegmentRun<'_>,
    top: &mut TopK,
    counting: bool,
) -> Result<u64> {
    if count == 0 {
        return Ok(0);
    }
    let (norms, clause) = (run.norms(window)?, run.clause());
    let (weight, similarity) = (clause.weight, clause.similarity);
    let first = segment.doc_base + window * WINDOW as u32;
    let (mut docs, mut bounds, mut freqs) = ([0; BATCH], [0.0; BATCH], [0.0; BATCH]);
    let (mut found, mut from) = (0, 0);
    while from < count {
        let (mut taken, threshold, mut one_competes) = (0, top.threshold(), false);
        while from < count && taken < BATCH {
            (docs[taken], bounds[taken]) = (buffers.docs[from], buffers.scores[from]);
            let competes = bounds[taken] > threshold;
            one_competes |= competes;
            taken += usize::from(competes || counting);
            from += 1;
        }
        run.freqs(window, &docs[..taken], !one_competes, &mut freqs[..taken])?;
        for index in (0..taken).filter(|index| freqs[*index] > 0.0) {
            found += 1;
            // The documents before may have raised the threshold.
            if bounds[index] > top.threshold() {
                let (doc, freq) = (docs[index], freqs[index]);
                top.insert(similarity.score(weight, freq, norms[usize::from(doc)]), first + u32::from(doc));
            }
        }
    }
    Ok(found)
}
