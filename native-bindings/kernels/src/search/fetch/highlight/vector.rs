//! The fast vector highlighter: fragments grown around what was found (Lucene's `SimpleFragListBuilder` and
//! `SimpleBoundaryScanner`), with tags that tell terms apart.

use super::breaks::Breaks;
use super::found::{FieldText, Place};
use super::markup::marked;
use crate::search::plan::highlight::{Boundary, HighlightField};

/// A fragment is at least so many times as long as the room before what was found.
const MARGINS_MIN: u32 = 3;

struct Fragment {
    start: u32,
    end: u32,
    score: f32,
    places: Vec<Place>,
}

pub(super) fn highlight(text: &FieldText, places: &[Place], options: &HighlightField) -> Vec<String> {
    let places = first_phrases(places, options.phrase_limit);
    if places.is_empty() {
        let end = text.length().min(options.no_match_size);
        return if end == 0 { Vec::new() } else { vec![text.slice(0, find_end(text, end, options))] };
    }
    let mut fragments = if options.number_of_fragments == 0 {
        vec![Fragment { start: 0, end: text.length(), score: 0.0, places: places.to_vec() }]
    } else {
        grow(text, places, options)
    };
    if options.by_score {
        fragments.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.start.cmp(&right.start)));
    }
    if options.number_of_fragments > 0 {
        fragments.truncate(options.number_of_fragments as usize);
    }
    fragments.iter().map(|fragment| render(text, fragment, options)).collect()
}

/// As far as the first `limit` words and phrases reach.
fn first_phrases(places: &[Place], limit: u32) -> &[Place] {
    let (mut count, mut before) = (0, None);
    let end = places.iter().position(|place| {
        let continues = place.phrase.is_some() && place.phrase == before;
        before = place.phrase;
        count += u32::from(!continues);
        count > limit
    });
    &places[..end.unwrap_or(places.len())]
}

fn render(text: &FieldText, fragment: &Fragment, options: &HighlightField) -> String {
    let range = (fragment.start, fragment.end);
    marked(|start, end| text.slice(start, end), range, &fragment.places, |place| place.term as usize, options)
}

fn grow(text: &FieldText, places: &[Place], options: &HighlightField) -> Vec<Fragment> {
    let size = options.fragment_size.max(options.fragment_offset.saturating_mul(MARGINS_MIN)).max(1);
    let mut fragments: Vec<Fragment> = Vec::new();
    let mut rest = places;
    let mut from = 0;
    while let Some(first) = rest.first() {
        if first.start < from {
            rest = &rest[1..];
            continue;
        }
        let start = first.start.saturating_sub(options.fragment_offset).max(from);
        let end = (start + size).max(first.end);
        let inside = rest.iter().take_while(|place| place.end <= end).count().max(1);
        let (own, after) = rest.split_at(inside);
        rest = after;
        let found_end = own.iter().map(|place| place.end).max().unwrap_or(end);
        let found_length = found_end - first.start;
        let margin = size.saturating_sub(found_length) / 2;
        let start = first.start.saturating_sub(margin).max(from);
        let end = start + found_length.max(size);
        let bounds = (find_start(text, start, from, options), find_end(text, end.min(text.length()), options));
        let score = own.iter().map(|place| place.boost).sum();
        fragments.push(Fragment { start: bounds.0, end: bounds.1, score, places: own.to_vec() });
        from = bounds.1.max(end);
    }
    fragments
}

fn find_start(text: &FieldText, start: u32, from: u32, options: &HighlightField) -> u32 {
    if start == 0 || start > text.length() {
        return start.min(text.length());
    }
    match options.boundary {
        Boundary::Chars => {
            let least = start.saturating_sub(options.boundary_max_scan).max(from);
            let is_boundary = |at: &u32| is_boundary_char(text, *at - 1, options);
            (least + 1..=start).rev().find(is_boundary).unwrap_or(if least == 0 { 0 } else { start })
        }
        Boundary::Word => Breaks::words(&text.text).preceding(start + 1),
        Boundary::Sentence => Breaks::sentences(&text.text).preceding(start + 1),
    }
}

fn find_end(text: &FieldText, end: u32, options: &HighlightField) -> u32 {
    let length = text.length();
    if end >= length {
        return length;
    }
    match options.boundary {
        Boundary::Chars => {
            let most = end.saturating_add(options.boundary_max_scan).min(length);
            (end..most).find(|&at| is_boundary_char(text, at, options)).unwrap_or(end)
        }
        Boundary::Word => Breaks::words(&text.text).following(end - 1).unwrap_or(length),
        Boundary::Sentence => Breaks::sentences(&text.text).following(end - 1).unwrap_or(length),
    }
}

fn is_boundary_char(text: &FieldText, at: u32, options: &HighlightField) -> bool {
    let unit = text.units.get(at as usize).copied();
    unit.is_some_and(|unit| options.boundary_chars.encode_utf16().any(|boundary| boundary == unit))
}
