//! The vectors of a field in an open segment.

use super::{HEAD, VectorFormat};
use crate::codec::plain::SharedNumbers;
use crate::codec::shared_bytes::SharedBytes;
use crate::error::{Error, Result};
use crate::vectors::Rows;
use crate::vectors::graph::layout::{Graph, Layout};
use crate::window::{WINDOW, WindowBits};

/// Cloning is cheap.
#[derive(Debug, Clone)]
pub struct VectorColumn {
    format: VectorFormat,
    rows: SharedNumbers<f32>,
    docs: SharedNumbers<u32>,
    /// With cosine alone.
    lengths: Option<SharedNumbers<f32>>,
    graph: Option<(Layout, SharedNumbers<u32>)>,
    max_doc: u32,
}

impl VectorColumn {
    /// Proves that no access leaves the bytes. Errors: `Corrupt`.
    pub fn open(bytes: SharedBytes, max_doc: u32) -> Result<Self> {
        let cut_off = || Error::corrupt("are cut off");
        let head = SharedNumbers::<u32>::new(bytes.slice(0..HEAD * 4).map_err(|_| cut_off())?)?;
        let (format, count) = VectorFormat::read(&head)?;
        if count > max_doc {
            return Err(Error::corrupt(format!("are [{count}] of [{max_doc}] documents")));
        }
        let rows_end =
            (count as usize).checked_mul(format.dims as usize * 4).and_then(|rows| rows.checked_add(HEAD * 4));
        let docs_end = rows_end.and_then(|end| end.checked_add(count as usize * 4));
        let (Some(rows_end), Some(docs_end)) = (rows_end, docs_end) else { return Err(cut_off()) };
        let end = if format.is_normalised() { docs_end + count as usize * 4 } else { docs_end };
        if bytes.len() != end {
            return Err(Error::corrupt(format!("take [{}] bytes, not [{end}]", bytes.len())));
        }
        let lengths = format.is_normalised().then(|| SharedNumbers::new(bytes.slice(docs_end..end)?));
        Ok(VectorColumn {
            format,
            rows: SharedNumbers::new(bytes.slice(HEAD * 4..rows_end)?)?,
            docs: SharedNumbers::new(bytes.slice(rows_end..docs_end)?)?,
            lengths: lengths.transpose()?,
            graph: None,
            max_doc,
        })
    }

    /// With the graph of the field's other section. Errors: `Corrupt`.
    pub fn with_graph(self, bytes: SharedBytes) -> Result<Self> {
        let words = SharedNumbers::new(bytes)?;
        let layout = Layout::read(&words, self.count())?;
        Ok(VectorColumn { graph: Some((layout, words)), ..self })
    }

    pub fn format(&self) -> &VectorFormat {
        &self.format
    }

    /// `None`: every vector is to be looked at.
    pub fn graph(&self) -> Option<Graph<'_>> {
        self.graph.as_ref().map(|(layout, words)| Graph { layout, words })
    }

    /// The document of a vector.
    #[inline]
    pub fn doc(&self, ordinal: u32) -> u32 {
        self.docs[ordinal as usize]
    }

    pub fn count(&self) -> u32 {
        self.docs.len() as u32
    }

    /// By number.
    pub fn rows(&self) -> Rows<'_> {
        Rows { values: &self.rows, dims: self.format.dims as usize }
    }

    /// Of vectors, ascending.
    pub fn docs(&self) -> &[u32] {
        &self.docs
    }

    /// The number of a document's vector.
    #[inline]
    pub fn ordinal(&self, doc: u32) -> Option<u32> {
        if self.docs.len() == self.max_doc as usize {
            return (doc < self.max_doc).then_some(doc);
        }
        self.docs.binary_search(&doc).ok().map(|ordinal| ordinal as u32)
    }

    /// What a vector's values were divided by.
    pub fn length(&self, ordinal: u32) -> f32 {
        self.lengths.as_ref().map_or(1.0, |lengths| lengths[ordinal as usize])
    }

    /// Sets the bit of every document of the window that has a vector.
    pub fn has_value(&self, window: u32, bits: &mut WindowBits) {
        let first = window * WINDOW as u32;
        let start = self.docs.partition_point(|&doc| doc < first);
        let within = self.docs[start..].iter().map(|doc| doc.saturating_sub(first) as usize);
        for doc in within.take_while(|&doc| doc < WINDOW) {
            bits[doc / 64] |= 1 << (doc % 64);
        }
    }

    /// Reads everything; `open` proves only that no access can leave the bytes.
    pub fn verify(&self) -> Result<()> {
        if !self.docs.is_sorted_by(|a, b| a < b) || self.docs.last().is_some_and(|&doc| doc >= self.max_doc) {
            return Err(Error::corrupt("the documents of vectors are out of order"));
        }
        if self.rows.iter().any(|value| !value.is_finite()) {
            return Err(Error::corrupt("a vector has values that are no numbers"));
        }
        self.graph().map_or(Ok(()), |graph| graph.verify())
    }
}
