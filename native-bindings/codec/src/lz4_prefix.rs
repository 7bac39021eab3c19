//! LZ4 blocks decompressed no further than somebody reads: who wants one record of a block need not wait for those behind it.
//!
//! The format is the public LZ4 block format: sequences of literals and of a match with what came before, the last of literals alone. A match
//! may begin in the dictionary that the block was compressed with, as if that stood before the block.

use quarry_base::error::{Error, Result};
use std::hint::select_unpredictable;

/// Bytes copied at once, beyond the end of what is wanted too: the buffer has that much more room.
const CHUNK: usize = 16;
const SLACK: usize = 2 * CHUNK;
const LEAST_MATCH: usize = 4;
/// A length of so many in the token goes on in the bytes behind it.
const LONG: usize = 15;

/// A block as it is stored, and the dictionary that it was compressed with; an empty one is none.
#[derive(Debug, Clone, Copy)]
pub struct Compressed<'a> {
    pub block: &'a [u8],
    pub dictionary: &'a [u8],
}

/// How far a block is decompressed; the bytes so far are in a buffer of the caller's.
#[derive(Debug, Default)]
pub struct Prefix {
    /// Bytes of the block that were read.
    read: usize,
    raw_length: usize,
}

impl Prefix {
    /// Empties `raw`, which will hold a block of `raw_length` bytes.
    pub fn start(raw_length: usize, raw: &mut Vec<u8>) -> Self {
        raw.clear();
        raw.reserve(raw_length + SLACK);
        Prefix { read: 0, raw_length }
    }

    /// Decompresses until `raw` has at least `wanted` bytes, which the block must have. `block` and `raw` are those of the calls before.
    /// An error where the block is damaged or of another length; what `raw` holds then is of no use.
    pub fn advance(&mut self, block: Compressed, wanted: usize, raw: &mut Vec<u8>) -> Result<()> {
        if raw.capacity() < self.raw_length + SLACK || raw.len() > self.raw_length || wanted > self.raw_length {
            return Err(damaged("is not what was begun"));
        }
        loop {
            self.common_sequences(&block, wanted, raw);
            if raw.len() >= wanted {
                return Ok(());
            }
            self.sequence(&block, raw)?;
        }
    }

    /// Decompresses sequences as long as they are of the common kind. Stops before any other one, a damaged one too. All that changes from one
    /// to the next stays in registers here.
    fn common_sequences(&mut self, &Compressed { block, dictionary }: &Compressed, wanted: usize, raw: &mut Vec<u8>) {
        let (mut read, mut length) = (self.read, raw.len());
        assert!(raw.capacity() >= self.raw_length + SLACK && length <= self.raw_length);
        let base = raw.as_mut_ptr();
        while length < wanted {
            let Some(Common { from, literals, offset, copied, next }) = Common::read(block, read) else { break };
            let start = length + literals;
            if start + copied > self.raw_length || offset < CHUNK {
                break;
            }
            // Where a match begins is as good as random: one that is copied from either place costs less than a branch that is guessed wrong.
            let in_dictionary = offset > start;
            let back = offset.wrapping_sub(start);
            if in_dictionary && !(copied + CHUNK..=dictionary.len()).contains(&back) {
                break;
            }
            let matched = select_unpredictable(
                in_dictionary,
                dictionary.as_ptr().wrapping_add(dictionary.len().wrapping_sub(back)),
                base.wrapping_add(start.wrapping_sub(offset)).cast_const(),
            );
            // SAFETY: each chunk that is written begins before `start + copied <= raw_length`, or at `length` where there are no literals: there is
            // room (asserted above). Behind its literals `block` has a chunk at least (`Common`). `matched` is within `raw`, `offset >= CHUNK`
            // before where it goes, so it is written by then and no chunk overlaps its target; or it is other memory, the last `back` bytes of the
            // dictionary, which are a chunk more than are copied.
            unsafe {
                copy_chunks(block.as_ptr().add(from), base.add(length), literals);
                copy_chunks(matched, base.add(start), copied);
            }
            (read, length) = (next, start + copied);
        }
        self.read = read;
        // SAFETY: the bytes before `length` were part of `raw` or are written, and `length <= raw_length`, which `raw` has room for.
        unsafe { raw.set_len(length) };
    }

    fn sequence(&mut self, &Compressed { block, dictionary }: &Compressed, raw: &mut Vec<u8>) -> Result<()> {
        let token = usize::from(*block.get(self.read).ok_or_else(cut_off)?);
        self.read += 1;
        let literals = self.length(block, token >> 4)?;
        let rest = block.len() - self.read;
        if literals > rest || literals > self.raw_length - raw.len() {
            return Err(damaged("has literals beyond its end"));
        }
        append_literals(raw, &block[self.read..], literals);
        self.read += literals;
        if literals == rest {
            let is_whole = raw.len() == self.raw_length;
            return if is_whole { Ok(()) } else { Err(damaged("is shorter than it says")) };
        }
        let offset = block.get(self.read..self.read + 2).ok_or_else(cut_off)?;
        let offset = usize::from(u16::from_le_bytes([offset[0], offset[1]]));
        self.read += 2;
        let length = self.length(block, token & LONG)? + LEAST_MATCH;
        let before = offset.saturating_sub(raw.len());
        if offset == 0 || before > dictionary.len() || length > self.raw_length - raw.len() {
            return Err(damaged("has a match with nothing"));
        }
        // A match that begins in the dictionary may end there, or go on with the beginning of the block.
        let known = &dictionary[dictionary.len() - before..][..before.min(length)];
        raw.extend_from_slice(known);
        if known.len() < length {
            append_match(raw, offset, length - known.len());
        }
        Ok(())
    }

    /// `in_token`: what the token says of the length.
    #[inline]
    fn length(&mut self, block: &[u8], in_token: usize) -> Result<usize> {
        let mut length = in_token;
        if in_token == LONG {
            loop {
                let more = *block.get(self.read).ok_or_else(cut_off)?;
                self.read += 1;
                length += usize::from(more);
                if more != u8::MAX {
                    break;
                }
            }
        }
        Ok(length)
    }
}

/// A sequence with a match whose lengths take one more byte at most, and that has more than a chunk of the block behind its literals.
struct Common {
    /// Where its literals begin.
    from: usize,
    literals: usize,
    offset: usize,
    /// Length of the match.
    copied: usize,
    /// Where the next sequence begins.
    next: usize,
}

impl Common {
    /// The sequence that begins at `read`; `None` where it is of another kind.
    #[inline]
    fn read(block: &[u8], read: usize) -> Option<Self> {
        let token = usize::from(*block.get(read)?);
        let (mut from, mut literals) = (read + 1, token >> 4);
        if literals == LONG {
            literals += one_byte(*block.get(from)?)?;
            from += 1;
        }
        let behind = block.get(from + literals..)?.first_chunk::<{ CHUNK + 3 }>()?;
        let (mut next, mut copied) = (from + literals + 2, (token & LONG) + LEAST_MATCH);
        if token & LONG == LONG {
            copied += one_byte(behind[2])?;
            next += 1;
        }
        Some(Common { from, literals, offset: usize::from(u16::from_le_bytes([behind[0], behind[1]])), copied, next })
    }
}

/// What a byte adds to a length; `None` where the next one does, too.
#[inline]
fn one_byte(more: u8) -> Option<usize> {
    (more != u8::MAX).then_some(usize::from(more))
}

/// Copies `length` bytes in chunks, one at least, the last of which may go beyond them.
///
/// # Safety
///
/// `from` can be read and `to` written for `length` bytes and a chunk. They may overlap where `to` lies a chunk behind `from` or more: what was
/// written is then read again.
#[inline]
unsafe fn copy_chunks(from: *const u8, to: *mut u8, length: usize) {
    let mut at = 0;
    loop {
        // SAFETY: `at` is 0 or below `length`, and the caller grants a chunk from any such place on; a chunk's source and target do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(from.add(at), to.add(at), CHUNK) };
        at += CHUNK;
        if at >= length {
            break;
        }
    }
}

/// Appends `source[..length]`. The caller has checked that `raw` has room for that and a chunk more.
#[inline]
fn append_literals(raw: &mut Vec<u8>, source: &[u8], length: usize) {
    if length > CHUNK || source.len() < CHUNK {
        raw.extend_from_slice(&source[..length]);
        return;
    }
    let at = raw.len();
    assert!(raw.capacity() - at >= CHUNK);
    // SAFETY: `source` has a chunk of bytes (looked at above), and `raw` room for one behind its end (asserted); they are different
    // memory. Of the chunk `length` bytes, at most all of it, become part of `raw`: they are written.
    unsafe {
        std::ptr::copy_nonoverlapping(source.as_ptr(), raw.as_mut_ptr().add(at), CHUNK);
        raw.set_len(at + length);
    }
}

/// Appends `length` bytes from `offset` before the end of `raw`, which repeat where they overlap. The caller has checked that `offset` is
/// not zero and within `raw`, and that there is room for the bytes and a chunk more.
#[inline]
fn append_match(raw: &mut Vec<u8>, offset: usize, length: usize) {
    let start = raw.len();
    let end = start + length;
    assert!(offset > 0 && offset <= start && raw.capacity() - start >= length + CHUNK);
    let mut at = start;
    // Once a chunk's worth of repetitions is there, chunks can be copied from as many of them before.
    let distance = if offset < CHUNK { offset * CHUNK.div_ceil(offset) } else { offset };
    let base = raw.as_mut_ptr();
    // SAFETY: every byte that is read lies before `at`, so it is written: `at - offset` is not before `raw` (asserted), and a chunk that is
    // copied from `distance >= CHUNK` before `at` ends at `at` at the latest; `distance` is used only when `at - distance >= start - offset`.
    // Writes begin before `end` and are at most a chunk long: within the capacity (asserted). All bytes before `end` are written then.
    unsafe {
        while at < end && at < start + distance - offset {
            *base.add(at) = *base.add(at - offset);
            at += 1;
        }
        while at < end {
            std::ptr::copy_nonoverlapping(base.add(at - distance), base.add(at), CHUNK);
            at += CHUNK;
        }
        raw.set_len(end);
    }
}

fn cut_off() -> Error {
    damaged("is cut off")
}

fn damaged(how: &str) -> Error {
    Error::corrupt(format!("lz4 block {how}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lz4::{Encoder, decompress_with};
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            vec(any::<u8>(), 0..400),
            vec(prop_oneof![Just("the "), Just("quick "), Just("fox"), Just("aaaaaaaaaaaaaaaaaaaaaaaaaaaa")], 0..3_000)
                .prop_map(|words| words.concat().into_bytes()),
            (vec(any::<u8>(), 1..40), 0usize..2_000).prop_map(|(piece, times)| piece.repeat(times)),
        ]
    }

    /// Texts of the same words, so that blocks match their dictionaries.
    fn dictionaries() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            Just(Vec::new()),
            texts().prop_map(|mut text| {
                text.truncate(20_000);
                text
            })
        ]
    }

    fn compressed(source: &[u8], dictionary: &[u8]) -> Vec<u8> {
        let mut block = Vec::new();
        let mut encoder = Encoder::default();
        encoder.set_dictionary(dictionary);
        encoder.compress(source, &mut block);
        block
    }

    proptest! {
        #[test]
        fn prefixes_are_those_of_the_whole(
            source in texts(), dictionary in dictionaries(), steps in vec(any::<prop::sample::Index>(), 0..6),
        ) {
            let block = compressed(&source, &dictionary);
            let block = Compressed { block: &block, dictionary: &dictionary };
            let mut raw = vec![7; 3];
            let mut prefix = Prefix::start(source.len(), &mut raw);
            for step in steps {
                let wanted = step.index(source.len() + 1);
                prefix.advance(block, wanted, &mut raw).unwrap();
                prop_assert!(raw.len() >= wanted);
                prop_assert_eq!(&raw[..], &source[..raw.len()]);
            }
            prefix.advance(block, source.len(), &mut raw).unwrap();
            prop_assert_eq!(&raw, &source);
        }

        /// Damage is refused, or gives what the library makes of it.
        #[test]
        fn damaged_blocks_do_no_harm(
            source in texts(),
            dictionary in dictionaries(),
            place: prop::sample::Index,
            bits in 1u8..,
            cut: bool,
            length in 0usize..3,
        ) {
            let mut block = compressed(&source, &dictionary);
            let place = place.index(block.len());
            block[place] ^= bits;
            block.truncate(if cut { place } else { block.len() });
            let raw_length = (source.len() + length).saturating_sub(1);
            let mut raw = Vec::new();
            let damaged = Compressed { block: &block, dictionary: &dictionary };
            let read = Prefix::start(raw_length, &mut raw).advance(damaged, raw_length, &mut raw);
            let mut expected = vec![0; raw_length];
            if decompress_with(&block, &dictionary, &mut expected).is_ok() {
                prop_assert!(read.is_ok());
                prop_assert_eq!(raw, expected);
            }
        }
    }
}
