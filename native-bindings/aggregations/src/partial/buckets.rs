//! The buckets of a result, whatever kind it is.

use super::{Bucket, Partial};

impl Partial {
    pub fn is_multi_bucket(&self) -> bool {
        matches!(
            self,
            Partial::Terms(_)
                | Partial::Histogram(_)
                | Partial::AutoHistogram(_)
                | Partial::Buckets(_)
                | Partial::Composite(_)
                | Partial::RareTerms(_)
                | Partial::Significant(_)
                | Partial::VariableWidth(_)
        )
    }

    /// All buckets in their order; none for metrics.
    pub fn buckets(&self) -> Vec<&Bucket> {
        match self {
            Partial::Terms(terms) => terms.buckets.iter().map(|term| &term.bucket).collect(),
            Partial::Histogram(histogram) => histogram.buckets.iter().map(|(_, bucket)| bucket).collect(),
            Partial::AutoHistogram(histogram) => histogram.buckets.iter().map(|(_, bucket)| bucket).collect(),
            Partial::Buckets(buckets) => buckets.buckets.iter().collect(),
            Partial::Composite(composite) => composite.buckets.iter().map(|(_, bucket)| bucket).collect(),
            Partial::RareTerms(rare) => rare.terms.buckets.iter().map(|term| &term.bucket).collect(),
            Partial::Significant(terms) => terms.buckets.iter().map(|term| &term.bucket).collect(),
            Partial::VariableWidth(histogram) => histogram.buckets.iter().map(|cluster| &cluster.bucket).collect(),
            Partial::Single(bucket) => vec![bucket],
            _ => Vec::new(),
        }
    }

    /// As [`Partial::buckets`].
    pub fn buckets_mut(&mut self) -> Vec<&mut Bucket> {
        match self {
            Partial::Terms(terms) => terms.buckets.iter_mut().map(|term| &mut term.bucket).collect(),
            Partial::Histogram(histogram) => histogram.buckets.iter_mut().map(|(_, bucket)| bucket).collect(),
            Partial::AutoHistogram(histogram) => histogram.buckets.iter_mut().map(|(_, bucket)| bucket).collect(),
            Partial::Buckets(buckets) => buckets.buckets.iter_mut().collect(),
            Partial::Composite(composite) => composite.buckets.iter_mut().map(|(_, bucket)| bucket).collect(),
            Partial::RareTerms(rare) => rare.terms.buckets.iter_mut().map(|term| &mut term.bucket).collect(),
            Partial::Significant(terms) => terms.buckets.iter_mut().map(|term| &mut term.bucket).collect(),
            Partial::VariableWidth(histogram) => {
                histogram.buckets.iter_mut().map(|cluster| &mut cluster.bucket).collect()
            }
            Partial::Single(bucket) => vec![bucket],
            _ => Vec::new(),
        }
    }

    /// Keeps the buckets at these places, in this order. `false`: the request lists the buckets, which are left as they are.
    #[must_use]
    pub fn pick(&mut self, places: &[usize]) -> bool {
        match self {
            Partial::Terms(terms) => pick(&mut terms.buckets, places),
            Partial::Histogram(histogram) => pick(&mut histogram.buckets, places),
            Partial::AutoHistogram(histogram) => pick(&mut histogram.buckets, places),
            Partial::Composite(composite) => pick(&mut composite.buckets, places),
            Partial::RareTerms(rare) => pick(&mut rare.terms.buckets, places),
            Partial::Significant(terms) => pick(&mut terms.buckets, places),
            Partial::VariableWidth(histogram) => pick(&mut histogram.buckets, places),
            _ => return false,
        }
        true
    }
}

fn pick<T>(list: &mut Vec<T>, places: &[usize]) {
    let mut from: Vec<Option<T>> = std::mem::take(list).into_iter().map(Some).collect();
    *list = places.iter().filter_map(|&place| from.get_mut(place).and_then(Option::take)).collect();
}
