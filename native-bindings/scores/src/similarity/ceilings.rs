//! Upper bounds of formulas, from the bounds that segments store for BM25.
//!
//! A factor `freq / (freq + K)` of at most `u`, where `K` follows from the length, says that the frequency is at most
//! `K u / (1 - u)`. The highest score over all lengths, each with the highest frequency that it can have, is a bound of
//! every formula that does not fall when the frequency rises.

use quarry_postings::bm25::Bm25;
use std::cell::RefCell;

/// Factors are rounded up to so many steps; bounds are worked out once for each.
const STEPS: usize = 256;
/// Covers the rounding of frequencies and scores.
const ROUNDING: f32 = 1.000_01;

#[derive(Debug, Clone)]
pub(super) struct Ceilings {
    /// By step; not a number where not known yet.
    known: RefCell<[f32; STEPS]>,
}

impl Ceilings {
    pub(super) fn new() -> Self {
        Ceilings { known: RefCell::new([f32::NAN; STEPS]) }
    }

    /// No document scores more whose factor under `reference` is at most `factor`. `score` takes a frequency and the code
    /// of a length; documents with a match have a length of 1 at least.
    pub(super) fn of(&self, factor: f32, reference: &Bm25, score: impl Fn(f32, u8) -> f32) -> f32 {
        let step = (factor * STEPS as f32).ceil().max(0.0) as usize;
        let mut known = self.known.borrow_mut();
        let Some(slot) = known.get_mut(step) else { return f32::INFINITY };
        if slot.is_nan() {
            let odds = step as f32 / (STEPS - step) as f32 * ROUNDING;
            let highest = |code: u8| score(odds / reference.inverse()[usize::from(code)], code);
            let most = (1..=u8::MAX).map(highest).fold(0.0, |most: f32, score| most.max(score * ROUNDING));
            *slot = most;
        }
        *slot
    }
}
