//! Weights of the terms of a completion field, so that the best of a range of terms are found without looking at all of it.
//!
//! ```text
//! u32 weight of each term, by ordinal
//! u32 largest of each 64 numbers before, again and again until there is only one
//! ```

use crate::completion::key;
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use quarry_postings::{FieldPostings, FieldPostingsReader, PostingsOptions};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Numbers below one number of the next level.
const FAN: usize = 64;
const NUMBER: usize = 4;

/// A finished section.
#[derive(Debug, Clone)]
pub struct WeightsData {
    pub(crate) bytes: Vec<u8>,
}

impl WeightsData {
    /// Reads the weights that the terms end with.
    pub fn of_terms(postings: &FieldPostings, max_doc: u32) -> Result<Self> {
        let options = PostingsOptions { freqs: false, positions: false };
        let (dictionary, none) = (postings.dictionary.clone(), SharedBytes::default());
        let reader = FieldPostingsReader::open(dictionary, none.clone(), none, max_doc, options)?;
        let mut weights = Vec::with_capacity(reader.term_count() as usize);
        let mut terms = reader.terms_from(b"")?;
        while let Some((term, _)) = terms.next()? {
            weights.push(key::weight_of(term)?);
        }
        Ok(Self::new(&weights))
    }

    fn new(weights: &[u32]) -> Self {
        let mut bytes = Vec::new();
        let mut level = weights.to_vec();
        loop {
            level.iter().for_each(|weight| bytes.extend_from_slice(&weight.to_le_bytes()));
            if level.len() <= 1 {
                return WeightsData { bytes };
            }
            level = level.chunks(FAN).map(|chunk| chunk.iter().copied().max().unwrap_or(0)).collect();
        }
    }
}

/// How many numbers each level has.
fn level_lengths(terms: usize) -> Vec<usize> {
    let mut lengths = vec![terms];
    while let Some(&last) = lengths.last().filter(|&&last| last > 1) {
        lengths.push(last.div_ceil(FAN));
    }
    lengths
}

/// The section of an open segment.
#[derive(Debug)]
pub struct Weights {
    bytes: SharedBytes,
    /// Where each level starts, in numbers; and where the last one ends.
    starts: Vec<usize>,
}

impl Weights {
    /// What they take outside of their file.
    pub(crate) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.starts)
    }

    /// Proves that every number of a level is the largest of those below it.
    pub fn open(bytes: SharedBytes, term_count: u32) -> Result<Self> {
        let mut starts = vec![0];
        for length in level_lengths(term_count as usize) {
            starts.push(starts.last().copied().unwrap_or(0) + length);
        }
        if starts.last().is_none_or(|&numbers| bytes.len() != numbers * NUMBER) {
            return Err(Error::corrupt(format!("{} bytes are not the weights of {term_count} terms", bytes.len())));
        }
        let weights = Weights { bytes, starts };
        for level in 1..weights.starts.len() - 1 {
            for place in 0..weights.length(level) {
                let below = place * FAN..((place + 1) * FAN).min(weights.length(level - 1));
                let largest = below.map(|below| weights.get(level - 1, below)).max();
                if largest != Some(weights.get(level, place)) {
                    return Err(Error::corrupt(format!("number {place} of level {level} is not the largest below it")));
                }
            }
        }
        Ok(weights)
    }

    /// Compares the weights with those that the terms end with.
    pub fn verify(&self, postings: &FieldPostingsReader) -> Result<()> {
        let mut terms = postings.terms_from(b"")?;
        while let Some((term, entry)) = terms.next()? {
            if self.get(0, entry.ordinal as usize) != key::weight_of(term)? {
                return Err(Error::corrupt(format!("term {} has another weight than in its section", entry.ordinal)));
            }
        }
        Ok(())
    }

    fn length(&self, level: usize) -> usize {
        self.starts[level + 1] - self.starts[level]
    }

    fn get(&self, level: usize, place: usize) -> u32 {
        let at = (self.starts[level] + place) * NUMBER;
        let number = self.bytes.get(at..at + NUMBER).and_then(<[u8]>::first_chunk);
        number.map_or(0, |&number| u32::from_le_bytes(number))
    }
}

/// The score of a weight; a boost of 0 says that there is none.
pub fn score(weight: u32, boost: f32) -> f32 {
    if boost == 0.0 { weight as f32 } else { weight.max(1) as f32 * boost }
}

/// A number of some level that stands for the terms below it.
#[derive(Debug, Clone, Copy)]
struct Node {
    score: f32,
    /// The first term that it stands for.
    first: usize,
    level: usize,
    /// Place among the ranges.
    range: usize,
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_place = other.first.cmp(&self.first).then(self.level.cmp(&other.level));
        self.score.total_cmp(&other.score).then(by_place).then(other.range.cmp(&self.range))
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Node {}

/// One of the best terms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BestTerm {
    pub ordinal: u32,
    pub score: f32,
    /// Which range it is of, in the order in which they were added.
    pub range: usize,
}

/// The terms of some ranges by descending score, ties by ascending ordinal.
#[derive(Debug)]
pub struct BestTerms<'a> {
    weights: &'a Weights,
    boosts: Vec<f32>,
    heap: BinaryHeap<Node>,
}

impl<'a> BestTerms<'a> {
    pub fn new(weights: &'a Weights) -> Self {
        BestTerms { weights, boosts: Vec::new(), heap: BinaryHeap::new() }
    }

    /// Adds terms whose scores have this boost.
    pub fn add(&mut self, terms: Range<u32>, boost: f32) {
        self.boosts.push(boost);
        let range = self.boosts.len() - 1;
        let (mut low, mut high) = (terms.start as usize, (terms.end as usize).min(self.weights.length(0)));
        let (mut level, mut width) = (0, 1);
        while low < high {
            while low < high && low % FAN != 0 {
                self.push(level, low, width, range);
                low += 1;
            }
            while low < high && high % FAN != 0 {
                high -= 1;
                self.push(level, high, width, range);
            }
            (low, high, level, width) = (low / FAN, high / FAN, level + 1, width * FAN);
        }
    }

    fn push(&mut self, level: usize, place: usize, width: usize, range: usize) {
        let score = score(self.weights.get(level, place), self.boosts[range]);
        self.heap.push(Node { score, first: place * width, level, range });
    }
}

impl Iterator for BestTerms<'_> {
    type Item = BestTerm;

    fn next(&mut self) -> Option<BestTerm> {
        loop {
            let Node { score, first, level, range } = self.heap.pop()?;
            if level == 0 {
                return Some(BestTerm { ordinal: first as u32, score, range });
            }
            let width = FAN.pow(level as u32 - 1);
            let start = first / width;
            for place in start..(start + FAN).min(self.weights.length(level - 1)) {
                self.push(level - 1, place, width, range);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn open(weights: &[u32]) -> Weights {
        Weights::open(WeightsData::new(weights).bytes.into(), weights.len() as u32).unwrap()
    }

    proptest! {
        #[test]
        fn the_best_of_ranges_come_first(
            weights in proptest::collection::vec(0..50u32, 0..9_000),
            ranges in proptest::collection::vec((0..9_500u32, 0..9_500u32, 0..3u8), 0..4),
            wanted in 1..40usize,
        ) {
            let reader = open(&weights);
            let mut best = BestTerms::new(&reader);
            let mut expected = Vec::new();
            for (number, (start, end, boost)) in ranges.iter().enumerate() {
                let boost = f32::from(*boost);
                best.add(*start..*end, boost);
                let terms = *start..(*end).min(weights.len() as u32);
                expected.extend(terms.map(|ordinal| (ordinal, score(weights[ordinal as usize], boost), number)));
            }
            expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)).then(a.2.cmp(&b.2)));
            expected.truncate(wanted);
            let found: Vec<_> = best.take(wanted).map(|term| (term.ordinal, term.score, term.range)).collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn damage_is_noticed_or_harmless(
            weights in proptest::collection::vec(0..50u32, 1..500),
            at: usize,
            byte: u8,
            terms in 0..600u32,
        ) {
            let mut bytes = WeightsData::new(&weights).bytes;
            let at = at % bytes.len();
            bytes[at] = byte;
            if let Ok(reader) = Weights::open(bytes.into(), terms) {
                let mut best = BestTerms::new(&reader);
                best.add(0..terms, 0.0);
                prop_assert_eq!(best.count(), terms as usize);
            }
        }
    }
}
