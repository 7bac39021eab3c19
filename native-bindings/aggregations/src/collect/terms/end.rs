//! What becomes of the terms of each bucket of the parent when all are counted: the best of them, or the rare ones.

use super::told::Family;
use crate::buckets::best_terms::BestTerms;
use crate::buckets::order::Ordering;
use crate::collect::Batch;
use crate::partial::{Bucket, Partial, PartialRareTerms, PartialTerms, TermBucket, TermKey, key_hash};
use crate::plan::{Aggregation, TermsCut};
use crate::source::FieldSource;
use quarry_base::error::Result;

/// The key of the term with a number.
pub type KeyOf<'f> = &'f dyn Fn(u32) -> Result<TermKey>;

pub trait TermsEnd {
    /// Terms that no document has are wanted as well.
    fn wants_empty(&self) -> bool {
        false
    }

    /// Whether numbers in the order of terms may stand for terms until they are cut.
    fn takes_numbers(&self) -> bool {
        false
    }

    /// For `profile`.
    fn family(&self) -> Family;

    /// Documents as they come in.
    fn observe(&mut self, _batch: &Batch<'_>) {}

    /// Nothing is asked of documents but their terms.
    fn counts_alone(&self) -> bool {
        true
    }

    /// The result of terms without aggregations below, by counts of each number, which are in the order of terms: only those
    /// that are kept are looked up. `None` where that is not known before all are.
    fn end_counted(&mut self, _source: &FieldSource, _counts: &[u32], _key: KeyOf<'_>) -> Result<Option<Partial>> {
        Ok(None)
    }

    /// One result for each list of terms, which are those of one bucket of the parent.
    fn end(&mut self, source: &FieldSource, lists: Vec<Vec<TermBucket>>) -> Result<Vec<Partial>>;
}

/// Orders terms and keeps those that the reduction may need.
pub struct Cut<'a> {
    plan: TermsCut<'a>,
    ordering: Ordering<'a>,
}

impl<'a> Cut<'a> {
    pub fn new(plan: TermsCut<'a>, aggs: &'a [Aggregation]) -> Result<Self> {
        Ok(Cut { ordering: Ordering::new(plan.order, aggs)?, plan })
    }

    pub fn apply(&self, mut buckets: Vec<TermBucket>) -> PartialTerms {
        buckets.retain(|bucket| bucket.bucket.doc_count >= self.plan.shard_min_doc_count);
        self.ordering.sort(&mut buckets);
        let keep = (self.plan.shard_size as usize).min(buckets.len());
        let other = buckets[keep..].iter().map(|bucket| bucket.bucket.doc_count).sum();
        let error = match buckets[..keep].last() {
            Some(last) if keep < buckets.len() => self.ordering.largest_cut_off(last.bucket.doc_count),
            _ => Some(0),
        };
        buckets.truncate(keep);
        PartialTerms { format: None, tuple_formats: Vec::new(), buckets, other, error }
    }
}

impl TermsEnd for Cut<'_> {
    fn family(&self) -> Family {
        Family::Terms
    }

    fn wants_empty(&self) -> bool {
        self.plan.min_doc_count == 0
    }

    fn takes_numbers(&self) -> bool {
        true
    }

    fn end_counted(&mut self, source: &FieldSource, counts: &[u32], key: KeyOf<'_>) -> Result<Option<Partial>> {
        let (keep, least) = (self.plan.shard_size as usize, self.plan.shard_min_doc_count);
        let Some(best) = BestTerms::of(counts, &self.ordering, keep, least) else { return Ok(None) };
        let BestTerms { terms, other, is_cut } = best;
        let error = match terms.last() {
            Some(&(_, last)) if is_cut => self.ordering.largest_cut_off(last),
            _ => Some(0),
        };
        let buckets = terms.iter().map(|&(number, doc_count)| {
            let bucket = Bucket { doc_count, aggs: Vec::new() };
            Ok(TermBucket { key: key(number)?, bucket, error: 0 })
        });
        let (buckets, format) = (buckets.collect::<Result<_>>()?, known_format(source));
        Ok(Some(Partial::Terms(PartialTerms { format, tuple_formats: Vec::new(), buckets, other, error })))
    }

    fn end(&mut self, source: &FieldSource, lists: Vec<Vec<TermBucket>>) -> Result<Vec<Partial>> {
        let format = known_format(source);
        let partial = |list| Partial::Terms(PartialTerms { format: format.clone(), ..self.apply(list) });
        Ok(lists.into_iter().map(partial).collect())
    }
}

/// `None` where the shard cannot say how keys are printed.
pub fn known_format(source: &FieldSource) -> Option<quarry_mapping::format::Format> {
    (!source.unmapped || source.missing.is_some()).then(|| source.format.of_keys())
}

/// Keeps terms of few documents, and of the others only that they are not rare.
pub struct Rare {
    pub max_doc_count: u64,
}

impl TermsEnd for Rare {
    fn family(&self) -> Family {
        Family::Rare
    }

    fn end(&mut self, source: &FieldSource, lists: Vec<Vec<TermBucket>>) -> Result<Vec<Partial>> {
        let format = known_format(source);
        let partial = |list: Vec<TermBucket>| {
            let (buckets, frequent): (Vec<_>, Vec<_>) =
                list.into_iter().partition(|term| term.bucket.doc_count <= self.max_doc_count);
            let frequent = frequent.iter().map(|term| key_hash(&term.key)).collect();
            let terms =
                PartialTerms { format: format.clone(), tuple_formats: Vec::new(), buckets, other: 0, error: Some(0) };
            Partial::RareTerms(PartialRareTerms { terms, frequent })
        };
        Ok(lists.into_iter().map(partial).collect())
    }
}
