//! One window of a long list, as it is stored; see [`crate::layout::windows`] for its shape.

use crate::cursor::{Decoded, WindowDocs, WindowFreqs};
use crate::frequencies::{Exceptions, Frequencies, LARGE};
use crate::impact::bound_of_u16;
use crate::layout::windows::{DENSE, ENTRY, QUARTER, QUARTER_HEADERS, QUARTERS, WINDOW_BYTES};
use crate::packing::{self, part};
use crate::simd;
use quarry_base::error::Result;
use quarry_codec::window::WINDOW_WORDS;

const QUARTER_BYTES: usize = QUARTER / 8;
pub(crate) const QUARTER_WORDS: usize = QUARTER / 64;

pub(crate) type Bits = [u8; WINDOW_BYTES];

/// A window that has documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window<'a> {
    pub(crate) count: usize,
    pub(crate) bound: f32,
    pub(crate) documents: Documents<'a>,
    pub(crate) freqs: &'a [u8],
    /// Of the frequencies, or `DENSE`.
    pub(crate) code: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Documents<'a> {
    /// Little-endian low halves, ascending.
    Array(&'a [u8]),
    Bits(&'a Bits),
}

/// Frequencies of a window stored as bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quarters<'a> {
    headers: &'a [[u8; 4]; QUARTERS],
    pub(crate) exceptions: Exceptions<'a>,
    packed: &'a [u8],
}

impl<'a> Quarters<'a> {
    #[inline]
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self> {
        let headers = part(bytes, 0, QUARTER_HEADERS)?.as_chunks::<4>().0;
        let headers: &[[u8; 4]; QUARTERS] = headers.try_into().map_err(|_| packing::ends_early())?;
        let mut quarters = Quarters { headers, exceptions: Exceptions::default(), packed: &bytes[QUARTER_HEADERS..] };
        if (0..QUARTERS).any(|quarter| quarters.code(quarter) == LARGE) {
            (quarters.exceptions, quarters.packed) = Exceptions::parse(quarters.packed)?;
        }
        Ok(quarters)
    }

    #[inline]
    pub(crate) fn bound(&self, quarter: usize) -> f32 {
        let [low, high, ..] = self.headers[quarter];
        bound_of_u16(u16::from_le_bytes([low, high]))
    }

    #[inline]
    fn place(&self, quarter: usize) -> u16 {
        let [.., low, high] = self.headers[quarter];
        u16::from_le_bytes([low, high])
    }

    #[inline]
    pub(crate) fn code(&self, quarter: usize) -> u32 {
        u32::from(self.place(quarter) & 15)
    }

    #[inline]
    pub(crate) fn freqs(&self, quarter: usize) -> Result<Frequencies<'a>> {
        let offset = usize::from(self.place(quarter) >> 4);
        let bytes = self.packed.get(offset..).ok_or_else(packing::ends_early)?;
        Ok(Frequencies::packed(bytes, self.code(quarter)))
    }
}

#[inline]
pub(crate) fn word(bits: &Bits, index: usize) -> u64 {
    u64::from_le_bytes(bits.as_chunks::<8>().0[index % WINDOW_WORDS])
}

impl<'a> Window<'a> {
    /// `list` are the bytes from the list's start on, `freqs` those behind its directory. `None` for a window without
    /// documents.
    #[inline]
    pub(crate) fn parse(entry: &[u8; ENTRY], list: &'a [u8], freqs: &'a [u8]) -> Result<Option<Self>> {
        let maximum = u16::from_le_bytes([entry[10], entry[11]]);
        if maximum == 0 {
            return Ok(None);
        }
        let docs_at = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]) as usize;
        let freqs_at = u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]) as usize;
        let counted = u16::from_le_bytes([entry[8], entry[9]]);
        let count = usize::from(counted >> 4) + 1;
        let code = u32::from(counted & 15);
        let documents = if code == DENSE {
            let bits = list.get(docs_at..).and_then(<[u8]>::first_chunk);
            Documents::Bits(bits.ok_or_else(packing::ends_early)?)
        } else {
            Documents::Array(part(list, docs_at, count * 2)?)
        };
        let freqs = freqs.get(freqs_at..).ok_or_else(packing::ends_early)?;
        Ok(Some(Window { count, bound: bound_of_u16(maximum), documents, freqs, code }))
    }

    pub(crate) fn decode(self, above: f32, docs: &mut WindowDocs, freqs: &mut WindowFreqs) -> Result<Decoded> {
        match self.documents {
            Documents::Array(lows) => {
                let packed = Frequencies::parse(self.freqs, self.code)?;
                simd::mask_lows(lows, docs);
                packed.unpack(self.count, freqs)?;
                Ok(Decoded { count: self.count, has_large: self.code == LARGE })
            }
            Documents::Bits(bits) => {
                let quarters = Quarters::parse(self.freqs)?;
                let mut count = 0;
                for (quarter, bytes) in bits.as_chunks::<QUARTER_BYTES>().0.iter().enumerate() {
                    if quarters.bound(quarter) <= above {
                        continue;
                    }
                    let added = simd::expand_bits(bytes, (quarter * QUARTER) as u16, &mut docs[count..]);
                    quarters.freqs(quarter)?.unpack(added, &mut freqs[count..])?;
                    count += added;
                }
                Ok(Decoded { count, has_large: !quarters.exceptions.is_empty() })
            }
        }
    }

    pub(crate) fn exceptions(&self) -> Result<Exceptions<'a>> {
        match self.documents {
            Documents::Bits(_) => Ok(Quarters::parse(self.freqs)?.exceptions),
            Documents::Array(_) => Ok(Frequencies::parse(self.freqs, self.code)?.exceptions),
        }
    }
}

/// Documents before each word of one quarter, made when first needed.
#[derive(Debug)]
pub(crate) struct QuarterRanks {
    quarter: usize,
    before: [u16; QUARTER_WORDS],
}

impl QuarterRanks {
    pub(crate) fn new() -> Self {
        QuarterRanks { quarter: usize::MAX, before: [0; QUARTER_WORDS] }
    }

    #[inline]
    pub(crate) fn rank(&mut self, bits: &Bits, doc: u16) -> usize {
        let (index, quarter) = (usize::from(doc) / 64, usize::from(doc) / QUARTER);
        if quarter != self.quarter {
            self.quarter = quarter;
            let mut sum = 0;
            for (place, before) in self.before.iter_mut().enumerate() {
                *before = sum;
                sum += word(bits, quarter * QUARTER_WORDS + place).count_ones() as u16;
            }
        }
        let below = word(bits, index) & ((1u64 << (doc % 64)) - 1);
        usize::from(self.before[index % QUARTER_WORDS]) + below.count_ones() as usize
    }
}
