//! Stored documents: the record of each document, in compressed blocks.

use crate::codec::shared_bytes::SharedBytes;
use crate::error::Result;

/// `index.codec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoredCodec {
    /// `default`: LZ4.
    #[default]
    Lz4,
    /// `best_compression`: Zstandard.
    Zstd,
}

/// The record of one document: its source, and values of fields with `store: true`.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    source: Option<&'a [u8]>,
    fields: &'a [u8],
}

impl<'a> Record<'a> {
    /// Appends a record. `source` is `None` where the mapping does not keep it; `fields` are name and JSON value, a name
    /// may come several times (each time one value).
    pub fn write<'f>(
        _out: &mut Vec<u8>,
        _source: Option<&[u8]>,
        _fields: impl IntoIterator<Item = (&'f str, &'f [u8])>,
    ) {
        todo!()
    }

    pub fn parse(_bytes: &'a [u8]) -> Result<Self> {
        todo!()
    }

    pub fn source(&self) -> Option<&'a [u8]> {
        self.source
    }

    /// Name and JSON value, in the order they were written.
    pub fn fields(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + use<'a> {
        let _ = self.fields;
        std::iter::empty()
    }
}

/// Compressed blocks and their index.
#[derive(Debug, Clone)]
pub struct StoredData {
    pub(crate) blocks: Vec<u8>,
    pub(crate) index: Vec<u8>,
}

/// Collects records in document order; compresses whenever a block is full, so memory is that of the compressed bytes.
#[derive(Debug)]
pub struct StoredWriter {}

impl StoredWriter {
    pub fn new(_codec: StoredCodec) -> Self {
        todo!()
    }

    /// The record of the next document.
    pub fn add(&mut self, _record: &[u8]) {
        todo!()
    }

    /// Appends a record taken before: for reads between indexing and refresh.
    pub fn get(&self, _doc: u32, _out: &mut Vec<u8>) -> Result<()> {
        todo!()
    }

    pub fn doc_count(&self) -> u32 {
        todo!()
    }

    pub fn memory_bytes(&self) -> usize {
        todo!()
    }

    pub fn finish(self) -> StoredData {
        todo!()
    }
}

/// Keeps the last block a caller read; documents of one block cost one decompression.
#[derive(Debug, Default)]
pub struct StoredScratch {}

#[derive(Debug, Clone)]
pub struct Stored {}

impl Stored {
    pub fn open(_blocks: SharedBytes, _index: SharedBytes, _max_doc: u32) -> Result<Self> {
        todo!()
    }

    /// The record of `doc`, in the scratch.
    pub fn get<'s>(&self, _doc: u32, _scratch: &'s mut StoredScratch) -> Result<&'s [u8]> {
        todo!()
    }
}
