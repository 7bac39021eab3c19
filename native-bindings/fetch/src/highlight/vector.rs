//! The fast vector highlighter: fragments grown around what was found (Lucene's `SimpleFragListBuilder` and
//! `SimpleBoundaryScanner`), with tags that tell terms apart.

use super::breaks::Breaks;
use super::found::{FieldText, Place};
use super::markup::marked;
use crate::source_texts::units;
use quarry_base::error::{Error, Result};
use quarry_plan::highlight::{Boundary, HighlightField};
use rapidhash::RapidHashMap;

/// A fragment is at least so many times as long as the room before what was found.
const MARGINS_MIN: u32 = 3;
/// Behind each value.
const SEPARATOR: u16 = b' ' as u16;

/// A word or phrase that was found.
#[derive(Clone)]
struct Match {
    start: u32,
    end: u32,
    boost: f32,
    places: Vec<Place>,
}

impl Match {
    /// A further word of the phrase.
    fn add(&mut self, place: &Place) {
        self.end = self.end.max(place.end);
        match self.places.last_mut() {
            // Words of a phrase that stand side by side are marked as one.
            Some(last) if last.position + 1 == place.position => {
                (last.end, last.position) = (place.end, place.position);
            }
            _ => self.places.push(*place),
        }
    }
}

struct Fragment {
    start: u32,
    end: u32,
    score: f32,
    matches: Vec<Match>,
}

impl Fragment {
    fn of(start: u32, end: u32, matches: Vec<Match>) -> Self {
        Fragment { start, end, score: matches.iter().map(|found| found.boost).sum(), matches }
    }
}

pub(super) fn highlight(text: &FieldText, places: &[Place], options: &HighlightField) -> Result<Vec<String>> {
    let matches = matches_of(places, options.phrase_limit);
    let mut fragments = fragments_of(matches, options)?;
    let mut most = options.number_of_fragments as usize;
    if fragments.is_empty() && options.no_match_size > 0 {
        fragments.push(Fragment::of(0, options.no_match_size, Vec::new()));
        most = 1;
    }
    if text.values.len() > 1 {
        fragments = fragments.into_iter().flat_map(|fragment| by_value(fragment, text)).collect();
        fragments.sort_by_key(|fragment| fragment.start);
    }
    if options.by_score && options.number_of_fragments > 0 {
        fragments.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.start.cmp(&right.start)));
    }
    if most > 0 {
        fragments.truncate(most);
    }
    let mut buffer = Buffer::new(text);
    Ok(fragments.iter().map(|fragment| buffer.render(fragment, options)).collect())
}

/// The first `limit` words and phrases, each phrase with all of its words.
fn matches_of(places: &[Place], limit: u32) -> Vec<Match> {
    let mut matches: Vec<Match> = Vec::new();
    let mut by_phrase: RapidHashMap<u32, usize> = RapidHashMap::default();
    for place in places {
        let known = place.phrase.and_then(|phrase| by_phrase.get(&phrase));
        if let Some(found) = known.and_then(|&known| matches.get_mut(known)) {
            found.add(place);
        } else if matches.len() < limit as usize {
            if let Some(phrase) = place.phrase {
                by_phrase.insert(phrase, matches.len());
            }
            matches.push(Match { start: place.start, end: place.end, boost: place.boost, places: vec![*place] });
        }
    }
    matches
}

fn fragments_of(matches: Vec<Match>, options: &HighlightField) -> Result<Vec<Fragment>> {
    if options.number_of_fragments > 0 {
        return grow(&matches, options);
    }
    Ok(if matches.is_empty() { Vec::new() } else { vec![Fragment::of(0, u32::MAX, matches)] })
}

/// Errors: a fragment that is not long enough for the room that it leaves before what was found.
fn grow(matches: &[Match], options: &HighlightField) -> Result<Vec<Fragment>> {
    let (size, margin) = (options.fragment_size, options.fragment_offset);
    let least = margin.saturating_mul(MARGINS_MIN).max(1);
    if size < least {
        let reason = format!("fragCharSize({size}) is too small. It must be {least} or higher.");
        return Err(Error::illegal_argument(reason));
    }
    let mut fragments: Vec<Fragment> = Vec::new();
    let mut rest = matches;
    let mut from = 0;
    while let Some(first) = rest.first() {
        if first.start < from {
            rest = &rest[1..];
            continue;
        }
        let reach = first.end.max(first.start.saturating_sub(margin).max(from).saturating_add(size));
        let inside = 1 + rest[1..].iter().take_while(|found| found.end <= reach).count();
        let (own, after) = rest.split_at(inside);
        rest = after;
        // Words of a phrase that are further apart than a fragment is long are left out.
        let fits = |found: &&Match| found.places.len() == 1 || found.end - first.start <= size;
        let accepted: Vec<Match> = own.iter().filter(fits).cloned().collect();
        if accepted.is_empty() {
            continue;
        }
        let length = own.last().map_or(0, |last| last.end.saturating_sub(first.start));
        let start = first.start.saturating_sub(size.saturating_sub(length) / 2).max(from);
        from = start.saturating_add(length.max(size));
        fragments.push(Fragment::of(start, from, accepted));
    }
    Ok(fragments)
}

/// The parts of a fragment in each of the values. One that finds nothing has to lie within one of them.
fn by_value(mut fragment: Fragment, text: &FieldText) -> Vec<Fragment> {
    let mut parts = Vec::new();
    for (value, start) in text.values.iter().filter(|(value, _)| !value.is_empty()) {
        let (start, end) = (*start, start + units(value) + 1);
        if fragment.start >= start && fragment.end <= end {
            parts.push(fragment);
            return parts;
        }
        let Some(first) = fragment.matches.first() else { return parts };
        if fragment.start >= end || first.start >= end {
            continue;
        }
        let (own, rest) = fragment.matches.into_iter().partition(|found| found.start < end);
        fragment.matches = rest;
        let is_inside = |at: u32| at > start && at < end;
        let bounds = (
            if is_inside(fragment.start) { fragment.start } else { start },
            if is_inside(fragment.end) { fragment.end } else { end },
        );
        parts.push(Fragment::of(bounds.0, bounds.1, own));
    }
    parts
}

/// The values as far as fragments have asked for them, with a separator behind each: boundaries are looked for in nothing else.
struct Buffer<'t> {
    text: &'t FieldText,
    units: Vec<u16>,
    values: usize,
}

impl<'t> Buffer<'t> {
    fn new(text: &'t FieldText) -> Self {
        Buffer { text, units: Vec::new(), values: 0 }
    }

    fn render(&mut self, fragment: &Fragment, options: &HighlightField) -> String {
        self.load(fragment.end);
        let length = self.length();
        let values_end = length.saturating_sub(1);
        let end = if values_end < fragment.end { values_end } else { self.find_end(fragment.end, options) };
        let start = self.find_start(fragment.start, options);
        let places: Vec<Place> = fragment.matches.iter().flat_map(|found| found.places.iter().copied()).collect();
        marked(|from, to| self.slice(from, to), (start, end), &places, |place| place.term as usize, options)
    }

    fn load(&mut self, end: u32) {
        for (value, _) in self.text.values.iter().skip(self.values) {
            if self.length() >= end {
                break;
            }
            self.units.extend(value.encode_utf16());
            self.units.push(SEPARATOR);
            self.values += 1;
        }
    }

    fn length(&self) -> u32 {
        self.units.len() as u32
    }

    fn slice(&self, start: u32, end: u32) -> String {
        let end = end.min(self.length());
        String::from_utf16_lossy(self.units.get(start as usize..end as usize).unwrap_or(&[]))
    }

    fn find_start(&self, start: u32, options: &HighlightField) -> u32 {
        if start == 0 || start > self.length() {
            return start;
        }
        match options.boundary {
            Boundary::Chars => {
                let least = start.saturating_sub(options.boundary_max_scan);
                let is_boundary = |at: &u32| self.is_boundary_char(*at - 1, options);
                (least + 1..=start).rev().find(is_boundary).unwrap_or(if least == 0 { 0 } else { start })
            }
            _ => self.breaks(0, start, options).preceding(start),
        }
    }

    fn find_end(&self, end: u32, options: &HighlightField) -> u32 {
        let length = self.length();
        match options.boundary {
            Boundary::Chars => {
                let most = end.saturating_add(options.boundary_max_scan).min(length);
                (end..most).find(|&at| self.is_boundary_char(at, options)).unwrap_or(end)
            }
            _ => end + self.breaks(end, length, options).following(0).unwrap_or(0),
        }
    }

    /// Of a part of the buffer, as if that were all.
    fn breaks(&self, start: u32, end: u32, options: &HighlightField) -> Breaks {
        let part = self.slice(start, end);
        if options.boundary == Boundary::Word { Breaks::words(&part) } else { Breaks::sentences(&part) }
    }

    fn is_boundary_char(&self, at: u32, options: &HighlightField) -> bool {
        let unit = self.units.get(at as usize).copied();
        unit.is_some_and(|unit| options.boundary_chars.encode_utf16().any(|boundary| boundary == unit))
    }
}
