//! How near two vectors are.

use serde::Deserialize;

/// What nearness means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Similarity {
    /// The angle alone. Vectors are kept with length 1.
    Cosine,
    /// As cosine, of vectors that come with length 1.
    DotProduct,
    /// Distance in space.
    L2Norm,
    /// Angle and length.
    MaxInnerProduct,
}

impl Similarity {
    /// The number that stands for it in files.
    pub fn code(self) -> u32 {
        match self {
            Similarity::Cosine => 1,
            Similarity::DotProduct => 2,
            Similarity::L2Norm => 3,
            Similarity::MaxInnerProduct => 4,
        }
    }

    pub fn of_code(code: u32) -> Option<Self> {
        let all = [Similarity::Cosine, Similarity::DotProduct, Similarity::L2Norm, Similarity::MaxInnerProduct];
        all.into_iter().find(|similarity| similarity.code() == code)
    }

    /// As the API writes it.
    pub fn name(self) -> &'static str {
        match self {
            Similarity::Cosine => "cosine",
            Similarity::DotProduct => "dot_product",
            Similarity::L2Norm => "l2_norm",
            Similarity::MaxInnerProduct => "max_inner_product",
        }
    }

    /// The greater, the nearer; vectors have the same length, and length 1 where that is asked for.
    pub fn closeness(self, left: &[f32], right: &[f32]) -> f32 {
        match self {
            Similarity::L2Norm => -square_distance(left, right),
            _ => dot(left, right),
        }
    }
}

/// Sums that are carried side by side, so that the compiler adds whole registers.
const LANES: usize = 32;
/// As many of them take what is left, as far as it goes.
const FEW_LANES: usize = 8;

/// The scalar product.
pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    fold(left, right, |left, right| left * right)
}

/// The square of the distance.
pub fn square_distance(left: &[f32], right: &[f32]) -> f32 {
    fold(left, right, |left, right| (left - right) * (left - right))
}

/// The sum of the differences of all dimensions.
pub fn l1_distance(left: &[f32], right: &[f32]) -> f32 {
    fold(left, right, |left, right| (left - right).abs())
}

/// The length of a vector in space.
pub fn magnitude(vector: &[f32]) -> f32 {
    dot(vector, vector).sqrt()
}

/// Adds up what `term` makes of each pair, in an order that only the length decides.
#[inline(always)]
fn fold(left: &[f32], right: &[f32], term: impl Fn(f32, f32) -> f32) -> f32 {
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [0f32; LANES];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += term(left[lane], right[lane]);
        }
    }
    let (left, left_rest) = left_rest.as_chunks::<FEW_LANES>();
    let (right, right_rest) = right_rest.as_chunks::<FEW_LANES>();
    for (left, right) in left.iter().zip(right) {
        for lane in 0..FEW_LANES {
            sums[lane] += term(left[lane], right[lane]);
        }
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
        width /= 2;
    }
    left_rest.iter().zip(right_rest).fold(sums[0], |sum, (&left, &right)| sum + term(left, right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::samples::uniform;

    #[test]
    fn products_and_distances_are_those_of_the_definition() {
        for dims in [1, 2, 7, 31, 32, 33, 64, 100, 257] {
            let values = uniform(2, dims, dims as u64);
            let (left, right) = values.split_at(dims);
            let pairs = || left.iter().zip(right).map(|(&left, &right)| (f64::from(left), f64::from(right)));
            let near = |found: f32, expected: f64| assert!((f64::from(found) - expected).abs() < 1e-4, "{dims}");
            near(dot(left, right), pairs().map(|(left, right)| left * right).sum());
            near(square_distance(left, right), pairs().map(|(left, right)| (left - right).powi(2)).sum());
            near(l1_distance(left, right), pairs().map(|(left, right)| (left - right).abs()).sum());
        }
    }

    #[test]
    fn similarities_have_numbers() {
        for code in 1..=4 {
            assert_eq!(Similarity::of_code(code).map(Similarity::code), Some(code));
        }
        assert_eq!(Similarity::of_code(0), None);
    }
}
