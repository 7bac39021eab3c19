//! The frame of a segment file.
//!
//! ```text
//! header    64 bytes: magic, format version, segment number and uuid, checksum of the header
//! sections  each at a multiple of 64 bytes, zeros between
//! metadata  a FlatBuffer (segment.fbs), at a multiple of 64 bytes: fields, and each section's place and checksum
//! footer    64 bytes, at a multiple of 64: place and checksum of the metadata, length of the file, uuid, magic
//! ```

use super::id::SegmentId;
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use std::ops::Range;

/// Which readers understand a file: its format version is the lowest that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Every document is one that somebody indexed.
    Plain = 1,
    /// Some documents are parts of others ([`super::nested`]).
    Nested = 2,
    /// Some fields hold ranges; documents may be parts of others.
    Ranges = 3,
    /// Documents are in the order of a sort ([`super::index_sort`]), which merges must keep; fields may hold ranges.
    Sorted = 4,
    /// Some fields hold vectors; all of the others as well.
    Vectors = 5,
    /// Stored documents may have been compressed with dictionaries; all of the others as well.
    Dictionaries = 6,
    /// Frequent terms of a field may have their pairs listed; all of the others as well.
    Pairs = 7,
}

/// What a segment has that not every release reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Features {
    pub nested: bool,
    pub ranges: bool,
    pub sorted: bool,
    pub vectors: bool,
    pub dictionaries: bool,
    pub pairs: bool,
}

impl Format {
    /// The lowest that readers must understand.
    pub fn of(features: Features) -> Self {
        match features {
            Features { pairs: true, .. } => Format::Pairs,
            Features { dictionaries: true, .. } => Format::Dictionaries,
            Features { vectors: true, .. } => Format::Vectors,
            Features { sorted: true, .. } => Format::Sorted,
            Features { ranges: true, .. } => Format::Ranges,
            Features { nested: true, .. } => Format::Nested,
            Features { nested: false, .. } => Format::Plain,
        }
    }
}

pub(super) const ALIGNMENT: usize = 64;
pub(super) const HEADER_BYTES: usize = 64;
pub(super) const FOOTER_BYTES: usize = 64;
const HEADER_MAGIC: [u8; 8] = *b"QRYSEGM\n";
const FOOTER_MAGIC: [u8; 8] = *b"QRYSEND\n";
/// Where the checksum stands in header and footer: of all bytes before it.
const CHECKSUM_AT: usize = 52;

pub(super) fn header(id: &SegmentId, format: Format) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&HEADER_MAGIC);
    header[8..12].copy_from_slice(&(format as u32).to_le_bytes());
    header[16..24].copy_from_slice(&id.number.to_le_bytes());
    header[24..40].copy_from_slice(&id.uuid);
    seal(&mut header);
    header
}

pub(super) fn read_header(bytes: &[u8]) -> Result<SegmentId> {
    let header: &[u8; HEADER_BYTES] = bytes
        .first_chunk()
        .ok_or_else(|| Error::corrupt(format!("header: file of {} bytes is cut off", bytes.len())))?;
    if header[..8] != HEADER_MAGIC {
        return Err(Error::corrupt("header at byte 0: wrong magic"));
    }
    read_format(part(header, 8))?;
    verify_seal(header, "header at byte 0")?;
    if header[CHECKSUM_AT + 4..] != [0; HEADER_BYTES - CHECKSUM_AT - 4] {
        return Err(Error::corrupt("header at byte 56: bytes that should be zero are not"));
    }
    Ok(SegmentId { number: u64::from_le_bytes(part(header, 16)), uuid: part(header, 24) })
}

/// What the footer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Footer {
    pub format: Format,
    pub metadata: Range<usize>,
    pub metadata_checksum: u32,
}

impl Footer {
    /// `file_length` counts the footer.
    pub(super) fn write(&self, id: &SegmentId, file_length: u64) -> [u8; FOOTER_BYTES] {
        let mut footer = [0; FOOTER_BYTES];
        footer[..8].copy_from_slice(&(self.metadata.start as u64).to_le_bytes());
        footer[8..16].copy_from_slice(&(self.metadata.len() as u64).to_le_bytes());
        footer[16..24].copy_from_slice(&file_length.to_le_bytes());
        footer[24..40].copy_from_slice(&id.uuid);
        footer[40..44].copy_from_slice(&self.metadata_checksum.to_le_bytes());
        footer[44..48].copy_from_slice(&(self.format as u32).to_le_bytes());
        seal(&mut footer);
        footer[56..].copy_from_slice(&FOOTER_MAGIC);
        footer
    }

    /// Reads the footer of a whole file whose header named `id`, and verifies the metadata's checksum.
    pub(super) fn read(file: &SharedBytes, id: &SegmentId) -> Result<Self> {
        let at = file.len().saturating_sub(FOOTER_BYTES);
        let (footer, uuid) = read_footer(&file[at..], file.len() as u64)?;
        if (footer.format as u32).to_le_bytes() != file[8..12] {
            return Err(Error::corrupt(format!("footer at byte {at}: format version is not the one of the header")));
        }
        if uuid != id.uuid {
            return Err(Error::corrupt(format!("footer at byte {at}: belongs to another segment than the header")));
        }
        let Footer { metadata, metadata_checksum, .. } = &footer;
        if crc32c::crc32c(&file[metadata.clone()]) != *metadata_checksum {
            return Err(Error::corrupt(format!("metadata at byte {}: checksum does not match", metadata.start)));
        }
        Ok(footer)
    }
}

/// The footer at the end of `end`, which may be less than the file, and the uuid of its segment. The metadata, whose checksum it
/// has, is not looked at.
pub(super) fn read_footer(end: &[u8], file_length: u64) -> Result<(Footer, [u8; 16])> {
    let length = usize::try_from(file_length).unwrap_or(usize::MAX);
    let at = length.saturating_sub(FOOTER_BYTES);
    let Some(footer) = end.last_chunk::<FOOTER_BYTES>().filter(|_| at >= HEADER_BYTES) else {
        return Err(Error::corrupt(format!("footer: file of {file_length} bytes is cut off")));
    };
    if footer[56..] != FOOTER_MAGIC {
        return Err(Error::corrupt(format!("footer at byte {at}: wrong magic, the file is cut off or overwritten")));
    }
    verify_seal(footer, &format!("footer at byte {at}"))?;
    let format = read_format(part(footer, 44))?;
    if u64::from_le_bytes(part(footer, 16)) != file_length {
        return Err(Error::corrupt(format!(
            "footer at byte {at}: the file's length is not the one it was written with"
        )));
    }
    let start = u64::from_le_bytes(part(footer, 0)) as usize;
    let end = start.checked_add(u64::from_le_bytes(part(footer, 8)) as usize);
    let metadata = end.map(|end| start..end).filter(|range| range.start >= HEADER_BYTES && range.end <= at);
    let metadata = metadata.ok_or_else(|| Error::corrupt(format!("footer at byte {at}: metadata leaves the file")))?;
    let metadata_checksum = u32::from_le_bytes(part(footer, 40));
    Ok((Footer { format, metadata, metadata_checksum }, part(footer, 24)))
}

fn seal(block: &mut [u8; 64]) {
    let checksum = crc32c::crc32c(&block[..CHECKSUM_AT]);
    block[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&checksum.to_le_bytes());
}

fn verify_seal(block: &[u8; 64], place: &str) -> Result<()> {
    if crc32c::crc32c(&block[..CHECKSUM_AT]).to_le_bytes() == block[CHECKSUM_AT..CHECKSUM_AT + 4] {
        return Ok(());
    }
    Err(Error::corrupt(format!("{place}: checksum does not match")))
}

fn read_format(version: [u8; 4]) -> Result<Format> {
    match u32::from_le_bytes(version) {
        1 => Ok(Format::Plain),
        2 => Ok(Format::Nested),
        3 => Ok(Format::Ranges),
        4 => Ok(Format::Sorted),
        5 => Ok(Format::Vectors),
        6 => Ok(Format::Dictionaries),
        7 => Ok(Format::Pairs),
        version => Err(Error::corrupt(format!("format version {version} is not one that this release reads (1 to 7)"))),
    }
}

fn part<const N: usize>(block: &[u8; 64], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&block[at..at + N]);
    out
}
