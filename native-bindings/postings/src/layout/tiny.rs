//! Lists of fewer than 128 documents: one byte of maximum, then for each document a varint of
//! `gap << 1 | (freq == 1)`, and the frequency as another varint where it is not 1. The same pairs, without the maximum,
//! end lists in blocks.

use crate::TermPostings;
use crate::impact::ImpactModel;
use quarry_base::error::{Error, Result};
use quarry_codec::varint;

pub(crate) fn encode(model: &ImpactModel<'_>, postings: &TermPostings<'_>, out: &mut Vec<u8>) {
    out.push(model.maximum_u8(postings));
    encode_pairs(postings, 0, out);
}

/// `base` is the lowest document that could come first; each gap counts the documents skipped.
pub(crate) fn encode_pairs(postings: &TermPostings<'_>, base: u32, out: &mut Vec<u8>) {
    let mut expected = base;
    for (index, &doc) in postings.docs.iter().enumerate() {
        let gap = u64::from(doc - expected) << 1;
        match postings.freq(index) {
            1 => varint::write_u64(out, gap | 1),
            freq => {
                varint::write_u64(out, gap);
                varint::write_u32(out, freq);
            }
        }
        expected = doc + 1;
    }
}

/// Reads `count` pairs and hands them on; documents are strictly ascending and below `max_doc`.
pub(crate) fn decode_pairs(
    bytes: &[u8],
    count: usize,
    base: u32,
    max_doc: u32,
    mut take: impl FnMut(u32, u32),
) -> Result<()> {
    let (mut at, mut expected) = (0, u64::from(base));
    for _ in 0..count {
        let pair = varint::read_u64(bytes, &mut at)?;
        let freq = if pair & 1 == 1 { 1 } else { varint::read_u32(bytes, &mut at)? };
        let doc = expected + (pair >> 1);
        if doc >= u64::from(max_doc) {
            return Err(Error::corrupt(format!("posting of document {doc} in a segment of {max_doc}")));
        }
        take(doc as u32, freq);
        expected = doc + 1;
    }
    Ok(())
}
