//! Finds which of some terms follow each other: their names are written into cells, one for each position of each
//! document of a part of a window, and neighbouring cells are read.

use super::TERMS_MAX;
use super::found::{Documents, FoundPairs, Sighting};
use super::selection::{Rule, Selection};
use crate::cursor::{SATURATED, TermCursor, WINDOW_ROOM, WindowDocs, WindowFreqs};
use crate::{FieldPostingsReader, PositionsReader, TermEntry, packing};
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, window_count};

/// Positions of a part of a window that are held at once, unless one document has more.
const POSITIONS_MAX: usize = 1 << 20;
/// Cells at once. Positions that lie so far apart are not worth having pairs.
const CELLS_MAX: usize = 1 << 24;
/// Cells that are read together. Each document's start at such a multiple.
const GROUP: usize = 4;
const CELL_BITS: usize = 16;
const LOW_BITS: u64 = 0x7fff_7fff_7fff_7fff;

/// The pairs of some terms.
pub(super) struct Neighbours {
    selection: Selection,
    found: FoundPairs,
    /// Places of terms that share a position with another one, or are there twice: pairs cannot say what phrases of
    /// them match.
    unfit: Vec<bool>,
}

impl Neighbours {
    /// Of `terms`, which are of `field`, the pairs that the rule lists. `None`: a document has too many positions.
    /// `check` is called for each window.
    pub(super) fn find(
        terms: &[TermEntry],
        rule: Rule,
        field: &FieldPostingsReader,
        check: &dyn Fn() -> Result<()>,
    ) -> Result<Option<Self>> {
        if terms.len() > TERMS_MAX {
            return Err(Error::internal("more terms of pairs than have names"));
        }
        let selection = Selection::new(terms, rule);
        let mut search = Search {
            terms: terms.iter().map(|entry| Term::open(entry, field)).collect::<Result<_>>()?,
            cells: Vec::new(),
            starts: Vec::new(),
            sightings: Vec::new(),
            pairs: Neighbours { found: FoundPairs::new(&selection), unfit: vec![false; terms.len()], selection },
        };
        for window in 0..window_count(field.max_doc()) {
            check()?;
            if !search.window(window)? {
                return Ok(None);
            }
        }
        Ok(Some(search.pairs))
    }

    pub(super) fn all_fit(&self) -> bool {
        !self.unfit.contains(&true)
    }

    pub(super) fn fits(&self, place: usize) -> bool {
        !self.unfit[place]
    }

    /// Calls `visit` with the places of both terms, ascending, and the documents; of terms that fit.
    pub(super) fn each_pair(&self, mut visit: impl FnMut(usize, usize, &Documents) -> Result<()>) -> Result<()> {
        let mut names = vec![0u16; self.unfit.len()];
        for (name, place) in (1..).zip(self.selection.by_frequency()) {
            names[*place] = name;
        }
        let fitting: Vec<usize> = (0..names.len()).filter(|place| self.fits(*place)).collect();
        for &first in &fitting {
            for &second in &fitting {
                let pair = self.selection.pair(names[first], names[second]);
                if let Some(documents) = pair.and_then(|pair| self.found.get(pair)) {
                    visit(first, second, documents)?;
                }
            }
        }
        Ok(())
    }
}

/// One term while its windows are walked.
struct Term<'a> {
    cursor: TermCursor<'a>,
    positions: PositionsReader<'a>,
    docs: Box<WindowDocs>,
    freqs: Box<WindowFreqs>,
    /// Documents of the window, and how many of them the parts before had.
    count: usize,
    done: usize,
    /// Positions of all windows and parts before.
    start: u32,
    /// Those of the part.
    part: Vec<u32>,
}

impl<'a> Term<'a> {
    fn open(entry: &TermEntry, field: &'a FieldPostingsReader) -> Result<Self> {
        Ok(Term {
            cursor: field.cursor(entry)?,
            positions: field.positions(entry)?,
            docs: Box::new([0; WINDOW_ROOM]),
            freqs: Box::new([0; WINDOW_ROOM]),
            count: 0,
            done: 0,
            start: 0,
            part: Vec::new(),
        })
    }

    /// Gives the number of positions in the window.
    fn turn_to(&mut self, window: u32) -> Result<usize> {
        self.done = 0;
        self.count = self.cursor.decode(window, -1.0, &mut self.docs, &mut self.freqs)?.count;
        (0..self.count).try_fold(0, |sum, index| Ok(sum + self.freq(window, index)? as usize))
    }

    #[inline]
    fn freq(&mut self, window: u32, index: usize) -> Result<u32> {
        match self.freqs[index] {
            SATURATED => self.cursor.exact_freq(window, self.docs[index]),
            freq => Ok(u32::from(freq)),
        }
    }

    /// Reads the positions of the documents before `end`.
    fn read_up_to(&mut self, window: u32, end: usize) -> Result<()> {
        let (mut index, mut length) = (self.done, 0u32);
        while index < self.count && usize::from(self.docs[index]) < end {
            length = length.checked_add(self.freq(window, index)?).ok_or_else(packing::ends_early)?;
            index += 1;
        }
        self.positions.read(self.start, length, &mut self.part)
    }

    /// Calls `visit` with each document before `end` and its positions.
    fn each_document(
        &mut self,
        window: u32,
        end: usize,
        mut visit: impl FnMut(usize, &[u32]) -> Result<()>,
    ) -> Result<()> {
        let (mut index, mut at) = (self.done, 0);
        while index < self.count && usize::from(self.docs[index]) < end {
            let next = at + self.freq(window, index)? as usize;
            visit(usize::from(self.docs[index]), self.part.get(at..next).ok_or_else(packing::ends_early)?)?;
            at = next;
            index += 1;
        }
        Ok(())
    }

    /// Leaves the part behind.
    fn pass(&mut self, end: usize) {
        self.done += self.docs[self.done..self.count].partition_point(|doc| usize::from(*doc) < end);
        self.start += self.part.len() as u32;
    }
}

struct Search<'a> {
    terms: Vec<Term<'a>>,
    cells: Vec<u16>,
    /// Where the cells of each document of the part start, and where the last ends.
    starts: Vec<usize>,
    sightings: Vec<Sighting>,
    pairs: Neighbours,
}

impl Search<'_> {
    /// `false`: its documents have too many positions.
    fn window(&mut self, window: u32) -> Result<bool> {
        let positions: usize = self.terms.iter_mut().map(|term| term.turn_to(window)).sum::<Result<_>>()?;
        let parts = positions.div_ceil(POSITIONS_MAX).next_power_of_two().min(WINDOW);
        let documents = WINDOW / parts;
        for part in 0..parts {
            let (from, to) = (part * documents, (part + 1) * documents);
            if !self.arrange(window, from, to)? {
                return Ok(false);
            }
            self.name_cells(window, from, to)?;
            self.read_cells(window, from);
            self.terms.iter_mut().for_each(|term| term.pass(to));
        }
        Ok(true)
    }

    /// Makes room for the positions of the documents.
    fn arrange(&mut self, window: u32, from: usize, to: usize) -> Result<bool> {
        // First the number of each document's positions.
        self.starts.clear();
        self.starts.resize(to - from + 1, 0);
        for term in &mut self.terms {
            term.read_up_to(window, to)?;
            let starts = &mut self.starts;
            term.each_document(window, to, |doc, positions| {
                let last = positions.last().map_or(0, |last| *last as usize + 1);
                let length = starts.get_mut(doc.wrapping_sub(from)).ok_or_else(packing::ends_early)?;
                *length = last.max(*length);
                Ok(())
            })?;
        }
        let mut end = 0;
        for start in &mut self.starts {
            // At least one cell behind the last position stays empty.
            let length = if *start == 0 { 0 } else { (*start + 1).next_multiple_of(GROUP) };
            *start = end;
            end += length;
            if end > CELLS_MAX {
                return Ok(false);
            }
        }
        self.cells.clear();
        self.cells.resize(end + GROUP, 0);
        Ok(true)
    }

    fn name_cells(&mut self, window: u32, from: usize, to: usize) -> Result<()> {
        let (cells, starts) = (&mut self.cells, &self.starts);
        let Neighbours { unfit, selection, .. } = &mut self.pairs;
        // Of two terms at one position the less frequent one is unfit.
        for (name, &place) in (1..).zip(selection.by_frequency()) {
            let mut collides = false;
            self.terms[place].each_document(window, to, |doc, positions| {
                let start = *starts.get(doc.wrapping_sub(from)).ok_or_else(packing::ends_early)?;
                let own = cells.get_mut(start..).ok_or_else(packing::ends_early)?;
                for position in positions {
                    let cell = own.get_mut(*position as usize).ok_or_else(packing::ends_early)?;
                    if *cell == 0 {
                        *cell = name;
                    } else {
                        collides = true;
                    }
                }
                Ok(())
            })?;
            unfit[place] |= collides;
        }
        Ok(())
    }

    fn read_cells(&mut self, window: u32, from: usize) {
        let first = window * WINDOW as u32 + from as u32;
        self.sightings.clear();
        for (doc, bounds) in (first..).zip(self.starts.windows(2)) {
            for at in (bounds[0]..bounds[1]).step_by(GROUP) {
                let Some(cells) = self.cells.get(at..at + GROUP + 1) else { continue };
                let mut both = taken(&cells[..GROUP]) & taken(&cells[1..=GROUP]);
                while both != 0 {
                    let place = both.trailing_zeros() as usize / CELL_BITS;
                    let pair = self.pairs.selection.pair(cells[place], cells[place + 1]);
                    self.sightings.extend(pair.map(|pair| Sighting { pair, doc }));
                    both &= both - 1;
                }
            }
        }
        self.pairs.found.add(&self.sightings);
    }
}

/// The highest bit of each cell that has a name.
#[inline]
fn taken(cells: &[u16]) -> u64 {
    let word = cells.iter().rev().fold(0u64, |word, cell| word << CELL_BITS | u64::from(*cell));
    (((word & LOW_BITS) + LOW_BITS) | word) & !LOW_BITS
}
