//! Which of the three shapes a list of postings has: it follows from its length and from what it is of, so it is
//! written nowhere. A file for each shape says how it is laid out.
pub(crate) mod blocks;
pub(crate) mod tiny;
pub(crate) mod windows;

use blocks::BLOCK;
use quarry_codec::window::window_count;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Tiny,
    Blocks,
    Windows,
}

/// What lists are of, which decides how many of their documents make windows worth their room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Density {
    Terms,
    /// Blocks take half the room of windows whose documents are arrays, and one list alone is read as fast.
    Pairs,
}

impl Density {
    /// A list with one document in this many, or more, has windows.
    fn documents(self) -> u32 {
        match self {
            Density::Terms => 128,
            Density::Pairs => 8,
        }
    }
}

/// Roaring bitmaps start at a multiple of this many bytes of the section.
const ALIGNMENT: u64 = 8;

impl Layout {
    pub(super) fn of(doc_freq: u32, max_doc: u32, density: Density) -> Self {
        if doc_freq < BLOCK as u32 {
            Layout::Tiny
        } else if doc_freq < max_doc / density.documents() {
            Layout::Blocks
        } else {
            Layout::Windows
        }
    }

    /// Blocks or windows for which the position section records where they start.
    pub(super) fn units(self, doc_freq: u32, max_doc: u32) -> usize {
        match self {
            Layout::Tiny => 0,
            Layout::Blocks => (doc_freq as usize).div_ceil(BLOCK),
            Layout::Windows => window_count(max_doc) as usize,
        }
    }
}

/// Where a list with windows starts when the one before it ends at `offset`.
pub(super) fn align(offset: u64) -> u64 {
    offset.next_multiple_of(ALIGNMENT)
}
