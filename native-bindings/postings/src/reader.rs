//! Opens the three sections of one field and finds terms in them.

use super::cursor::block::BlockCursor;
use super::cursor::sparse::SparseCursor;
use super::cursor::window::WindowCursor;
use super::cursor::{List, SATURATED, TermCursor, WINDOW_ROOM};
use super::dictionary::Dictionary;
use super::dictionary::iterator::TermIterator;
use super::impact::bound_of_u8;
use super::layout::tiny;
use super::layout::{self, Density, Layout};
use super::pairs::{Pair, Pairs};
use super::positions::PositionsReader;
use super::{PostingsOptions, packing};
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WINDOW_WORDS, window_count};
use std::sync::Arc;

/// Lists in blocks up to this length are decoded whole when opened.
const DECODED_WHOLE_MAX: u32 = 512;

/// What the dictionary knows of one term. Valid for the reader it came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermEntry {
    /// Rank of the term in byte order, from 0.
    pub ordinal: u32,
    pub doc_freq: u32,
    /// Sum of the term's frequencies; equal to `doc_freq` where frequencies are not recorded.
    pub total_term_freq: u64,
    pub(super) postings_offset: u64,
    pub(super) postings_length: u64,
    pub(super) positions_offset: u64,
    pub(super) positions_length: u64,
}

/// The inverted index of one field of one segment. Immutable; several threads may use it.
#[derive(Debug, Clone)]
pub struct FieldPostingsReader {
    dictionary: Dictionary,
    postings: SharedBytes,
    positions: SharedBytes,
    max_doc: u32,
    options: PostingsOptions,
    density: Density,
    pairs: Option<Arc<Pairs>>,
}

/// All postings of one term, decoded: what a merge reads. Fields are as in [`super::TermPostings`].
#[derive(Debug, Default)]
pub struct DecodedTerm {
    pub docs: Vec<u32>,
    pub freqs: Vec<u32>,
    pub positions: Vec<u32>,
}

impl FieldPostingsReader {
    /// Sections as [`super::FieldPostings`] had them; `positions` is empty when none were recorded.
    #[inline]
    pub fn open(
        dictionary: SharedBytes,
        postings: SharedBytes,
        positions: SharedBytes,
        max_doc: u32,
        options: PostingsOptions,
    ) -> Result<Self> {
        let dictionary = Dictionary::open(dictionary, options)?;
        Ok(FieldPostingsReader {
            dictionary,
            postings,
            positions,
            max_doc,
            options,
            density: Density::Terms,
            pairs: None,
        })
    }

    /// The same, of lists of something else than terms.
    pub(super) fn with_density(mut self, density: Density) -> Self {
        self.density = density;
        self
    }

    /// The same with the pairs of its frequent terms.
    pub fn with_pairs(mut self, pairs: &SharedBytes) -> Result<Self> {
        self.pairs = Some(Arc::new(Pairs::open(pairs, self.term_count(), self.max_doc)?));
        Ok(self)
    }

    #[inline]
    pub fn pairs(&self) -> Option<&Pairs> {
        self.pairs.as_deref()
    }

    /// What is known of two terms of which the second stands one position behind the first.
    #[inline]
    pub fn pair(&self, first: &TermEntry, second: &TermEntry) -> Result<Pair> {
        self.pairs.as_deref().map_or(Ok(Pair::Unknown), |pairs| pairs.of(first, second))
    }

    #[inline]
    pub fn options(&self) -> PostingsOptions {
        self.options
    }

    #[inline]
    pub fn max_doc(&self) -> u32 {
        self.max_doc
    }

    #[inline]
    pub fn term_count(&self) -> u32 {
        self.dictionary.term_count()
    }

    /// The average length that stored bounds were computed with.
    #[inline]
    pub fn average_length(&self) -> f32 {
        self.dictionary.average_length()
    }

    #[inline]
    pub fn lookup(&self, term: &[u8]) -> Result<Option<TermEntry>> {
        self.dictionary.lookup(term)
    }

    /// Replaces `term` by the bytes of the term with this ordinal; an error when there is no such ordinal.
    #[inline]
    pub fn term(&self, ordinal: u32, term: &mut Vec<u8>) -> Result<TermEntry> {
        self.dictionary.term(ordinal, term)
    }

    /// The terms `>= lower_bound` in byte order; an empty bound gives all of them.
    #[inline]
    pub fn terms_from(&self, lower_bound: &[u8]) -> Result<TermIterator<'_>> {
        self.dictionary.terms_from(lower_bound)
    }

    /// The postings from the term's first byte to the end of the section, and their shape.
    fn list(&self, entry: &TermEntry) -> Result<(&[u8], Layout)> {
        if entry.doc_freq == 0 || entry.doc_freq > self.max_doc {
            return Err(Error::corrupt(format!("a term in {} of {} documents", entry.doc_freq, self.max_doc)));
        }
        let list = Layout::of(entry.doc_freq, self.max_doc, self.density);
        let offset = if list == Layout::Windows { layout::align(entry.postings_offset) } else { entry.postings_offset };
        Ok((stretch(&self.postings, offset, entry.postings_offset, entry.postings_length)?, list))
    }

    /// Documents and frequencies of a term, by windows.
    pub fn cursor(&self, entry: &TermEntry) -> Result<TermCursor<'_>> {
        let (bytes, list) = self.list(entry)?;
        let doc_freq = entry.doc_freq;
        if list == Layout::Tiny {
            return Ok(TermCursor::new(doc_freq, 0.0, List::Sparse(self.tiny(bytes, doc_freq)?)));
        }
        let tenth_best = f32::from_bits(packing::u32_at(bytes, 0)?);
        let tenth_best = if tenth_best.is_finite() { tenth_best } else { 0.0 };
        let list = match list {
            Layout::Windows => List::Windows(WindowCursor::open(bytes, self.max_doc)?),
            _ if doc_freq <= DECODED_WHOLE_MAX => {
                List::Sparse(BlockCursor::open(bytes, doc_freq, self.max_doc)?.into_sparse()?)
            }
            _ => List::Blocks(Box::new(BlockCursor::open(bytes, doc_freq, self.max_doc)?)),
        };
        Ok(TermCursor::new(doc_freq, tenth_best, list))
    }

    /// Sets the bits of the term's documents in `words`, which have one for each document of the segment, by whole windows.
    pub fn or_documents(&self, entry: &TermEntry, words: &mut [u64]) -> Result<()> {
        let (bytes, layout) = self.list(entry)?;
        if layout == Layout::Tiny {
            let pairs = bytes.get(1..).ok_or_else(packing::ends_early)?;
            return tiny::decode_pairs(pairs, entry.doc_freq as usize, 0, self.max_doc, |doc, _| {
                if let Some(word) = words.get_mut(doc as usize / 64) {
                    *word |= 1 << (doc % 64);
                }
            });
        }
        let mut cursor = self.cursor(entry)?;
        let windows = words.as_chunks_mut::<WINDOW_WORDS>().0;
        let mut window = cursor.next_window(0);
        while let Some(bits) = windows.get_mut(window as usize) {
            cursor.or_bits(window, bits)?;
            window = cursor.next_window(window + 1);
        }
        Ok(())
    }

    fn tiny(&self, bytes: &[u8], doc_freq: u32) -> Result<SparseCursor> {
        let (&maximum, pairs) = bytes.split_first().ok_or_else(packing::ends_early)?;
        let mut sparse = SparseCursor::with_capacity(doc_freq as usize, bound_of_u8(maximum));
        tiny::decode_pairs(pairs, doc_freq as usize, 0, self.max_doc, |doc, freq| sparse.push(doc, freq))?;
        Ok(sparse)
    }

    /// The term's positions; an error where the field has none.
    #[inline]
    pub fn positions(&self, entry: &TermEntry) -> Result<PositionsReader<'_>> {
        if !self.options.positions {
            return Err(Error::internal("positions asked of a field without them"));
        }
        let list = Layout::of(entry.doc_freq, self.max_doc, self.density);
        let offset = entry.positions_offset;
        let bytes = stretch(&self.positions, offset, offset, entry.positions_length)?;
        let units = list.units(entry.doc_freq, self.max_doc);
        PositionsReader::open(bytes, entry.total_term_freq, units)
    }

    /// Replaces the contents of `out` by the whole postings of a term.
    pub fn read_term(&self, entry: &TermEntry, out: &mut DecodedTerm) -> Result<()> {
        out.docs.clear();
        out.freqs.clear();
        out.positions.clear();
        let (bytes, list) = self.list(entry)?;
        if list == Layout::Tiny {
            let (docs, freqs) = (&mut out.docs, &mut out.freqs);
            let pairs = bytes.get(1..).ok_or_else(packing::ends_early)?;
            tiny::decode_pairs(pairs, entry.doc_freq as usize, 0, self.max_doc, |doc, freq| {
                docs.push(doc);
                freqs.push(freq);
            })?;
        } else {
            self.read_windows(entry, out)?;
        }
        self.check_decoded(entry, out)?;
        if self.options.positions {
            let total = u32::try_from(entry.total_term_freq).map_err(|_| packing::ends_early())?;
            self.positions(entry)?.read(0, total, &mut out.positions)?;
        }
        if !self.options.freqs {
            out.freqs.clear();
        }
        Ok(())
    }

    fn read_windows(&self, entry: &TermEntry, out: &mut DecodedTerm) -> Result<()> {
        let mut cursor = self.cursor(entry)?;
        let mut docs = Box::new([0; WINDOW_ROOM]);
        let mut freqs = Box::new([0; WINDOW_ROOM]);
        let mut window = cursor.next_window(0);
        while window < window_count(self.max_doc) {
            let decoded = cursor.decode(window, -1.0, &mut docs, &mut freqs)?;
            for (&doc, &freq) in docs[..decoded.count].iter().zip(freqs.iter()) {
                let exact = if freq == SATURATED { cursor.exact_freq(window, doc)? } else { u32::from(freq) };
                out.docs.push(window * WINDOW as u32 + u32::from(doc));
                out.freqs.push(exact);
            }
            window = cursor.next_window(window + 1);
        }
        Ok(())
    }

    /// What a merge copies must be as a writer would have it.
    fn check_decoded(&self, entry: &TermEntry, out: &DecodedTerm) -> Result<()> {
        let total = out.freqs.iter().fold(0u64, |sum, &freq| sum + u64::from(freq));
        let ascending = out.docs.is_sorted_by(|a, b| a < b) && out.docs.last().is_some_and(|last| *last < self.max_doc);
        if !ascending || out.docs.len() != entry.doc_freq as usize || total != entry.total_term_freq {
            return Err(Error::corrupt("the postings of a term do not agree with its statistics"));
        }
        Ok(())
    }
}

/// The bytes of a section from `from` on: to its end, or at least as far as the stretch goes that begins at `offset`.
#[inline]
fn stretch(section: &SharedBytes, from: u64, offset: u64, length: u64) -> Result<&[u8]> {
    let end = || usize::try_from(offset.saturating_add(length)).unwrap_or(usize::MAX);
    let bytes = usize::try_from(from).ok().and_then(|from| section.tail(from, end));
    bytes.ok_or_else(packing::ends_early)
}
