//! Positions of one term: those of all its documents one after another, absolute, so that any one can be read alone.
//!
//! Fewer than 128 of them are varints. More of them are packed:
//!
//! ```text
//! u32 positions before each window (long lists) or block (middle ones); nothing for lists decoded whole
//! u32 start of each block of 128 positions, in units of 16 bytes from the end of this array; and where the last ends
//! blocks: 128 values of equal width, least significant bit first; the last block holds only what is left
//! ```
//! A unit of 16 bytes is 128 bits, so that the difference of two starts is the width of the block between them.

use super::packing::{self, part};
use super::simd;
use quarry_base::error::{Error, Result};
use quarry_codec::varint;

/// How many positions of a document are read at once, see [`PositionsReader::group`].
pub const POSITION_GROUP: usize = simd::GROUP_VALUES;

/// What a group of narrow positions takes at most.
const GROUP_BYTES: usize = 32;
const BLOCK: usize = 128;
const UNIT: usize = 16;
const OFFSET_BYTES: usize = 4;
/// The longest phrase list of one term in one segment: places in it are `u32`.
pub(super) const TERM_POSITIONS_MAX: u64 = u32::MAX as u64;

/// `bases` are the numbers of positions before each window or block of the term's documents.
pub(super) fn encode(positions: &[u32], bases: &[u32], out: &mut Vec<u8>) {
    if positions.len() < BLOCK {
        for &position in positions {
            varint::write_u32(out, position);
        }
        return;
    }
    out.extend(bases.iter().flat_map(|base| base.to_le_bytes()));
    let directory = out.len();
    out.resize(directory + (positions.len().div_ceil(BLOCK) + 1) * OFFSET_BYTES, 0);
    let mut units = 0u32;
    for (index, block) in positions.chunks(BLOCK).enumerate() {
        let width = packing::width_of(block.iter().fold(0, |all, position| all | position));
        packing::pack(block, width, out);
        units += width;
        out[directory + (index + 1) * OFFSET_BYTES..][..OFFSET_BYTES].copy_from_slice(&units.to_le_bytes());
    }
}

/// Positions of one term, read by their place among all of the term's positions.
#[derive(Debug)]
pub struct PositionsReader<'a> {
    count: usize,
    decoded: Vec<u32>,
    bases: &'a [u8],
    directory: &'a [u8],
    packed: &'a [u8],
}

impl<'a> PositionsReader<'a> {
    /// `bytes` start with the term's positions and may run on to the end of the section; `bases` is how many of them
    /// the layout of the term's documents has.
    pub(super) fn open(bytes: &'a [u8], count: u64, bases: usize) -> Result<Self> {
        if count > TERM_POSITIONS_MAX {
            return Err(Error::corrupt("more positions of one term than there can be"));
        }
        let count = count as usize;
        if count < BLOCK {
            let mut at = 0;
            let decoded = (0..count).map(|_| varint::read_u32(bytes, &mut at)).collect::<Result<_>>()?;
            return Ok(PositionsReader { count, decoded, bases: &[], directory: &[], packed: &[] });
        }
        let bases_length = bases * OFFSET_BYTES;
        let directory_length = (count.div_ceil(BLOCK) + 1) * OFFSET_BYTES;
        Ok(PositionsReader {
            count,
            decoded: Vec::new(),
            bases: part(bytes, 0, bases_length)?,
            directory: part(bytes, bases_length, directory_length)?,
            packed: &bytes[bases_length + directory_length..],
        })
    }

    /// Positions before the window or block with this number; `None` where they are not recorded.
    #[inline]
    pub(super) fn base(&self, number: usize) -> Option<u32> {
        packing::u32_at(self.bases, number * OFFSET_BYTES).ok()
    }

    /// Replaces `out` by `length` positions from place `start` on.
    #[inline]
    pub fn read(&self, start: u32, length: u32, out: &mut Vec<u32>) -> Result<()> {
        let start = self.checked(start, length as usize)?;
        out.clear();
        out.resize(length as usize, 0);
        self.fill(start, out)
    }

    /// Up to [`POSITION_GROUP`] positions from place `start` on, those of one document. Behind them is nothing of use.
    #[inline]
    pub fn group(&self, start: u32, length: u32) -> Result<[u32; POSITION_GROUP]> {
        let length = (length as usize).min(POSITION_GROUP);
        let start = self.checked(start, length)?;
        if self.count >= BLOCK && start % BLOCK + length <= BLOCK {
            let (packed, width) = self.block(start / BLOCK)?;
            if let Some(group) = simd::unpack_group(packed, width, start % BLOCK, length) {
                return Ok(group);
            }
        }
        self.group_in_parts(start, length)
    }

    /// A group that lies in two blocks, or near the end of the section.
    #[inline(never)]
    fn group_in_parts(&self, start: usize, length: usize) -> Result<[u32; POSITION_GROUP]> {
        let mut group = [simd::NO_VALUE; POSITION_GROUP];
        self.fill(start, &mut group[..length])?;
        Ok(group)
    }

    /// Which of `wanted`, ascending and at most [`POSITION_GROUP`], are among `length` positions from place `start` on, those
    /// of one document, as bits.
    #[inline]
    pub fn find(&self, start: u32, length: u32, wanted: &[u32]) -> Result<u32> {
        let (mut at, mut rest) = (self.checked(start, length as usize)?, length as usize);
        let mut found = 0;
        while rest > 0 {
            let part = self.find_in_group(at, rest.min(POSITION_GROUP), wanted)?;
            found |= part.places;
            if part.passed {
                break;
            }
            at += POSITION_GROUP;
            rest = rest.saturating_sub(POSITION_GROUP);
        }
        Ok(found)
    }

    #[inline]
    fn find_in_group(&self, start: usize, length: usize, wanted: &[u32]) -> Result<simd::Found> {
        if self.count >= BLOCK && start % BLOCK + length <= BLOCK {
            let (packed, width) = self.block(start / BLOCK)?;
            if let Some(found) = simd::find_in_group(packed, width, start % BLOCK, length, wanted) {
                return Ok(found);
            }
        }
        self.group_in_parts(start, length).map(|group| simd::find(&group, length, wanted))
    }

    /// Asks for the memory that holds the position at place `start`, without waiting for it.
    #[inline]
    pub fn prefetch(&self, start: u32) {
        let start = start as usize;
        if self.count >= BLOCK
            && let Ok((packed, width)) = self.block(start / BLOCK)
        {
            let at = start % BLOCK * width as usize / 8;
            simd::prefetch(packed, at);
            simd::prefetch(packed, at + GROUP_BYTES);
        }
    }

    /// The place `start`, where `length` positions are.
    #[inline]
    fn checked(&self, start: u32, length: usize) -> Result<usize> {
        let start = start as usize;
        if start + length > self.count {
            return Err(Error::corrupt("a document has more positions than its term"));
        }
        Ok(start)
    }

    #[inline]
    fn fill(&self, start: usize, out: &mut [u32]) -> Result<()> {
        if self.count < BLOCK {
            out.copy_from_slice(&self.decoded[start..start + out.len()]);
            return Ok(());
        }
        let (mut at, mut rest) = (start, out);
        while !rest.is_empty() {
            let (here, after) = rest.split_at_mut(rest.len().min(BLOCK - at % BLOCK));
            let (packed, width) = self.block(at / BLOCK)?;
            if !simd::unpack_values(packed, width, at % BLOCK, here) {
                return Err(packing::ends_early());
            }
            at += here.len();
            rest = after;
        }
        Ok(())
    }

    /// Whether one of `length` positions from place `start` on, those of one document, is `wanted`.
    #[inline]
    pub fn contains(&self, start: u32, length: u32, wanted: u32) -> Result<bool> {
        let mut at = self.checked(start, length as usize)?;
        let end = at + length as usize;
        if self.count < BLOCK {
            return Ok(self.decoded[at..end].contains(&wanted));
        }
        while at < end {
            let length = (end - at).min(BLOCK - at % BLOCK);
            let (packed, width) = self.block(at / BLOCK)?;
            if simd::contains_value(packed, width, at % BLOCK, length, wanted).ok_or_else(packing::ends_early)? {
                return Ok(true);
            }
            at += length;
        }
        Ok(false)
    }

    #[inline]
    fn block(&self, block: usize) -> Result<(&'a [u8], u32)> {
        let start = packing::u32_at(self.directory, block * OFFSET_BYTES)?;
        let end = packing::u32_at(self.directory, (block + 1) * OFFSET_BYTES)?;
        let packed = self.packed.get(start as usize * UNIT..).ok_or_else(packing::ends_early)?;
        Ok((packed, end.wrapping_sub(start)))
    }
}
