//! Documents and frequencies of one term, window by window.

use crate::error::Result;
use crate::window::{WINDOW, WindowBits};

/// In-window documents and their frequencies.
#[derive(Debug)]
pub struct TermCursor<'a> {
    _bytes: &'a [u8],
}

/// Room for the documents of one window: `WINDOW` of them and what vector stores write past the end.
pub const WINDOW_ROOM: usize = WINDOW + 64;

impl TermCursor<'_> {
    /// Number of documents of the term in the segment.
    pub fn doc_freq(&self) -> u32 {
        todo!()
    }

    /// The first window `>= window` that may hold a document, or `NO_MORE_WINDOWS`.
    pub fn next_window(&mut self, _window: u32) -> u32 {
        todo!()
    }

    /// Sets the bit of each document of the window.
    pub fn or_bits(&mut self, _window: u32, _bits: &mut WindowBits) -> Result<()> {
        todo!()
    }

    /// Clears the bits of the documents that lack the term.
    pub fn and_bits(&mut self, _window: u32, _bits: &mut WindowBits) -> Result<()> {
        todo!()
    }
}
