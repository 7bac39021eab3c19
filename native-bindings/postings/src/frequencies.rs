//! Term frequencies of a group of postings (a window, a quarter of one, or a block), packed in document order.
//!
//! A group has a code: `0..=8` is the width of each packed `freq - 1`. Code [`LARGE`] is for groups in which a frequency
//! reaches [`SATURATED`]: `u16` number of exceptions, each a `u16` key and the `u32` frequency, ascending by key; then
//! `min(freq, SATURATED) - 1` in eight bits each. The key is the document inside its window or the place in its block.

use super::TermPostings;
use super::packing;
use super::simd::{self, FREQ_WIDTH_MAX};
use quarry_base::error::{Error, Result};

/// What decoding gives for every frequency from 255 up: the exact one is among the exceptions.
pub const SATURATED: u8 = u8::MAX;
pub(super) const LARGE: u32 = 9;
const EXCEPTION_BYTES: usize = 6;

pub(super) fn code_of(postings: &TermPostings<'_>) -> u32 {
    match postings.freqs.iter().max() {
        None => 0,
        Some(&largest) if largest >= u32::from(SATURATED) => LARGE,
        Some(&largest) => packing::width_of(largest.saturating_sub(1)),
    }
}

/// Appends the list of exceptions; `key_of` is given a document's index among `postings`.
pub(super) fn encode_exceptions(postings: &TermPostings<'_>, key_of: impl Fn(usize) -> u16, out: &mut Vec<u8>) {
    let count_at = out.len();
    out.extend([0; 2]);
    let mut count = 0u16;
    for (index, &freq) in postings.freqs.iter().enumerate() {
        if freq >= u32::from(SATURATED) {
            out.extend(key_of(index).to_le_bytes());
            out.extend(freq.to_le_bytes());
            count += 1;
        }
    }
    out[count_at..count_at + 2].copy_from_slice(&count.to_le_bytes());
}

pub(super) fn encode_packed(postings: &TermPostings<'_>, code: u32, scratch: &mut Vec<u32>, out: &mut Vec<u8>) {
    scratch.clear();
    scratch.extend(postings.freqs.iter().map(|&freq| freq.min(u32::from(SATURATED)).saturating_sub(1)));
    packing::pack(scratch, code.min(FREQ_WIDTH_MAX), out);
}

pub(super) fn encode(
    postings: &TermPostings<'_>,
    key_of: impl Fn(usize) -> u16,
    scratch: &mut Vec<u32>,
    out: &mut Vec<u8>,
) -> u32 {
    let code = code_of(postings);
    if code == LARGE {
        encode_exceptions(postings, key_of, out);
    }
    encode_packed(postings, code, scratch, out);
    code
}

/// Exceptions of a group, not yet looked into.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Exceptions<'a> {
    entries: &'a [[u8; EXCEPTION_BYTES]],
}

impl<'a> Exceptions<'a> {
    /// Reads the list at the start of `bytes`; also gives what follows it.
    pub(super) fn parse(bytes: &'a [u8]) -> Result<(Self, &'a [u8])> {
        let count = usize::from(packing::u16_at(bytes, 0)?);
        let entries = packing::part(bytes, 2, count * EXCEPTION_BYTES)?;
        Ok((Exceptions { entries: entries.as_chunks().0 }, &bytes[2 + entries.len()..]))
    }

    pub(super) fn is_empty(self) -> bool {
        self.entries.is_empty()
    }

    fn iter(self) -> impl Iterator<Item = (u16, u32)> + 'a {
        self.entries
            .iter()
            .map(|[k0, k1, f0, f1, f2, f3]| (u16::from_le_bytes([*k0, *k1]), u32::from_le_bytes([*f0, *f1, *f2, *f3])))
    }

    /// The frequency of a posting that decoded to [`SATURATED`].
    pub(super) fn exact(self, key: u16) -> Result<u32> {
        let found = self.iter().find(|(entry, _)| *entry == key);
        found.map(|(_, freq)| freq).ok_or_else(|| Error::corrupt("a large term frequency is missing"))
    }

    /// By how much a sum of decoded frequencies of keys in the range falls short of the exact sum.
    pub(super) fn shortfall(self, keys: std::ops::Range<u16>) -> u32 {
        let missing = |freq: u32| freq.saturating_sub(u32::from(SATURATED));
        let inside = self.iter().filter(|(key, _)| keys.contains(key));
        inside.fold(0u32, |sum, (_, freq)| sum.wrapping_add(missing(freq)))
    }
}

/// The packed frequencies of a group. `bytes` may run past the group: reading stops where the group does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frequencies<'a> {
    packed: &'a [u8],
    width: u32,
    pub(super) exceptions: Exceptions<'a>,
}

impl<'a> Frequencies<'a> {
    pub(super) fn parse(bytes: &'a [u8], code: u32) -> Result<Self> {
        if code != LARGE {
            return Ok(Frequencies { packed: bytes, width: code, exceptions: Exceptions::default() });
        }
        let (exceptions, packed) = Exceptions::parse(bytes)?;
        Ok(Frequencies { packed, width: FREQ_WIDTH_MAX, exceptions })
    }

    /// Packed values alone; a [`LARGE`] code then only says that they have eight bits.
    pub(super) fn packed(bytes: &'a [u8], code: u32) -> Self {
        Frequencies {
            packed: bytes,
            width: if code == LARGE { FREQ_WIDTH_MAX } else { code },
            exceptions: Exceptions::default(),
        }
    }

    /// Decodes the first `count` frequencies; `freqs` needs `STORE_SLACK` more.
    #[inline]
    pub(super) fn unpack(&self, count: usize, freqs: &mut [u8]) -> Result<()> {
        if simd::unpack_freqs(self.packed, self.width, count, freqs) { Ok(()) } else { Err(packing::ends_early()) }
    }

    /// As [`Frequencies::unpack`] from the `from`-th on, which is a multiple of eight.
    #[inline]
    pub(super) fn unpack_from(&self, from: usize, count: usize, freqs: &mut [u8]) -> Result<()> {
        debug_assert!(from.is_multiple_of(8));
        let packed = self.packed.get(from / 8 * self.width as usize..).ok_or_else(packing::ends_early)?;
        Frequencies { packed, ..*self }.unpack(count, freqs)
    }

    /// The frequencies at some places of the group.
    #[inline]
    pub(super) fn pick(&self, places: &[u16], freqs: &mut [u8]) -> Result<()> {
        for (freq, place) in freqs.iter_mut().zip(places) {
            *freq = self.at(usize::from(*place))?;
        }
        Ok(())
    }

    /// The frequency at a place of the group, capped at [`SATURATED`].
    #[inline]
    pub(super) fn at(&self, index: usize) -> Result<u8> {
        if self.width == 0 {
            return Ok(1);
        }
        let value = packing::value_at(self.packed, self.width & 15, index).ok_or_else(packing::ends_early)?;
        Ok((value as u8).saturating_add(1))
    }
}
