//! The unit of query execution: 4,096 consecutive documents of a segment.
//!
//! Postings, columns and collectors are aligned to windows, so that a query works on a few kilobytes that stay in the
//! first-level cache, and never materialises a result larger than that.

/// Documents of one window.
pub const WINDOW: usize = 4_096;
/// 64-bit words of a window's bitset.
pub const WINDOW_WORDS: usize = WINDOW / 64;
/// "There is no further window."
pub const NO_MORE_WINDOWS: u32 = u32::MAX;

/// One bit for each document of a window; bit `i` of word `j` is in-window document `64 * j + i`.
pub type WindowBits = [u64; WINDOW_WORDS];

/// Windows needed for `max_doc` documents.
#[inline]
pub fn window_count(max_doc: u32) -> u32 {
    max_doc.div_ceil(WINDOW as u32)
}

/// Calls `visit` with the first bit of each run of set bits of a word and the one behind it, ascending.
#[inline]
pub fn for_each_run(word: u64, mut visit: impl FnMut(usize, usize)) {
    let mut rest = word;
    while rest != 0 {
        let start = rest.trailing_zeros();
        let length = (rest >> start).trailing_ones();
        visit(start as usize, (start + length) as usize);
        // What follows the run: a shift by all 64 bits is none.
        rest = rest.checked_shr(start + length).and_then(|rest| rest.checked_shl(start + length)).unwrap_or(0);
    }
}

/// Whether in-window document `doc` is in the set.
#[inline]
pub fn is_set(bits: &WindowBits, doc: u16) -> bool {
    bits[usize::from(doc) / 64] >> (doc % 64) & 1 == 1
}
