//! Vectors that are near to a vector: how near two are, exact search, and graphs to walk through many of them.
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`similarity`] | how near two vectors are, and the score that this gives |
//! | [`nearest`] | the best of those that were looked at |
//! | [`exact`] | the nearest of some vectors, all of which are looked at |
//! | [`graph`] | a hierarchy of graphs: as bytes, built, walked |
//!
//! Vectors of one field are numbered from 0; nothing here knows documents.
pub mod exact;
pub mod graph;
pub mod nearest;
pub mod similarity;

use quarry_base::error::Result;

/// The vectors of a field by their numbers, all of one length. What compares many of them takes these as objects, so that it is compiled
/// here, once.
pub trait Vectors {
    /// How many there are.
    fn count(&self) -> u32;

    /// `ordinal` is below the count.
    fn get(&self, ordinal: u32) -> &[f32];
}

/// Asked again and again by what takes long: an error ends it.
pub type Interrupt<'a> = &'a dyn Fn() -> Result<()>;

/// Vectors that one after another fill a slice.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    pub values: &'a [f32],
    pub dims: usize,
}

impl Vectors for Rows<'_> {
    fn count(&self) -> u32 {
        (self.values.len() / self.dims) as u32
    }

    fn get(&self, ordinal: u32) -> &[f32] {
        &self.values[ordinal as usize * self.dims..][..self.dims]
    }
}
