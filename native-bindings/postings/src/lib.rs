//! Term dictionary, postings and positions of one field of one segment, and cursors over them.
//!
//! A field's inverted index is three byte sections: [`dictionary`], `postings` (documents and frequencies) and
//! [`positions`]; a large field has [`pairs`] as well. All are position independent. Nothing in them is trusted:
//! structure is checked where it is read, for a dictionary block, a window or a block of postings at a time, and damage
//! gives an error.
//!
//! Layout "R": tiny lists inlined, middle ones in blocks of 128, long ones as untouched portable roaring bitmaps with a
//! directory of 4,096-document windows, term frequencies in document order and score maxima beside them.

pub mod bm25;
pub mod cursor;
pub mod reader;

mod dictionary;
mod frequencies;
mod impact;
mod layout;
mod packing;
mod pairs;
mod positions;
mod simd;
mod term_postings;
#[cfg(test)]
mod tests;
mod writer;

pub use dictionary::block::OwnBytes;
pub use dictionary::index_bytes;
pub use dictionary::iterator::TermIterator;
pub use impact::{BoundScale, PRIMED_DOCUMENTS};
pub use pairs::{PAIRS_DOCUMENTS_MIN, PAIRS_HEAD_MAX, Pair, Pairs};
pub use positions::{POSITION_GROUP, PositionsReader};
pub use reader::{DecodedTerm, FieldPostingsReader, TermEntry};
pub use simd::list_bits;
pub use term_postings::TermPostings;
pub use writer::FieldPostingsWriter;

use quarry_codec::shared_bytes::SharedBytes;

/// What is recorded for the terms of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostingsOptions {
    pub freqs: bool,
    /// Needs `freqs`.
    pub positions: bool,
}

/// The finished sections of one field.
#[derive(Debug, Default)]
pub struct FieldPostings {
    pub dictionary: SharedBytes,
    pub postings: SharedBytes,
    pub positions: SharedBytes,
    /// Of frequent terms that follow each other, see [`pairs`]; `None` where the field is small or has no positions.
    pub pairs: Option<SharedBytes>,
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
