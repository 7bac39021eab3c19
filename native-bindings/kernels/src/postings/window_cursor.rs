//! A long list: roaring containers read in place, window by window; see [`super::windows`] for its shape.

use super::cursor::{Decoded, Located, WINDOW_ROOM, WindowDocs, WindowFreqs, WindowList};
use super::frequencies::{Exceptions, Frequencies, LARGE, SATURATED};
use super::impact::bound_of_u16;
use super::packing::{self, part};
use super::positions::PositionsReader;
use super::simd;
use super::windows::{DENSE, ENTRY, HEADER, QUARTER, QUARTER_HEADERS, QUARTERS, WINDOW_BYTES};
use crate::error::{Error, Result};
use crate::window::{NO_MORE_WINDOWS, WINDOW, WINDOW_WORDS, WindowBits, window_count};

const QUARTER_BYTES: usize = QUARTER / 8;
const QUARTER_WORDS: usize = QUARTER / 64;
/// Frequencies summed at once when positions are located.
const SUM_GROUP: usize = 32;

type Bits = [u8; WINDOW_BYTES];

#[derive(Debug)]
pub(super) struct WindowCursor<'a> {
    /// The list, and what follows it in the section.
    bytes: &'a [u8],
    directory: &'a [[u8; ENTRY]],
    freqs: &'a [u8],
}

/// A window that has documents.
#[derive(Debug, Clone, Copy)]
struct Window<'a> {
    count: usize,
    bound: f32,
    documents: Documents<'a>,
    freqs: &'a [u8],
    code: u32,
}

#[derive(Debug, Clone, Copy)]
enum Documents<'a> {
    /// Little-endian low halves, ascending.
    Array(&'a [u8]),
    Bits(&'a Bits),
}

/// Frequencies of a window stored as bits.
#[derive(Debug, Clone, Copy)]
struct Quarters<'a> {
    headers: &'a [[u8; 4]; QUARTERS],
    exceptions: Exceptions<'a>,
    packed: &'a [u8],
}

impl<'a> Quarters<'a> {
    #[inline]
    fn parse(bytes: &'a [u8]) -> Result<Self> {
        let headers = part(bytes, 0, QUARTER_HEADERS)?.as_chunks::<4>().0;
        let headers: &[[u8; 4]; QUARTERS] = headers.try_into().map_err(|_| packing::ends_early())?;
        let mut quarters = Quarters { headers, exceptions: Exceptions::default(), packed: &bytes[QUARTER_HEADERS..] };
        if (0..QUARTERS).any(|quarter| quarters.code(quarter) == LARGE) {
            (quarters.exceptions, quarters.packed) = Exceptions::parse(quarters.packed)?;
        }
        Ok(quarters)
    }

    #[inline]
    fn bound(&self, quarter: usize) -> f32 {
        let [low, high, ..] = self.headers[quarter];
        bound_of_u16(u16::from_le_bytes([low, high]))
    }

    #[inline]
    fn place(&self, quarter: usize) -> u16 {
        let [.., low, high] = self.headers[quarter];
        u16::from_le_bytes([low, high])
    }

    #[inline]
    fn code(&self, quarter: usize) -> u32 {
        u32::from(self.place(quarter) & 15)
    }

    #[inline]
    fn freqs(&self, quarter: usize) -> Result<Frequencies<'a>> {
        let offset = usize::from(self.place(quarter) >> 4);
        let bytes = self.packed.get(offset..).ok_or_else(packing::ends_early)?;
        Ok(Frequencies::packed(bytes, self.code(quarter)))
    }
}

#[inline]
fn word(bits: &Bits, index: usize) -> u64 {
    u64::from_le_bytes(bits.as_chunks::<8>().0[index % WINDOW_WORDS])
}

impl<'a> WindowCursor<'a> {
    /// `bytes` start with the list and may run on to the end of the section.
    pub(super) fn open(bytes: &'a [u8], max_doc: u32) -> Result<Self> {
        let bitmap = packing::u32_at(bytes, 4)? as usize;
        let directory_length = window_count(max_doc) as usize * ENTRY;
        let directory = part(bytes, HEADER + bitmap, directory_length)?;
        Ok(WindowCursor {
            bytes,
            directory: directory.as_chunks().0,
            freqs: &bytes[HEADER + bitmap + directory_length..],
        })
    }

    #[inline]
    fn maximum(&self, window: u32) -> u16 {
        self.directory.get(window as usize).map_or(0, |entry| u16::from_le_bytes([entry[10], entry[11]]))
    }

    #[inline]
    fn window(&self, window: u32) -> Result<Option<Window<'a>>> {
        let maximum = self.maximum(window);
        if maximum == 0 {
            return Ok(None);
        }
        let entry = &self.directory[window as usize];
        let docs_at = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]) as usize;
        let freqs_at = u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]) as usize;
        let counted = u16::from_le_bytes([entry[8], entry[9]]);
        let count = usize::from(counted >> 4) + 1;
        let code = u32::from(counted & 15);
        let documents = if code == DENSE {
            let bits = self.bytes.get(docs_at..).and_then(<[u8]>::first_chunk);
            Documents::Bits(bits.ok_or_else(packing::ends_early)?)
        } else {
            Documents::Array(part(self.bytes, docs_at, count * 2)?)
        };
        let freqs = self.freqs.get(freqs_at..).ok_or_else(packing::ends_early)?;
        Ok(Some(Window { count, bound: bound_of_u16(maximum), documents, freqs, code }))
    }

    #[inline]
    pub(super) fn dense_bits(&self, window: u32) -> Result<Option<&'a Bits>> {
        match self.window(window)? {
            Some(Window { documents: Documents::Bits(bits), .. }) => Ok(Some(bits)),
            _ => Ok(None),
        }
    }
}

impl<'a> Window<'a> {
    fn decode(self, above: f32, docs: &mut WindowDocs, freqs: &mut WindowFreqs) -> Result<Decoded> {
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

    fn exceptions(&self) -> Result<Exceptions<'a>> {
        match self.documents {
            Documents::Bits(_) => Ok(Quarters::parse(self.freqs)?.exceptions),
            Documents::Array(_) => Ok(Frequencies::parse(self.freqs, self.code)?.exceptions),
        }
    }
}

/// Looks each document up in an array window.
#[inline]
fn probe_array(
    lows: &[u8],
    packed: &Frequencies<'_>,
    container_bits: u16,
    docs: &[u16],
    freqs: &mut [u8],
) -> Result<()> {
    let count = lows.len() / 2;
    let mut at = 0;
    for (doc, freq) in docs.iter().zip(freqs) {
        let low = container_bits | doc;
        at = simd::lower_bound(lows, at, low);
        let found = at < count && u16::from_le_bytes([lows[at * 2], lows[at * 2 + 1]]) == low;
        *freq = if found { packed.at(at)? } else { 0 };
    }
    Ok(())
}

/// Documents before each word of one quarter, made when first needed.
struct QuarterRanks {
    quarter: usize,
    before: [u16; QUARTER_WORDS],
}

impl QuarterRanks {
    fn new() -> Self {
        QuarterRanks { quarter: usize::MAX, before: [0; QUARTER_WORDS] }
    }

    #[inline]
    fn rank(&mut self, bits: &Bits, doc: u16) -> usize {
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

/// Looks each document up in a window of bits.
#[inline]
fn probe_bits(bits: &Bits, quarters: &Quarters<'_>, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
    let mut ranks = QuarterRanks::new();
    for (doc, freq) in docs.iter().zip(freqs) {
        let doc = doc % WINDOW as u16;
        if word(bits, usize::from(doc) / 64) >> (doc % 64) & 1 == 0 {
            *freq = 0;
            continue;
        }
        let quarter = usize::from(doc) / QUARTER;
        *freq = if quarters.code(quarter) == 0 { 1 } else { quarters.freqs(quarter)?.at(ranks.rank(bits, doc))? };
    }
    Ok(())
}

/// The part of a roaring low half that says which window of its container a document is in.
#[inline]
fn container_bits(window: u32) -> u16 {
    ((window % 16) * WINDOW as u32) as u16
}

impl WindowList for WindowCursor<'_> {
    #[inline]
    fn next_window(&mut self, window: u32) -> u32 {
        let rest = self.directory.get(window as usize..).unwrap_or(&[]);
        let found = rest.iter().position(|entry| entry[10] | entry[11] != 0);
        found.map_or(NO_MORE_WINDOWS, |ahead| window + ahead as u32)
    }

    #[inline]
    fn window_bound(&mut self, window: u32) -> f32 {
        match self.maximum(window) {
            0 => 0.0,
            maximum => bound_of_u16(maximum),
        }
    }

    #[inline]
    fn decode(&mut self, window: u32, above: f32, docs: &mut WindowDocs, freqs: &mut WindowFreqs) -> Result<Decoded> {
        match self.window(window)? {
            Some(window) if window.bound > above => window.decode(above, docs, freqs),
            _ => Ok(Decoded::default()),
        }
    }

    #[inline]
    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        let Some(window) = self.window(window)? else { return Ok(0) };
        match window.documents {
            Documents::Array(lows) => {
                simd::mask_lows(lows, docs);
                Ok(window.count)
            }
            Documents::Bits(bits) => Ok(simd::expand_bits(bits, 0, docs)),
        }
    }

    #[inline]
    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        let Some(window) = self.window(window)? else { return Ok(()) };
        match window.documents {
            Documents::Array(lows) => {
                for low in lows.as_chunks().0 {
                    let doc = u16::from_le_bytes(*low) % WINDOW as u16;
                    bits[usize::from(doc / 64)] |= 1 << (doc % 64);
                }
            }
            Documents::Bits(own) => {
                for (word, mine) in bits.iter_mut().zip(own.as_chunks().0) {
                    *word |= u64::from_le_bytes(*mine);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<bool> {
        let container_bits = container_bits(window);
        let Some(window) = self.window(window)? else {
            freqs[..docs.len()].fill(0);
            return Ok(false);
        };
        match window.documents {
            Documents::Array(lows) => {
                let packed = Frequencies::parse(window.freqs, window.code)?;
                probe_array(lows, &packed, container_bits, docs, freqs)?;
                Ok(window.code == LARGE)
            }
            Documents::Bits(bits) => {
                let quarters = Quarters::parse(window.freqs)?;
                probe_bits(bits, &quarters, docs, freqs)?;
                Ok(!quarters.exceptions.is_empty())
            }
        }
    }

    fn exact_freq(&mut self, window: u32, doc: u16) -> Result<u32> {
        let found = self.window(window)?;
        found
            .ok_or_else(|| Error::internal("frequency asked of a document that lacks the term"))?
            .exceptions()?
            .exact(doc)
    }

    fn locate(
        &mut self,
        window: u32,
        docs: &[u16],
        positions: &PositionsReader<'_>,
        located: &mut Vec<Located>,
    ) -> Result<()> {
        let base = positions.base(window as usize).ok_or_else(packing::ends_early)?;
        let container_bits = container_bits(window);
        let window = self.window(window)?.ok_or_else(|| Error::internal("positions asked of an empty window"))?;
        let exceptions = match window.documents {
            Documents::Array(lows) => {
                let packed = Frequencies::parse(window.freqs, window.code)?;
                locate_array(lows, &packed, container_bits, docs, located)?;
                packed.exceptions
            }
            Documents::Bits(bits) => {
                let quarters = Quarters::parse(window.freqs)?;
                locate_bits(bits, &quarters, docs, located)?;
                quarters.exceptions
            }
        };
        for (place, doc) in located.iter_mut().zip(docs) {
            place.start = place.start.wrapping_add(base);
            if !exceptions.is_empty() {
                place.start = place.start.wrapping_add(exceptions.shortfall(0..*doc));
                if place.freq == u32::from(SATURATED) {
                    place.freq = exceptions.exact(*doc)?;
                }
            }
        }
        Ok(())
    }
}

/// Ranks of documents in an array window, and from them the places of their positions.
fn locate_array(
    lows: &[u8],
    packed: &Frequencies<'_>,
    container_bits: u16,
    docs: &[u16],
    located: &mut Vec<Located>,
) -> Result<()> {
    let (count, last) = (lows.len() / 2, docs.last().map_or(0, |last| container_bits | last));
    let mut sums = FreqSums::new();
    packed.unpack(count.min(simd::lower_bound(lows, 0, last) + 1), &mut sums.freqs)?;
    let mut rank = 0;
    for &doc in docs {
        rank = simd::lower_bound(lows, rank, container_bits | doc);
        if rank >= count {
            return Err(Error::internal("positions asked of a document that lacks the term"));
        }
        located.push(sums.locate(rank));
    }
    Ok(())
}

/// The same for a window of bits; quarters behind the last document are not looked at.
fn locate_bits(bits: &Bits, quarters: &Quarters<'_>, docs: &[u16], located: &mut Vec<Located>) -> Result<()> {
    let mut sums = FreqSums::new();
    let mut starts = [0; QUARTERS];
    let (mut unpacked, mut count) = (0, 0);
    let mut ranks = QuarterRanks::new();
    for &doc in docs {
        let doc = doc % WINDOW as u16;
        while unpacked <= usize::from(doc) / QUARTER {
            let quarter = &bits[unpacked * QUARTER_BYTES..][..QUARTER_BYTES];
            let documents: u32 =
                quarter.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word).count_ones()).sum();
            quarters.freqs(unpacked)?.unpack(documents as usize, &mut sums.freqs[count..])?;
            starts[unpacked] = count;
            count += documents as usize;
            unpacked += 1;
        }
        let rank = starts[usize::from(doc) / QUARTER] + ranks.rank(bits, doc);
        located.push(sums.locate(rank.min(WINDOW - 1)));
    }
    Ok(())
}

/// A window's frequencies from its first document on, with running sums of groups.
struct FreqSums {
    freqs: WindowFreqs,
    /// Sums of the groups before each group, as far as they were needed.
    before: [u32; WINDOW / SUM_GROUP],
    groups: usize,
}

impl FreqSums {
    fn new() -> Self {
        FreqSums { freqs: [0; WINDOW_ROOM], before: [0; WINDOW / SUM_GROUP], groups: 0 }
    }

    #[inline]
    fn locate(&mut self, rank: usize) -> Located {
        let group = rank / SUM_GROUP;
        while self.groups < group {
            let sum = simd::sum_first(&self.freqs[self.groups * SUM_GROUP..], SUM_GROUP);
            self.before[self.groups + 1] = self.before[self.groups] + sum;
            self.groups += 1;
        }
        let start = self.before[group] + simd::sum_first(&self.freqs[group * SUM_GROUP..], rank % SUM_GROUP);
        Located { freq: u32::from(self.freqs[rank]), start }
    }
}
