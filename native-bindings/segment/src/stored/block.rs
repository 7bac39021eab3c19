//! One block of stored records: the records' lengths as varints, then the records, all of it compressed.
//!
//! A block that does not shrink is kept as it is: its length in the file is then its raw length.

use quarry_base::error::{Error, Result};
use quarry_codec::lz4_prefix::{Compressed, Prefix};
use quarry_codec::{lz4, varint};

/// `index.codec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StoredCodec {
    /// `default`: LZ4.
    #[default]
    Lz4,
    /// `best_compression`: Zstandard, and larger blocks.
    Zstd,
}

/// A compressor level that writes at a pace comparable to indexing.
const ZSTD_LEVEL: i32 = 3;

impl StoredCodec {
    /// Raw bytes from which a block is closed.
    pub(super) fn block_bytes(self) -> usize {
        match self {
            StoredCodec::Lz4 => 4 << 10,
            StoredCodec::Zstd => 48 << 10,
        }
    }

    /// Whether blocks may be compressed with a dictionary.
    pub fn takes_dictionaries(self) -> bool {
        self == StoredCodec::Lz4
    }

    /// No honest block of `stored` bytes has more raw bytes than this: bounds what damage can make a reader allocate.
    pub(super) fn raw_bytes_max(self, stored: usize) -> usize {
        let ratio = match self {
            StoredCodec::Lz4 => 256,
            StoredCodec::Zstd => 64 << 10,
        };
        stored.saturating_mul(ratio)
    }
}

/// Compresses blocks, keeping its tables between them.
pub(super) enum BlockEncoder {
    Lz4(lz4::Encoder),
    Zstd(Box<zstd::bulk::Compressor<'static>>),
}

impl BlockEncoder {
    pub(super) fn new(codec: StoredCodec) -> Result<Self> {
        match codec {
            StoredCodec::Lz4 => Ok(BlockEncoder::Lz4(lz4::Encoder::default())),
            StoredCodec::Zstd => match zstd::bulk::Compressor::new(ZSTD_LEVEL) {
                Ok(compressor) => Ok(BlockEncoder::Zstd(Box::new(compressor))),
                Err(error) => Err(Error::new(quarry_base::error::ErrorCode::Internal, format!("zstd: {error}"))),
            },
        }
    }

    /// Blocks from now on are compressed with it, where the codec takes dictionaries.
    pub(super) fn set_dictionary(&mut self, dictionary: &[u8]) {
        if let BlockEncoder::Lz4(encoder) = self {
            encoder.set_dictionary(dictionary);
        }
    }

    /// Appends the stored form of `raw` to `out`.
    pub(super) fn encode(&mut self, raw: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        match self {
            BlockEncoder::Lz4(encoder) => encoder.compress(raw, out),
            BlockEncoder::Zstd(compressor) => {
                // An error means only that there was no gain: the block is then kept as it is.
                out.extend_from_slice(&compressor.compress(raw).unwrap_or_default());
            }
        }
        let length = out.len() - start;
        if length == 0 || length >= raw.len() {
            out.truncate(start);
            out.extend_from_slice(raw);
        }
    }
}

impl std::fmt::Debug for BlockEncoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("BlockEncoder")
    }
}

/// A stored block that is being read: decompressed no further than its records were asked for, where the codec can do that.
#[derive(Debug, Default)]
pub(super) struct ReadBlock {
    raw: Vec<u8>,
    /// Of the records in the raw bytes.
    bounds: Vec<usize>,
    /// What is left to decompress.
    prefix: Option<Prefix>,
}

impl ReadBlock {
    /// Turns to another block, of `count` records and `raw_length` raw bytes.
    pub(super) fn begin(
        &mut self,
        codec: StoredCodec,
        stored: Compressed<'_>,
        raw_length: usize,
        count: usize,
    ) -> Result<()> {
        self.prefix = None;
        if stored.block.len() == raw_length {
            self.raw.clear();
            self.raw.extend_from_slice(stored.block);
        } else {
            match codec {
                StoredCodec::Lz4 => {
                    let mut prefix = Prefix::start(raw_length, &mut self.raw);
                    let lengths = count.saturating_mul(varint::U32_BYTES_MAX).min(raw_length);
                    prefix.advance(stored, lengths, &mut self.raw)?;
                    self.prefix = Some(prefix);
                }
                StoredCodec::Zstd => decode_zstd(stored.block, raw_length, &mut self.raw)?,
            }
        }
        record_bounds(&self.raw, raw_length, count, &mut self.bounds)
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        self.raw.capacity() + self.bounds.capacity() * size_of::<usize>()
    }

    /// The record at `place` among those of the block that was begun with the same `stored` bytes.
    pub(super) fn record(&mut self, stored: Compressed<'_>, place: usize) -> Result<&[u8]> {
        let (start, end) = (self.bounds[place], self.bounds[place + 1]);
        if let Some(prefix) = &mut self.prefix {
            prefix.advance(stored, end, &mut self.raw)?;
        }
        Ok(&self.raw[start..end])
    }
}

fn decode_zstd(stored: &[u8], raw_length: usize, raw: &mut Vec<u8>) -> Result<()> {
    raw.clear();
    raw.resize(raw_length, 0);
    match zstd::bulk::decompress_to_buffer(stored, raw.as_mut_slice()) {
        Ok(length) if length == raw_length => Ok(()),
        Ok(length) => Err(Error::corrupt(format!("zstd block holds {length} bytes instead of {raw_length}"))),
        Err(error) => Err(Error::corrupt(format!("zstd block: {error}"))),
    }
}

/// The records of a block that is being filled.
#[derive(Debug, Default)]
pub(super) struct OpenBlock {
    lengths: Vec<u32>,
    records: Vec<u8>,
}

impl OpenBlock {
    pub(super) fn add(&mut self, record: &[u8]) {
        self.records.extend_from_slice(record);
        self.lengths.push(record.len() as u32);
    }

    pub(super) fn doc_count(&self) -> u32 {
        self.lengths.len() as u32
    }

    pub(super) fn record_bytes(&self) -> usize {
        self.records.len()
    }

    /// Replaces `raw` by the block's raw bytes and empties it.
    pub(super) fn take_raw(&mut self, raw: &mut Vec<u8>) {
        raw.clear();
        for &length in &self.lengths {
            varint::write_u32(raw, length);
        }
        raw.append(&mut self.records);
        self.lengths.clear();
    }
}

/// Replaces `bounds` by where the `count` records of a block of `raw_length` raw bytes begin, and where the last one ends. `raw` holds the
/// block's lengths at least.
fn record_bounds(raw: &[u8], raw_length: usize, count: usize, bounds: &mut Vec<usize>) -> Result<()> {
    bounds.clear();
    bounds.push(0);
    let (mut at, mut end) = (0, 0usize);
    for _ in 0..count {
        end += varint::read_u32(raw, &mut at)? as usize;
        bounds.push(end);
    }
    if end > raw_length - at {
        return Err(Error::corrupt("stored record leaves its block"));
    }
    bounds.iter_mut().for_each(|bound| *bound += at);
    Ok(())
}
