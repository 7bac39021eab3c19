//! The unified highlighter: passages between boundaries, scored as if each were a document of the text
//! (Lucene's `FieldHighlighter` and `PassageScorer`).

use super::breaks::{Boundaries, Bounded, Breaks};
use super::found::{FieldText, PARAGRAPH_SEPARATOR, Place};
use super::local_breaks::{LocalBreaks, Unit};
use super::markup::marked;
use quarry_analysis::Utf16Index;
use quarry_plan::highlight::{Boundary, HighlightField};

struct Passage {
    start: u32,
    end: u32,
    score: f32,
    places: Vec<Place>,
}

pub(super) fn highlight(text: &FieldText, places: &[Place], options: &HighlightField) -> Vec<String> {
    if places.is_empty() {
        return no_match(text, options.no_match_size, options).into_iter().collect();
    }
    let mut passages = cut(text, places, options);
    let most = if options.number_of_fragments == 0 { usize::MAX } else { options.number_of_fragments as usize };
    passages.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.start.cmp(&right.start)));
    passages.truncate(most);
    if !options.by_score {
        passages.sort_by_key(|passage| passage.start);
    }
    passages.iter().map(|passage| render(text, passage, options)).collect()
}

fn render(text: &FieldText, passage: &Passage, options: &HighlightField) -> String {
    let range = (passage.start, passage.end);
    let piece = marked(|start, end| text.slice(start, end), range, &passage.places, |_| 0, options);
    piece.trim_end_matches('\u{2029}').trim().to_owned()
}

fn cut(text: &FieldText, places: &[Place], options: &HighlightField) -> Vec<Passage> {
    let values = || Breaks::after_separators(text, PARAGRAPH_SEPARATOR);
    let index = Utf16Index::new(&text.text);
    let local = |unit| LocalBreaks::new(&text.text, &index, unit);
    let (mut main, max): (Box<dyn Boundaries + '_>, u32) = match (options.number_of_fragments, options.boundary) {
        (0, _) => (Box::new(values()), 0),
        (_, Boundary::Word) => (Box::new((local(Unit::Words), values())), 0),
        _ => (Box::new((local(Unit::Sentences), values())), options.fragment_size),
    };
    let (mut words, values) = (local(Unit::Words), values());
    let mut bounded = Bounded::new(main.as_mut(), &mut words, &values, max);
    let length = text.length();
    let mut passages: Vec<Passage> = Vec::new();
    for place in places.iter().filter(|place| place.start < length) {
        match passages.last_mut() {
            Some(passage) if place.start < passage.end => passage.places.push(*place),
            _ => {
                let (start, end) = bounded.passage(place.start, length);
                passages.push(Passage { start, end: end.min(length), score: 0.0, places: vec![*place] });
            }
        }
    }
    for passage in &mut passages {
        passage.score = score(passage, places, length);
    }
    passages
}

const K1: f32 = 1.2;
const B: f32 = 0.75;
/// Length that a passage is expected to have.
const PIVOT: f32 = 87.0;

fn score(passage: &Passage, all: &[Place], length: u32) -> f32 {
    let mut terms: Vec<u32> = passage.places.iter().map(|place| place.term).collect();
    terms.sort_unstable();
    let passage_length = (passage.end - passage.start) as f32;
    let documents = 1.0 + length as f32 / PIVOT;
    let mut sum = 0.0;
    for same in terms.chunk_by(|left, right| left == right) {
        let total = all.iter().filter(|place| Some(&place.term) == same.first()).count() as f32;
        let weight = (K1 + 1.0) * (1.0 + (documents + 0.5) / (total + 0.5)).ln();
        let frequency = same.len() as f32;
        let norm = K1 * ((1.0 - B) + B * (passage_length / PIVOT));
        sum += weight * frequency / (frequency + norm);
    }
    // Where a text begins it tells most.
    sum * (1.0 + 1.0 / (PIVOT + passage.start as f32).ln())
}

/// The beginning of the first value, to the end of a word.
fn no_match(text: &FieldText, size: u32, options: &HighlightField) -> Option<String> {
    if size == 0 {
        return None;
    }
    let start = text.units.iter().position(|&unit| unit != PARAGRAPH_SEPARATOR)? as u32;
    let rest = text.units.get(start as usize..)?;
    let value_end =
        rest.iter().position(|&unit| unit == PARAGRAPH_SEPARATOR).map_or(text.length(), |at| start + at as u32);
    let end = if start + size < value_end {
        Breaks::words(&text.text).following(start + size).unwrap_or(value_end)
    } else {
        value_end
    };
    let piece = marked(|from, to| text.slice(from, to), (start, end), &[], |_| 0, options);
    Some(piece.trim().to_owned())
}
