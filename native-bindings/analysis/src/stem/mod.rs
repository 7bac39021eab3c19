//! English stemmers on the bytes of a word. Words are in lower case; bytes outside ASCII count as consonants.
pub mod english;
pub mod porter;
pub mod porter2;
