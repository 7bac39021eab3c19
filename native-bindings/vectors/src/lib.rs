//! Vectors that are near to a vector: how near two are, exact search, and graphs to walk through many of them.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`similarity`] | how near two vectors of fractions are |
//! | [`bytes`] | the same of vectors of bytes and of bits |
//! | [`measure`] | the score that a field's nearness gives |
//! | [`quantised`] | vectors in a fraction of their room, and how near these are |
//! | [`space`] | the vectors of a field as what can be compared with each other |
//! | [`nearest`] | the best of those that were looked at |
//! | [`exact`] | the nearest of some vectors, all of which are looked at |
//! | [`graph`] | a hierarchy of graphs: as bytes, built, walked |
//!
//! Vectors of one field are numbered from 0; nothing here knows documents.
pub mod bytes;
pub mod exact;
pub mod graph;
pub mod measure;
pub mod nearest;
pub mod quantised;
pub mod similarity;
pub mod space;

use quarry_base::error::Result;

/// The vectors of a field by their numbers, all of one length. What compares many of them takes these as objects, so that it is compiled
/// here, once.
pub trait Vectors<T> {
    /// How many there are.
    fn count(&self) -> u32;

    /// `ordinal` is below the count.
    fn get(&self, ordinal: u32) -> &[T];
}

/// Asked again and again by what takes long: an error ends it.
pub type Interrupt<'a> = &'a dyn Fn() -> Result<()>;

/// Vectors that one after another fill a slice.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a, T> {
    pub values: &'a [T],
    /// Values of each; not 0.
    pub width: usize,
}

impl<T> Vectors<T> for Rows<'_, T> {
    fn count(&self) -> u32 {
        (self.values.len() / self.width) as u32
    }

    #[inline]
    fn get(&self, ordinal: u32) -> &[T] {
        &self.values[ordinal as usize * self.width..][..self.width]
    }
}
