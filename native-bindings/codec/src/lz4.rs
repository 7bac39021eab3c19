//! LZ4 blocks: the encoder. For blocks up to 64 KiB it is ours, about half as fast again as that of `lz4_flex`; `lz4_prefix` is the decoder.
//!
//! The format is the public LZ4 block format. The encoder hashes six bytes instead of four: text has so many chance matches
//! of four bytes that looking for longer ones is faster and compresses no worse. Positions fit 16 bits, so that the table is
//! 16 KiB and stays in the first-level cache.
//!
//! A dictionary is bytes that both sides know: matches may begin in it as if it stood before the block.

/// Blocks up to this size take our encoder.
const SMALL_BLOCK: usize = 1 << 16;
const HASH_BITS: u32 = 13;
const HASHED_BYTES: usize = 6;
/// Rules of the format: the last match starts at least 12 bytes before the end, and the last 5 bytes are literals.
const LAST_MATCH_START: usize = 12;
const LAST_LITERALS: usize = 5;
const LEAST_MATCH: usize = 4;
/// The step between looked-up positions grows by one for every 64 failures: incompressible bytes are passed quickly.
const STEP_SHIFT: usize = 6;

type Table = Box<[u16; 1 << HASH_BITS]>;

/// Reused from block to block.
pub struct Encoder {
    table: Table,
    /// The table after the dictionary, from which each block starts.
    primed: Table,
    /// The dictionary, and behind it the block that is compressed.
    window: Vec<u8>,
    dictionary_length: usize,
}

impl Default for Encoder {
    fn default() -> Self {
        let empty = || Box::new([0; 1 << HASH_BITS]);
        Encoder { table: empty(), primed: empty(), window: Vec::new(), dictionary_length: 0 }
    }
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("lz4::Encoder")
    }
}

impl Encoder {
    /// Blocks from now on are compressed with this dictionary; an empty one is none. It must be shorter than [`SMALL_BLOCK`].
    pub fn set_dictionary(&mut self, dictionary: &[u8]) {
        assert!(dictionary.len() < SMALL_BLOCK, "a dictionary of {} bytes", dictionary.len());
        self.window.clear();
        self.window.extend_from_slice(dictionary);
        self.dictionary_length = dictionary.len();
        self.primed.fill(0);
        for at in 0..(dictionary.len() + 1).saturating_sub(size_of::<u64>()) {
            self.primed[hash(dictionary, at)] = at as u16;
        }
    }

    /// Appends `source` compressed to `out`. One that is too long to stand in a window with the dictionary does without.
    pub fn compress(&mut self, source: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        out.resize(start + lz4_flex::block::get_maximum_output_size(source.len()), 0);
        let length = if self.dictionary_length > 0 && self.dictionary_length + source.len() <= SMALL_BLOCK {
            let mut window = std::mem::take(&mut self.window);
            window.truncate(self.dictionary_length);
            window.extend_from_slice(source);
            self.table.copy_from_slice(&self.primed[..]);
            let length = self.compress_small(&window, self.dictionary_length, &mut out[start..]);
            self.window = window;
            length
        } else if source.len() <= SMALL_BLOCK {
            self.table.fill(0);
            self.compress_small(source, 0, &mut out[start..])
        } else {
            // The buffer has the size that the library asks for, so this cannot fail.
            lz4_flex::block::compress_into(source, &mut out[start..]).unwrap_or(0)
        };
        out.truncate(start + length);
    }

    /// Compresses `source[from..]`, of which what stands before is known to the reader, to the front of `out`, which has room for the worst
    /// case; returns the length.
    fn compress_small(&mut self, source: &[u8], from: usize, out: &mut [u8]) -> usize {
        let mut written = 0;
        let mut literals = from;
        let mut at = from.max(1);
        while let Some((mut start, mut origin)) = self.find_match(source, at) {
            while start > literals && origin > 0 && source[start - 1] == source[origin - 1] {
                start -= 1;
                origin -= 1;
            }
            let length = match_length(source, start, origin);
            written += write_literals(&mut out[written..], &source[literals..start], length - LEAST_MATCH);
            written += write_match(&mut out[written..], start - origin, length - LEAST_MATCH);
            literals = start + length;
            at = literals;
            if at + LAST_MATCH_START <= source.len() {
                self.table[hash(source, at - 2)] = (at - 2) as u16;
            }
        }
        written + write_literals(&mut out[written..], &source[literals..], 0)
    }

    /// The next position from `at` on whose six bytes occurred before, and where.
    #[inline]
    fn find_match(&mut self, source: &[u8], mut at: usize) -> Option<(usize, usize)> {
        let limit = source.len().checked_sub(LAST_MATCH_START)?;
        let mut failures = 1 << STEP_SHIFT;
        while at <= limit {
            let slot = &mut self.table[hash(source, at)];
            let origin = usize::from(*slot);
            *slot = at as u16;
            if origin < at && same_start(source, at, origin) {
                return Some((at, origin));
            }
            at += failures >> STEP_SHIFT;
            failures += 1;
        }
        None
    }
}

#[inline]
fn word(source: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&source[at..at + 8]);
    u64::from_le_bytes(word)
}

#[inline]
fn hash(source: &[u8], at: usize) -> usize {
    let bytes = word(source, at) << (64 - 8 * HASHED_BYTES);
    (bytes.wrapping_mul(0x9E37_79B1_85EB_CA87) >> (64 - HASH_BITS)) as usize
}

#[inline]
fn same_start(source: &[u8], a: usize, b: usize) -> bool {
    (word(source, a) ^ word(source, b)) << (64 - 8 * HASHED_BYTES) == 0
}

/// How long the bytes at `start` and `origin` are equal, short of the last literals.
#[inline]
fn match_length(source: &[u8], start: usize, origin: usize) -> usize {
    let end = source.len() - LAST_LITERALS;
    let mut length = LEAST_MATCH;
    while start + length + 8 <= end {
        let difference = word(source, start + length) ^ word(source, origin + length);
        if difference != 0 {
            return length + (difference.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    while start + length < end && source[start + length] == source[origin + length] {
        length += 1;
    }
    length
}

/// The token, the length of the literals and the literals. `match_code`: length of the match that follows, less four.
#[inline]
fn write_literals(out: &mut [u8], literals: &[u8], match_code: usize) -> usize {
    out[0] = (literals.len().min(15) << 4 | match_code.min(15)) as u8;
    let at = 1 + write_length(&mut out[1..], literals.len());
    out[at..at + literals.len()].copy_from_slice(literals);
    at + literals.len()
}

#[inline]
fn write_match(out: &mut [u8], offset: usize, match_code: usize) -> usize {
    out[..2].copy_from_slice(&(offset as u16).to_le_bytes());
    2 + write_length(&mut out[2..], match_code)
}

/// What of a length its four bits in the token did not hold.
#[inline]
fn write_length(out: &mut [u8], length: usize) -> usize {
    let Some(mut rest) = length.checked_sub(15) else { return 0 };
    let mut at = 0;
    while rest >= 255 {
        out[at] = 255;
        at += 1;
        rest -= 255;
    }
    out[at] = rest as u8;
    at + 1
}

/// Decompresses into all of `out` with the library, which our decoder is held against; an error where the block is damaged or of another length.
#[cfg(test)]
pub fn decompress(block: &[u8], out: &mut [u8]) -> quarry_base::error::Result<()> {
    decompress_with(block, &[], out)
}

/// As [`decompress`], of a block that was compressed with this dictionary.
#[cfg(test)]
pub fn decompress_with(block: &[u8], dictionary: &[u8], out: &mut [u8]) -> quarry_base::error::Result<()> {
    use quarry_base::error::Error;
    match lz4_flex::block::decompress_into_with_dict(block, out, dictionary) {
        Ok(length) if length == out.len() => Ok(()),
        Ok(length) => Err(Error::corrupt(format!("lz4 block holds {length} bytes instead of {}", out.len()))),
        Err(error) => Err(Error::corrupt(format!("lz4 block: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn texts() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            vec(any::<u8>(), 0..400),
            vec(prop_oneof![Just("the "), Just("quick "), Just("fox"), Just("aaaaaaaaaaaaaaaaaaaaaaaaaaaa")], 0..9_000)
                .prop_map(|words| words.concat().into_bytes()),
            (0usize..70_000).prop_map(|length| vec![b'x'; length]),
        ]
    }

    proptest! {
        #[test]
        fn blocks_round_trip(source in texts()) {
            let mut encoder = Encoder::default();
            for _ in 0..2 {
                let mut block = vec![9];
                encoder.compress(&source, &mut block);
                let mut back = vec![0; source.len()];
                decompress(&block[1..], &mut back).unwrap();
                prop_assert_eq!(&back, &source);
            }
        }

        #[test]
        fn blocks_with_a_dictionary_round_trip(dictionary in texts(), sources in vec(texts(), 1..4)) {
            let dictionary = &dictionary[..dictionary.len().min(SMALL_BLOCK - 1)];
            let mut encoder = Encoder::default();
            encoder.set_dictionary(dictionary);
            for source in sources {
                let mut block = Vec::new();
                encoder.compress(&source, &mut block);
                let mut back = vec![0; source.len()];
                decompress_with(&block, dictionary, &mut back).unwrap();
                prop_assert_eq!(&back, &source);
            }
        }

        #[test]
        fn damaged_blocks_never_panic(source in texts(), place: prop::sample::Index, bits in 1u8..) {
            let mut block = Vec::new();
            Encoder::default().compress(&source, &mut block);
            let place = place.index(block.len());
            block[place] ^= bits;
            let _ = decompress(&block, &mut vec![0; source.len()]);
            let _ = decompress(&block[..place], &mut vec![0; source.len()]);
        }
    }

    #[test]
    fn text_shrinks() {
        let text = "GET /images/logo.gif HTTP/1.0 200 ".repeat(400);
        let mut block = Vec::new();
        Encoder::default().compress(text.as_bytes(), &mut block);
        assert!(block.len() * 50 < text.len());
    }
}
