//! A hash that is the same everywhere and for ever: of terms that are shared out, of random scores.

/// MurmurHash3_x86_32 (Austin Appleby, public domain).
#[inline]
pub fn murmur3(bytes: &[u8], seed: u32) -> i32 {
    let scramble = |block: u32| block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593);
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut hash = blocks.iter().fold(seed, |hash, block| {
        (hash ^ scramble(u32::from_le_bytes(*block))).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
    });
    let rest = tail.iter().rev().fold(0, |rest, &byte| rest << 8 | u32::from(byte));
    hash ^= scramble(rest) ^ bytes.len() as u32;
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    (hash ^ hash >> 16) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors published with the algorithm.
    #[test]
    fn murmur3_is_the_published_one() {
        assert_eq!(murmur3(b"", 0), 0);
        assert_eq!(murmur3(b"", 1), 0x514e_28b7);
        assert_eq!(murmur3(&[0xff; 4], 0), 0x7629_3b50);
        assert_eq!(murmur3(&[0x21, 0x43, 0x65, 0x87], 0), 0xf55b_516b_u32 as i32);
        assert_eq!(murmur3(&[0x21, 0x43, 0x65], 0), 0x7e4a_8634);
        assert_eq!(murmur3(&[0x21, 0x43], 0), 0xa0f7_b07a_u32 as i32);
        assert_eq!(murmur3(&[0x21], 0), 0x7266_1cf4);
    }
}
