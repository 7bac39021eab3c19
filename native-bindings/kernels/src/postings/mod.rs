//! Term dictionary, postings and positions of one field of one segment, and cursors over them.
//!
//! Contract for the other rooms (the implementation lives in sibling files). A field's inverted index is three byte
//! sections: `dictionary`, `postings`, `positions`; all are position independent and verified when opened.
//! Layout "R": tiny lists inlined, middle ones in blocks of 128, long ones as untouched portable roaring bitmaps with a
//! directory of 4,096-document windows, term frequencies in document order and score maxima beside them.

pub mod cursor;
pub mod reader;
pub mod writer;

pub use reader::{DecodedTerm, FieldPostingsReader, TermEntry, TermIterator};
pub use writer::FieldPostingsWriter;

/// What is recorded for the terms of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostingsOptions {
    pub freqs: bool,
    pub positions: bool,
}

/// The postings of one term, documents ascending. Borrowed from the indexing buffer or from a merge.
#[derive(Debug, Clone, Copy)]
pub struct TermPostings<'a> {
    pub docs: &'a [u32],
    /// One for each document, or empty when frequencies are not recorded (each counts as 1).
    pub freqs: &'a [u32],
    /// Positions of all documents one after another, each document's ascending and absolute; `freqs[i]` of them for
    /// document `i`; empty when positions are not recorded.
    pub positions: &'a [u32],
}

/// The finished sections of one field.
#[derive(Debug, Default)]
pub struct FieldPostings {
    pub dictionary: Vec<u8>,
    pub postings: Vec<u8>,
    pub positions: Vec<u8>,
    pub term_count: u32,
    /// Sum of document frequencies, and of term frequencies, over all terms.
    pub sum_doc_freq: u64,
    pub sum_total_term_freq: u64,
}

/// What scoring needs to know of the field to store score maxima: norms (one byte per document, see `codec::norm`) and
/// the average length in the segment. `None` when the field has no norms: every document counts as length 1.
#[derive(Debug, Clone, Copy)]
pub struct ScoreModel<'a> {
    pub norms: &'a [u8],
    pub average_length: f32,
}
