//! Where the positions of a long list's documents start: sums of the frequencies before them in their window.
//!
//! Frequencies are unpacked when first needed, a quarter of a window at a time where the window is stored as bits, and
//! summed in groups, so that documents in ascending order cost little each.

use super::container_bits;
use super::view::{Bits, Documents, QUARTER_WORDS, Quarters, Window, word};
use crate::cursor::{Located, WINDOW_ROOM, WindowFreqs};
use crate::frequencies::{Exceptions, Frequencies, SATURATED};
use crate::layout::windows::{QUARTER, QUARTERS};
use crate::simd;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW, WINDOW_WORDS};

/// Frequencies summed at once.
const GROUP: usize = 32;

#[derive(Debug)]
pub(crate) struct WindowLocator<'a> {
    window: u32,
    last_doc: u16,
    /// Positions of the term before this window.
    base: u32,
    exceptions: Exceptions<'a>,
    ranker: Ranker<'a>,
    freqs: WindowFreqs,
    /// Sums of the groups before each group, as far as they were needed.
    before: [u32; WINDOW / GROUP],
    groups: usize,
}

/// Finds a document's place among those of the window.
#[derive(Debug)]
enum Ranker<'a> {
    Array {
        lows: &'a [u8],
        container_bits: u16,
        /// The place of the document last found.
        rank: usize,
    },
    Bits {
        bits: &'a Bits,
        quarters: Quarters<'a>,
        /// Documents before each word of the bits, as far as the quarters are unpacked.
        before: [u16; WINDOW_WORDS],
        unpacked: usize,
        count: usize,
    },
}

impl<'a> WindowLocator<'a> {
    pub(crate) fn new() -> Self {
        WindowLocator {
            window: NO_MORE_WINDOWS,
            last_doc: 0,
            base: 0,
            exceptions: Exceptions::default(),
            ranker: Ranker::Array { lows: &[], container_bits: 0, rank: 0 },
            freqs: [0; WINDOW_ROOM],
            before: [0; WINDOW / GROUP],
            groups: 0,
        }
    }

    /// Whether [`Self::locate`] can be asked for a document as things are: documents of a window come in order.
    #[inline]
    pub(crate) fn serves(&self, window: u32, doc: u16) -> bool {
        self.window == window && self.last_doc <= doc
    }

    /// Turns to a window. After an error it serves none.
    pub(crate) fn start(&mut self, number: u32, window: &Window<'a>, base: u32) -> Result<()> {
        self.window = NO_MORE_WINDOWS;
        (self.last_doc, self.base, self.groups) = (0, base, 0);
        match window.documents {
            Documents::Array(lows) => {
                let packed = Frequencies::parse(window.freqs, window.code)?;
                packed.unpack(window.count, &mut self.freqs)?;
                self.exceptions = packed.exceptions;
                self.ranker = Ranker::Array { lows, container_bits: container_bits(number), rank: 0 };
            }
            Documents::Bits(bits) => {
                let quarters = Quarters::parse(window.freqs)?;
                self.exceptions = quarters.exceptions;
                self.ranker = Ranker::Bits { bits, quarters, before: [0; WINDOW_WORDS], unpacked: 0, count: 0 };
            }
        }
        self.window = number;
        Ok(())
    }

    /// Frequency of a document of the current window, not before the last one, and the place of its positions.
    #[inline]
    pub(crate) fn locate(&mut self, doc: u16) -> Result<Located> {
        self.last_doc = doc;
        let rank = self.ranker.rank(doc, &mut self.freqs)?;
        self.sum_up_to(rank / GROUP);
        let Located { mut freq, mut start } = self.at(rank);
        if !self.exceptions.is_empty() {
            start = start.wrapping_add(self.exceptions.shortfall(0..doc));
            if freq == u32::from(SATURATED) {
                freq = self.exceptions.exact(doc)?;
            }
        }
        Ok(Located { freq, start })
    }

    /// As [`Self::locate`] for each of `docs`, ascending and not before the last one. `located` is as long.
    pub(crate) fn locate_all(&mut self, docs: &[u16], located: &mut [Located]) -> Result<()> {
        if !self.exceptions.is_empty() {
            for (doc, located) in docs.iter().zip(located) {
                *located = self.locate(*doc)?;
            }
            return Ok(());
        }
        let Some(&last) = docs.last() else { return Ok(()) };
        self.last_doc = last;
        // First the places alone: they wait for nothing but each other.
        self.ranker.rank_all(docs, &mut self.freqs, located)?;
        let last = located[..docs.len()].last().map_or(0, |located| located.start as usize);
        self.sum_up_to(last / GROUP);
        for located in &mut located[..docs.len()] {
            *located = self.at(located.start as usize);
        }
        Ok(())
    }

    /// Sums the groups before `group`.
    #[inline]
    fn sum_up_to(&mut self, group: usize) {
        while self.groups < group {
            let sum = simd::sum_below(self.group(self.groups), GROUP);
            self.before[self.groups + 1] = self.before[self.groups].wrapping_add(sum);
            self.groups += 1;
        }
    }

    /// Frequencies of a group.
    #[inline]
    fn group(&self, group: usize) -> &[u8; GROUP] {
        &self.freqs.as_chunks::<GROUP>().0[group % (WINDOW / GROUP)]
    }

    /// Decoded frequency at a place of the window, and the sum of those before it. The groups before are summed.
    #[inline]
    fn at(&self, rank: usize) -> Located {
        let rank = rank % WINDOW;
        let (group, place) = (rank / GROUP, rank % GROUP);
        let freqs = self.group(group);
        let before = self.base.wrapping_add(self.before[group]);
        Located { freq: u32::from(freqs[place]), start: before.wrapping_add(simd::sum_below(freqs, place)) }
    }
}

impl Ranker<'_> {
    /// The document's place, below `WINDOW`; its frequency and those before it are unpacked.
    #[inline]
    fn rank(&mut self, doc: u16, freqs: &mut WindowFreqs) -> Result<usize> {
        self.unpack_up_to(doc, freqs)?;
        match self {
            Ranker::Array { lows, container_bits, rank } => {
                *rank = rank_in_array(lows, *rank, *container_bits | doc)?;
                Ok(*rank)
            }
            Ranker::Bits { bits, before, .. } => Ok(rank_in_bits(bits, before, doc)),
        }
    }

    /// The places of documents, which ascend, as their `start`.
    #[inline]
    fn rank_all(&mut self, docs: &[u16], freqs: &mut WindowFreqs, located: &mut [Located]) -> Result<()> {
        self.unpack_up_to(docs.last().copied().unwrap_or(0), freqs)?;
        match self {
            Ranker::Array { lows, container_bits, rank } => {
                for (doc, located) in docs.iter().zip(located) {
                    *rank = rank_in_array(lows, *rank, *container_bits | doc)?;
                    located.start = *rank as u32;
                }
            }
            Ranker::Bits { bits, before, .. } => {
                for (doc, located) in docs.iter().zip(located) {
                    located.start = rank_in_bits(bits, before, *doc) as u32;
                }
            }
        }
        Ok(())
    }

    /// Unpacks the frequencies of bits up to the quarter that has a document.
    #[inline]
    fn unpack_up_to(&mut self, doc: u16, freqs: &mut WindowFreqs) -> Result<()> {
        let Ranker::Bits { bits, quarters, before, unpacked, count } = self else { return Ok(()) };
        let quarter = usize::from(doc) / QUARTER % QUARTERS;
        while *unpacked <= quarter {
            let first = *count;
            let places = *unpacked * QUARTER_WORDS..(*unpacked + 1) * QUARTER_WORDS;
            for (before, place) in before[places.clone()].iter_mut().zip(places) {
                *before = *count as u16;
                *count += word(bits, place).count_ones() as usize;
            }
            quarters.freqs(*unpacked)?.unpack(*count - first, &mut freqs[first..])?;
            *unpacked += 1;
        }
        Ok(())
    }
}

#[inline]
fn rank_in_array(lows: &[u8], from: usize, low: u16) -> Result<usize> {
    let rank = simd::lower_bound(lows, from, low);
    if rank >= lows.len() / 2 {
        return Err(Error::internal("positions asked of a document that lacks the term"));
    }
    Ok(rank)
}

#[inline]
fn rank_in_bits(bits: &Bits, before: &[u16; WINDOW_WORDS], doc: u16) -> usize {
    let place = usize::from(doc) / 64 % WINDOW_WORDS;
    let below = word(bits, place) & ((1u64 << (doc % 64)) - 1);
    (usize::from(before[place]) + below.count_ones() as usize) % WINDOW
}
