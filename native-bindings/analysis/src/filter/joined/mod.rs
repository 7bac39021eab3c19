//! Filters that make one token of several, or of a whole text.

pub mod cjk_bigram;
pub mod common_grams;
pub mod fingerprint;
pub mod fixed_shingle;
pub mod min_hash;
pub mod shingle;
