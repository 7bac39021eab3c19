//! Documents that were found beforehand, each with a frequency: synonyms, and terms over several fields.

use super::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WindowBits};
use quarry_scores::bm25::NORM_OF_FIELD_WITHOUT_NORMS;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating::Rating;
use std::ops::Range;

/// Documents of a segment, ascending, with how often each matches.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Listed {
    pub docs: Vec<u32>,
    pub freqs: Vec<f32>,
    /// Length codes of their own, where those of no field count.
    pub norms: Option<Vec<u8>>,
}

/// Matches the listed documents.
pub struct ListedScorer {
    docs: Vec<u32>,
    scores: Vec<f32>,
}

impl ListedScorer {
    /// `norms` has a byte for every document, where the list has none of its own. Errors: a score cannot be computed.
    pub fn new(listed: Listed, rating: &Rating, norms: Option<&[u8]>) -> Result<Self> {
        let mut scores = Vec::with_capacity(listed.docs.len());
        for (place, (&doc, &freq)) in listed.docs.iter().zip(&listed.freqs).enumerate() {
            let norm = match &listed.norms {
                Some(norms) => norms.get(place).copied(),
                None => norms.and_then(|norms| norms.get(doc as usize).copied()),
            };
            scores.push(rating.score(freq, norm.unwrap_or(NORM_OF_FIELD_WITHOUT_NORMS))?);
        }
        Ok(ListedScorer { docs: listed.docs, scores })
    }

    fn places(&self, window: u32) -> Range<usize> {
        let start = self.docs.partition_point(|&doc| doc / (WINDOW as u32) < window);
        start..self.docs.partition_point(|&doc| doc / (WINDOW as u32) <= window)
    }
}

impl WindowScorer for ListedScorer {
    fn cost(&self) -> u64 {
        self.docs.len() as u64
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        let first = self.docs.partition_point(|&doc| doc / (WINDOW as u32) < window);
        Ok(self.docs.get(first).map_or(NO_MORE_WINDOWS, |doc| doc / WINDOW as u32))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        Ok(self.scores[self.places(window)].iter().copied().fold(0.0, f32::max))
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        for place in self.places(window) {
            bits::set(bits, (self.docs[place] % WINDOW as u32) as u16);
        }
        Ok(())
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        let mut places = self.places(window).peekable();
        for (&doc, total) in docs.iter().zip(scores) {
            let document = window * WINDOW as u32 + u32::from(doc);
            while places.next_if(|&place| self.docs[place] < document).is_some() {}
            if let Some(place) = places.next_if(|&place| self.docs[place] == document) {
                *total += self.scores[place];
            }
        }
        Ok(())
    }
}
