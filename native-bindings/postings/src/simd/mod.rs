//! The inner loops over packed postings: one portable way, and a faster one where the build has AVX2 and BMI2, in one loop another with AVX-512. All give
//! the same results (a property test holds them to it) and neither trusts the bytes it reads: lengths are checked once
//! per call.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
mod avx2;
mod portable;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
use avx2 as chosen;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
use portable as chosen;

pub use chosen::list_bits;
pub(crate) use chosen::{contains_value, expand_bits, lower_bound, mask_lows, sum_first, unpack_freqs, unpack_values};

/// What vector stores may write past the last element.
pub(crate) const STORE_SLACK: usize = 32;
/// What vector and word loads may read past the last packed byte.
pub(crate) const LOAD_SLACK: usize = 16;
/// Widest frequency in packed form (freq - 1); wider ones are exceptions.
pub(crate) const FREQ_WIDTH_MAX: u32 = 8;
