//! ASCII text 64 bytes at a time: which bytes are letters, digits, joiners.
//!
//! A byte's class comes from two tables, one for each half of it; the vector version looks both up for 32 bytes at once
//! with byte shuffles (W. Muła, D. Lemire, "Faster Base64 encoding and decoding using AVX2 instructions", 2018, uses the
//! same device). The portable twin reads the same tables byte by byte.

/// Bytes looked at together: one bit of a mask each.
pub const BLOCK: usize = 64;

/// Letters stand in two half-rows of the ASCII chart each.
const LETTER: u8 = 0b0000_0011;
const DIGIT: u8 = 0b0000_0100;
const UNDERSCORE: u8 = 0b0000_1000;
/// `.` and `'` join letters as well as digits.
const MID_BOTH: u8 = 0b0001_0000;
/// `:`.
const MID_LETTER: u8 = 0b0010_0000;
/// `,` and `;` need a bit each, as they share neither half with each other alone.
const COMMA: u8 = 0b0100_0000;
const SEMICOLON: u8 = 0b1000_0000;

/// Class bits that a byte's low and high half allow; the byte's class is what both allow.
const LOW_HALF: [u8; 16] = low_half();
const HIGH_HALF: [u8; 16] = {
    let mut table = [0; 16];
    table[0x2] = MID_BOTH | COMMA;
    table[0x3] = DIGIT | MID_LETTER | SEMICOLON;
    table[0x4] = 0b01;
    table[0x5] = 0b10 | UNDERSCORE;
    table[0x6] = 0b01;
    table[0x7] = 0b10;
    table
};

const fn low_half() -> [u8; 16] {
    let mut table = [0; 16];
    let mut half = 0;
    while half < 16 {
        table[half] =
            if half >= 1 { 0b01 } else { 0 } | if half <= 0xA { 0b10 } else { 0 } | if half <= 9 { DIGIT } else { 0 };
        half += 1;
    }
    table[0x7] |= MID_BOTH;
    table[0xE] |= MID_BOTH;
    table[0xF] |= UNDERSCORE;
    table[0xA] |= MID_LETTER;
    table[0xC] |= COMMA;
    table[0xB] |= SEMICOLON;
    table
}

/// One bit for each byte of a block; bytes outside ASCII have none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlockClasses {
    pub letter: u64,
    pub digit: u64,
    /// Letters, digits, underscores.
    pub word: u64,
    /// What joins two letters: `.`, `'`, `:`.
    pub mid_letter: u64,
    /// What joins two digits: `.`, `'`, `,`, `;`.
    pub mid_number: u64,
}

/// Classes of a block.
#[inline]
pub fn classify(block: &[u8; BLOCK]) -> BlockClasses {
    #[cfg(target_feature = "avx2")]
    {
        avx2::classify(block)
    }
    #[cfg(not(target_feature = "avx2"))]
    {
        classify_portable(block)
    }
}

/// One bit for each byte outside ASCII.
#[inline]
pub fn non_ascii(block: &[u8; BLOCK]) -> u64 {
    mask_of(block, |byte| byte >= 0x80)
}

/// One bit for each byte that is no white space (as Java has it); bytes outside ASCII have one.
#[inline]
pub fn not_whitespace(block: &[u8; BLOCK]) -> u64 {
    mask_of(block, |byte| !matches!(byte, b'\t'..=b'\r' | 0x1C..=b' '))
}

/// Written so that compilers turn it into vector compares.
#[inline]
fn mask_of(block: &[u8; BLOCK], holds: impl Fn(u8) -> bool) -> u64 {
    let mut mask = 0;
    for (at, &byte) in block.iter().enumerate() {
        mask |= u64::from(holds(byte)) << at;
    }
    mask
}

#[cfg(any(test, not(target_feature = "avx2")))]
fn classify_portable(block: &[u8; BLOCK]) -> BlockClasses {
    let mut classes = BlockClasses::default();
    for (at, &byte) in block.iter().enumerate() {
        let class = LOW_HALF[usize::from(byte & 15)] & HIGH_HALF[usize::from(byte >> 4)];
        let bit = |bits: u8| u64::from(class & bits != 0) << at;
        classes.letter |= bit(LETTER);
        classes.digit |= bit(DIGIT);
        classes.word |= bit(LETTER | DIGIT | UNDERSCORE);
        classes.mid_letter |= bit(MID_BOTH | MID_LETTER);
        classes.mid_number |= bit(MID_BOTH | COMMA | SEMICOLON);
    }
    classes
}

#[cfg(target_feature = "avx2")]
mod avx2 {
    use super::*;
    use std::arch::x86_64::*;

    #[inline]
    pub fn classify(block: &[u8; BLOCK]) -> BlockClasses {
        let halves = [class_bytes(block, 0), class_bytes(block, 32)];
        let mask = |bits: u8| u64::from(any_of(halves[0], bits)) | u64::from(any_of(halves[1], bits)) << 32;
        BlockClasses {
            letter: mask(LETTER),
            digit: mask(DIGIT),
            word: mask(LETTER | DIGIT | UNDERSCORE),
            mid_letter: mask(MID_BOTH | MID_LETTER),
            mid_number: mask(MID_BOTH | COMMA | SEMICOLON),
        }
    }

    /// Classes of the 32 bytes from `at` on, which is 0 or 32.
    #[inline]
    fn class_bytes(block: &[u8; BLOCK], at: usize) -> __m256i {
        let half: &[u8] = &block[at..at + 32];
        // SAFETY: the build's target has AVX2; `half` is 32 bytes and the tables 16, unaligned loads of just that many.
        unsafe {
            let bytes = _mm256_loadu_si256(half.as_ptr().cast());
            let low_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(LOW_HALF.as_ptr().cast()));
            let high_table = _mm256_broadcastsi128_si256(_mm_loadu_si128(HIGH_HALF.as_ptr().cast()));
            let nibble = _mm256_set1_epi8(15);
            let low = _mm256_and_si256(bytes, nibble);
            let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
            _mm256_and_si256(_mm256_shuffle_epi8(low_table, low), _mm256_shuffle_epi8(high_table, high))
        }
    }

    /// One bit for each class byte that has any of `bits`.
    #[inline]
    fn any_of(classes: __m256i, bits: u8) -> u32 {
        // SAFETY: the build's target has AVX2.
        unsafe {
            let chosen = _mm256_and_si256(classes, _mm256_set1_epi8(bits as i8));
            !(_mm256_movemask_epi8(_mm256_cmpeq_epi8(chosen, _mm256_setzero_si256())) as u32)
        }
    }
}

/// The block at `at`, filled up with zero bytes, which are in no class, behind the end of `text`.
#[inline]
pub fn block_at(text: &[u8], at: usize) -> [u8; BLOCK] {
    match text.get(at..at + BLOCK) {
        Some(whole) => *whole.first_chunk().expect("the slice has the length of a block"),
        None => {
            let mut block = [0; BLOCK];
            let rest = text.get(at..).unwrap_or(&[]);
            block[..rest.len()].copy_from_slice(rest);
            block
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_are_those_of_the_chart() {
        for byte in 0..=255u8 {
            let mut block = [0; BLOCK];
            block[5] = byte;
            let classes = classify_portable(&block);
            let has = |mask: u64| mask == 1 << 5;
            assert_eq!(has(classes.letter), byte.is_ascii_alphabetic());
            assert_eq!(has(classes.digit), byte.is_ascii_digit());
            assert_eq!(has(classes.word), byte.is_ascii_alphanumeric() || byte == b'_');
            assert_eq!(has(classes.mid_letter), b".':".contains(&byte));
            assert_eq!(has(classes.mid_number), b".',;".contains(&byte));
        }
    }

    proptest! {
        #[test]
        fn twins_agree(bytes in proptest::array::uniform32(any::<[u8; 2]>())) {
            let block: [u8; BLOCK] = std::array::from_fn(|at| bytes[at / 2][at % 2]);
            prop_assert_eq!(classify(&block), classify_portable(&block));
        }
    }
}
