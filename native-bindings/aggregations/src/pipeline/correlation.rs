//! `bucket_correlation`: whether buckets have more documents where more was expected.

use crate::plan::BucketCorrelation;
use quarry_base::error::{Error, ErrorCode, Result};

/// Pearson's correlation between the expectation of a document's bucket and whether the document is one of those that were counted;
/// NaN where one of the two is always the same.
///
/// `AggregationExecution`: there are other buckets than were expected, or more documents.
pub fn of_counts(of: &BucketCorrelation, counts: &[f64]) -> Result<f64> {
    let expected = &of.expectations;
    if expected.len() != counts.len() {
        return Err(refused(format!(
            "value lengths do not match; indicator.expectations [{}] and number of buckets [{}]. Unable to calculate \
             correlation",
            expected.len(),
            counts.len()
        )));
    }
    let (all, counted) = (of.doc_count as f64, counts.iter().sum::<f64>());
    // The share of the documents that were counted.
    let share = counted / all;
    if share > 1.0 {
        return Err(refused(format!(
            "doc_count of indicator must be larger than the total count of the correlating values indicator count [{}] \
             correlating value total count [{counted:?}]",
            of.doc_count
        )));
    }
    let even = 1.0 / expected.len() as f64;
    let fraction = |place: usize| of.fractions.as_ref().and_then(|known| known.get(place)).copied().unwrap_or(even);
    let over_buckets = |term: &dyn Fn(usize) -> f64| (0..counts.len()).map(term).sum::<f64>();
    let mean = over_buckets(&|place| expected[place] * fraction(place));
    let variance = over_buckets(&|place| (expected[place] - mean).powi(2) * fraction(place));
    let variance_counted = (1.0 - share) * share * share + share * (1.0 - share) * (1.0 - share);
    let covariance = over_buckets(&|place| {
        let distance = expected[place] - mean;
        let others = all * fraction(place) - counts[place];
        counts[place] * distance * (1.0 - share) - others * distance * share
    }) / all;
    let scale = variance * variance_counted;
    Ok(if scale == 0.0 { f64::NAN } else { covariance / scale.sqrt() })
}

fn refused(reason: String) -> Error {
    Error::new(ErrorCode::AggregationExecution, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{GapPolicy, Input};
    use proptest::prelude::*;

    fn plan(expectations: Vec<f64>, fractions: Option<Vec<f64>>, doc_count: u64) -> BucketCorrelation {
        let input = Input { path: Vec::new(), gaps: GapPolicy::InsertZeros, format: None };
        BucketCorrelation { input, expectations, fractions, doc_count }
    }

    /// Over documents, one by one.
    fn pearson(pairs: &[(f64, f64)]) -> f64 {
        let count = pairs.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
        let covariance = mean(&|pair| (pair.0 - x) * (pair.1 - y));
        covariance / (mean(&|pair| (pair.0 - x).powi(2)) * mean(&|pair| (pair.1 - y).powi(2))).sqrt()
    }

    proptest! {
        /// Buckets of so many documents, of which some were counted.
        #[test]
        fn agrees_with_the_definition_over_documents(
            buckets in prop::collection::vec((1u32..20, 0.0f64..1.0, -50.0f64..50.0), 2..8),
        ) {
            let all: u32 = buckets.iter().map(|(size, ..)| size).sum();
            let counts: Vec<f64> = buckets.iter().map(|(size, share, _)| (f64::from(*size) * share).floor()).collect();
            let fractions = buckets.iter().map(|(size, ..)| f64::from(*size) / f64::from(all)).collect();
            let expectations: Vec<f64> = buckets.iter().map(|(.., expected)| *expected).collect();
            let mut documents = Vec::new();
            for ((size, _, expected), count) in buckets.iter().zip(&counts) {
                documents.extend((0..*size).map(|nth| (*expected, f64::from(u8::from(f64::from(nth) < *count)))));
            }
            let found = of_counts(&plan(expectations, Some(fractions), all.into()), &counts).unwrap();
            let expected = pearson(&documents);
            prop_assert!(found.is_nan() && expected.is_nan() || (found - expected).abs() < 1e-6, "{} {}", found, expected);
        }
    }

    #[test]
    fn buckets_that_do_not_fit_are_refused() {
        let of = plan(vec![1.0, 2.0], None, 10);
        let reason = |counts: &[f64]| of_counts(&of, counts).unwrap_err().reason;
        assert!(reason(&[1.0]).contains("indicator.expectations [2] and number of buckets [1]"));
        assert!(reason(&[6.0, 5.0]).contains("indicator count [10] correlating value total count [11.0]"));
        assert!(of_counts(&of, &[0.0, 0.0]).unwrap().is_nan());
        assert!(of_counts(&plan(vec![3.0, 3.0], None, 10), &[1.0, 2.0]).unwrap().is_nan());
    }
}
