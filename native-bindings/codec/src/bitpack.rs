//! Fixed-width bit packing of a known number of values, with access to single ones.
//!
//! Widths up to 32: whole blocks of 256 values in eight lanes (see [`vertical`]), then the remaining values as one
//! little-endian bit stream, so that short runs do not pay for a block. Wider values are two such runs: the low 32 bits of all values, then the high bits of all values.

use crate::vertical::{self, ROWS};

/// Values of a vertical block.
pub const BLOCK: usize = ROWS * LANES;
const LANES: usize = 8;

/// Bits that `value` needs; 0 for 0.
#[inline]
pub fn width_of(value: u64) -> u8 {
    (u64::BITS - value.leading_zeros()) as u8
}

/// Bytes of `count` values of `width` bits (at most 64). `None` where that overflows: a damaged count.
#[inline]
pub fn packed_len(count: usize, width: u8) -> Option<usize> {
    if width > 32 {
        return plane_len(count, 32)?.checked_add(plane_len(count, width - 32)?);
    }
    plane_len(count, width)
}

fn plane_len(count: usize, width: u8) -> Option<usize> {
    let blocks = (count / BLOCK).checked_mul(vertical::block_len::<LANES>(width))?;
    blocks.checked_add((count % BLOCK * usize::from(width)).div_ceil(8))
}

/// Appends `values`, each below `2^width`; `width` at most 64.
#[inline]
pub fn pack(values: &[u64], width: u8, out: &mut Vec<u8>) {
    pack_plane(values, width.min(32), |value| value as u32, out);
    if width > 32 {
        pack_plane(values, width - 32, |value| (value >> 32) as u32, out);
    }
}

fn pack_plane(values: &[u64], width: u8, part: impl Fn(u64) -> u32, out: &mut Vec<u8>) {
    if width == 0 {
        return;
    }
    let mut block = [[0u32; LANES]; ROWS];
    let (blocks, tail) = values.as_chunks::<BLOCK>();
    for values in blocks {
        for (slot, &value) in block.as_flattened_mut().iter_mut().zip(values) {
            *slot = part(value);
        }
        vertical::pack(&block, width, out);
    }
    pack_tail(tail, width, part, out);
}

fn pack_tail(values: &[u64], width: u8, part: impl Fn(u64) -> u32, out: &mut Vec<u8>) {
    let mut pending = 0u64;
    let mut pending_bits = 0;
    for &value in values {
        pending |= u64::from(part(value)) << pending_bits;
        pending_bits += u32::from(width);
        while pending_bits >= 8 {
            out.push(pending as u8);
            pending >>= 8;
            pending_bits -= 8;
        }
    }
    if pending_bits > 0 {
        out.push(pending as u8);
    }
}

/// Unpacks values of at most 32 bits into all of `out`. `bytes` must have [`packed_len`] of `out.len()` values.
pub fn unpack_u32(bytes: &[u8], width: u8, out: &mut [u32]) {
    debug_assert!(width <= 32);
    if width == 0 {
        out.fill(0);
        return;
    }
    let (rows, _) = out.as_chunks_mut::<LANES>();
    let (blocks, _) = rows.as_chunks_mut::<ROWS>();
    let mut packed = bytes;
    for block in blocks {
        vertical::unpack(packed, width, block);
        packed = &packed[vertical::block_len::<LANES>(width)..];
    }
    let whole = out.len() / BLOCK * BLOCK;
    for (index, slot) in out[whole..].iter_mut().enumerate() {
        *slot = read_bits(packed, index * usize::from(width), width);
    }
}

/// Unpacks a run of at most [`BLOCK`] of `count` values of at most 32 bits, from the multiple `first` of [`BLOCK`] on:
/// a whole block, or the tail.
#[inline]
pub fn unpack_run(bytes: &[u8], count: usize, width: u8, first: usize, out: &mut [u32]) {
    debug_assert!(first.is_multiple_of(BLOCK) && (out.len() == BLOCK || first + out.len() == count));
    let start = first / 8 * usize::from(width);
    unpack_u32(&bytes[start..], width, out);
}

/// As [`unpack_run`] for widths above 32.
#[inline]
pub fn unpack_wide_run(bytes: &[u8], count: usize, width: u8, first: usize, out: &mut [u64]) {
    let (low_plane, high_plane) = bytes.split_at(plane_len(count, 32).unwrap_or(bytes.len()));
    let mut part = [0u32; BLOCK];
    let part = &mut part[..out.len()];
    unpack_run(low_plane, count, 32, first, part);
    for (slot, &low) in out.iter_mut().zip(part.iter()) {
        *slot = u64::from(low);
    }
    unpack_run(high_plane, count, width - 32, first, part);
    for (slot, &high) in out.iter_mut().zip(part.iter()) {
        *slot |= u64::from(high) << 32;
    }
}

/// One of `count` packed values; `index` must be below `count`.
#[inline]
pub fn get(bytes: &[u8], count: usize, width: u8, index: usize) -> u64 {
    debug_assert!(index < count);
    if width <= 32 {
        return u64::from(get_plane(bytes, count, width, index));
    }
    let low_bytes = plane_len(count, 32).unwrap_or(bytes.len());
    let high = get_plane(&bytes[low_bytes..], count, width - 32, index);
    u64::from(high) << 32 | u64::from(get_plane(bytes, count, 32, index))
}

#[inline]
fn get_plane(bytes: &[u8], count: usize, width: u8, index: usize) -> u32 {
    if width == 0 {
        return 0;
    }
    let block_bytes = vertical::block_len::<LANES>(width);
    let block = index / BLOCK;
    let within = index % BLOCK;
    if block == count / BLOCK {
        return read_bits(&bytes[block * block_bytes..], within * usize::from(width), width);
    }
    let words = &bytes[block * block_bytes..(block + 1) * block_bytes];
    let bit = within / LANES * usize::from(width);
    let word = |row: usize| {
        let at = (row * LANES + within % LANES) * 4;
        u64::from(u32::from_le_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]]))
    };
    let mut pair = word(bit / 32);
    if bit % 32 + usize::from(width) > 32 {
        pair |= word(bit / 32 + 1) << 32;
    }
    (pair >> (bit % 32)) as u32 & mask(width)
}

/// `width` bits (1 to 32) of a little-endian bit stream, from `bit` on.
#[inline]
fn read_bits(bytes: &[u8], bit: usize, width: u8) -> u32 {
    let at = bit / 8;
    let mut window = [0u8; 8];
    let available = (bytes.len() - at).min(8);
    window[..available].copy_from_slice(&bytes[at..at + available]);
    (u64::from_le_bytes(window) >> (bit % 8)) as u32 & mask(width)
}

#[inline]
fn mask(width: u8) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn unpacking_and_single_reads_give_what_was_packed(
            width in 0u8..=64,
            count in prop_oneof![0usize..40, 250usize..260, 500usize..1100],
            seed: u64,
        ) {
            let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
            let values: Vec<u64> = (0..count as u64)
                .map(|i| (i ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(seed | 1) & mask)
                .collect();
            let mut bytes = vec![7];
            pack(&values, width, &mut bytes);
            let bytes = &bytes[1..];
            prop_assert_eq!(bytes.len(), packed_len(count, width).unwrap());
            for (index, chunk) in values.chunks(BLOCK).enumerate() {
                let mut wide = vec![1; chunk.len()];
                let mut narrow = vec![1; chunk.len()];
                if width > 32 {
                    unpack_wide_run(bytes, count, width, index * BLOCK, &mut wide);
                } else {
                    unpack_run(bytes, count, width, index * BLOCK, &mut narrow);
                    wide = narrow.into_iter().map(u64::from).collect();
                }
                prop_assert_eq!(&wide[..], chunk);
            }
            for (index, &value) in values.iter().enumerate() {
                prop_assert_eq!(get(bytes, count, width, index), value);
            }
        }
    }

    #[test]
    fn widths() {
        assert_eq!((width_of(0), width_of(1), width_of(255), width_of(u64::MAX)), (0, 1, 8, 64));
        assert_eq!(packed_len(usize::MAX, 64), None);
    }
}
