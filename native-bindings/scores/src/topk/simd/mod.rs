//! The inner loops of scoring: one portable way, and a faster one where the build has AVX2. Both give the same bits.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2;
mod portable;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use avx2 as chosen;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
use portable as chosen;

pub(super) use chosen::{drain_above, keep_above, score};

use quarry_codec::window::WINDOW;
use quarry_postings::cursor::WINDOW_ROOM;

/// Scores beside [`quarry_postings::cursor::WindowDocs`].
pub(super) type WindowScores = [f32; WINDOW_ROOM];
/// The norm of each document of a window.
pub(super) type WindowNorms = [u8; WINDOW];
/// A score for each document of a window.
pub(super) type Accumulator = [f32; WINDOW];
