//! The vectors of a field in an open segment.

use super::elements::VectorValues;
use super::{HEAD, VectorFormat};
use quarry_base::error::{Error, Result};
use quarry_codec::plain::SharedNumbers;
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WindowBits};
use quarry_vectors::graph::layout::{Graph, Layout};
use quarry_vectors::measure::{Element, Measure};
use quarry_vectors::quantised::{Quantisation, closeness};
use quarry_vectors::{Rows, Vectors};

/// How near vectors are to one, by their numbers.
pub type ClosenessTo<'a> = Box<dyn Fn(u32) -> f32 + 'a>;

/// Cloning is cheap.
#[derive(Debug, Clone)]
pub struct VectorColumn {
    format: VectorFormat,
    rows: SharedRows,
    docs: SharedNumbers<u32>,
    /// With cosine alone.
    lengths: Option<SharedNumbers<f32>>,
    /// Empty where there are none.
    codes: SharedBytes,
    graph: Option<(Layout, SharedNumbers<u32>)>,
    max_doc: u32,
}

#[derive(Debug, Clone)]
enum SharedRows {
    Floats(SharedNumbers<f32>),
    Bytes(SharedBytes),
}

/// Where the parts of a section end.
struct Ends {
    rows: usize,
    docs: usize,
    lengths: usize,
    codes: usize,
}

impl Ends {
    /// `None`: beyond what there may be.
    fn new(format: &VectorFormat, count: u32) -> Option<Self> {
        let of_all = |each: usize| (count as usize).checked_mul(each);
        let rows = (HEAD * 4).checked_add(of_all(format.row_bytes())?.checked_next_multiple_of(4)?)?;
        let docs = rows.checked_add(of_all(4)?)?;
        let lengths = docs.checked_add(if format.has_lengths() { of_all(4)? } else { 0 })?;
        let codes = lengths.checked_add(of_all(format.code_bytes())?)?;
        Some(Ends { rows, docs, lengths, codes })
    }
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
        let ends = Ends::new(&format, count).ok_or_else(cut_off)?;
        if bytes.len() != ends.codes {
            return Err(Error::corrupt(format!("take [{}] bytes, not [{}]", bytes.len(), ends.codes)));
        }
        let rows = bytes.slice(HEAD * 4..HEAD * 4 + count as usize * format.row_bytes())?;
        let lengths = format.has_lengths().then(|| SharedNumbers::new(bytes.slice(ends.docs..ends.lengths)?));
        Ok(VectorColumn {
            format,
            rows: match format.element {
                Element::Float => SharedRows::Floats(SharedNumbers::new(rows)?),
                Element::Byte | Element::Bit => SharedRows::Bytes(rows),
            },
            docs: SharedNumbers::new(bytes.slice(ends.rows..ends.docs)?)?,
            lengths: lengths.transpose()?,
            codes: bytes.slice(ends.lengths..ends.codes)?,
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
        self.docs.count() as u32
    }

    /// By number; none where vectors are made of bytes.
    pub fn floats(&self) -> Rows<'_, f32> {
        let values = match &self.rows {
            SharedRows::Floats(values) => &values[..],
            SharedRows::Bytes(_) => &[],
        };
        Rows { values, width: self.format.width() }
    }

    /// By number; none where vectors are made of floats.
    pub fn bytes(&self) -> Rows<'_, u8> {
        let values = match &self.rows {
            SharedRows::Floats(_) => &[],
            SharedRows::Bytes(values) => &values[..],
        };
        Rows { values, width: self.format.width() }
    }

    /// How the vectors were quantised, and the codes of all of them.
    pub fn codes(&self) -> Option<(Quantisation, Rows<'_, u8>)> {
        let quantisation = self.format.quantisation?;
        Some((quantisation, Rows { values: &self.codes, width: self.format.code_bytes() }))
    }

    /// As [`Measure`] has it, or as closeness of fractions. `None`: the column has other vectors, or none that can be compared.
    pub fn closeness_to<'a>(&'a self, vector: VectorValues<'a>) -> Option<ClosenessTo<'a>> {
        let (measure, width) = (self.format.measure()?, self.format.width());
        match (vector, &self.rows) {
            (VectorValues::Floats(vector), SharedRows::Floats(_)) if vector.len() == width => {
                let rows = self.floats();
                Some(Box::new(move |ordinal| measure.similarity.closeness(vector, rows.get(ordinal))))
            }
            (VectorValues::Bytes(vector), SharedRows::Bytes(_)) if vector.len() == width => {
                Some(self.closeness_to_bytes(measure, vector))
            }
            _ => None,
        }
    }

    fn closeness_to_bytes<'a>(&'a self, measure: Measure, vector: &'a [u8]) -> ClosenessTo<'a> {
        let (rows, own) = (self.bytes(), quarry_vectors::bytes::magnitude(vector));
        Box::new(move |ordinal| measure.of_bytes(vector, rows.get(ordinal), own * self.length(ordinal)))
    }

    /// How near codes are to a code. `None`: there are none.
    pub fn closeness_to_code<'a>(&'a self, code: &'a [u8]) -> Option<ClosenessTo<'a>> {
        let ((quantisation, codes), measure) = (self.codes()?, self.format.measure()?);
        Some(Box::new(move |ordinal| closeness(quantisation, measure.similarity, code, codes.get(ordinal))))
    }

    /// Of vectors, ascending.
    pub fn docs(&self) -> &[u32] {
        &self.docs
    }

    /// The number of a document's vector.
    #[inline]
    pub fn ordinal(&self, doc: u32) -> Option<u32> {
        if self.docs.count() == self.max_doc as usize {
            return (doc < self.max_doc).then_some(doc);
        }
        self.docs.binary_search(&doc).ok().map(|ordinal| ordinal as u32)
    }

    /// With cosine the length that a vector has, or had before it was divided by it; else 1.
    pub fn length(&self, ordinal: u32) -> f32 {
        self.lengths.as_ref().map_or(1.0, |lengths| lengths[ordinal as usize])
    }

    /// Appends a vector as its document had it: of bits one value for each.
    pub fn read(&self, ordinal: u32, out: &mut Vec<f32>) {
        match (&self.rows, self.format.element) {
            (SharedRows::Floats(_), _) => {
                let length = self.length(ordinal);
                out.extend(self.floats().get(ordinal).iter().map(|value| value * length));
            }
            (SharedRows::Bytes(_), Element::Bit) => {
                let bits = |&byte: &u8| (0..8).rev().map(move |bit| f32::from(byte >> bit & 1));
                out.extend(self.bytes().get(ordinal).iter().flat_map(bits));
            }
            (SharedRows::Bytes(_), _) => {
                out.extend(self.bytes().get(ordinal).iter().map(|&byte| f32::from(byte as i8)));
            }
        }
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
        if self.floats().values.iter().any(|value| !value.is_finite()) {
            return Err(Error::corrupt("a vector has values that are no numbers"));
        }
        if let Some((quantisation, codes)) = self.codes()
            && !(0..codes.count()).all(|ordinal| quantisation.is_code(codes.get(ordinal)))
        {
            return Err(Error::corrupt("the code of a vector has values that none has"));
        }
        self.graph().map_or(Ok(()), |graph| graph.verify())
    }
}
