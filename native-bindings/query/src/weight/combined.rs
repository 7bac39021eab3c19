//! Terms over several fields that count as one (BM25F as Lucene's `CombinedFieldQuery` has it): frequencies and lengths are
//! weighted sums over the fields, and the statistics are those of a field that holds all of them.

use super::statistics::TermEntries;
use super::{Boost, Builder, Weight};
use crate::node::CombinedNode;
use crate::scorers::listed::{Listed, ListedScorer};
use crate::view::SegmentView;
use quarry_base::error::Result;
use quarry_codec::norm;
use quarry_postings::DecodedTerm;
use quarry_scores::bm25::idf;
use quarry_scores::scorer::WindowScorer;
use quarry_scores::similarity::rating;
use quarry_scores::similarity::rating::Rating;
use quarry_scores::totals::FieldTotals;
use std::collections::BTreeMap;
use std::sync::Arc;

struct FieldTerms {
    field: String,
    weight: f32,
    terms: Vec<TermEntries>,
}

struct CombinedWeight {
    fields: Vec<FieldTerms>,
    rating: Rating,
}

impl Builder<'_> {
    pub(super) fn combined(&mut self, node: &CombinedNode, boost: Boost) -> Result<Box<dyn Weight>> {
        let (mut doc_count, mut length, mut doc_freq) = (0u64, 0u64, 0u64);
        let mut fields = Vec::with_capacity(node.fields.len());
        for (field, weight) in &node.fields {
            let stats = self.view.field_stats(field);
            doc_count = doc_count.max(stats.doc_count);
            length += (f64::from(*weight) * stats.sum_total_term_freq as f64) as u64;
            let terms = self.entries_of(field, &node.terms)?;
            doc_freq = terms.iter().map(|terms| terms.totals().doc_freq).fold(doc_freq, u64::max);
            fields.push(FieldTerms { field: field.clone(), weight: *weight, terms });
        }
        self.count_clauses(node.terms.len() as u32)?;
        let totals = FieldTotals { doc_count, sum_doc_freq: 0, sum_total_term_freq: length };
        // Fields have no similarities of their own here.
        let similarity = rating::reference(self.view.mapping.spec().default_similarity.as_ref(), totals);
        let weight = boost.map_or(0.0, |boost| boost * idf(doc_freq, doc_count.max(doc_freq)));
        Ok(Box::new(CombinedWeight { fields, rating: Rating::bm25(Arc::new(similarity), weight) }))
    }
}

impl CombinedWeight {
    fn list(&self, segment: &SegmentView) -> Result<Listed> {
        let mut freqs: BTreeMap<u32, f32> = BTreeMap::new();
        let mut decoded = DecodedTerm::default();
        for FieldTerms { field, weight, terms } in &self.fields {
            let Some(postings) = segment.field(field).and_then(|field| field.postings()) else { continue };
            for entry in terms.iter().filter_map(|term| term.entries.get(segment.ordinal).copied().flatten()) {
                postings.read_term(&entry, &mut decoded)?;
                for (place, &doc) in decoded.docs.iter().enumerate() {
                    let freq = decoded.freqs.get(place).map_or(1.0, |&freq| freq as f32);
                    *freqs.entry(doc).or_default() += weight * freq;
                }
            }
        }
        let docs: Vec<u32> = freqs.keys().copied().collect();
        let norms = docs.iter().map(|&doc| self.norm(segment, doc)).collect();
        Ok(Listed { docs, freqs: freqs.into_values().collect(), norms: Some(norms) })
    }

    /// The code of the weighted sum of the document's lengths. A document without a field has a length of 0 in it.
    fn norm(&self, segment: &SegmentView, doc: u32) -> u8 {
        let mut length = 0f32;
        for FieldTerms { field, weight, .. } in &self.fields {
            let norms = segment.field(field).and_then(|field| field.norms());
            let code = norms.and_then(|norms| norms.get(doc as usize).copied()).unwrap_or(0);
            length += weight * norm::decode(code) as f32;
        }
        norm::encode(length.round() as u32)
    }
}

impl Weight for CombinedWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let listed = self.list(segment)?;
        if listed.docs.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(ListedScorer::new(listed, &self.rating, None)?)))
    }
}
