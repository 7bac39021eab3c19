//! What nearness means in a field: of which elements its vectors are, and the scores that these have.

use crate::bytes;
use crate::similarity::Similarity;
use serde::Deserialize;

/// What vectors are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    #[default]
    Float,
    /// Whole numbers from -128 to 127.
    Byte,
    /// Eight of them in a byte, the first one highest.
    Bit,
}

impl Element {
    /// The number that stands for it in files.
    pub fn code(self) -> u32 {
        match self {
            Element::Float => 0,
            Element::Byte => 1,
            Element::Bit => 2,
        }
    }

    pub fn of_code(code: u32) -> Option<Self> {
        [Element::Float, Element::Byte, Element::Bit].into_iter().find(|element| element.code() == code)
    }

    /// As the API writes it.
    pub fn name(self) -> &'static str {
        match self {
            Element::Float => "float",
            Element::Byte => "byte",
            Element::Bit => "bit",
        }
    }

    /// Dimensions that one given value stands for.
    pub fn dims_of_value(self) -> u32 {
        if self == Element::Bit { 8 } else { 1 }
    }
}

/// How vectors of a field are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measure {
    pub similarity: Similarity,
    pub element: Element,
    pub dims: u32,
}

impl Measure {
    /// The greater, the nearer. `lengths`: the product of those of both vectors, which counts with cosine alone.
    #[inline]
    pub fn of_bytes(self, left: &[u8], right: &[u8], lengths: f32) -> f32 {
        match (self.element, self.similarity) {
            (Element::Bit, _) => -(bytes::hamming(left, right) as f32),
            (_, Similarity::L2Norm) => -(bytes::square_distance(left, right) as f32),
            (_, Similarity::Cosine) => bytes::dot(left, right) as f32 / lengths,
            (_, Similarity::DotProduct | Similarity::MaxInnerProduct) => bytes::dot(left, right) as f32,
        }
    }

    /// The score of a closeness: never negative, and in the same order.
    pub fn score(self, closeness: f32) -> f32 {
        match (self.element, self.similarity) {
            (Element::Bit, _) => (self.dims as f32 + closeness) / self.dims as f32,
            (Element::Byte, Similarity::DotProduct) => 0.5 + closeness / (self.dims as f32 * f32::from(1u16 << 15)),
            (_, Similarity::Cosine | Similarity::DotProduct) => ((1.0 + closeness) / 2.0).max(0.0),
            (_, Similarity::L2Norm) => 1.0 / (1.0 - closeness),
            (_, Similarity::MaxInnerProduct) if closeness < 0.0 => 1.0 / (1.0 - closeness),
            (_, Similarity::MaxInnerProduct) => closeness + 1.0,
        }
    }

    /// The least score that a request's `similarity` lets through: a cosine, a product, a distance, or bits that differ.
    pub fn least_score(self, similarity: f32) -> f32 {
        match (self.element, self.similarity) {
            (Element::Bit, _) => self.score(-similarity),
            (_, Similarity::L2Norm) => 1.0 / (1.0 + similarity * similarity),
            _ => self.score(similarity),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(element: Element, similarity: Similarity) -> Measure {
        Measure { similarity, element, dims: 16 }
    }

    #[test]
    fn scores_are_those_of_the_reference() {
        let floats = |similarity| measure(Element::Float, similarity);
        assert_eq!(floats(Similarity::Cosine).score(0.5), 0.75);
        assert_eq!(floats(Similarity::DotProduct).score(-1.000_001), 0.0);
        assert_eq!(floats(Similarity::L2Norm).score(-4.0), 0.2);
        assert_eq!(floats(Similarity::MaxInnerProduct).score(3.0), 4.0);
        assert_eq!(floats(Similarity::MaxInnerProduct).score(-3.0), 0.25);
        assert_eq!(floats(Similarity::L2Norm).least_score(2.0), 0.2);
        assert_eq!(floats(Similarity::Cosine).least_score(0.5), 0.75);
        let bytes = |similarity| measure(Element::Byte, similarity);
        assert_eq!(bytes(Similarity::Cosine).score(0.5), 0.75);
        assert_eq!(bytes(Similarity::DotProduct).score(131_072.0), 0.75);
        assert_eq!(bytes(Similarity::L2Norm).score(-4.0), 0.2);
        let bits = measure(Element::Bit, Similarity::L2Norm);
        assert_eq!((bits.score(-4.0), bits.least_score(4.0)), (0.75, 0.75));
        for code in 0..3 {
            assert_eq!(Element::of_code(code).map(Element::code), Some(code));
        }
        assert_eq!(Element::of_code(3), None);
    }
}
