//! Ends of words and sentences near the places that are asked for; the rest of a text is not looked at.
//!
//! What the Unicode rules say of a place follows from a stretch around it, so a walk may begin wherever it is certain that
//! nothing before decides on what is behind: for words behind a blank, for sentences between two letters. Between sentences'
//! ends ([`sentence_ends`](super::sentence_ends)) a walk passes over what cannot end one.

use super::breaks::Boundaries;
use super::sentence_ends;
use quarry_analysis::Utf16Index;
use unicode_segmentation::{USentenceBoundIndices, UWordBoundIndices, UnicodeSegmentation};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Words,
    Sentences,
}

impl Unit {
    /// Whether a walk may begin at this byte, which is not the first.
    fn may_begin(self, bytes: &[u8], at: usize) -> bool {
        match self {
            Unit::Words => bytes[at - 1] == b' ' && bytes[at].is_ascii_alphanumeric(),
            Unit::Sentences => bytes[at - 1].is_ascii_alphabetic() && bytes[at].is_ascii_alphabetic(),
        }
    }

    /// A walk goes on rather than begins anew for places so many code units behind it.
    fn passed_max(self) -> u32 {
        match self {
            Unit::Words => 16,
            Unit::Sentences => 512,
        }
    }

    /// Bytes before a place within which its unit mostly begins.
    fn reach(self) -> usize {
        match self {
            Unit::Words => 1,
            Unit::Sentences => 256,
        }
    }
}

enum Pieces<'a> {
    Words(UWordBoundIndices<'a>),
    Sentences(USentenceBoundIndices<'a>),
}

impl Iterator for Pieces<'_> {
    /// The end of a piece, in bytes.
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let (start, piece) = match self {
            Pieces::Words(pieces) => pieces.next(),
            Pieces::Sentences(pieces) => pieces.next(),
        }?;
        Some(start + piece.len())
    }
}

/// A part of the text that is being walked.
struct Stretch<'a> {
    /// Where it begins, in bytes and in code units.
    start: usize,
    first: u32,
    /// What is still to be walked: from this byte on, and up to here there is no other bound than those met.
    rest: Pieces<'a>,
    rest_start: usize,
    /// Where the walk is, in bytes.
    at: usize,
    /// The bounds met so far, in code units.
    bounds: Vec<u32>,
}

pub(super) struct LocalBreaks<'a> {
    text: &'a str,
    index: &'a Utf16Index<'a>,
    unit: Unit,
    stretch: Stretch<'a>,
}

/// Bytes to pass over from which on it takes less to begin a walk anew.
const SKIPPED_MIN: usize = 16;

impl<'a> LocalBreaks<'a> {
    pub(super) fn new(text: &'a str, index: &'a Utf16Index<'a>, unit: Unit) -> Self {
        LocalBreaks { text, index, unit, stretch: stretch(text, index, unit, 0) }
    }

    /// Begins a walk at least so many bytes before a place.
    fn begin(&mut self, offset: u32, reach: usize) {
        let bytes = self.text.as_bytes();
        let latest = self.index.byte(offset).saturating_sub(reach);
        let start = (1..=latest).rev().find(|&at| at < bytes.len() && self.unit.may_begin(bytes, at)).unwrap_or(0);
        self.stretch = stretch(self.text, self.index, self.unit, start);
    }

    /// Whether the walk began before a place, and is not far from it.
    fn is_near(&self, offset: u32) -> bool {
        let last = self.stretch.bounds.last().copied().unwrap_or(self.stretch.first);
        self.stretch.first < offset && offset.saturating_sub(last) <= self.unit.passed_max()
    }

    /// Walks to the first bound that is not before a place.
    fn walk_to(&mut self, offset: u32) {
        while self.stretch.bounds.last().is_none_or(|&last| last < offset) {
            if self.unit == Unit::Sentences {
                self.pass_over_sentence();
            }
            let Stretch { rest, rest_start, at, bounds, .. } = &mut self.stretch;
            let Some(end) = rest.next() else { break };
            *at = *rest_start + end;
            bounds.push(self.index.units(*at));
        }
    }

    /// Goes on as near as possible before the next place where a sentence may end.
    fn pass_over_sentence(&mut self) {
        let (bytes, at) = (self.text.as_bytes(), self.stretch.at);
        let until = sentence_ends::next_possible(bytes, at).min(bytes.len().saturating_sub(1));
        let start = (at + 1..=until).rev().find(|&start| self.unit.may_begin(bytes, start));
        if let Some(start) = start.filter(|start| start - at >= SKIPPED_MIN) {
            self.stretch.rest = Pieces::Sentences(self.text[start..].split_sentence_bound_indices());
            self.stretch.rest_start = start;
        }
    }
}

fn stretch<'a>(text: &'a str, index: &Utf16Index<'_>, unit: Unit, start: usize) -> Stretch<'a> {
    let (first, part) = (index.units(start), &text[start..]);
    let rest = match unit {
        Unit::Words => Pieces::Words(part.split_word_bound_indices()),
        Unit::Sentences => Pieces::Sentences(part.split_sentence_bound_indices()),
    };
    // A walk begins at the end of a word, but within a sentence.
    let is_bound = start == 0 || unit == Unit::Words;
    let bounds = is_bound.then_some(first).into_iter().collect();
    Stretch { start, first, rest, rest_start: start, at: start, bounds }
}

impl Boundaries for LocalBreaks<'_> {
    fn preceding(&mut self, offset: u32) -> u32 {
        let mut reach = self.unit.reach();
        if !self.is_near(offset) {
            self.begin(offset, reach);
        }
        loop {
            self.walk_to(offset);
            let bounds = &self.stretch.bounds;
            match bounds.partition_point(|&bound| bound < offset).checked_sub(1) {
                Some(last) => return bounds[last],
                None if self.stretch.start == 0 => return 0,
                None => {
                    reach *= 4;
                    self.begin(offset, reach);
                }
            }
        }
    }

    fn following(&mut self, offset: u32) -> Option<u32> {
        if !self.is_near(offset) {
            self.begin(offset, 1);
        }
        self.walk_to(offset.saturating_add(1));
        let bounds = &self.stretch.bounds;
        bounds.get(bounds.partition_point(|&bound| bound <= offset)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::breaks::Breaks;
    use super::*;
    use proptest::prelude::*;

    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            6 => "[a-cA-C]{1,4}",
            2 => "[a-c]{1,5} [a-c]{8,12}( [a-c]{2,9}){0,3}",
            4 => " ",
            3 => "[.?!,;:'\"()0-9\\-]",
            1 => "[\n\r\u{2029}\u{300}\u{ad}\u{200d}]",
            1 => "[éÉ中、。…“”–—‘’\u{85}\u{37e}\u{589}\u{61f}\u{300}\u{2028}‼⁇𝒜🇦🇧]",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn agree_with_those_of_the_whole_text(
            pieces in prop::collection::vec(piece(), 0..120),
            filler in prop_oneof![Just(0usize), Just(90), Just(700)],
            places in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 1..30),
        ) {
            let (before, behind) = pieces.split_at(pieces.len() / 2);
            let text = before.concat() + &"ab c".repeat(filler) + &behind.concat();
            let index = Utf16Index::new(&text);
            for (unit, all) in [(Unit::Words, Breaks::words(&text)), (Unit::Sentences, Breaks::sentences(&text))] {
                let mut local = LocalBreaks::new(&text, &index, unit);
                for (place, is_preceding) in &places {
                    let offset = place.index(index.units(text.len()) as usize + 2) as u32;
                    if *is_preceding {
                        prop_assert_eq!(local.preceding(offset), all.preceding(offset), "{:?} before {}", unit, offset);
                    } else {
                        prop_assert_eq!(local.following(offset), all.following(offset), "{:?} behind {}", unit, offset);
                    }
                }
            }
        }
    }
}
