//! The vectors of a field on their way into a segment: of documents that were indexed, or of segments that are merged.

use super::VectorFormat;
use super::column::VectorColumn;
use crate::codec::plain::for_each_piece;
use crate::error::Result;
use crate::vectors::graph::build::{Base, build};
use crate::vectors::{Interrupt, Rows, Vectors};

/// Fewer are sooner looked at than their graph is built: a search looks at all of them in less than a millisecond.
pub const GRAPH_VECTORS_MIN: usize = 4_096;

/// Where vectors lie until they are written.
#[derive(Debug)]
pub enum VectorRows {
    /// One after another.
    Held(Vec<f32>),
    /// Those at these places: the column among the first, the vector's number there.
    Merged { columns: Vec<VectorColumn>, places: Vec<(u32, u32)> },
}

/// What a segment keeps of the vectors of a field.
#[derive(Debug)]
pub struct VectorsData {
    format: VectorFormat,
    rows: VectorRows,
    /// Ascending.
    docs: Vec<u32>,
    /// With cosine one for each vector.
    lengths: Vec<f32>,
    graph: Option<Vec<u32>>,
}

/// Vectors of several columns.
struct Gathered<'a> {
    columns: Vec<Rows<'a>>,
    places: &'a [(u32, u32)],
}

impl<'a> Gathered<'a> {
    fn new(columns: &'a [VectorColumn], places: &'a [(u32, u32)]) -> Self {
        Gathered { columns: columns.iter().map(VectorColumn::rows).collect(), places }
    }
}

impl Vectors for Gathered<'_> {
    fn count(&self) -> u32 {
        self.places.len() as u32
    }

    #[inline]
    fn get(&self, ordinal: u32) -> &[f32] {
        let (column, place) = self.places[ordinal as usize];
        self.columns[column as usize].get(place)
    }
}

impl VectorsData {
    /// Builds the graph where there is to be one. `base`: the graph of some of the vectors.
    ///
    /// Errors are those of the interrupt.
    pub fn new(
        format: VectorFormat,
        rows: VectorRows,
        docs: Vec<u32>,
        lengths: Vec<f32>,
        base: Option<Base<'_>>,
        interrupt: Interrupt<'_>,
    ) -> Result<Self> {
        let graph = match (format.similarity, format.graph) {
            (Some(similarity), Some(parameters)) if docs.len() >= GRAPH_VECTORS_MIN => {
                let dims = format.dims as usize;
                Some(match &rows {
                    VectorRows::Held(values) => build(&Rows { values, dims }, similarity, parameters, base, interrupt)?,
                    VectorRows::Merged { columns, places } => {
                        build(&Gathered::new(columns, places), similarity, parameters, base, interrupt)?
                    }
                })
            }
            _ => None,
        };
        Ok(VectorsData { format, rows, docs, lengths, graph })
    }

    pub fn doc_count(&self) -> u32 {
        self.docs.len() as u32
    }

    pub fn graph(&self) -> Option<&[u32]> {
        self.graph.as_deref()
    }

    /// The bytes of the section, in pieces.
    pub fn for_each_piece(&self, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for_each_piece(&self.format.head(self.doc_count()), &mut take)?;
        match &self.rows {
            VectorRows::Held(values) => for_each_piece(values, &mut take)?,
            VectorRows::Merged { columns, places } => {
                let vectors = Gathered::new(columns, places);
                for ordinal in 0..vectors.count() {
                    for_each_piece(vectors.get(ordinal), &mut take)?;
                }
            }
        }
        for_each_piece(&self.docs, &mut take)?;
        for_each_piece(&self.lengths, &mut take)
    }
}
