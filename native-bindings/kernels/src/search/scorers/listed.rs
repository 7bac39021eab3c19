//! Documents that were found beforehand, each with a frequency, scored with BM25: synonyms and phrases with alternatives.

use super::bits;
use crate::error::Result;
use crate::search::bm25::Bm25;
use crate::search::scorer::WindowScorer;
use crate::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use std::ops::Range;

/// Documents of a segment, ascending, with how often each matches.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Listed {
    pub docs: Vec<u32>,
    pub freqs: Vec<f32>,
    /// Length codes of their own, where those of no field count.
    pub norms: Option<Vec<u8>>,
}

/// How the listed documents score.
pub struct ListedScorer<'a> {
    listed: Listed,
    similarity: &'a Bm25,
    norms: Option<&'a [u8]>,
    weight: f32,
}

/// The norm code of fields without norms.
const NO_NORM: u8 = 1;

impl<'a> ListedScorer<'a> {
    /// `weight` is `boost * idf`; 0 for a filter. `norms` has a byte for every document.
    pub fn new(listed: Listed, similarity: &'a Bm25, norms: Option<&'a [u8]>, weight: f32) -> Self {
        ListedScorer { listed, similarity, norms, weight }
    }

    fn places(&self, window: u32) -> Range<usize> {
        let docs = &self.listed.docs;
        let start = docs.partition_point(|&doc| doc / (WINDOW as u32) < window);
        start..docs.partition_point(|&doc| doc / (WINDOW as u32) <= window)
    }

    fn score_of(&self, place: usize) -> f32 {
        let doc = self.listed.docs[place] as usize;
        let norm = match &self.listed.norms {
            Some(norms) => norms.get(place).copied(),
            None => self.norms.and_then(|norms| norms.get(doc).copied()),
        };
        let norm = norm.unwrap_or(NO_NORM);
        self.similarity.score(self.weight, self.listed.freqs[place], norm)
    }
}

impl WindowScorer for ListedScorer<'_> {
    fn cost(&self) -> u64 {
        self.listed.docs.len() as u64
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let docs = &self.listed.docs;
        let first = docs.partition_point(|&doc| doc / (WINDOW as u32) < window);
        Ok(docs.get(first).map_or(NO_MORE_WINDOWS, |doc| doc / WINDOW as u32))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        Ok(self.places(window).map(|place| self.score_of(place)).fold(0.0, f32::max))
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        for place in self.places(window) {
            bits::set(bits, (self.listed.docs[place] % WINDOW as u32) as u16);
        }
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        let mut places = self.places(window).peekable();
        for (&doc, total) in docs.iter().zip(scores) {
            let document = window * WINDOW as u32 + u32::from(doc);
            while places.next_if(|&place| self.listed.docs[place] < document).is_some() {}
            if let Some(place) = places.next_if(|&place| self.listed.docs[place] == document) {
                *total += self.score_of(place);
            }
        }
        Ok(())
    }
}
