//! The frequencies of chosen documents of a window: each is looked up where it is stored or, where they are many, the
//! frequencies of all are spread over the window first.

use super::view::{Bits, QuarterRanks, Quarters, word};
use crate::frequencies::Frequencies;
use crate::layout::windows::QUARTER;
use crate::simd::{self, STORE_SLACK};
use quarry_base::error::Result;
use quarry_codec::window::WINDOW;

/// Fewer documents than this are looked up one by one: to begin with, spreading clears a whole window.
const LOOKS_BEFORE_SPREADING: usize = 32;
/// Spreading is worth it for up to this many documents for each one that is looked up: the best of 2 and 4 on prose.
const SPREAD_IN_ONE_LOOK: usize = 2;
/// Documents of an array that are spread together: their packed frequencies are whole bytes.
const SPREAD_PART: usize = 256;

/// A window's frequencies by document, 0 where the term is missing.
type FreqsByDoc = [u8; WINDOW];

/// Whether to spread a window of `count` documents to look `wanted` of them up.
#[inline]
fn is_worth_spreading(wanted: usize, count: usize) -> bool {
    wanted >= LOOKS_BEFORE_SPREADING && wanted * SPREAD_IN_ONE_LOOK >= count
}

/// Probes an array window. `lows` are its documents as stored, with `container_bits` above the bits of the window.
#[inline]
pub(super) fn array(
    lows: &[u8],
    packed: &Frequencies<'_>,
    container_bits: u16,
    docs: &[u16],
    freqs: &mut [u8],
) -> Result<()> {
    let count = lows.len() / 2;
    if is_worth_spreading(docs.len(), count) {
        return spread_array(lows, packed, docs, freqs);
    }
    let mut at = 0;
    for (doc, freq) in docs.iter().zip(freqs) {
        let low = container_bits | doc;
        at = simd::lower_bound(lows, at, low);
        let found = at < count && u16::from_le_bytes([lows[at * 2], lows[at * 2 + 1]]) == low;
        *freq = if found { packed.at(at)? } else { 0 };
    }
    Ok(())
}

/// Probes a window of bits that has `count` documents.
#[inline]
pub(super) fn bits(bits: &Bits, count: usize, quarters: &Quarters<'_>, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
    if is_worth_spreading(docs.len(), count) {
        return spread_bits(bits, quarters, docs, freqs);
    }
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

fn spread_array(lows: &[u8], packed: &Frequencies<'_>, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
    let mut by_doc = [0; WINDOW];
    let mut unpacked = [0; SPREAD_PART + STORE_SLACK];
    for (part, lows) in lows.chunks(2 * SPREAD_PART).enumerate() {
        packed.unpack_from(part * SPREAD_PART, lows.len() / 2, &mut unpacked)?;
        for (low, freq) in lows.as_chunks().0.iter().zip(&unpacked) {
            by_doc[usize::from(u16::from_le_bytes(*low)) % WINDOW] = *freq;
        }
    }
    look_up(&by_doc, docs, freqs);
    Ok(())
}

fn spread_bits(bits: &Bits, quarters: &Quarters<'_>, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
    let mut by_doc = [0; WINDOW];
    let mut own = [0; QUARTER + STORE_SLACK];
    let mut unpacked = [0; QUARTER + STORE_SLACK];
    for (quarter, bytes) in bits.as_chunks::<{ QUARTER / 8 }>().0.iter().enumerate() {
        let count = simd::expand_bits(bytes, (quarter * QUARTER) as u16, &mut own);
        if count == 0 {
            continue;
        }
        quarters.freqs(quarter)?.unpack(count, &mut unpacked)?;
        for (doc, freq) in own[..count].iter().zip(&unpacked) {
            by_doc[usize::from(*doc) % WINDOW] = *freq;
        }
    }
    look_up(&by_doc, docs, freqs);
    Ok(())
}

#[inline]
fn look_up(by_doc: &FreqsByDoc, docs: &[u16], freqs: &mut [u8]) {
    for (doc, freq) in docs.iter().zip(freqs) {
        *freq = by_doc[usize::from(*doc) % WINDOW];
    }
}
