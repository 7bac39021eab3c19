//! MurmurHash3 of 128 bits for machines of 64 (Austin Appleby, public domain).

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// Both halves of the hash, with seed 0.
pub fn murmur3_128(bytes: &[u8]) -> (u64, u64) {
    let (mut h1, mut h2) = (0u64, 0u64);
    let mut blocks = bytes.chunks_exact(16);
    for block in &mut blocks {
        let (k1, k2) = halves(block);
        h1 = (h1 ^ mix_first(k1)).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 = (h2 ^ mix_second(k2)).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    // Zeros at the end change nothing: both mixings keep 0.
    let (k1, k2) = halves(blocks.remainder());
    h1 ^= mix_first(k1) ^ bytes.len() as u64;
    h2 ^= mix_second(k2) ^ bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    let first = finish(h1).wrapping_add(finish(h2));
    (first, first.wrapping_add(finish(h2)))
}

/// Up to 16 bytes as two numbers, filled up with zeros.
fn halves(bytes: &[u8]) -> (u64, u64) {
    let number = |part: &[u8]| part.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
    let (first, second) = bytes.split_at(bytes.len().min(8));
    (number(first), number(second))
}

fn mix_first(k1: u64) -> u64 {
    k1.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix_second(k2: u64) -> u64 {
    k2.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finish(mut h: u64) -> u64 {
    h = (h ^ h >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ h >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

#[cfg(test)]
mod tests {
    use super::murmur3_128;

    /// Of the reference implementation.
    #[test]
    fn known_hashes() {
        for (text, hash) in [
            ("", 0u64),
            ("hello", 0xcbd8_a7b3_41bd_9b02),
            ("hello, world", 0x342f_ac62_3a5e_bc8e),
            ("19 Jan 2038 at 3:14:07 AM", 0xb89e_5988_b737_affc),
            ("The quick brown fox jumps over the lazy dog.", 0xcd99_481f_9ee9_02c9),
        ] {
            assert_eq!(murmur3_128(text.as_bytes()).0, hash, "{text}");
        }
    }
}
