//! Numbers as `i64` whose order is the order of the type. The same mapping as Lucene's `NumericUtils`.

/// `f64` to sortable: negative values have their low 63 bits flipped. `-0.0` sorts before `0.0`, NaN after infinity.
#[inline]
pub fn from_f64(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    bits ^ ((bits >> 63) & i64::MAX)
}

#[inline]
pub fn to_f64(sortable: i64) -> f64 {
    f64::from_bits((sortable ^ ((sortable >> 63) & i64::MAX)) as u64)
}

/// `float` and `half_float` (rounded to half precision by the caller), kept as a sign-extended 32-bit sortable.
#[inline]
pub fn from_f32(value: f32) -> i64 {
    let bits = value.to_bits() as i32;
    i64::from(bits ^ ((bits >> 31) & i32::MAX))
}

#[inline]
pub fn to_f32(sortable: i64) -> f32 {
    let sortable = sortable as i32;
    f32::from_bits((sortable ^ ((sortable >> 31) & i32::MAX)) as u32)
}

/// `unsigned_long`: the top bit flipped.
#[inline]
pub fn from_u64(value: u64) -> i64 {
    (value ^ (1 << 63)) as i64
}

#[inline]
pub fn to_u64(sortable: i64) -> u64 {
    sortable as u64 ^ (1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn f64_order_is_kept(a: f64, b: f64) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            prop_assert_eq!(from_f64(a).cmp(&from_f64(b)), a.total_cmp(&b));
            prop_assert_eq!(to_f64(from_f64(a)).to_bits(), a.to_bits());
        }

        #[test]
        fn f32_order_is_kept(a: f32, b: f32) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            prop_assert_eq!(from_f32(a).cmp(&from_f32(b)), a.total_cmp(&b));
            prop_assert_eq!(to_f32(from_f32(a)).to_bits(), a.to_bits());
        }

        #[test]
        fn u64_order_is_kept(a: u64, b: u64) {
            prop_assert_eq!(from_u64(a).cmp(&from_u64(b)), a.cmp(&b));
            prop_assert_eq!(to_u64(from_u64(a)), a);
        }
    }
}
