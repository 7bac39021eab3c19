//! Small helpers on window bitsets.

use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits};
use quarry_postings::list_bits;

pub const EMPTY: WindowBits = [0; WINDOW_WORDS];

#[inline]
pub fn contains(bits: &WindowBits, doc: u16) -> bool {
    bits[usize::from(doc) / 64] >> (doc % 64) & 1 == 1
}

#[inline]
pub fn set(bits: &mut WindowBits, doc: u16) {
    bits[usize::from(doc) / 64] |= 1 << (doc % 64);
}

#[inline]
pub fn is_empty(bits: &WindowBits) -> bool {
    bits.iter().all(|&word| word == 0)
}

#[inline]
pub fn count(bits: &WindowBits) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

#[inline]
pub fn or(into: &mut WindowBits, other: &WindowBits) {
    for (word, more) in into.iter_mut().zip(other) {
        *word |= more;
    }
}

#[inline]
pub fn and(into: &mut WindowBits, other: &WindowBits) {
    for (word, kept) in into.iter_mut().zip(other) {
        *word &= kept;
    }
}

#[inline]
pub fn and_not(into: &mut WindowBits, removed: &WindowBits) {
    for (word, removed) in into.iter_mut().zip(removed) {
        *word &= !removed;
    }
}

/// Replaces `docs` by the numbers of the set bits, ascending.
#[inline]
pub fn list(bits: &WindowBits, docs: &mut Vec<u16>) {
    list_bits(bits, docs);
}

/// Sets the bits of the documents of a window that exist in a segment of `max_doc` documents.
#[inline]
pub fn fill(window: u32, max_doc: u32, bits: &mut WindowBits) {
    let documents = (max_doc - (window * WINDOW as u32).min(max_doc)).min(WINDOW as u32) as usize;
    let (whole, rest) = (documents / 64, documents % 64);
    bits[..whole].fill(u64::MAX);
    if rest > 0 {
        bits[whole] |= (1 << rest) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filling_and_listing() {
        let mut bits = EMPTY;
        fill(1, WINDOW as u32 + 70, &mut bits);
        assert_eq!(count(&bits), 70);
        let mut docs = Vec::new();
        list(&bits, &mut docs);
        assert_eq!(docs, (0..70).collect::<Vec<u16>>());
        let mut none = EMPTY;
        fill(2, WINDOW as u32 + 70, &mut none);
        assert!(is_empty(&none));
    }
}
