//! Numbers of matching documents, without scores: by cardinalities and bit operations.

use crate::topk::leaf::with_buffers;
use crate::topk::lists::{Common, common_documents, common_window};
use crate::topk::{SegmentRun, TermClause};
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_codec::window::{WINDOW_WORDS, WindowBits, window_count};
use quarry_postings::cursor::TermCursor;

fn open_by_length<'a>(clauses: &[TermClause<'a>]) -> Result<Vec<TermCursor<'a>>> {
    let mut cursors = clauses.iter().map(|clause| clause.postings.cursor(&clause.entry)).collect::<Result<Vec<_>>>()?;
    cursors.sort_by_key(TermCursor::doc_freq);
    Ok(cursors)
}

/// The number of bits whose documents may be returned.
pub(crate) fn accepted(window: u32, bits: &mut WindowBits, segment: &mut SegmentRun<'_>) -> Result<u64> {
    if let Some(accept) = segment.accept.as_deref_mut() {
        accept.retain(window, bits)?;
    }
    Ok(bits.iter().map(|word| u64::from(word.count_ones())).sum())
}

/// Documents that match any of the clauses.
pub fn count_union(clauses: &[TermClause<'_>], segment: &mut SegmentRun<'_>) -> Result<u64> {
    if let ([clause], None) = (clauses, &segment.accept) {
        return Ok(u64::from(clause.entry.doc_freq));
    }
    let mut cursors = open_by_length(clauses)?;
    // Where every document counts, the length of the longest list is known: only what the others add is looked for.
    let mut longest = if segment.accept.is_none() { cursors.pop() } else { None };
    let mut total = longest.as_ref().map_or(0, |cursor| u64::from(cursor.doc_freq()));
    let mut window = 0;
    while let Some(next) = cursors.iter_mut().map(|cursor| cursor.next_window(window)).min() {
        if next >= window_count(segment.max_doc) {
            break;
        }
        interrupt::check()?;
        let mut bits = [0; WINDOW_WORDS];
        for cursor in &mut cursors {
            cursor.or_bits(next, &mut bits)?;
        }
        if let Some(longest) = &mut longest {
            let mut known = [0; WINDOW_WORDS];
            longest.or_bits(next, &mut known)?;
            for (word, known) in bits.iter_mut().zip(known) {
                *word &= !known;
            }
        }
        total += accepted(next, &mut bits, segment)?;
        window = next + 1;
    }
    Ok(total)
}

/// Documents that match all of the clauses.
pub fn count_intersection(clauses: &[TermClause<'_>], segment: &mut SegmentRun<'_>) -> Result<u64> {
    if clauses.len() < 2 {
        return count_union(clauses, segment);
    }
    let mut cursors = open_by_length(clauses)?;
    with_buffers(|buffers| {
        let (mut total, mut window, mut bits) = (0, 0, [0; WINDOW_WORDS]);
        while let Some(next) = common_window(&mut cursors, TermCursor::next_window, window, segment.max_doc) {
            interrupt::check()?;
            total += match common_documents(next, &mut cursors, buffers, &mut bits)? {
                Common::Bits => accepted(next, &mut bits, segment)?,
                Common::Documents(count) => buffers.keep_accepted(next, count, segment)? as u64,
            };
            window = next + 1;
        }
        Ok(total)
    })
}
