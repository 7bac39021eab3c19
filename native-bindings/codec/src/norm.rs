//! Field lengths in one byte, as Lucene's `SmallFloat.intToByte4`: exact below 40, then four significant bits.

const EXACT: u32 = 255 - long_to_int4(i32::MAX as u32);

const fn long_to_int4(value: u32) -> u32 {
    let bits = 32 - value.leading_zeros();
    if bits < 4 {
        return value;
    }
    let shift = bits - 4;
    ((value >> shift) & 7) | ((shift + 1) << 3)
}

const fn int4_to_long(code: u32) -> u32 {
    let bits = code & 7;
    match (code >> 3).checked_sub(1) {
        None => bits,
        Some(shift) => (bits | 8) << shift,
    }
}

/// The code of a field length in tokens. Monotone.
#[inline]
pub const fn encode(length: u32) -> u8 {
    if length < EXACT { length as u8 } else { (EXACT + long_to_int4(length - EXACT)) as u8 }
}

/// The length that scoring uses for a code: never more than the length it was made from.
#[inline]
pub const fn decode(code: u8) -> u32 {
    let code = code as u32;
    if code < EXACT { code } else { EXACT + int4_to_long(code - EXACT) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_inverts_encode_from_below() {
        for code in 0..=255u8 {
            assert_eq!(encode(decode(code)), code);
        }
        for length in (0..100_000).chain([1 << 20, (1 << 30) + 7, i32::MAX as u32]) {
            assert!(decode(encode(length)) <= length);
        }
        assert_eq!(decode(encode(39)), 39);
    }
}
