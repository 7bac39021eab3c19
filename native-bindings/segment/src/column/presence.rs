//! Which documents have a field that has no column (text, keywords without doc values): a column of values that all are 0.

use super::encode::{Order, PackedWriter};
use super::packed::PackedColumn;
use quarry_base::error::Result;
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, WindowBits};

/// A finished presence section.
#[derive(Debug, Clone)]
pub struct PresenceData {
    pub(crate) bytes: Vec<u8>,
    doc_count: u32,
}

impl PresenceData {
    /// `docs` strictly ascending, below `max_doc`.
    #[inline]
    pub fn from_docs(docs: impl IntoIterator<Item = u32>, max_doc: u32) -> Self {
        let mut packed = PackedWriter::new(Order::Distinct);
        for doc in docs {
            packed.add(doc, std::iter::once(0));
        }
        let (bytes, header) = packed.finish(max_doc);
        PresenceData { bytes, doc_count: header.doc_count }
    }

    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.doc_count
    }
}

#[derive(Debug, Clone)]
pub struct Presence {
    packed: PackedColumn,
}

impl Presence {
    /// What it takes outside of its file.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.packed.heap_bytes()
    }

    #[inline]
    pub fn open(bytes: SharedBytes, max_doc: u32) -> Result<Self> {
        Ok(Presence { packed: PackedColumn::open(bytes, max_doc)? })
    }

    /// Reads everything; `open` proves only that no access can leave the bytes.
    #[inline]
    pub fn verify(&self) -> Result<()> {
        self.packed.verify()
    }

    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.packed.header.doc_count
    }

    /// Sets the bit of every document of the window in the set.
    #[inline]
    pub fn has_value(&self, window: u32, bits: &mut WindowBits) {
        self.packed.set_bits(window, bits);
    }

    #[inline]
    pub fn contains(&self, doc: u32) -> bool {
        let data = self.packed.window(doc / WINDOW as u32);
        data.is_some_and(|data| data.set.rank(doc as usize % WINDOW).is_some())
    }
}
