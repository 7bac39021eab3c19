//! Little-endian base-128 integers. Reading checks bounds: bytes from disk or wire are not trusted.

use crate::error::{Error, Result};

/// What [`write_u32`] appends at most.
pub const U32_BYTES_MAX: usize = 5;

/// Appends `value` in one to five bytes.
#[inline]
pub fn write_u32(out: &mut Vec<u8>, value: u32) {
    write_u64(out, u64::from(value));
}

/// Appends `value` in one to ten bytes.
#[inline]
pub fn write_u64(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads at `*at` and moves it on; an error where the bytes end or the value is too wide.
#[inline]
pub fn read_u64(bytes: &[u8], at: &mut usize) -> Result<u64> {
    match bytes.get(*at..) {
        Some([byte, ..]) if *byte < 0x80 => {
            *at += 1;
            Ok(u64::from(*byte))
        }
        Some([low, high, ..]) if *high < 0x80 => {
            *at += 2;
            Ok(u64::from(low & 0x7f) | u64::from(*high) << 7)
        }
        _ => read_long_u64(bytes, at),
    }
}

#[inline(never)]
fn read_long_u64(bytes: &[u8], at: &mut usize) -> Result<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at).ok_or_else(|| Error::corrupt("varint runs past the end"))?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err(Error::corrupt("varint is longer than ten bytes"))
}

#[inline]
pub fn read_u32(bytes: &[u8], at: &mut usize) -> Result<u32> {
    u32::try_from(read_u64(bytes, at)?).map_err(|_| Error::corrupt("varint does not fit 32 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn round_trip(values: Vec<u64>) {
            let mut bytes = Vec::new();
            for &value in &values { write_u64(&mut bytes, value); }
            let mut at = 0;
            for &value in &values { prop_assert_eq!(read_u64(&bytes, &mut at).unwrap(), value); }
            prop_assert_eq!(at, bytes.len());
            prop_assert!(read_u64(&bytes, &mut at).is_err());
        }
    }
}
