//! Hashes of the terms of a segment's field, for `cardinality`: made where most terms were met, and kept for later searches.

use crate::budget::Budget;
use crate::kept_terms;
use crate::metrics::hll::hash_bytes;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_postings::reader::FieldPostingsReader;
use quarry_query::segment_cache::SegmentCache;
use quarry_segment::reader::SegmentReader;
use std::sync::Arc;

/// What all hashes that are kept may take.
const BYTES_MAX: usize = 64 << 20;

/// Which field of which segment.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Known {
    pub segment: [u8; 16],
    pub field: Box<str>,
}

impl Known {
    pub fn of(segment: &SegmentReader, field: &str) -> Self {
        Known { segment: segment.id().uuid, field: field.into() }
    }
}

pub static TERM_HASHES: SegmentCache<Known, Arc<[u64]>> = SegmentCache::new(BYTES_MAX);

/// Terms that are hashed between two looks at the cancellation.
const TERMS_BETWEEN_LOOKS: usize = 4_096;

/// By ordinal. Errors: damage; `TaskCancelled`; `CircuitBreaking` where there is no memory for them.
pub fn of(segment: &SegmentReader, field: &str, postings: &FieldPostingsReader, budget: &Budget) -> Result<Arc<[u64]>> {
    let known = Known::of(segment, field);
    if let Some(hashes) = TERM_HASHES.find(&known, |_| true) {
        return Ok(hashes);
    }
    budget.take_bytes(postings.term_count() as usize * size_of::<u64>())?;
    let mut hashes = Vec::with_capacity(postings.term_count() as usize);
    let mut terms = postings.terms_from(b"")?;
    while let Some((term, _)) = terms.next()? {
        hashes.push(hash_bytes(term));
        if hashes.len().is_multiple_of(TERMS_BETWEEN_LOOKS) {
            interrupt::check()?;
        }
    }
    let hashes: Arc<[u64]> = hashes.into();
    kept_terms::count();
    TERM_HASHES.keep([segment], known, Arc::clone(&hashes), size_of_val(&*hashes));
    Ok(hashes)
}
