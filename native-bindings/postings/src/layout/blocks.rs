//! Lists of middle length in blocks of 128 documents.
//!
//! ```text
//! f32 tenth best factor
//! u32 last document    \
//! u32 data offset       |
//! u16 maximum           |  one array each, an element per block
//! u8  document code     |
//! u8  frequency code   /
//! data of the blocks: documents, then frequencies
//! ```
//! Document codes: `0..=32` is the width of bit-packed gaps less 1, in four lanes (see [`vertical`]); [`BITSET`] says one bit
//! per document from the block's base to its last document; [`TAIL`] ends a list whose last block is not full.

use super::tiny;
use crate::TermPostings;
use crate::frequencies;
use crate::impact::ImpactModel;
use crate::packing::width_of;
use crate::simd::{GAP_LANES, Gaps};
use quarry_codec::vertical::{self, ROWS};

/// Documents of a block.
pub(crate) const BLOCK: usize = ROWS * GAP_LANES;
pub(crate) const BITSET: u8 = 255;
pub(crate) const TAIL: u8 = 254;
/// Bytes of the arrays for each block.
pub(crate) const BLOCK_META: usize = 12;
pub(crate) const HEADER: usize = 4;

pub(crate) fn encode(model: &ImpactModel<'_>, postings: &TermPostings<'_>, scratch: &mut Vec<u32>, out: &mut Vec<u8>) {
    let mut arrays: [Vec<u8>; 5] = Default::default();
    let mut data = Vec::new();
    let mut base = 0;
    for block in postings.chunks(BLOCK) {
        let last = block.docs[block.docs.len() - 1];
        arrays[0].extend(last.to_le_bytes());
        arrays[1].extend((data.len() as u32).to_le_bytes());
        arrays[2].extend(model.maximum_u16(&block).to_le_bytes());
        let (doc_code, freq_code) = encode_block(&block, base, scratch, &mut data);
        arrays[3].push(doc_code);
        arrays[4].push(freq_code);
        base = last + 1;
    }
    let mut factors = Vec::new();
    out.extend(model.tenth_best(postings, &mut factors).to_le_bytes());
    out.extend(arrays.concat());
    out.extend(data);
}

fn encode_block(block: &TermPostings<'_>, base: u32, scratch: &mut Vec<u32>, data: &mut Vec<u8>) -> (u8, u8) {
    if block.docs.len() < BLOCK {
        tiny::encode_pairs(block, base, data);
        return (TAIL, 0);
    }
    let doc_code = encode_documents(block.docs, base, data);
    let freq_code = frequencies::encode(block, |index| index as u16, scratch, data);
    (doc_code, freq_code as u8)
}

fn encode_documents(docs: &[u32], base: u32, data: &mut Vec<u8>) -> u8 {
    let gaps = gaps_of(docs, base);
    let width = width_of(gaps.as_flattened().iter().fold(0, |all, gap| all | gap)) as u8;
    let words = bitset_words(base, docs[BLOCK - 1]);
    if words * 8 <= vertical::block_len::<GAP_LANES>(width) {
        let mut bits = vec![0u64; words];
        for doc in docs {
            bits[(doc - base) as usize / 64] |= 1 << ((doc - base) % 64);
        }
        data.extend(bits.iter().flat_map(|word| word.to_le_bytes()));
        return BITSET;
    }
    vertical::pack(&gaps, width, data);
    width
}

/// How many documents lie between each of a block's documents and the one before it; for the first, since `base`. The
/// other way: [`docs_of_gaps`](crate::simd::docs_of_gaps).
fn gaps_of(docs: &[u32], base: u32) -> Gaps {
    let mut gaps = [[0; GAP_LANES]; ROWS];
    let mut next = base;
    for (gap, &doc) in gaps.as_flattened_mut().iter_mut().zip(docs) {
        *gap = doc - next;
        next = doc.wrapping_add(1);
    }
    gaps
}

pub(crate) fn bitset_words(base: u32, last: u32) -> usize {
    (last - base) as usize / 64 + 1
}
