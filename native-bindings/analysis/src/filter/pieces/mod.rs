//! Filters that make several tokens of one, or cut something off: parts of words.

pub mod decompound;
pub mod grams;
pub mod pattern_capture;
pub mod payload;
pub mod word_delimiter;
