//! The vectors of a field: numbered in the order of their documents, and the graph to walk through them.
//!
//! ```text
//! section vectors   head of 16 words; vector after vector, each of `dims` floats; their documents, ascending;
//!                   with cosine the length that each had before it was divided by it
//! section graph     see `quarry_vectors::graph::layout`; segments with few vectors, or without `hnsw`, have none
//! ```
//!
//! [`column`] reads, [`data`] is what is written.
pub mod column;
pub mod data;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::vectors::graph::Parameters;
use crate::vectors::similarity::Similarity;

const MAGIC: u32 = u32::from_le_bytes(*b"VEC1");
/// Words of the head, so that what follows begins where a section may.
const HEAD: usize = 16;

/// What all vectors of a field have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorFormat {
    pub dims: u32,
    /// `None`: of a field that only scripts read.
    pub similarity: Option<Similarity>,
    /// `None`: searches look at every vector.
    pub graph: Option<Parameters>,
}

impl VectorFormat {
    /// Vectors are kept with length 1, and their own length beside.
    pub fn is_normalised(&self) -> bool {
        self.similarity == Some(Similarity::Cosine)
    }

    fn head(&self, count: u32) -> [u32; HEAD] {
        let mut head = [0; HEAD];
        let graph = self.graph.map_or([0, 0], |graph| [graph.m, graph.ef_construction]);
        let similarity = self.similarity.map_or(0, Similarity::code);
        head[..6].copy_from_slice(&[MAGIC, self.dims, count, similarity, graph[0], graph[1]]);
        head
    }

    /// With the number of vectors.
    fn read(head: &[u32]) -> Result<(Self, u32)> {
        let &[MAGIC, dims, count, similarity, m, ef_construction, ref rest @ ..] = head else {
            return Err(Error::corrupt("are not vectors as this release writes them"));
        };
        let known = match similarity {
            0 => Some(None),
            code => Similarity::of_code(code).map(Some),
        };
        let Some(similarity) = known.filter(|_| dims > 0 && rest.iter().all(|&word| word == 0)) else {
            return Err(Error::corrupt("are not vectors as this release writes them"));
        };
        let graph = (m > 0).then_some(Parameters { m, ef_construction });
        Ok((VectorFormat { dims, similarity, graph }, count))
    }
}
