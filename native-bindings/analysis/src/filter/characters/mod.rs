//! Filters that write a word with other characters, or with fewer.

pub mod case;
pub mod classic;
pub mod elision;
pub mod fold;
mod fold_table;
pub mod normalize;
pub mod pattern_replace;
