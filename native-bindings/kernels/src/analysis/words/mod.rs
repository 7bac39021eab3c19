//! Words of a text by the rules of Unicode Standard Annex #29, as Lucene's StandardTokenizer reads them.
//!
//! - [`classes`]: code points to the classes that the rules speak of;
//! - [`rules`]: the rules, compiled once to a table that finds the longest word at a place.
pub mod classes;
pub mod rules;
