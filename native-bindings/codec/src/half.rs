//! Half precision (IEEE 754 binary16), as values of `half_float` are kept.

/// The nearest half-precision number, ties to even; infinite from 65,520 on.
#[inline]
pub fn round(value: f32) -> f32 {
    to_f32(from_f32(value))
}

/// Bits of the nearest half.
fn from_f32(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // From half of the gap above the largest half on, everything is infinite.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    if magnitude < 0x3880_0000 {
        // Subnormal: adding 0.5 moves the last kept bit to the last bit of the sum, which rounds as the sum does.
        let shifted = f32::from_bits(magnitude) + 0.5;
        return sign | (shifted.to_bits() - 0.5f32.to_bits()) as u16;
    }
    let rebiased = magnitude - (112 << 23);
    let last_kept_bit = (rebiased >> 13) & 1;
    sign | ((rebiased + 0xfff + last_kept_bit) >> 13) as u16
}

fn to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10) & 0x1f;
    let fraction = u32::from(half) & 0x3ff;
    match exponent {
        0 => f32::from_bits(sign | (fraction as f32 / (1u32 << 24) as f32).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_are_kept() {
        for half in 0..=u16::MAX {
            let value = to_f32(half);
            if !value.is_nan() {
                assert_eq!(from_f32(value), half);
            }
        }
        assert_eq!(round(65_519.0), 65_504.0);
        assert_eq!(round(65_520.0), f32::INFINITY);
        assert_eq!(round(0.1), 0.099_975_586);
    }

    proptest! {
        #[test]
        fn no_half_is_nearer(value in -65_519.0f32..65_519.0) {
            let rounded = from_f32(value);
            let distance = (to_f32(rounded) - value).abs();
            for neighbour in [rounded.wrapping_sub(1), rounded.wrapping_add(1)] {
                let other = to_f32(neighbour);
                if other.is_finite() && other.is_sign_negative() == value.is_sign_negative() {
                    let further = (other - value).abs();
                    prop_assert!(distance < further || (distance == further && rounded & 1 == 0));
                }
            }
        }
    }
}
