//! The inner loops over packed postings: one portable way, and a faster one where the build has AVX2 and BMI2, in some loops another with AVX-512. All give
//! the same results (a property test holds them to it) and neither trusts the bytes it reads: lengths are checked once
//! per call.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
mod avx2_groups;
mod portable;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
use avx2 as chosen;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
use portable as chosen;

use quarry_codec::vertical::ROWS;

pub use chosen::list_bits;
pub(crate) use chosen::{
    contains_value, docs_of_gaps, expand_bits, find_in_group, intersect, lower_bound, mask_lows, prefetch, sum_below,
    sum_first, unpack_freqs, unpack_group, unpack_values,
};
pub(crate) use portable::find;

/// What vector stores may write past the last element.
pub(crate) const STORE_SLACK: usize = 32;
/// What vector and word loads may read past the last packed byte.
pub(crate) const LOAD_SLACK: usize = 16;
/// Widest frequency in packed form (freq - 1); wider ones are exceptions.
pub(crate) const FREQ_WIDTH_MAX: u32 = 8;
/// What a group's values are where there are none.
pub(crate) const NO_VALUE: u32 = u32::MAX;
/// Values of a row of gaps: those of a vector of 128 bits.
pub(crate) const GAP_LANES: usize = 4;
/// For each document of a block how many lie between it and the one before, row by row (see [`quarry_codec::vertical`]).
pub(crate) type Gaps = [[u32; GAP_LANES]; ROWS];
/// Values of a group.
pub(crate) const GROUP_VALUES: usize = 16;
/// Widest values of a group: those that lie in four bytes wherever they start.
pub(crate) const GROUP_WIDTH_MAX: u32 = 25;

/// What was found of some ascending values in a group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// A bit for each of them that is there.
    pub(crate) places: u32,
    /// Whether the group reaches the last of them: groups behind it have none.
    pub(crate) passed: bool,
}
