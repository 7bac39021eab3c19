//! The plain highlighter: fragments of about the same size, cut between tokens, scored by the terms in them
//! (Lucene's `Highlighter` with `SimpleSpanFragmenter` or `SimpleFragmenter`).

use super::found::{self, Place, Terms};
use super::markup::marked;
use super::wanted::Wanted;
use crate::analysis::Token;
use crate::error::Result;
use crate::mapping::MappedField;
use crate::search::fetch::source_texts::{analyzed, units};
use crate::search::plan::highlight::{Fragmenter, HighlightField};
use rapidhash::RapidHashMap;

struct Fragment {
    text: String,
    score: f32,
}

pub(super) fn highlight(
    values: &[String],
    field: &MappedField,
    wanted: &mut [(MappedField, Wanted)],
    options: &HighlightField,
) -> Result<Vec<String>> {
    let mut fragments: Vec<Fragment> = Vec::new();
    for value in values {
        let value = match options.max_analyzer_offset {
            Some(limit) => first_units(value, limit),
            None => value.clone(),
        };
        fragments.extend(of_value(&value, field, wanted, options)?);
    }
    if options.by_score {
        sort_by_score(&mut fragments);
    }
    if options.number_of_fragments > 0 {
        fragments.truncate(options.number_of_fragments as usize);
    }
    if fragments.is_empty()
        && let Some(first) = values.first()
    {
        return Ok(no_match(first, field, options.no_match_size)?.into_iter().collect());
    }
    Ok(fragments.into_iter().map(|fragment| fragment.text).collect())
}

fn first_units(text: &str, limit: u32) -> String {
    let cut: Vec<u16> = text.encode_utf16().take(limit as usize).collect();
    String::from_utf16_lossy(&cut)
}

/// Fragments of several values, as Lucene orders them: scores less than a half apart count as the same.
fn sort_by_score(fragments: &mut [Fragment]) {
    let is_before = |left: &Fragment, right: &Fragment| (right.score - left.score + 0.5).floor() < 0.0;
    for end in 1..fragments.len() {
        let mut place = end;
        while place > 0 && is_before(&fragments[place], &fragments[place - 1]) {
            fragments.swap(place, place - 1);
            place -= 1;
        }
    }
}

/// The best fragments of one value, the best first.
fn of_value(
    value: &str,
    field: &MappedField,
    wanted: &mut [(MappedField, Wanted)],
    options: &HighlightField,
) -> Result<Vec<Fragment>> {
    let mut fragments: Vec<Fragment> = Vec::new();
    let mut places = Vec::new();
    let mut terms = Terms::default();
    let placed = [(value.to_owned(), 0)];
    for (other, wanted) in wanted.iter_mut() {
        found::find(&analyzed(other, &placed)?, wanted, &mut terms, &mut places)?;
    }
    if places.is_empty() {
        return Ok(fragments);
    }
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup_by(|later, first| later.start == first.start && later.end == first.end);
    let tokens = analyzed(field, &placed)?;
    let ends = fragment_ends(&tokens, &phrase_spans(&tokens, &places, &terms), units(value), options);
    let all: Vec<u16> = value.encode_utf16().collect();
    let slice = |start: u32, end: u32| {
        String::from_utf16_lossy(all.get(start as usize..(end as usize).min(all.len())).unwrap_or(&[]))
    };
    let mut start = 0;
    for end in ends {
        let own: Vec<Place> = places.iter().filter(|place| place.start >= start && place.end <= end).copied().collect();
        let score = distinct_score(&own);
        if score > 0.0 {
            fragments.push(Fragment { text: marked(slice, (start, end), &own, |_| 0, options), score });
        }
        start = end;
    }
    fragments.sort_by(|left, right| right.score.total_cmp(&left.score));
    fragments.truncate(options.number_of_fragments.max(1) as usize);
    Ok(fragments)
}

/// Each term counts once in a fragment.
fn distinct_score(places: &[Place]) -> f32 {
    let mut terms: Vec<(u32, f32)> = places.iter().map(|place| (place.term, place.boost)).collect();
    terms.sort_by_key(|term| term.0);
    terms.dedup_by_key(|(term, _)| *term);
    terms.into_iter().map(|(_, boost)| boost).sum()
}

/// The phrases that a token's term is part of, wherever it stands: first and last position of each.
type TokenSpans = Vec<Vec<(i64, i64)>>;

fn phrase_spans(tokens: &[Token], places: &[Place], terms: &Terms) -> TokenSpans {
    let mut phrases: RapidHashMap<u32, (i64, i64, Vec<u32>)> = RapidHashMap::default();
    for place in places {
        let Some(phrase) = place.phrase else { continue };
        for token in tokens.iter().filter(|token| token.start_offset == place.start && token.end_offset == place.end) {
            let at = i64::from(token.position);
            let (first, last, own) = phrases.entry(phrase).or_insert_with(|| (at, at, Vec::new()));
            (*first, *last) = ((*first).min(at), (*last).max(at));
            own.push(place.term);
        }
    }
    let of_token = |token: &Token| {
        let Some(number) = terms.known(&token.term) else { return Vec::new() };
        let own = phrases.values().filter(|(.., terms)| terms.contains(&number));
        own.map(|(first, last, _)| (*first, *last)).collect()
    };
    tokens.iter().map(of_token).collect()
}

/// A fragment ends behind a token where the next token begins another one.
fn fragment_ends(tokens: &[Token], spans: &TokenSpans, length: u32, options: &HighlightField) -> Vec<u32> {
    let mut ends = Vec::new();
    if options.number_of_fragments > 0 && options.fragment_size > 0 {
        let mut fragmenter = SpanFragmenter::default();
        let (mut fragments, mut last_end) = (1, 0);
        for (place, token) in tokens.iter().enumerate() {
            // Tokens that lie over one another stay together.
            if token.start_offset >= last_end && last_end > 0 {
                let advance = i64::from(token.position) - i64::from(tokens[place - 1].position);
                let may_cut = options.fragmenter == Fragmenter::Simple
                    || (fragmenter.may_cut(advance, &spans[place])
                        && length.saturating_sub(token.end_offset) >= options.fragment_size / 2);
                if may_cut && token.end_offset >= options.fragment_size.saturating_mul(fragments) {
                    ends.push(last_end);
                    fragments += 1;
                }
            }
            last_end = last_end.max(token.end_offset);
        }
    }
    ends.push(length);
    ends
}

/// Keeps phrases in one piece, as far as Lucene's does: it is not asked about the first token, so that its positions lag behind by one,
/// and a phrase is seen to begin at its second word.
struct SpanFragmenter {
    position: i64,
    /// No cut before this position.
    wait_for: Option<i64>,
}

impl Default for SpanFragmenter {
    fn default() -> Self {
        SpanFragmenter { position: -1, wait_for: None }
    }
}

impl SpanFragmenter {
    /// Whether a fragment may begin with the next token, which is so many positions further.
    fn may_cut(&mut self, advance: i64, spans: &[(i64, i64)]) -> bool {
        self.position += advance;
        if self.wait_for.is_some_and(|end| end > self.position) {
            return false;
        }
        let begun = spans.iter().find(|(first, _)| *first == self.position);
        self.wait_for = begun.map(|(_, last)| last + 1);
        true
    }
}

/// The beginning of a text as far as whole tokens fit.
fn no_match(text: &str, field: &MappedField, size: u32) -> Result<Option<String>> {
    if size == 0 {
        return Ok(None);
    }
    let mut end = 0;
    for token in analyzed(field, &[(text.to_owned(), 0)])? {
        if token.end_offset >= size {
            if token.end_offset == size {
                end = size;
            }
            break;
        }
        end = token.end_offset;
    }
    Ok((end > 0).then(|| first_units(text, end)))
}
