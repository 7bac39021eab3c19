//! BM25 as Lucene 10 computes it.

/// Saturation of term frequency, and weight of the document's length.
pub const K1: f32 = 1.2;
pub const B: f32 = 0.75;

/// The part of the formula that depends on one field's average length: for each norm code, the inverse of
/// `k1 * (1 - b + b * length / average)`.
#[derive(Debug, Clone)]
pub struct Bm25 {
    inverse: [f32; 256],
    average_length: f32,
}

impl Bm25 {
    /// `average_length` is `sum_total_term_freq / doc_count` of the field over all segments of the shard.
    pub fn new(average_length: f32) -> Self {
        let mut inverse = [0.0; 256];
        for (code, slot) in inverse.iter_mut().enumerate() {
            let length = crate::codec::norm::decode(code as u8) as f32;
            *slot = 1.0 / (K1 * ((1.0 - B) + B * length / average_length));
        }
        Bm25 { inverse, average_length }
    }

    pub fn average_length(&self) -> f32 {
        self.average_length
    }

    /// By norm code; fields without norms use code 1.
    pub fn inverse(&self) -> &[f32; 256] {
        &self.inverse
    }

    /// The score of one term (or phrase) of weight `boost * idf` in a document.
    #[inline]
    pub fn score(&self, weight: f32, freq: f32, norm: u8) -> f32 {
        weight - weight / (1.0 + freq * self.inverse[usize::from(norm)])
    }
}

/// Inverse document frequency; both counts are over all segments of the shard.
pub fn idf(doc_freq: u64, doc_count: u64) -> f32 {
    let (n, documents) = (doc_freq as f64, doc_count as f64);
    (1.0 + (documents - n + 0.5) / (n + 0.5)).ln() as f32
}
