//! Terms at the same position of an analysed text, scored as if they were one term: with the largest document frequency
//! and the sums of the frequencies. Their documents are found by decoding the postings, which such queries have few of.

use super::statistics::TermEntries;
use super::{Boost, Builder, Weight};
use crate::scorers::listed::{Listed, ListedScorer};
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_postings::{DecodedTerm, FieldPostingsReader};
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating::Rating;
use quarry_scores::totals::TermTotals;
use std::collections::BTreeMap;

struct SynonymWeight {
    field: String,
    terms: Vec<TermEntries>,
    rating: Rating,
}

impl Builder<'_> {
    pub(super) fn synonyms(&mut self, field: &str, terms: &[Vec<u8>], boost: Boost) -> Result<Box<dyn Weight>> {
        let entries = self.entries_of(field, terms)?;
        let doc_freq = entries.iter().map(|entries| entries.totals().doc_freq).max().unwrap_or(0);
        let occurrences = entries.iter().map(|entries| entries.totals().occurrences).sum();
        let rating = self.rating(field, &[TermTotals { doc_freq, occurrences }], boost)?;
        Ok(Box::new(SynonymWeight { field: field.to_owned(), terms: entries, rating }))
    }
}

impl SynonymWeight {
    fn list(&self, postings: &FieldPostingsReader, ordinal: usize) -> Result<Listed> {
        let mut freqs: BTreeMap<u32, f32> = BTreeMap::new();
        let mut decoded = DecodedTerm::default();
        for entry in self.terms.iter().filter_map(|entries| entries.entries.get(ordinal).copied().flatten()) {
            postings.read_term(&entry, &mut decoded)?;
            for (place, &doc) in decoded.docs.iter().enumerate() {
                *freqs.entry(doc).or_default() += decoded.freqs.get(place).map_or(1.0, |&freq| freq as f32);
            }
        }
        Ok(Listed { docs: freqs.keys().copied().collect(), freqs: freqs.into_values().collect(), norms: None })
    }
}

impl Weight for SynonymWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let Some(field) = segment.field(&self.field) else {
            return Ok(None);
        };
        let Some(postings) = field.postings() else {
            return Ok(None);
        };
        let listed = self.list(postings, segment.ordinal)?;
        if listed.docs.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(ListedScorer::new(listed, &self.rating, field.norms())?)))
    }
}
