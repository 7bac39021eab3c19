//! Stemmers of our own: English on the bytes of a word (lower case; what is not ASCII counts as consonants), light ones on
//! its characters.
pub mod english;
pub mod light;
pub mod porter;
pub mod porter2;
pub mod rslp;
mod rules;
