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
    let mut fragments = Vec::new();
    for value in values {
        let value = match options.max_analyzer_offset {
            Some(limit) => first_units(value, limit),
            None => value.clone(),
        };
        of_value(&value, field, wanted, options, &mut fragments)?;
    }
    fragments.sort_by(|left: &Fragment, right| right.score.total_cmp(&left.score));
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

fn of_value(
    value: &str,
    field: &MappedField,
    wanted: &mut [(MappedField, Wanted)],
    options: &HighlightField,
    fragments: &mut Vec<Fragment>,
) -> Result<()> {
    let mut places = Vec::new();
    let mut terms = Terms::default();
    let placed = [(value.to_owned(), 0)];
    for (other, wanted) in wanted.iter_mut() {
        found::find(&analyzed(other, &placed)?, wanted, &mut terms, &mut places)?;
    }
    if places.is_empty() {
        return Ok(());
    }
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup_by(|later, first| later.start == first.start && later.end == first.end);
    let tokens = analyzed(field, &placed)?;
    let ends = fragment_ends(&tokens, &places, units(value), options);
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
    Ok(())
}

/// Each term counts once in a fragment.
fn distinct_score(places: &[Place]) -> f32 {
    let mut terms: Vec<(u32, f32)> = places.iter().map(|place| (place.term, place.boost)).collect();
    terms.sort_by_key(|term| term.0);
    terms.dedup_by_key(|(term, _)| *term);
    terms.into_iter().map(|(_, boost)| boost).sum()
}

/// A fragment ends behind a token where the next token begins another one.
fn fragment_ends(tokens: &[Token], places: &[Place], length: u32, options: &HighlightField) -> Vec<u32> {
    let mut ends = Vec::new();
    if options.number_of_fragments > 0 && options.fragment_size > 0 {
        let mut fragments = 1;
        let mut last_end = 0;
        let mut phrase_until = 0;
        for token in tokens {
            let is_distinct = token.start_offset >= last_end && last_end > 0;
            let is_new = token.end_offset >= options.fragment_size.saturating_mul(fragments)
                && (options.fragmenter == Fragmenter::Simple
                    || length.saturating_sub(token.end_offset) >= options.fragment_size / 2);
            if is_distinct && is_new && (options.fragmenter == Fragmenter::Simple || token.start_offset >= phrase_until)
            {
                ends.push(last_end);
                fragments += 1;
            }
            last_end = last_end.max(token.end_offset);
            phrase_until = phrase_until.max(phrase_end(places, token));
        }
    }
    ends.push(length);
    ends
}

/// Phrases are not cut in two.
fn phrase_end(places: &[Place], token: &Token) -> u32 {
    let at = places.iter().find(|place| place.start == token.start_offset && place.phrase.is_some());
    let Some(phrase) = at.and_then(|place| place.phrase) else {
        return 0;
    };
    places.iter().filter(|place| place.phrase == Some(phrase)).map(|place| place.end).max().unwrap_or(0)
}

/// The beginning of a text as far as whole tokens fit.
fn no_match(text: &str, field: &MappedField, size: u32) -> Result<Option<String>> {
    if size == 0 {
        return Ok(None);
    }
    if units(text) < size {
        return Ok(Some(text.to_owned()));
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
