//! Blocks of 32 rows of `LANES` values, bit-packed lane by lane: value `i` of a block is in row `i / LANES` of lane
//! `i % LANES`. The 32 values of a lane are a bit stream of their own, least significant bit first, cut into 32-bit
//! little-endian words; the first words of all lanes come first, then the second words, and so on. So a row is unpacked by
//! the same shifts in all lanes, in one vector. The layout is that of Lemire and Boytsov, "Decoding billions of integers
//! per second through vectorization" (2015).
//!
//! Unpacking is compiled for each width, with its shifts as constants. Packing is one loop for all widths.

/// Values of a lane.
pub const ROWS: usize = 32;

/// The packed words of a row of words.
type Words<const LANES: usize> = [[u8; 4]; LANES];

/// Bytes of a block whose values have `width` bits.
#[inline]
pub const fn block_len<const LANES: usize>(width: u8) -> usize {
    width as usize * LANES * 4
}

/// Appends a block of values below `2^width`; `width` is at most 32.
pub fn pack<const LANES: usize>(block: &[[u32; LANES]; ROWS], width: u8, out: &mut Vec<u8>) {
    debug_assert!(width <= 32);
    let start = out.len();
    out.resize(start + block_len::<LANES>(width), 0);
    let mut words = out[start..].as_chunks_mut().0.as_chunks_mut::<LANES>().0.iter_mut();
    let (mut pending, mut bits) = ([0u64; LANES], 0);
    for row in block {
        for lane in 0..LANES {
            pending[lane] |= u64::from(row[lane]) << bits;
        }
        bits += width;
        if bits >= 32 {
            let word = words.next().expect("32 rows fill the words of a block");
            for lane in 0..LANES {
                word[lane] = (pending[lane] as u32).to_le_bytes();
                pending[lane] >>= 32;
            }
            bits -= 32;
        }
    }
}

/// Unpacks a block. `width` is at most 32, and `packed` has [`block_len`] bytes, or this panics; what follows them is not
/// read.
pub fn unpack<const LANES: usize>(packed: &[u8], width: u8, block: &mut [[u32; LANES]; ROWS]) {
    macro_rules! of_width {
        ($($width:literal)*) => {
            match width {
                0 => *block = [[0; LANES]; ROWS],
                $($width => unpack_rows::<LANES, $width>(packed, block),)*
                _ => unreachable!("values of 32 bits at most"),
            }
        };
    }
    of_width!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
}

fn unpack_rows<const LANES: usize, const WIDTH: usize>(packed: &[u8], block: &mut [[u32; LANES]; ROWS]) {
    let words = packed.as_chunks().0.as_chunks().0.first_chunk().expect("a block has all its words");
    macro_rules! rows {
        ($($row:literal)*) => {
            $(block[$row] = row::<LANES, WIDTH, $row>(words);)*
        };
    }
    rows!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
}

#[inline(always)]
fn row<const LANES: usize, const WIDTH: usize, const ROW: usize>(words: &[Words<LANES>; WIDTH]) -> [u32; LANES] {
    let (word, shift) = (ROW * WIDTH / 32, ROW * WIDTH % 32);
    let mut values = [0; LANES];
    for lane in 0..LANES {
        let low = u32::from_le_bytes(words[word][lane]) >> shift;
        let high = if shift + WIDTH > 32 { u32::from_le_bytes(words[word + 1][lane]) << (32 - shift) } else { 0 };
        values[lane] = (low | high) & (u32::MAX >> (32 - WIDTH));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// One bit after the other.
    fn slowly_packed<const LANES: usize>(block: &[[u32; LANES]; ROWS], width: u8) -> Vec<u8> {
        let mut bytes = vec![0; block_len::<LANES>(width)];
        for (row, values) in block.iter().enumerate() {
            for (lane, value) in values.iter().enumerate() {
                for bit in 0..usize::from(width) {
                    let at = row * usize::from(width) + bit;
                    let word = at / 32 * LANES + lane;
                    bytes[word * 4 + at % 32 / 8] |= ((value >> bit & 1) as u8) << (at % 8);
                }
            }
        }
        bytes
    }

    fn check<const LANES: usize>(seed: u32, width: u8) {
        let mask = if width == 0 { 0 } else { u32::MAX >> (32 - width) };
        let block: [[u32; LANES]; ROWS] = std::array::from_fn(|row| {
            std::array::from_fn(|lane| {
                let value = seed ^ (row * LANES + lane) as u32;
                value.wrapping_mul(0x9E37_79B9).rotate_left(15).wrapping_mul(seed | 1) & mask
            })
        });
        let mut packed = Vec::new();
        pack(&block, width, &mut packed);
        assert_eq!(packed, slowly_packed(&block, width));
        packed.extend([0xFF; 3]);
        let mut unpacked = [[7; LANES]; ROWS];
        unpack(&packed, width, &mut unpacked);
        assert_eq!(unpacked, block);
    }

    proptest! {
        #[test]
        fn blocks_are_what_packing_one_bit_after_the_other_gives(seed: u32, width in 0u8..=32) {
            check::<4>(seed, width);
            check::<8>(seed, width);
        }
    }

    #[test]
    #[should_panic(expected = "all its words")]
    fn a_block_that_ends_early_is_refused() {
        unpack(&[0; 4 * 4 * 5 - 1], 5, &mut [[0; 4]; ROWS]);
    }
}
