//! Documents and frequencies of one term, window by window.
//!
//! Windows may be visited in any order; ascending is fastest. A window's documents are in-window numbers, ascending.
//! Decoded frequencies are capped at [`SATURATED`]; [`TermCursor::exact_freq`] gives the ones that reach it.
//! [`WindowList`] has a way for each [`super::layout`].
pub(crate) mod block;
pub(crate) mod sparse;
pub(crate) mod window;

pub use super::frequencies::SATURATED;
use super::positions::PositionsReader;
use block::BlockCursor;
use quarry_base::error::Result;
use quarry_codec::window::{WINDOW, WindowBits};
use sparse::SparseCursor;
use window::WindowCursor;

/// Room for the documents of one window, and for what vector stores write past the last.
pub const WINDOW_ROOM: usize = WINDOW + 64;

/// In-window documents; only a prefix is in use.
pub type WindowDocs = [u16; WINDOW_ROOM];
/// Frequencies beside [`WindowDocs`].
pub type WindowFreqs = [u8; WINDOW_ROOM];

/// The documents of a window that two terms share, and their frequencies in both; only prefixes are in use. `places` are
/// their indices in each term's list.
#[derive(Debug)]
pub struct CommonDocs {
    pub docs: WindowDocs,
    places: [WindowDocs; 2],
    pub freqs: [WindowFreqs; 2],
}

impl Default for CommonDocs {
    fn default() -> Self {
        CommonDocs { docs: [0; WINDOW_ROOM], places: [[0; WINDOW_ROOM]; 2], freqs: [[0; WINDOW_ROOM]; 2] }
    }
}

/// What a window was decoded to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Decoded {
    pub count: usize,
    /// Whether a frequency may be [`SATURATED`].
    pub has_large: bool,
}

/// Frequency of a term in one document, and where its positions start among the term's positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Located {
    pub freq: u32,
    pub start: u32,
}

/// What every layout can do. `window` is always below the segment's number of windows.
pub(super) trait WindowList {
    fn next_window(&mut self, window: u32) -> u32;
    fn window_bound(&mut self, window: u32) -> f32;
    fn decode(&mut self, window: u32, above: f32, docs: &mut WindowDocs, freqs: &mut WindowFreqs) -> Result<Decoded>;
    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize>;
    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()>;
    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<bool>;
    fn exact_freq(&mut self, window: u32, doc: u16) -> Result<u32>;
    fn locate(&mut self, window: u32, doc: u16, positions: &PositionsReader<'_>) -> Result<Located>;

    fn locate_all(
        &mut self,
        window: u32,
        docs: &[u16],
        positions: &PositionsReader<'_>,
        located: &mut [Located],
    ) -> Result<()> {
        for (doc, located) in docs.iter().zip(located) {
            *located = self.locate(window, *doc, positions)?;
        }
        Ok(())
    }
}

/// The postings of one term. Borrows the reader's bytes.
#[derive(Debug)]
pub struct TermCursor<'a> {
    doc_freq: u32,
    tenth_best: f32,
    list: List<'a>,
}

#[derive(Debug)]
pub(super) enum List<'a> {
    Sparse(SparseCursor),
    Blocks(Box<BlockCursor<'a>>),
    Windows(WindowCursor<'a>),
}

macro_rules! each_list {
    ($self:ident, $list:ident => $call:expr) => {
        match &mut $self.list {
            List::Sparse($list) => $call,
            List::Blocks($list) => $call,
            List::Windows($list) => $call,
        }
    };
}

impl<'a> TermCursor<'a> {
    pub(super) fn new(doc_freq: u32, tenth_best: f32, list: List<'a>) -> Self {
        TermCursor { doc_freq, tenth_best, list }
    }

    /// Number of documents of the term in the segment.
    #[inline]
    pub fn doc_freq(&self) -> u32 {
        self.doc_freq
    }

    /// The factor `score / weight` that ten documents reach with the segment's average length; 0 where unknown.
    #[inline]
    pub fn tenth_best(&self) -> f32 {
        self.tenth_best
    }

    /// The first window `>= window` that may hold a document, or `NO_MORE_WINDOWS`.
    #[inline]
    pub fn next_window(&mut self, window: u32) -> u32 {
        each_list!(self, list => list.next_window(window))
    }

    /// No document of the window has a higher factor `score / weight` (with the segment's average length). 0 where the
    /// window has no documents.
    #[inline]
    pub fn window_bound(&mut self, window: u32) -> f32 {
        each_list!(self, list => list.window_bound(window))
    }

    /// The window's documents and frequencies. Groups of documents whose stored bound is not above `above` may be left out.
    #[inline]
    pub fn decode(
        &mut self,
        window: u32,
        above: f32,
        docs: &mut WindowDocs,
        freqs: &mut WindowFreqs,
    ) -> Result<Decoded> {
        each_list!(self, list => list.decode(window, above, docs, freqs))
    }

    /// The window's documents; gives their number.
    #[inline]
    pub fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        each_list!(self, list => list.decode_docs(window, docs))
    }

    /// The documents that the window has of both terms, with the frequencies of both. `None` where the lists are stored in
    /// such a way that probing the other one is better.
    #[inline]
    pub fn decode_common(
        &self,
        other: &TermCursor<'_>,
        window: u32,
        common: &mut CommonDocs,
    ) -> Result<Option<[Decoded; 2]>> {
        match (&self.list, &other.list) {
            (List::Windows(own), List::Windows(other)) => own.decode_common(other, window, common),
            _ => Ok(None),
        }
    }

    /// As [`Self::decode_common`], without frequencies; gives the number of documents.
    #[inline]
    pub fn decode_common_docs(
        &self,
        other: &TermCursor<'_>,
        window: u32,
        common: &mut CommonDocs,
    ) -> Result<Option<usize>> {
        match (&self.list, &other.list) {
            (List::Windows(own), List::Windows(other)) => own.decode_common_docs(other, window, common),
            _ => Ok(None),
        }
    }

    /// The window as stored bits (bit `i` of byte `j` is document `8 j + i`), where it is stored so.
    #[inline]
    pub fn dense_bits(&self, window: u32) -> Result<Option<&'a [u8; WINDOW / 8]>> {
        match &self.list {
            List::Windows(list) => list.dense_bits(window),
            _ => Ok(None),
        }
    }

    /// Sets the bit of each document of the window.
    #[inline]
    pub fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        each_list!(self, list => list.or_bits(window, bits))
    }

    /// Clears the bits of the documents that lack the term.
    #[inline]
    pub fn and_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let mut own = [0; quarry_codec::window::WINDOW_WORDS];
        self.or_bits(window, &mut own)?;
        for (word, mine) in bits.iter_mut().zip(own) {
            *word &= mine;
        }
        Ok(())
    }

    /// The frequency in each of `docs` (ascending, in-window), 0 where the term is missing. Gives whether one may be
    /// [`SATURATED`]. `freqs` is at least as long as `docs`.
    #[inline]
    pub fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<bool> {
        each_list!(self, list => list.probe(window, docs, freqs))
    }

    /// The frequency in a document for which decoding or probing gave [`SATURATED`].
    #[cold]
    pub fn exact_freq(&mut self, window: u32, doc: u16) -> Result<u32> {
        each_list!(self, list => list.exact_freq(window, doc))
    }

    /// Frequency and place of the positions in a document that has the term. Documents in ascending order are fastest.
    #[inline]
    pub fn locate(&mut self, window: u32, doc: u16, positions: &PositionsReader<'_>) -> Result<Located> {
        each_list!(self, list => list.locate(window, doc, positions))
    }

    /// As [`Self::locate`] for each of `docs`, which ascend and have the term; `located` is as long. Less work than one
    /// after the other.
    pub fn locate_all(
        &mut self,
        window: u32,
        docs: &[u16],
        positions: &PositionsReader<'_>,
        located: &mut [Located],
    ) -> Result<()> {
        each_list!(self, list => list.locate_all(window, docs, positions, located))
    }
}
