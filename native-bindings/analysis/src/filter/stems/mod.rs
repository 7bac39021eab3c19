//! Filters that write words by their stems or by how they sound, and those that say which words to leave alone.

pub mod keyword;
pub mod phonetic;
pub mod stemmer;
