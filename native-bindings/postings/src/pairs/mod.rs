//! Frequent terms that follow each other: for each pair of them the documents in which the second stands right behind
//! the first, and how often.
//!
//! A phrase of two frequent terms has many candidates, each of which would have to be looked up in two lists of
//! positions. With its pair it is read like one term. Which pairs are listed follows from the terms' document
//! frequencies: such a pair that has no list is nowhere.
//!
//! ```text
//! u32 format, u32 terms, u32 bytes of the dictionary, u32 least of the higher document frequency of two terms
//! u64 least product of both document frequencies
//! u32 ordinal of each term, ascending
//! dictionary of the pairs, as `dictionary` has it, with frequencies and without positions; a pair is named by the
//! places of its terms in the list above, a big-endian u16 each
//! zeros up to a multiple of 8; postings
//! ```

mod cells;
mod found;
mod selection;
mod writer;

pub(super) use writer::FrequentTerms;

use super::layout::Density;
use super::packing;
use super::{DecodedTerm, FieldPostingsReader, PostingsOptions, TermEntry};
use cells::Neighbours;
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use selection::Rule;

/// Segments with fewer documents have no pairs: what there is to gain is less than what another list costs to open.
pub const PAIRS_DOCUMENTS_MIN: u32 = 16_384;

const FORMAT: u32 = 1;
const HEADER: usize = 24;
const ORDINAL_BYTES: usize = 4;
const ALIGNMENT: usize = 8;
/// The most frequent terms of a field that have pairs.
const TERMS_MAX: usize = 1_000;
/// How far a section of pairs goes, at most, before its dictionary: what opening it reads.
pub const PAIRS_HEAD_MAX: usize = HEADER + TERMS_MAX * ORDINAL_BYTES;
const OPTIONS: PostingsOptions = PostingsOptions { freqs: true, positions: false };

/// What is known of two terms that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pair {
    /// They are not frequent enough, or the field has no pairs.
    Unknown,
    /// No document has them so.
    Nowhere,
    /// Of [`Pairs::lists`].
    Listed(TermEntry),
}

/// The pairs of one field of one segment.
#[derive(Debug)]
pub struct Pairs {
    /// Ordinals of the terms, ascending.
    terms: Vec<u32>,
    rule: Rule,
    lists: FieldPostingsReader,
}

impl Pairs {
    /// `term_count` is that of the field, `max_doc` the segment's number of documents.
    pub(super) fn open(bytes: &SharedBytes, term_count: u32, max_doc: u32) -> Result<Self> {
        // Only what is looked at: the section may lie elsewhere.
        let header = bytes.get(..HEADER).ok_or_else(packing::ends_early)?;
        let format = packing::u32_at(header, 0)?;
        if format != FORMAT {
            return Err(Error::corrupt(format!("pairs of unknown format {format}")));
        }
        let count = packing::u32_at(header, 4)? as usize;
        if count > TERMS_MAX {
            return Err(Error::corrupt(format!("pairs of {count} terms")));
        }
        let ordinals = bytes.get(HEADER..HEADER + count * ORDINAL_BYTES).ok_or_else(packing::ends_early)?;
        let terms: Vec<u32> = ordinals.as_chunks().0.iter().map(|ordinal| u32::from_le_bytes(*ordinal)).collect();
        if !terms.is_sorted_by(|a, b| a < b) || terms.last().is_some_and(|last| *last >= term_count) {
            return Err(Error::corrupt("the terms of pairs are out of order"));
        }
        let dictionary = HEADER + ordinals.len();
        let end = dictionary + packing::u32_at(header, 8)? as usize;
        let lists = FieldPostingsReader::open(
            bytes.slice(dictionary..end)?,
            bytes.slice(end.next_multiple_of(ALIGNMENT)..bytes.len())?,
            Vec::new().into(),
            max_doc,
            OPTIONS,
        )?;
        let (least_product, least_high) = (packing::u64_at(header, 16)?, packing::u32_at(header, 12)?);
        Ok(Pairs { terms, rule: Rule { least_product, least_high }, lists: lists.with_density(Density::Pairs) })
    }

    /// Documents and frequencies of the pairs.
    #[inline]
    pub fn lists(&self) -> &FieldPostingsReader {
        &self.lists
    }

    /// What is known of two terms of the field of which the second stands one position behind the first.
    pub fn of(&self, first: &TermEntry, second: &TermEntry) -> Result<Pair> {
        if !self.rule.lists(first.doc_freq, second.doc_freq) {
            return Ok(Pair::Unknown);
        }
        let place = |entry: &TermEntry| self.terms.binary_search(&entry.ordinal).ok();
        let (Some(first), Some(second)) = (place(first), place(second)) else { return Ok(Pair::Unknown) };
        Ok(self.lists.lookup(&name(first, second))?.map_or(Pair::Nowhere, Pair::Listed))
    }

    /// Whether the positions of the field's terms say the same.
    pub fn verify(&self, field: &FieldPostingsReader) -> Result<()> {
        let wrong = || Error::corrupt("pairs do not agree with the positions of their terms");
        let (mut terms, mut term) = (Vec::with_capacity(self.terms.len()), Vec::new());
        for ordinal in &self.terms {
            terms.push(field.term(*ordinal, &mut term)?);
        }
        let found = Neighbours::find(&terms, self.rule, field, &|| Ok(()))?;
        let found = found.filter(Neighbours::all_fit).ok_or_else(wrong)?;
        let mut listed = self.lists.terms_from(b"")?;
        let (mut expected, mut decoded) = (DecodedTerm::default(), DecodedTerm::default());
        found.each_pair(|first, second, documents| {
            let (pair, entry) = listed.next()?.ok_or_else(wrong)?;
            let is_named = pair == name(first, second);
            self.lists.read_term(&entry, &mut decoded)?;
            documents.decode(&mut expected);
            if !is_named || (&decoded.docs, &decoded.freqs) != (&expected.docs, &expected.freqs) {
                return Err(wrong());
            }
            Ok(())
        })?;
        if listed.next()?.is_some() { Err(wrong()) } else { Ok(()) }
    }
}

/// How a pair is called in the dictionary, by the places of its terms.
fn name(first: usize, second: usize) -> [u8; 4] {
    let ([a, b], [c, d]) = ((first as u16).to_be_bytes(), (second as u16).to_be_bytes());
    [a, b, c, d]
}
