//! The contract of everything that matches documents.

use quarry_base::error::Result;
use quarry_codec::window::WindowBits;

/// Matches, and where asked scores, the documents of one segment window by window.
///
/// Callers must hold (they are not re-checked): windows are visited in ascending order, each at most once for `matches`
/// and any number of times for `score`; deletions are not the scorer's business, the collector removes them.
pub trait WindowScorer {
    /// An estimate of the number of matching documents, for ordering conjunctions.
    fn cost(&self) -> u64;

    /// The first window `>= window` that may hold a match, or [`quarry_codec::window::NO_MORE_WINDOWS`]. May be conservative.
    fn next_window(&mut self, window: u32) -> Result<u32>;

    /// No document of the window scores higher than this. Infinity where unknown, 0 for a pure filter.
    fn max_score(&mut self, window: u32) -> Result<f32>;

    /// Sets the bit of every matching document of the window; never clears a bit.
    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()>;

    /// Clears the bit of every document that does not match. The default materialises and intersects.
    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let mut own = [0u64; quarry_codec::window::WINDOW_WORDS];
        self.matches(window, &mut own)?;
        for (word, mine) in bits.iter_mut().zip(own) {
            *word &= mine;
        }
        Ok(())
    }

    /// Adds the score of each of `docs` (ascending, in-window) that matches to `scores` at the same place; the others
    /// are left alone.
    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()>;
}
