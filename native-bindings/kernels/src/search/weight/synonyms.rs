//! Terms at the same position of an analysed text, scored as if they were one term: with the largest document frequency
//! and the sum of the frequencies. Their documents are found by decoding the postings, which such queries have few of.

use super::statistics::TermEntries;
use super::{Boost, Builder, Weight};
use crate::error::Result;
use crate::postings::{DecodedTerm, FieldPostingsReader};
use crate::search::bm25::{Bm25, idf};
use crate::search::scorer::WindowScorer;
use crate::search::scorers::listed::{Listed, ListedScorer};
use crate::search::view::SegmentView;
use std::collections::BTreeMap;
use std::sync::Arc;

struct SynonymWeight {
    field: String,
    terms: Vec<TermEntries>,
    similarity: Arc<Bm25>,
    weight: f32,
}

impl Builder<'_> {
    pub(super) fn synonyms(&mut self, field: &str, terms: &[Vec<u8>], boost: Boost) -> Result<Box<dyn Weight>> {
        let entries = self.entries_of(field, terms)?;
        let doc_freq = entries.iter().map(TermEntries::doc_freq).max().unwrap_or(0);
        let weight = idf(doc_freq, self.view.field_stats(field).doc_count);
        Ok(Box::new(SynonymWeight {
            field: field.to_owned(),
            terms: entries,
            similarity: self.similarity(field),
            weight: boost.map_or(0.0, |boost| boost * weight),
        }))
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
        Ok(Some(Box::new(ListedScorer::new(listed, &self.similarity, field.norms(), self.weight))))
    }
}
