//! Cosine and arc sine by tables and short Taylor series: fast, and with the very errors of Lucene's `SloppyMath`, so that
//! distances come out digit for digit as they do there.

use std::f64::consts::{FRAC_PI_2, PI};
use std::sync::LazyLock;

const COS_PARTS: usize = 1 << 11;
/// Half a right angle in two parts: its first 33 bits, and the rest.
const HALF_PI_HIGH: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
const HALF_PI_LOW: f64 = f64::from_bits(0x3DD0_B461_1A62_6331);
const COS_STEP_HIGH: f64 = 4.0 * HALF_PI_HIGH / COS_PARTS as f64;
const COS_STEP_LOW: f64 = 4.0 * HALF_PI_LOW / COS_PARTS as f64;
const COS_PER_RADIAN: f64 = 1.0 / (COS_STEP_HIGH + COS_STEP_LOW);
/// Larger angles are left to the library.
const COS_MAX: f64 = ((i32::MAX >> 9) as f64 / COS_PER_RADIAN) * 0.99;

const ASIN_PARTS: usize = 1 << 13;
/// Beyond the sine of this angle the arc sine is left to a rational approximation.
const ASIN_TABLE_DEGREES: f64 = 73.0;

struct AsinPart {
    value: f64,
    /// Derivatives, each divided by the factorial of its order.
    derivatives: [f64; 4],
}

struct Tables {
    cos: Vec<(f64, f64)>,
    asin: Vec<AsinPart>,
    asin_max: f64,
    asin_step: f64,
}

static TABLES: LazyLock<Tables> = LazyLock::new(Tables::new);

impl Tables {
    fn new() -> Self {
        let asin_max = ASIN_TABLE_DEGREES.to_radians().sin();
        let asin_step = asin_max / ASIN_PARTS as f64;
        Tables {
            cos: (0..=COS_PARTS).map(cos_part).collect(),
            asin: (0..=ASIN_PARTS).map(|part| asin_part(part as f64 * asin_step)).collect(),
            asin_max,
            asin_step,
        }
    }
}

/// Cosine and sine of a part of the circle; exactly 0 where they are.
fn cos_part(part: usize) -> (f64, f64) {
    let angle = part as f64 * COS_STEP_HIGH + part as f64 * COS_STEP_LOW;
    let quarter = COS_PARTS / 4;
    let cos = if part == quarter || part == 3 * quarter { 0.0 } else { angle.cos() };
    let sin = if part == 2 * quarter || part == 4 * quarter { 0.0 } else { angle.sin() };
    (cos, sin)
}

fn asin_part(x: f64) -> AsinPart {
    let inverse = 1.0 / (1.0 - x * x);
    let first = inverse.sqrt();
    let second = first * inverse;
    let third = second * inverse;
    let fourth = third * inverse;
    AsinPart {
        value: x.asin(),
        derivatives: [
            first,
            x * second * 0.5,
            (1.0 + 2.0 * x * x) * third * (1.0 / 6.0),
            // Not the fourth derivative but what the reference takes for it: its errors are part of its results.
            (5.0 + 2.0 * x * (2.0 + x * (5.0 - 2.0 * x))) * fourth * (1.0 / 24.0),
        ],
    }
}

/// The cosine of an angle in radians; off by about 1e-15.
#[inline]
pub fn cos(angle: f64) -> f64 {
    let angle = angle.abs();
    if angle > COS_MAX || angle.is_nan() {
        return angle.cos();
    }
    let part = (angle * COS_PER_RADIAN + 0.5) as i32;
    let delta = (angle - f64::from(part) * COS_STEP_HIGH) - f64::from(part) * COS_STEP_LOW;
    let (cos, sin) = TABLES.cos[part as usize & (COS_PARTS - 1)];
    cos + delta * (-sin + delta * (-cos * 0.5 + delta * (sin * (1.0 / 6.0) + delta * cos * (1.0 / 24.0))))
}

/// The arc sine of a number between 0 and 1; off by about 1e-7.
#[inline]
pub fn asin(x: f64) -> f64 {
    let tables = &*TABLES;
    if x <= tables.asin_max {
        let part = (x * (1.0 / tables.asin_step) + 0.5) as usize;
        let delta = x - part as f64 * tables.asin_step;
        let AsinPart { value, derivatives: [first, second, third, fourth] } = &tables.asin[part];
        return value + delta * (first + delta * (second + delta * (third + delta * fourth)));
    }
    if x >= 1.0 { if x == 1.0 { PI / 2.0 } else { f64::NAN } } else { asin_near_one(x) }
}

/// The approximation of fdlibm.
fn asin_near_one(x: f64) -> f64 {
    const NUMERATOR: [u64; 6] = [
        0x3fc5_5555_5555_5555,
        0xbfd4_d612_03eb_6f7d,
        0x3fc9_c155_0e88_4455,
        0xbfa4_8228_b568_8f3b,
        0x3f49_efe0_7501_b288,
        0x3f02_3de1_0dfd_f709,
    ];
    const DENOMINATOR: [u64; 4] =
        [0xc003_3a27_1c8a_2d4b, 0x4000_2ae5_9c59_8ac8, 0xbfe6_066c_1b8d_0159, 0x3fb3_b8c5_b12e_9282];
    const HALF_PI_REST: f64 = f64::from_bits(0x3C91_A626_3314_5C07);
    let polynomial = |terms: &[u64], t: f64| terms.iter().rev().fold(0.0, |sum, &term| f64::from_bits(term) + t * sum);
    let t = (1.0 - x) * 0.5;
    let p = t * polynomial(&NUMERATOR, t);
    let q = 1.0 + t * polynomial(&DENOMINATOR, t);
    let s = t.sqrt();
    let z = s + s * (p / q);
    FRAC_PI_2 - ((z + z) - HALF_PI_REST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn near_the_library(angle in -10.0f64..10.0, x in 0.0f64..=1.0) {
            prop_assert!((cos(angle) - angle.cos()).abs() < 1e-14);
            prop_assert!((asin(x) - x.asin()).abs() < 1e-7);
        }
    }

    #[test]
    fn ends() {
        assert_eq!((asin(0.0), asin(1.0)), (0.0, FRAC_PI_2));
        assert!(asin(f64::NAN).is_nan() && cos(f64::NAN).is_nan());
        assert_eq!(cos(0.0), 1.0);
        assert!((cos(FRAC_PI_2) - 6.123_233_995_736_766e-17).abs() < 1e-25);
    }
}
