//! The frame of small files (commit points, live docs): proves that the file is whole and of the right kind.
//!
//! `magic (8 bytes) | format version (u32) | body length (u32) | body, a FlatBuffer | crc32c of all before (u32)`

use super::files;
use crate::error::{Error, Result};
use std::fs;
use std::path::Path;

const HEADER_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 4;

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct Envelope {
    pub magic: [u8; 8],
    pub version: u32,
}

impl Envelope {
    /// Durable when it returns. Returns the length of the file.
    pub fn write(self, path: &Path, body: &[u8]) -> Result<u64> {
        let bytes = self
            .seal(body)
            .map_err(|error| Error { reason: format!("[{}]: {}", path.display(), error.reason), ..error })?;
        files::write_durably(path, &bytes)?;
        Ok(bytes.len() as u64)
    }

    /// The frame around a body.
    pub fn seal(self, body: &[u8]) -> Result<Vec<u8>> {
        let length = u32::try_from(body.len()).map_err(|_| Error::internal("the body of a file is too long"))?;
        let mut bytes = Vec::with_capacity(HEADER_BYTES + body.len() + CHECKSUM_BYTES);
        bytes.extend_from_slice(&self.magic);
        bytes.extend_from_slice(&self.version.to_le_bytes());
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(body);
        bytes.extend_from_slice(&crc32c::crc32c(&bytes).to_le_bytes());
        Ok(bytes)
    }

    /// Reads the file and hands its body to `decode`; damage of frame or body names the file.
    pub fn read<T>(self, path: &Path, decode: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        let bytes = fs::read(path).map_err(|error| Error::io("cannot read", path, error))?;
        let body = self.open(&bytes);
        body.and_then(decode).map_err(|error| Error::corrupt(format!("[{}]: {}", path.display(), error.reason)))
    }

    /// The body in a frame that is whole.
    pub fn open(self, bytes: &[u8]) -> Result<&[u8]> {
        if bytes.len() < HEADER_BYTES + CHECKSUM_BYTES {
            return Err(Error::corrupt(format!("file of {} bytes is cut off", bytes.len())));
        }
        if bytes[..8] != self.magic {
            return Err(Error::corrupt("wrong magic at byte 0"));
        }
        let (words, _) = bytes[..HEADER_BYTES].as_chunks::<4>();
        let (version, length) = (u32::from_le_bytes(words[2]), u32::from_le_bytes(words[3]) as usize);
        if version != self.version {
            return Err(Error::corrupt(format!("format version {version} at byte 8 is not {}", self.version)));
        }
        if bytes.len() != HEADER_BYTES + length + CHECKSUM_BYTES {
            return Err(Error::corrupt(format!("file has {} bytes, its body {length}", bytes.len())));
        }
        let (checked, checksum) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
        if crc32c::crc32c(checked).to_le_bytes() != checksum {
            return Err(Error::corrupt(format!("checksum at byte {} does not match", checked.len())));
        }
        Ok(&checked[HEADER_BYTES..])
    }
}

/// 16 bytes from a vector that must have exactly so many.
pub fn uuid(bytes: &[u8]) -> Result<[u8; 16]> {
    bytes.try_into().map_err(|_| Error::corrupt(format!("segment uuid has {} bytes", bytes.len())))
}
