//! Term weights, and the similarity they go with.

pub use quarry_postings::bm25::{B, Bm25, K1, NORM_OF_FIELD_WITHOUT_NORMS};

/// Inverse document frequency as Lucene's `BM25Similarity.idf`. `doc_freq` counts the term's documents and `doc_count`
/// those with the field, both over all segments of the shard, deleted documents included.
pub fn idf(doc_freq: u64, doc_count: u64) -> f32 {
    let (n, documents) = (doc_freq as f64, doc_count as f64);
    (1.0 + (documents - n + 0.5) / (n + 0.5)).ln() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_codec::norm;

    fn close(actual: f32, expected: f64) {
        assert!((f64::from(actual) - expected).abs() <= expected.abs() * 1e-6, "{actual} is not {expected}");
    }

    #[test]
    fn idf_by_hand() {
        close(idf(1, 1), 0.287_682_072_451_780_85); // ln(1 + 0.5 / 1.5)
        close(idf(1, 2), std::f64::consts::LN_2); // ln(1 + 1.5 / 1.5)
        close(idf(3, 10), 1.145_132_304_303_002_6); // ln(1 + 7.5 / 3.5)
        assert!(idf(10, 10) > 0.0);
    }

    /// One document whose only token is the term: the score every first example of the API shows.
    #[test]
    fn a_single_document_scores_as_lucene_prints_it() {
        let similarity = Bm25::new(1.0);
        close(similarity.score(idf(1, 1), 1.0, norm::encode(1)), 0.130_764_578_387_173_1);
    }

    #[test]
    fn longer_documents_score_less_and_frequencies_saturate() {
        // 10 documents, average length 8; the term is in 3 of them: twice in a document of 16 tokens.
        let similarity = Bm25::new(8.0);
        let weight = idf(3, 10);
        // norm = 1.2 * (0.25 + 0.75 * 2) = 2.1; idf * 2 / (2 + 2.1)
        close(similarity.score(weight, 2.0, norm::encode(16)), 0.558_601_124_050_245_2);
        assert!(similarity.score(weight, 2.0, norm::encode(8)) > similarity.score(weight, 2.0, norm::encode(16)));
        assert!(similarity.score(weight, 3.0, norm::encode(16)) > similarity.score(weight, 2.0, norm::encode(16)));
        assert!(similarity.score(weight, 1e9, norm::encode(16)) <= weight);
    }

    #[test]
    fn lengths_are_those_of_the_norm_code() {
        // 100 tokens are stored as 96 (codes keep four significant bits beyond 40).
        let similarity = Bm25::new(50.0);
        assert_eq!(norm::decode(norm::encode(100)), 96);
        // norm = 1.2 * (0.25 + 0.75 * 96 / 50) = 2.028; 1 / (1 + 2.028)
        close(similarity.score(1.0, 1.0, norm::encode(100)), 0.330_250_990_752_972_26);
    }

    #[test]
    fn an_impossible_average_counts_as_one() {
        for average in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            assert_eq!(Bm25::new(average).inverse(), Bm25::new(1.0).inverse());
        }
    }
}
