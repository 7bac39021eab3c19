//! The vectors of a field on their way into a segment: of documents that were indexed, or of segments that are merged.

use super::VectorFormat;
use super::column::VectorColumn;
use super::elements::Elements;
use quarry_base::error::{Error, Result};
use quarry_codec::plain::for_each_piece;
use quarry_vectors::graph::build::{Base, build};
use quarry_vectors::measure::Element;
use quarry_vectors::space::{ByteSpace, CodeSpace, FloatSpace};
use quarry_vectors::{Interrupt, Rows, Vectors};

/// Fewer are sooner looked at than their graph is built: a search looks at all of them in less than a millisecond.
pub const GRAPH_VECTORS_MIN: usize = 4_096;
/// Vectors between two looks at the interrupt.
const STRIDE: u32 = 1_024;

/// Where vectors lie until they are written.
#[derive(Debug)]
pub enum VectorRows {
    /// One after another.
    Held(Elements),
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
    /// Those that no column has: all, or none.
    codes: Vec<u8>,
    graph: Option<Vec<u32>>,
}

/// Vectors of several columns.
struct Gathered<'a, T> {
    columns: Vec<Rows<'a, T>>,
    places: &'a [(u32, u32)],
}

impl<T> Vectors<T> for Gathered<'_, T> {
    fn count(&self) -> u32 {
        self.places.len() as u32
    }

    #[inline]
    fn get(&self, ordinal: u32) -> &[T] {
        let (column, place) = self.places[ordinal as usize];
        self.columns[column as usize].get(place)
    }
}

impl VectorRows {
    /// Those made of floats.
    fn floats(&self, width: usize) -> Box<dyn Vectors<f32> + '_> {
        match self {
            VectorRows::Held(Elements::Floats(values)) => Box::new(Rows { values, width }),
            VectorRows::Held(Elements::Bytes(_)) => Box::new(Rows { values: &[], width }),
            VectorRows::Merged { columns, places } => {
                Box::new(Gathered { columns: columns.iter().map(VectorColumn::floats).collect(), places })
            }
        }
    }

    /// Those made of bytes.
    fn bytes(&self, width: usize) -> Box<dyn Vectors<u8> + '_> {
        match self {
            VectorRows::Held(Elements::Bytes(values)) => Box::new(Rows { values, width }),
            VectorRows::Held(Elements::Floats(_)) => Box::new(Rows { values: &[], width }),
            VectorRows::Merged { columns, places } => {
                Box::new(Gathered { columns: columns.iter().map(VectorColumn::bytes).collect(), places })
            }
        }
    }

    /// Codes that columns have which are merged: all of these, and all in the same way. `None`: they are to be made.
    fn codes(&self, format: &VectorFormat) -> Option<Gathered<'_, u8>> {
        let VectorRows::Merged { columns, places } = self else { return None };
        let of_column = |column| {
            let (quantisation, codes) = VectorColumn::codes(column)?;
            (Some(quantisation) == format.quantisation).then_some(codes)
        };
        Some(Gathered { columns: columns.iter().map(of_column).collect::<Option<Vec<_>>>()?, places })
    }
}

impl VectorsData {
    /// Builds the graph where there is to be one. `base`: the graph of some of the vectors.
    ///
    /// Errors are those of the interrupt, and `Internal` where the rows are of another element than the format.
    pub fn new(
        format: VectorFormat,
        rows: VectorRows,
        docs: Vec<u32>,
        lengths: Vec<f32>,
        base: Option<Base<'_>>,
        interrupt: Interrupt<'_>,
    ) -> Result<Self> {
        let of_bytes = matches!(rows, VectorRows::Held(Elements::Bytes(_)));
        if matches!(rows, VectorRows::Held(_)) && of_bytes == (format.element == Element::Float) {
            return Err(Error::internal("vectors are of another element than their field"));
        }
        let mut data = VectorsData { format, rows, docs, lengths, codes: Vec::new(), graph: None };
        data.quantise(interrupt)?;
        if data.docs.len() >= GRAPH_VECTORS_MIN {
            data.graph = data.build_graph(base, interrupt)?;
        }
        Ok(data)
    }

    /// Makes codes where there are to be some and no column has them.
    fn quantise(&mut self, interrupt: Interrupt<'_>) -> Result<()> {
        let Some(quantisation) = self.format.quantisation else { return Ok(()) };
        if self.rows.codes(&self.format).is_some() {
            return Ok(());
        }
        let vectors = self.rows.floats(self.format.width());
        let mut codes = Vec::with_capacity(self.docs.len() * self.format.code_bytes());
        for ordinal in 0..vectors.count() {
            if ordinal.is_multiple_of(STRIDE) {
                interrupt()?;
            }
            quantisation.encode(vectors.get(ordinal), &mut codes);
        }
        drop(vectors);
        self.codes = codes;
        Ok(())
    }

    /// Of codes where there are some: they take less room, and lead searches as well.
    fn build_graph(&self, base: Option<Base<'_>>, interrupt: Interrupt<'_>) -> Result<Option<Vec<u32>>> {
        let format = &self.format;
        let (Some(measure), Some(parameters)) = (format.measure(), format.graph) else { return Ok(None) };
        let similarity = measure.similarity;
        let words = match (format.quantisation, format.element) {
            (Some(quantisation), _) => {
                let codes = &*self.codes();
                build(&CodeSpace { codes, quantisation, similarity }, parameters, base, interrupt)?
            }
            (None, Element::Float) => {
                let vectors = &*self.rows.floats(format.width());
                build(&FloatSpace { vectors, similarity }, parameters, base, interrupt)?
            }
            (None, Element::Byte | Element::Bit) => {
                let vectors = &*self.rows.bytes(format.width());
                build(&ByteSpace { vectors, measure, lengths: &self.lengths }, parameters, base, interrupt)?
            }
        };
        Ok(Some(words))
    }

    fn codes(&self) -> Box<dyn Vectors<u8> + '_> {
        match self.rows.codes(&self.format) {
            Some(codes) => Box::new(codes),
            None => Box::new(Rows { values: &self.codes, width: self.format.code_bytes().max(1) }),
        }
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
        let width = self.format.width();
        if self.format.element == Element::Float {
            let vectors = self.rows.floats(width);
            (0..vectors.count()).try_for_each(|ordinal| for_each_piece(vectors.get(ordinal), &mut take))?;
        } else {
            let vectors = self.rows.bytes(width);
            (0..vectors.count()).try_for_each(|ordinal| take(vectors.get(ordinal)))?;
            let length = vectors.count() as usize * width;
            take(&[0; 4][..length.next_multiple_of(4) - length])?;
        }
        for_each_piece(&self.docs, &mut take)?;
        for_each_piece(&self.lengths, &mut take)?;
        let codes = self.codes();
        (0..codes.count()).try_for_each(|ordinal| take(codes.get(ordinal)))
    }
}
