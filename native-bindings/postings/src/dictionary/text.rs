//! The bytes of a term that is turned into one after the other.

use std::ops::Range;

/// Short rests are copied as so many bytes, whatever their length: that takes less than to look at the length.
const COPIED: usize = 16;

/// What lies behind the term's end is left over from other ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermText {
    bytes: Vec<u8>,
    length: usize,
}

impl TermText {
    #[inline(always)]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Leaves open what the bytes are.
    pub(crate) fn resize(&mut self, length: usize) {
        self.length = length;
        if self.bytes.len() < length {
            self.bytes.resize(length.next_power_of_two(), 0);
        }
    }

    /// Puts bytes at a place that the text has.
    #[inline]
    pub(crate) fn write(&mut self, at: usize, bytes: &[u8]) {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Puts a part of `source` in the place of everything behind the first `shared` bytes, of which there must be so many.
    #[inline(always)]
    pub(crate) fn replace_from(&mut self, shared: usize, source: &[u8], part: Range<usize>) {
        self.length = shared + part.len();
        if self.bytes.len() < self.length + COPIED {
            self.bytes.resize(self.length.next_power_of_two() + COPIED, 0);
        }
        match source[part.start..].first_chunk::<COPIED>() {
            Some(chunk) if part.len() <= COPIED => self.bytes[shared..shared + COPIED].copy_from_slice(chunk),
            _ => self.bytes[shared..self.length].copy_from_slice(&source[part]),
        }
    }
}
