//! The vectors of a field as what can be compared with each other.

use crate::Vectors;
use crate::measure::Measure;
use crate::quantised::{Quantisation, closeness};
use crate::similarity::Similarity;

/// Things by their numbers, any two of which are more or less near to each other.
pub trait Space {
    /// How many there are.
    fn count(&self) -> u32;

    /// The greater, the nearer. Both numbers are below the count.
    fn closeness(&self, left: u32, right: u32) -> f32;
}

/// Vectors of fractions, of length 1 where the similarity asks for that.
#[derive(Clone, Copy)]
pub struct FloatSpace<'a> {
    pub vectors: &'a dyn Vectors<f32>,
    pub similarity: Similarity,
}

impl Space for FloatSpace<'_> {
    fn count(&self) -> u32 {
        self.vectors.count()
    }

    fn closeness(&self, left: u32, right: u32) -> f32 {
        self.similarity.closeness(self.vectors.get(left), self.vectors.get(right))
    }
}

/// Vectors of bytes or bits.
#[derive(Clone, Copy)]
pub struct ByteSpace<'a> {
    pub vectors: &'a dyn Vectors<u8>,
    pub measure: Measure,
    /// One for each vector, where the angle alone counts; else empty.
    pub lengths: &'a [f32],
}

impl Space for ByteSpace<'_> {
    fn count(&self) -> u32 {
        self.vectors.count()
    }

    fn closeness(&self, left: u32, right: u32) -> f32 {
        let length = |ordinal: u32| self.lengths.get(ordinal as usize).copied().unwrap_or(1.0);
        let lengths = length(left) * length(right);
        self.measure.of_bytes(self.vectors.get(left), self.vectors.get(right), lengths)
    }
}

/// Vectors of fractions by their codes.
#[derive(Clone, Copy)]
pub struct CodeSpace<'a> {
    pub codes: &'a dyn Vectors<u8>,
    pub quantisation: Quantisation,
    pub similarity: Similarity,
}

impl Space for CodeSpace<'_> {
    fn count(&self) -> u32 {
        self.codes.count()
    }

    fn closeness(&self, left: u32, right: u32) -> f32 {
        closeness(self.quantisation, self.similarity, self.codes.get(left), self.codes.get(right))
    }
}
