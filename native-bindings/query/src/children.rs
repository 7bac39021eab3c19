//! The nested documents of one document that a query matches.

use super::scorers::bits;
use super::view::SegmentView;
use super::weight::Weight;
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_segment::nested::{DocBits, place_of};
use std::ops::Range;

/// Documents of `among` in a range of the segment that the weight matches, ascending, with their scores.
pub fn matching(
    weight: &dyn Weight,
    segment: &SegmentView,
    among: DocBits<'_>,
    range: Range<u32>,
) -> Result<Vec<(u32, f32)>> {
    let mut found = Vec::new();
    if range.is_empty() {
        return Ok(found);
    }
    let Some(mut scorer) = weight.scorer(segment)? else { return Ok(found) };
    let mut docs = Vec::new();
    let mut window = scorer.next_window(place_of(range.start).0)?;
    while window <= place_of(range.end - 1).0 {
        let mut matched = bits::EMPTY;
        scorer.matches(window, &mut matched)?;
        bits::and(&mut matched, among.window(window).unwrap_or(&bits::EMPTY));
        bits::list(&matched, &mut docs);
        let first = window * WINDOW as u32;
        docs.retain(|&doc| range.contains(&(first + u32::from(doc))));
        let mut scores = vec![0f32; docs.len()];
        scorer.score(window, &docs, &mut scores)?;
        found.extend(docs.iter().map(|&doc| first + u32::from(doc)).zip(scores));
        window = scorer.next_window(window + 1)?;
    }
    Ok(found)
}

/// Documents of `among` in the whole segment that the weight matches, as a set.
pub(super) fn all_matching(weight: &dyn Weight, segment: &SegmentView, among: DocBits<'_>) -> Result<Vec<WindowBits>> {
    let mut windows = vec![bits::EMPTY; segment.window_count() as usize];
    let Some(mut scorer) = weight.scorer(segment)? else { return Ok(windows) };
    let mut window = scorer.next_window(0)?;
    while let Some(matched) = windows.get_mut(window as usize) {
        scorer.matches(window, matched)?;
        bits::and(matched, among.window(window).unwrap_or(&bits::EMPTY));
        window = scorer.next_window(window + 1)?;
    }
    Ok(windows)
}
