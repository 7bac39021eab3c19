//! The vectors of a field: numbered in the order of their documents, and the graph to walk through them.
//!
//! ```text
//! section vectors   head of 16 words; vector after vector, each of `dims` floats, of `dims` bytes, or of `dims` bits; zeros up to a multiple of
//!                   four bytes; their documents, ascending; with cosine the length that each has, or had before it was divided by it;
//!                   the code of each where they are quantised (`quarry_vectors::quantised`)
//! section graph     see `quarry_vectors::graph::layout`; segments with few vectors, or without `hnsw`, have none
//! ```
//!
//! [`column`] reads, [`data`] is what is written, [`elements`] values in memory.
pub mod column;
pub mod data;
pub mod elements;

use quarry_base::error::{Error, Result};
use quarry_vectors::graph::Parameters;
use quarry_vectors::measure::{Element, Measure};
use quarry_vectors::quantised::{Interval, Quantisation, Resolution};
use quarry_vectors::similarity::Similarity;

const MAGIC: u32 = u32::from_le_bytes(*b"VEC1");
/// Words of the head, so that what follows begins where a section may.
const HEAD: usize = 16;

/// What all vectors of a field have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorFormat {
    /// With bits a multiple of 8.
    pub dims: u32,
    pub element: Element,
    /// `None`: of a field that only scripts read.
    pub similarity: Option<Similarity>,
    /// `None`: searches look at every vector.
    pub graph: Option<Parameters>,
    /// Of fractions alone: searches look at codes first. `None`: there are none.
    pub quantisation: Option<Quantisation>,
}

impl VectorFormat {
    /// How vectors are compared.
    pub fn measure(&self) -> Option<Measure> {
        Some(Measure { similarity: self.similarity?, element: self.element, dims: self.dims })
    }

    /// Each vector has its length beside it.
    pub fn has_lengths(&self) -> bool {
        self.similarity == Some(Similarity::Cosine)
    }

    /// Vectors are kept with length 1.
    pub fn is_normalised(&self) -> bool {
        self.has_lengths() && self.element == Element::Float
    }

    /// Values of a vector: floats or bytes.
    pub fn width(&self) -> usize {
        (self.dims / self.element.dims_of_value()) as usize
    }

    /// Bytes of a vector.
    fn row_bytes(&self) -> usize {
        self.width() * if self.element == Element::Float { size_of::<f32>() } else { 1 }
    }

    /// Bytes of the code of a vector; 0 where there are none.
    fn code_bytes(&self) -> usize {
        self.quantisation.map_or(0, |quantisation| quantisation.width(self.dims as usize))
    }

    /// Whether vectors of both can be compared with each other.
    pub fn is_like(&self, other: &VectorFormat) -> bool {
        (self.dims, self.element, self.similarity) == (other.dims, other.element, other.similarity)
    }

    fn head(&self, count: u32) -> [u32; HEAD] {
        let mut head = [0; HEAD];
        let graph = self.graph.map_or([0, 0], |graph| [graph.m, graph.ef_construction]);
        let similarity = self.similarity.map_or(0, Similarity::code);
        let quantisation = self.quantisation.map_or([0, 0], |it| [it.resolution.code(), it.interval.code()]);
        head[..6].copy_from_slice(&[MAGIC, self.dims, count, similarity, graph[0], graph[1]]);
        head[6..9].copy_from_slice(&[self.element.code(), quantisation[0], quantisation[1]]);
        head
    }

    /// With the number of vectors.
    fn read(head: &[u32]) -> Result<(Self, u32)> {
        Self::read_known(head).ok_or_else(|| Error::corrupt("are not vectors as this release writes them"))
    }

    fn read_known(head: &[u32]) -> Option<(Self, u32)> {
        let &[MAGIC, dims, count, similarity, m, ef_construction, element, resolution, interval, ref rest @ ..] = head
        else {
            return None;
        };
        let element = Element::of_code(element)?;
        let similarity = if similarity == 0 { None } else { Some(Similarity::of_code(similarity)?) };
        let quantisation = match resolution {
            0 if interval == 0 => None,
            0 => return None,
            code => {
                Some(Quantisation { resolution: Resolution::of_code(code)?, interval: Interval::of_code(interval)? })
            }
        };
        let is_possible = dims > 0
            && dims.is_multiple_of(element.dims_of_value())
            && rest.iter().all(|&word| word == 0)
            && (quantisation.is_none() || element == Element::Float && similarity.is_some());
        let graph = (m > 0).then_some(Parameters { m, ef_construction });
        is_possible.then_some((VectorFormat { dims, element, similarity, graph, quantisation }, count))
    }
}
