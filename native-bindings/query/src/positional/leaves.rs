//! The terms at the leaves of a tree in one segment.

use crate::scorers::bits;
use quarry_base::error::Result;
use quarry_codec::window::{NO_MORE_WINDOWS, WindowBits};
use quarry_postings::cursor::TermCursor;
use quarry_postings::{FieldPostingsReader, PositionsReader, TermEntry};

/// Where the leaves of a tree stand in one text.
pub trait Positions {
    /// Replaces `out` by the positions of a leaf, ascending. Of several terms at one position each counts.
    fn positions(&mut self, leaf: usize, out: &mut Vec<u32>) -> Result<()>;
}

/// In a document of the loaded window.
pub struct InDocument<'l, 'a> {
    pub leaves: &'l mut Leaves<'a>,
    pub window: u32,
    pub doc: u16,
}

impl Positions for InDocument<'_, '_> {
    fn positions(&mut self, leaf: usize, out: &mut Vec<u32>) -> Result<()> {
        self.leaves.positions(leaf, self.window, self.doc, out)
    }
}

/// One term with the documents it has in the current window.
struct LeafTerm<'a> {
    cursor: TermCursor<'a>,
    positions: PositionsReader<'a>,
    docs: Box<WindowBits>,
}

/// Terms that count as one word.
struct Leaf<'a> {
    terms: Vec<LeafTerm<'a>>,
    docs: WindowBits,
}

#[derive(Default)]
pub struct Leaves<'a> {
    leaves: Vec<Leaf<'a>>,
    more: Vec<u32>,
}

impl<'a> Leaves<'a> {
    /// Adds a leaf; its place is the number of leaves before it. Without entries nothing matches it.
    pub fn add(&mut self, postings: Option<&'a FieldPostingsReader>, entries: &[TermEntry]) -> Result<()> {
        let mut terms = Vec::with_capacity(entries.len());
        if let Some(postings) = postings {
            for entry in entries {
                let (cursor, positions) = (postings.cursor(entry)?, postings.positions(entry)?);
                terms.push(LeafTerm { cursor, positions, docs: Box::new(bits::EMPTY) });
            }
        }
        self.leaves.push(Leaf { terms, docs: bits::EMPTY });
        Ok(())
    }

    /// Documents that have any of the leaves, at most.
    pub fn cost(&self) -> u64 {
        let terms = self.leaves.iter().flat_map(|leaf| &leaf.terms);
        terms.map(|term| u64::from(term.cursor.doc_freq())).sum()
    }

    pub fn next_window(&mut self, window: u32) -> u32 {
        let terms = self.leaves.iter_mut().flat_map(|leaf| &mut leaf.terms);
        terms.map(|term| term.cursor.next_window(window)).min().unwrap_or(NO_MORE_WINDOWS)
    }

    pub fn load(&mut self, window: u32) -> Result<()> {
        for leaf in &mut self.leaves {
            leaf.docs = bits::EMPTY;
            for term in &mut leaf.terms {
                *term.docs = bits::EMPTY;
                if term.cursor.next_window(window) == window {
                    term.cursor.or_bits(window, &mut term.docs)?;
                    bits::or(&mut leaf.docs, &term.docs);
                }
            }
        }
        Ok(())
    }

    /// Documents of the loaded window that have the leaf.
    pub fn docs(&self, leaf: usize) -> &WindowBits {
        &self.leaves[leaf].docs
    }

    /// Replaces `out` by the positions of a leaf in a document of the loaded window, ascending. Of several terms at one
    /// position each counts.
    pub fn positions(&mut self, leaf: usize, window: u32, doc: u16, out: &mut Vec<u32>) -> Result<()> {
        out.clear();
        let Leaves { leaves, more } = self;
        let mut terms = leaves[leaf].terms.iter_mut().filter(|term| bits::contains(&term.docs, doc));
        let Some(first) = terms.next() else { return Ok(()) };
        let located = first.cursor.locate(window, doc, &first.positions)?;
        first.positions.read(located.start, located.freq, out)?;
        let mut is_sorted = true;
        for LeafTerm { cursor, positions, .. } in terms {
            let located = cursor.locate(window, doc, positions)?;
            positions.read(located.start, located.freq, more)?;
            out.append(more);
            is_sorted = false;
        }
        if !is_sorted {
            out.sort_unstable();
        }
        Ok(())
    }
}
