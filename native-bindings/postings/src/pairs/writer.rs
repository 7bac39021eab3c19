//! Writes the section of pairs.

use super::cells::Neighbours;
use super::selection::Rule;
use super::{ALIGNMENT, FORMAT, HEADER, OPTIONS, PAIRS_DOCUMENTS_MIN, TERMS_MAX, name};
use crate::layout::Density;
use crate::{DecodedTerm, FieldPostingsReader, FieldPostingsWriter, ScoreModel, TermEntry, TermPostings};
use quarry_base::error::{Error, Result};

/// The frequent terms of a field, noted while its postings are written.
#[derive(Debug, Default)]
pub(crate) struct FrequentTerms {
    /// By ordinal.
    terms: Vec<TermEntry>,
}

impl FrequentTerms {
    #[inline]
    pub(crate) fn note(&mut self, entry: TermEntry, max_doc: u32) {
        if max_doc >= PAIRS_DOCUMENTS_MIN && Rule::of(max_doc).takes(entry.doc_freq, max_doc) {
            self.terms.push(entry);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The section, or `None` where the field is better off without. `field` holds the terms; `model` is the one that
    /// its postings were written with. `check` is called again and again.
    pub(crate) fn pairs(
        mut self,
        field: &FieldPostingsReader,
        model: Option<ScoreModel<'_>>,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<Vec<u8>>> {
        // The most frequent, in the order of the terms.
        self.terms.sort_by_key(|entry| std::cmp::Reverse(entry.doc_freq));
        self.terms.truncate(TERMS_MAX);
        self.terms.sort_by_key(|entry| entry.ordinal);
        let rule = Rule::of(field.max_doc());
        let Some(found) = Neighbours::find(&self.terms, rule, field, check)? else { return Ok(None) };
        let mut kept = vec![0; self.terms.len()];
        let mut ordinals = Vec::with_capacity(self.terms.len());
        for (place, entry) in self.terms.iter().enumerate().filter(|(place, _)| found.fits(*place)) {
            kept[place] = ordinals.len();
            ordinals.push(entry.ordinal);
        }
        if ordinals.is_empty() {
            return Ok(None);
        }
        let mut writer = FieldPostingsWriter::new(field.max_doc(), OPTIONS, model).with_density(Density::Pairs);
        let mut decoded = DecodedTerm::default();
        found.each_pair(|first, second, documents| {
            documents.decode(&mut decoded);
            let DecodedTerm { docs, freqs, .. } = &decoded;
            writer.add_term(&name(kept[first], kept[second]), TermPostings { docs, freqs, positions: &[] })
        })?;
        let lists = writer.finish()?;
        let mut out = Vec::with_capacity(HEADER + lists.dictionary.len() + lists.postings.len() + ALIGNMENT);
        let length =
            u32::try_from(lists.dictionary.len()).map_err(|_| Error::internal("a dictionary of pairs of 4 GiB"))?;
        for number in [FORMAT, ordinals.len() as u32, length, rule.least_high] {
            out.extend(number.to_le_bytes());
        }
        out.extend(rule.least_product.to_le_bytes());
        out.extend(ordinals.iter().flat_map(|ordinal| ordinal.to_le_bytes()));
        out.extend_from_slice(&lists.dictionary);
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        out.extend_from_slice(&lists.postings);
        Ok(Some(out))
    }
}
