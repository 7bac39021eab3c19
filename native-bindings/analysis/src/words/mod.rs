//! Words of a text by the rules of Unicode Standard Annex #29, as Lucene's StandardTokenizer reads them.
//!
//! - [`classes`]: code points to the classes that the rules speak of;
//! - [`rules`]: the rules, compiled once to a table that finds the longest word at a place;
//! - [`scan`]: the same words, and those of the simpler tokenizers, 64 bytes at a time where the text is ASCII;
//! - [`blocks`]: the classes of 64 bytes.
mod blocks;
mod classes;
pub mod rules;
pub mod scan;
