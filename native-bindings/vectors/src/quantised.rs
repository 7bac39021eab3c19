//! Vectors in a fraction of their room: each value is one of few steps between two bounds, which every vector has for itself.
//!
//! ```text
//! code of a vector   lower bound, step (two floats), sum of the numbers of steps and of their squares (two whole numbers; all of 32 bits,
//!                    little-endian), then for each value its number of steps: a byte each, or two in a byte, the first in the low half
//! ```
//!
//! What a code stands for is `lower + step * n` for each value. With the sums, products and distances of two vectors take one scalar product of whole
//! numbers and a few operations on doubles: nothing large is subtracted from something as large, wherever in space the vectors lie. No code
//! depends on another vector, so that merges copy them.

use crate::similarity::{Similarity, square_distance};

/// Bytes before the values.
const HEAD_BYTES: usize = 16;
/// Parts of the whole width that [`Interval::Fitted`] tries.
const FITTED_WIDTHS: [f32; 6] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5];

/// Steps between the bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    /// 127 steps, a byte for a value.
    Int8,
    /// 15 steps, half a byte for a value; of vectors with an even number of values.
    Int4,
}

impl Resolution {
    /// The number that stands for it in files.
    pub fn code(self) -> u32 {
        match self {
            Resolution::Int8 => 8,
            Resolution::Int4 => 4,
        }
    }

    pub fn of_code(code: u32) -> Option<Self> {
        [Resolution::Int8, Resolution::Int4].into_iter().find(|resolution| resolution.code() == code)
    }

    fn steps(self) -> u8 {
        match self {
            Resolution::Int8 => 127,
            Resolution::Int4 => 15,
        }
    }
}

/// Which bounds a vector gets. Values beyond them become the bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Interval {
    /// The least and the greatest value.
    Whole,
    /// Those around this part of the values, above 0 and at most 1.
    Confidence(f32),
    /// Those of a few that come nearest to the vector.
    Fitted,
}

impl Interval {
    /// The word that stands for it in files.
    pub fn code(self) -> u32 {
        match self {
            Interval::Whole => 0,
            Interval::Fitted => 1,
            Interval::Confidence(part) => part.to_bits(),
        }
    }

    pub fn of_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Interval::Whole),
            1 => Some(Interval::Fitted),
            bits => Some(f32::from_bits(bits)).filter(|&part| part > 0.0 && part <= 1.0).map(Interval::Confidence),
        }
    }
}

/// How vectors become codes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantisation {
    pub resolution: Resolution,
    pub interval: Interval,
}

impl Quantisation {
    /// Bytes of the code of a vector.
    pub fn width(self, dims: usize) -> usize {
        HEAD_BYTES
            + match self.resolution {
                Resolution::Int8 => dims,
                Resolution::Int4 => dims.div_ceil(2),
            }
    }

    /// Appends the code of a vector of finite values.
    pub fn encode(self, vector: &[f32], out: &mut Vec<u8>) {
        let (lower, upper) = match self.interval {
            Interval::Whole => whole(vector),
            Interval::Confidence(part) => around(vector, part),
            Interval::Fitted => self.fitted(vector),
        };
        let scale = Scale::new(lower, upper, self.resolution.steps());
        let numbers: Vec<u8> = vector.iter().map(|&value| scale.number(value)).collect();
        let (sum, squares) = sums(numbers.iter().copied());
        for part in [lower.to_bits(), scale.step.to_bits(), sum, squares] {
            out.extend_from_slice(&part.to_le_bytes());
        }
        match self.resolution {
            Resolution::Int8 => out.extend_from_slice(&numbers),
            Resolution::Int4 => {
                out.extend(numbers.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 4)))
            }
        }
    }

    /// The bounds around the middle of the vector that lose least.
    fn fitted(self, vector: &[f32]) -> (f32, f32) {
        let (least, greatest) = whole(vector);
        let (middle, half) = (least / 2.0 + greatest / 2.0, greatest / 2.0 - least / 2.0);
        let lost = |width: f32| {
            let scale = Scale::new(middle - half * width, middle + half * width, self.resolution.steps());
            let decoded: Vec<f32> = vector.iter().map(|&value| scale.value(scale.number(value))).collect();
            square_distance(vector, &decoded)
        };
        let best = FITTED_WIDTHS.into_iter().min_by(|&left, &right| lost(left).total_cmp(&lost(right))).unwrap_or(1.0);
        (middle - half * best, middle + half * best)
    }

    /// Whether a code is one that [`Quantisation::encode`] may have made.
    pub fn is_code(self, code: &[u8]) -> bool {
        let code = Code::read(code);
        let (sum, squares) = match self.resolution {
            Resolution::Int8 if code.numbers.iter().any(|&number| number > 127) => return false,
            Resolution::Int8 => sums(code.numbers.iter().copied()),
            Resolution::Int4 => sums(code.numbers.iter().flat_map(|&pair| [pair & 15, pair >> 4])),
        };
        code.lower.is_finite() && code.step.is_finite() && (code.sum, code.squares) == (sum, squares)
    }
}

/// Of all numbers, and of their squares.
fn sums(numbers: impl Iterator<Item = u8>) -> (u32, u32) {
    numbers.map(u32::from).fold((0, 0), |(sum, squares), number| (sum + number, squares + number * number))
}

struct Scale {
    lower: f32,
    step: f32,
    steps: u8,
}

impl Scale {
    fn new(lower: f32, upper: f32, steps: u8) -> Self {
        // Apart, so that the difference of two finite values is finite.
        let step = upper / f32::from(steps) - lower / f32::from(steps);
        Scale { lower, step, steps }
    }

    fn number(&self, value: f32) -> u8 {
        // Without a width: 0, as the conversion makes of no number.
        ((value - self.lower) / self.step).round().clamp(0.0, f32::from(self.steps)) as u8
    }

    fn value(&self, number: u8) -> f32 {
        self.lower + self.step * f32::from(number)
    }
}

fn whole(vector: &[f32]) -> (f32, f32) {
    let bounds = (f32::INFINITY, f32::NEG_INFINITY);
    vector.iter().fold(bounds, |(least, greatest), &value| (least.min(value), greatest.max(value)))
}

fn around(vector: &[f32], part: f32) -> (f32, f32) {
    let mut sorted = vector.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let left_out = ((sorted.len() as f32 * (1.0 - part) / 2.0) as usize).min((sorted.len() - 1) / 2);
    (sorted[left_out], sorted[sorted.len() - 1 - left_out])
}

/// A code's parts.
struct Code<'a> {
    lower: f32,
    step: f32,
    sum: u32,
    squares: u32,
    numbers: &'a [u8],
}

impl<'a> Code<'a> {
    #[inline]
    fn read(code: &'a [u8]) -> Self {
        let (head, numbers) = code.split_at(HEAD_BYTES);
        let part = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let [lower, step] = [f32::from_bits(part(0)), f32::from_bits(part(4))];
        Code { lower, step, sum: part(8), squares: part(12), numbers }
    }
}

/// How near two vectors are by their codes, as [`Similarity::closeness`] of what these stand for.
#[inline]
pub fn closeness(quantisation: Quantisation, similarity: Similarity, left: &[u8], right: &[u8]) -> f32 {
    let (left, right) = (Code::read(left), Code::read(right));
    let (dims, numbers) = match quantisation.resolution {
        Resolution::Int8 => (left.numbers.len(), dot_of_bytes(left.numbers, right.numbers)),
        Resolution::Int4 => (left.numbers.len() * 2, dot_of_halves(left.numbers, right.numbers)),
    };
    let (dims, both) = (dims as f64, f64::from(left.step) * f64::from(right.step) * f64::from(numbers));
    let (lower, other_lower) = (f64::from(left.lower), f64::from(right.lower));
    let (steps, other_steps) =
        (f64::from(left.step) * f64::from(left.sum), f64::from(right.step) * f64::from(right.sum));
    let closeness = match similarity {
        Similarity::L2Norm => {
            let apart = lower - other_lower;
            let square = |code: &Code| f64::from(code.step).powi(2) * f64::from(code.squares);
            let inner = square(&left) - 2.0 * both + square(&right);
            -(dims * apart * apart + 2.0 * apart * (steps - other_steps) + inner).max(0.0)
        }
        Similarity::Cosine | Similarity::DotProduct | Similarity::MaxInnerProduct => {
            dims * lower * other_lower + lower * other_steps + other_lower * steps + both
        }
    };
    closeness as f32
}

/// Of numbers up to 127: one side as signed ones, for which processors have an instruction.
#[inline]
fn dot_of_bytes(left: &[u8], right: &[u8]) -> i32 {
    left.iter().zip(right).map(|(&left, &right)| i32::from(left) * i32::from(right as i8)).sum()
}

/// Of two numbers in each byte.
#[inline]
fn dot_of_halves(left: &[u8], right: &[u8]) -> i32 {
    let of_pair = |(&left, &right): (&u8, &u8)| {
        let low = u16::from(left & 15) * u16::from(right & 15);
        let high = u16::from(left >> 4) * u16::from(right >> 4);
        i32::from(low + high)
    };
    left.iter().zip(right).map(of_pair).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::samples::uniform;
    use crate::similarity::dot;

    const DIMS: usize = 64;

    fn coded(quantisation: Quantisation, vector: &[f32]) -> Vec<u8> {
        let mut code = Vec::new();
        quantisation.encode(vector, &mut code);
        assert_eq!(code.len(), quantisation.width(vector.len()));
        assert!(quantisation.is_code(&code));
        code
    }

    /// What a code stands for, by the description of its bytes.
    fn decoded(quantisation: Quantisation, code: &[u8], dims: usize) -> Vec<f32> {
        let Code { lower, step, numbers, .. } = Code::read(code);
        let number = |at: usize| match quantisation.resolution {
            Resolution::Int8 => numbers[at],
            Resolution::Int4 => numbers[at / 2] >> (at % 2 * 4) & 15,
        };
        (0..dims).map(|at| lower + step * f32::from(number(at))).collect()
    }

    fn all() -> impl Iterator<Item = Quantisation> {
        let intervals = [Interval::Whole, Interval::Confidence(0.95), Interval::Fitted];
        [Resolution::Int8, Resolution::Int4]
            .into_iter()
            .flat_map(move |resolution| intervals.map(|interval| Quantisation { resolution, interval }))
    }

    #[test]
    fn codes_are_as_near_as_what_they_stand_for() {
        for quantisation in all() {
            let odd: &[usize] = if quantisation.resolution == Resolution::Int8 { &[1, 7, 99] } else { &[] };
            for &dims in odd.iter().chain(&[2, 8, DIMS, 100]) {
                let values = uniform(2, dims, dims as u64);
                let (left, right) = values.split_at(dims);
                let codes = [left, right].map(|vector| coded(quantisation, vector));
                let [left, right] = codes.each_ref().map(|code| decoded(quantisation, code, dims));
                for similarity in [Similarity::L2Norm, Similarity::DotProduct, Similarity::MaxInnerProduct] {
                    let found = closeness(quantisation, similarity, &codes[0], &codes[1]);
                    let expected = similarity.closeness(&left, &right);
                    assert!((found - expected).abs() < 1e-3, "{quantisation:?}, {dims}: {found} {expected}");
                }
            }
        }
    }

    /// Far from the origin as near it: the difference of two vectors is small there beside their lengths.
    #[test]
    fn distances_do_not_depend_on_where_vectors_lie() {
        let quantisation = Quantisation { resolution: Resolution::Int8, interval: Interval::Whole };
        for mean in [0.0, 10.0, 1_000.0, 10_000.0] {
            let vectors: Vec<f32> = uniform(40, DIMS, 11).iter().map(|value| value + mean).collect();
            let codes: Vec<Vec<u8>> = vectors.chunks(DIMS).map(|vector| coded(quantisation, vector)).collect();
            for (vector, code) in vectors.chunks(DIMS).zip(&codes) {
                let found = closeness(quantisation, Similarity::L2Norm, &codes[0], code);
                let expected = Similarity::L2Norm.closeness(&vectors[..DIMS], vector);
                assert!((found - expected).abs() < 1.5, "{mean}: {found} {expected}");
            }
        }
    }

    #[test]
    fn codes_stand_for_what_is_near() {
        for (resolution, loss) in [(Resolution::Int8, 0.005), (Resolution::Int4, 0.04)] {
            let quantisation = Quantisation { resolution, interval: Interval::Fitted };
            for vector in uniform(20, DIMS, 5).chunks(DIMS) {
                let decoded = decoded(quantisation, &coded(quantisation, vector), DIMS);
                assert!(square_distance(vector, &decoded) / dot(vector, vector) < loss * loss * 4.0);
            }
        }
    }

    #[test]
    fn fitted_bounds_lose_no_more_than_whole_ones() {
        let mut vector = uniform(1, DIMS, 6);
        vector[3] = 9.0;
        vector[4] = -9.0;
        let lost = |interval| {
            let quantisation = Quantisation { resolution: Resolution::Int4, interval };
            square_distance(&vector, &decoded(quantisation, &coded(quantisation, &vector), DIMS))
        };
        assert!(lost(Interval::Fitted) <= lost(Interval::Whole));
    }

    #[test]
    fn vectors_of_one_value_and_of_extreme_ones_have_codes() {
        for quantisation in all() {
            for vector in [vec![0.0; 8], vec![2.5; 8], vec![1e-40; 8]] {
                let code = coded(quantisation, &vector);
                assert_eq!(decoded(quantisation, &code, 8), vector);
            }
        }
    }

    #[test]
    fn quantisations_have_numbers() {
        for resolution in [Resolution::Int8, Resolution::Int4] {
            assert_eq!(Resolution::of_code(resolution.code()), Some(resolution));
        }
        for interval in [Interval::Whole, Interval::Fitted, Interval::Confidence(0.9), Interval::Confidence(1.0)] {
            assert_eq!(Interval::of_code(interval.code()), Some(interval));
        }
        assert_eq!((Resolution::of_code(1), Interval::of_code(f32::NAN.to_bits())), (None, None));
    }
}
