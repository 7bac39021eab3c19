//! Where the words and phrases of a query stand in the text of a field.

use super::wanted::{Places, Wanted, Word};
use crate::source_texts::analyzed_where;
use quarry_analysis::Token;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_mapping::MappedField;
use quarry_query::node::PhraseNode;
use quarry_query::positional::leaves::Positions;
use rapidhash::RapidHashMap;

/// Between the values of a field: ends every passage.
pub(super) const PARAGRAPH_SEPARATOR: u16 = 0x2029;

/// The values of a field as one text, in UTF-16 code units, as offsets count.
pub(super) struct FieldText {
    pub units: Vec<u16>,
    pub text: String,
    /// Each value and where it begins.
    pub values: Vec<(String, u32)>,
}

impl FieldText {
    pub(super) fn joined(values: &[String]) -> Self {
        Self::with_separator(values, PARAGRAPH_SEPARATOR)
    }

    /// As the fast vector highlighter sees the values.
    pub(super) fn spaced(values: &[String]) -> Self {
        Self::with_separator(values, u16::from(b' '))
    }

    fn with_separator(values: &[String], separator: u16) -> Self {
        let (mut units, mut text) = (Vec::new(), String::new());
        let mut placed = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            if place > 0 {
                units.push(separator);
                text.extend(char::from_u32(separator.into()));
            }
            placed.push((value.clone(), units.len() as u32));
            text.push_str(value);
            if value.is_ascii() {
                units.extend(value.bytes().map(u16::from));
            } else {
                units.extend(value.encode_utf16());
            }
        }
        FieldText { text, units, values: placed }
    }

    pub(super) fn slice(&self, start: u32, end: u32) -> String {
        let end = (end as usize).min(self.units.len());
        String::from_utf16_lossy(self.units.get(start as usize..end).unwrap_or(&[]))
    }

    pub(super) fn length(&self) -> u32 {
        self.units.len() as u32
    }
}

/// One marked place of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    pub start: u32,
    pub end: u32,
    /// The same for places of the same term.
    pub term: u32,
    pub boost: f32,
    /// Places of one phrase match belong together.
    pub phrase: Option<u32>,
    /// Of the token.
    pub position: u32,
}

/// The places in order, without those behind `limit`.
pub(super) fn in_text(
    text: &FieldText,
    wanted: &mut [(MappedField, Wanted)],
    limit: Option<u32>,
) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    let mut terms = Terms::default();
    for (field, wanted) in wanted {
        let mut tokens = analyzed_where(field, &text.values, |term| wanted.names(term))?;
        tokens.retain(|token| limit.is_none_or(|limit| token.start_offset <= limit));
        find(&tokens, wanted, &mut terms, &mut places)?;
    }
    places.sort_by_key(|place| (place.start, place.end));
    places.dedup_by(|later, first| later.start == first.start && later.end == first.end);
    Ok(places)
}

/// Numbers of terms, in the order in which they were met.
#[derive(Default)]
pub(super) struct Terms {
    numbers: RapidHashMap<Vec<u8>, u32>,
}

impl Terms {
    pub(super) fn known(&self, term: &[u8]) -> Option<u32> {
        self.numbers.get(term).copied()
    }

    fn number(&mut self, term: &[u8]) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(term.to_vec()).or_insert(next)
    }
}

/// Appends the places of everything that is wanted.
///
/// Errors: `TaskCancelled`; a pattern that takes too much.
pub(super) fn find(tokens: &[Token], wanted: &mut Wanted, terms: &mut Terms, places: &mut Vec<Place>) -> Result<()> {
    for (word, boost) in &mut wanted.words {
        for token in tokens {
            if word.accepts(&token.term)? {
                places.push(place(token, terms, *boost, None));
            }
        }
    }
    let mut phrase_number = 0;
    for (phrase, boost) in &wanted.phrases {
        for matched in phrase_matches(tokens, phrase)? {
            for token in matched {
                places.push(place(&tokens[token], terms, *boost, Some(phrase_number)));
            }
            phrase_number += 1;
        }
    }
    for (wanted, boost) in &mut wanted.places {
        let (found, marked) = in_places(tokens, wanted)?;
        for (first, last) in found {
            interrupt::check()?;
            let is_inside = |token: &Token| (first..=last).contains(&i64::from(token.position));
            for &token in marked.iter().filter(|&&token| is_inside(&tokens[token])) {
                places.push(place(&tokens[token], terms, *boost, Some(phrase_number)));
            }
            phrase_number += 1;
        }
    }
    Ok(())
}

/// Positions of the leaves of a tree in an analysed text.
struct InText {
    leaves: Vec<Vec<u32>>,
}

impl Positions for InText {
    fn positions(&mut self, leaf: usize, out: &mut Vec<u32>) -> Result<()> {
        out.clear();
        out.extend_from_slice(self.leaves.get(leaf).map_or(&[], Vec::as_slice));
        Ok(())
    }
}

/// First and last position.
type Stretch = (i64, i64);

/// All that a query about places finds, and the tokens that are marked there.
fn in_places(tokens: &[Token], wanted: &mut Places) -> Result<(Vec<Stretch>, Vec<usize>)> {
    let mut text = InText { leaves: Vec::with_capacity(wanted.leaves.len()) };
    let mut marked = Vec::new();
    for (words, is_marked) in &mut wanted.leaves {
        let mut positions = Vec::new();
        for (place, token) in tokens.iter().enumerate() {
            if accepts_any(words, &token.term)? {
                positions.push(token.position);
                if *is_marked {
                    marked.push(place);
                }
            }
        }
        positions.sort_unstable();
        text.leaves.push(positions);
    }
    Ok((wanted.tree.places(&mut text)?, marked))
}

fn accepts_any(words: &mut [Word], term: &[u8]) -> Result<bool> {
    for word in words {
        if word.accepts(term)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn place(token: &Token, terms: &mut Terms, boost: f32, phrase: Option<u32>) -> Place {
    let (start, end) = (token.start_offset, token.end_offset);
    Place { start, end, term: terms.number(&token.term), boost, phrase, position: token.position }
}

/// The tokens of each match, by their places in `tokens`.
///
/// Errors: `TaskCancelled`.
fn phrase_matches(tokens: &[Token], phrase: &PhraseNode) -> Result<Vec<Vec<usize>>> {
    let last = phrase.terms.len().saturating_sub(1);
    let slots: Vec<Vec<usize>> = phrase
        .terms
        .iter()
        .enumerate()
        .map(|(slot, (alternatives, _))| {
            let is_prefix = slot == last && phrase.prefix_expansions.is_some();
            let fits = |token: &Token| {
                alternatives.iter().any(|own| if is_prefix { token.term.starts_with(own) } else { *own == token.term })
            };
            (0..tokens.len()).filter(|&place| fits(&tokens[place])).collect()
        })
        .collect();
    let Some((first, others)) = slots.split_first() else {
        return Ok(Vec::new());
    };
    let shift = |slot: usize, token: usize| i64::from(tokens[token].position) - i64::from(phrase.terms[slot].1);
    let mut matches = Vec::new();
    for &start in first {
        interrupt::check()?;
        let origin = shift(0, start);
        let mut chosen = vec![start];
        let (mut low, mut high) = (origin, origin);
        for (slot, candidates) in others.iter().enumerate() {
            let free = candidates.iter().copied().filter(|token| !chosen.contains(token));
            let Some(nearest) = free.min_by_key(|&token| (shift(slot + 1, token) - origin).abs()) else {
                break;
            };
            let moved = shift(slot + 1, nearest);
            (low, high) = (low.min(moved), high.max(moved));
            chosen.push(nearest);
        }
        if chosen.len() == slots.len() && high - low <= i64::from(phrase.slop) {
            matches.push(chosen);
        }
    }
    Ok(matches)
}
