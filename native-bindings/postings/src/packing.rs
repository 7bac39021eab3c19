//! Bit packing, least significant bit first, without gaps; and single reads from it.

use quarry_base::error::{Error, Result};

/// Bits that `value` needs.
pub(crate) fn width_of(value: u32) -> u32 {
    32 - value.leading_zeros()
}

/// Appends `values`, each in `width` bits; the last byte is filled with zeros.
pub(crate) fn pack(values: &[u32], width: u32, out: &mut Vec<u8>) {
    let (mut pending, mut bits) = (0u64, 0);
    for &value in values {
        pending |= u64::from(value) << bits;
        bits += width;
        while bits >= 8 {
            out.push(pending as u8);
            pending >>= 8;
            bits -= 8;
        }
    }
    if bits > 0 {
        out.push(pending as u8);
    }
}

/// The value with this index, or `None` where the bytes (with seven more behind it) end. `width` is at most 32.
#[inline]
pub(crate) fn value_at(packed: &[u8], width: u32, index: usize) -> Option<u32> {
    let bit = index * width as usize;
    let word = u64::from_le_bytes(*packed.get(bit / 8..)?.first_chunk()?);
    Some((word >> (bit % 8) & ((1u64 << width) - 1)) as u32)
}

#[inline]
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
    chunk.map(|chunk| u16::from_le_bytes(*chunk)).ok_or_else(ends_early)
}

#[inline]
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
    chunk.map(|chunk| u32::from_le_bytes(*chunk)).ok_or_else(ends_early)
}

#[inline]
pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Result<u64> {
    let chunk = bytes.get(at..).and_then(<[u8]>::first_chunk);
    chunk.map(|chunk| u64::from_le_bytes(*chunk)).ok_or_else(ends_early)
}

/// The part of `bytes` from `start`, `length` long.
#[inline]
pub(crate) fn part(bytes: &[u8], start: usize, length: usize) -> Result<&[u8]> {
    bytes.get(start..).and_then(|rest| rest.get(..length)).ok_or_else(ends_early)
}

#[cold]
pub(crate) fn ends_early() -> Error {
    Error::corrupt("postings end before their last value")
}
