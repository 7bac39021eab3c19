//! Which documents of a segment count for a search of the nearest vectors.

use crate::error::Result;
use crate::search::scorers::bits;
use crate::search::view::SegmentView;
use crate::search::weight::{QueryEnv, Weight};
use crate::segment::vectors::column::VectorColumn;
use crate::window::{WINDOW_WORDS, WindowBits};

/// The live documents with a vector that a filter matches.
pub(super) struct Among {
    /// One bit for each document; `None`: all that have a vector.
    bits: Option<Vec<u64>>,
    count: u32,
}

impl Among {
    /// Errors: `TaskCancelled`, and what the filter fails with.
    pub fn new(
        segment: &SegmentView,
        column: &VectorColumn,
        env: &QueryEnv,
        filter: Option<&dyn Weight>,
    ) -> Result<Self> {
        if filter.is_none() && segment.live.is_none() {
            return Ok(Among { bits: None, count: column.count() });
        }
        let windows = segment.window_count();
        let mut among = Among { bits: Some(vec![0; windows as usize * WINDOW_WORDS]), count: 0 };
        let Some(filter) = filter else {
            for window in 0..windows {
                let mut own = bits::EMPTY;
                column.has_value(window, &mut own);
                segment.retain_live(window, &mut own);
                among.add(window, &own);
            }
            return Ok(among);
        };
        let Some(mut scorer) = filter.scorer(segment)? else { return Ok(among) };
        let mut docs = Vec::new();
        let mut window = scorer.next_window(0)?;
        while window < windows {
            env.check_cancelled()?;
            let mut own = bits::EMPTY;
            scorer.matches(window, &mut own)?;
            let mut present = bits::EMPTY;
            column.has_value(window, &mut present);
            bits::and(&mut own, &present);
            segment.retain_live(window, &mut own);
            bits::list(&own, &mut docs);
            segment.check_computed(window, &docs)?;
            among.add(window, &own);
            window = scorer.next_window(window + 1)?;
        }
        Ok(among)
    }

    fn add(&mut self, window: u32, own: &WindowBits) {
        self.count += bits::count(own);
        if let Some(bits) = &mut self.bits {
            bits[window as usize * WINDOW_WORDS..][..WINDOW_WORDS].copy_from_slice(own);
        }
    }

    pub fn count(&self) -> u32 {
        self.count
    }

    /// Every vector counts.
    pub fn is_all(&self) -> bool {
        self.bits.is_none()
    }

    #[inline]
    pub fn accepts(&self, doc: u32) -> bool {
        let Some(bits) = &self.bits else { return true };
        bits.get(doc as usize / 64).is_some_and(|word| word >> (doc % 64) & 1 == 1)
    }

    /// Those of the bits, ascending.
    pub fn docs(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.bits.iter().flatten().zip(0u32..);
        words.flat_map(|(&word, number)| {
            (0..64u32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| number * 64 + bit)
        })
    }
}
