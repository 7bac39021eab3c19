//! Where the positions of a long list's documents start: sums of the frequencies before them in their window.
//!
//! Frequencies are unpacked when first needed, a quarter of a window at a time where the window is stored as bits, and
//! summed in groups, so that documents in ascending order cost little each.

use super::cursor::{Located, WINDOW_ROOM, WindowFreqs};
use super::frequencies::{Exceptions, Frequencies, SATURATED};
use super::simd;
use super::window_cursor::container_bits;
use super::window_view::{Bits, Documents, QUARTER_BYTES, QuarterRanks, Quarters, Window};
use super::windows::{QUARTER, QUARTERS};
use quarry_base::error::{Error, Result};
use quarry_codec::window::{NO_MORE_WINDOWS, WINDOW};

/// Frequencies summed at once.
const GROUP: usize = 32;

#[derive(Debug)]
pub(super) struct WindowLocator<'a> {
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
        ranks: QuarterRanks,
        /// Documents before each quarter, as far as the quarters are unpacked.
        starts: [usize; QUARTERS],
        unpacked: usize,
        count: usize,
    },
}

impl<'a> WindowLocator<'a> {
    pub(super) fn new() -> Self {
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
    pub(super) fn serves(&self, window: u32, doc: u16) -> bool {
        self.window == window && self.last_doc <= doc
    }

    /// Turns to a window. After an error it serves none.
    pub(super) fn start(&mut self, number: u32, window: &Window<'a>, base: u32) -> Result<()> {
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
                let (starts, ranks) = ([0; QUARTERS], QuarterRanks::new());
                self.ranker = Ranker::Bits { bits, quarters, ranks, starts, unpacked: 0, count: 0 };
            }
        }
        self.window = number;
        Ok(())
    }

    /// Frequency of a document of the current window, not before the last one, and the place of its positions.
    #[inline]
    pub(super) fn locate(&mut self, doc: u16) -> Result<Located> {
        self.last_doc = doc;
        let rank = self.ranker.rank(doc, &mut self.freqs)?;
        let group = rank / GROUP;
        while self.groups < group {
            let sum = simd::sum_first(&self.freqs[self.groups * GROUP..], GROUP);
            self.before[self.groups + 1] = self.before[self.groups].wrapping_add(sum);
            self.groups += 1;
        }
        let in_group = simd::sum_first(&self.freqs[group * GROUP..], rank % GROUP);
        let mut start = self.base.wrapping_add(self.before[group]).wrapping_add(in_group);
        let mut freq = u32::from(self.freqs[rank]);
        if !self.exceptions.is_empty() {
            start = start.wrapping_add(self.exceptions.shortfall(0..doc));
            if freq == u32::from(SATURATED) {
                freq = self.exceptions.exact(doc)?;
            }
        }
        Ok(Located { freq, start })
    }
}

impl Ranker<'_> {
    /// The document's place, below `WINDOW`; its frequency and those before it are unpacked.
    #[inline]
    fn rank(&mut self, doc: u16, freqs: &mut WindowFreqs) -> Result<usize> {
        match self {
            Ranker::Array { lows, container_bits, rank } => {
                *rank = simd::lower_bound(lows, *rank, *container_bits | doc);
                if *rank >= lows.len() / 2 {
                    return Err(Error::internal("positions asked of a document that lacks the term"));
                }
                Ok(*rank)
            }
            Ranker::Bits { bits, quarters, ranks, starts, unpacked, count } => {
                let doc = doc % WINDOW as u16;
                let quarter = usize::from(doc) / QUARTER;
                while *unpacked <= quarter {
                    let words = bits[*unpacked * QUARTER_BYTES..][..QUARTER_BYTES].as_chunks::<8>().0;
                    let documents: u32 = words.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
                    quarters.freqs(*unpacked)?.unpack(documents as usize, &mut freqs[*count..])?;
                    starts[*unpacked] = *count;
                    *count += documents as usize;
                    *unpacked += 1;
                }
                Ok((starts[quarter] + ranks.rank(bits, doc)).min(WINDOW - 1))
            }
        }
    }
}
