//! Which keys the queries of a segment are found by, told without its dictionary: a document has many keys, of which few are there.

use super::ALWAYS;
use super::percolated::key_in;
use quarry_base::allocation;
use quarry_base::error::Result;
use quarry_base::interrupt;
use quarry_postings::FieldPostingsReader;
use quarry_query::segment_cache::SegmentCache;
use quarry_query::view::SegmentView;
use std::sync::Arc;

/// What all filters that are kept may take.
const BYTES_MAX: usize = 32 << 20;
/// Bits for each key, at least: of keys that are not there one in so many is looked up in vain.
const BITS_OF_KEY: usize = 16;
const TERMS_BETWEEN_LOOKS: u32 = 4_096;

/// Segment and field.
type Known = ([u8; 16], Box<str>);

pub static KEY_FILTERS: SegmentCache<Known, Arc<KeyFilter>> = SegmentCache::new(BYTES_MAX);

/// A bit for each value of the first bits of keys, which are hashes.
#[derive(Debug)]
pub struct KeyFilter {
    words: Box<[u64]>,
    /// What is left of a key when it is shifted by this is the number of its bit.
    shift: u32,
}

impl KeyFilter {
    /// `None`: it would take more than all filters may, and each search would make it again.
    fn with_room_for(keys: usize) -> Option<Self> {
        let bits = keys.checked_mul(BITS_OF_KEY)?.checked_next_power_of_two()?.max(u64::BITS as usize);
        if !KEY_FILTERS.has_room_for(bits / u8::BITS as usize) {
            return None;
        }
        Some(KeyFilter { words: vec![0; bits / u64::BITS as usize].into(), shift: u64::BITS - bits.trailing_zeros() })
    }

    fn place(&self, key: u64) -> (usize, u64) {
        let bit = (key >> self.shift) as usize;
        (bit / u64::BITS as usize, 1 << (bit % u64::BITS as usize))
    }

    fn add(&mut self, key: u64) {
        let (word, bit) = self.place(key);
        self.words[word] |= bit;
    }

    /// `false`: no query is found by it.
    pub fn may_have(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.words[word] & bit != 0
    }
}

/// Of the percolator field of a segment. `None`: it has too many keys, which are looked up without one.
///
/// Errors: `TaskCancelled`.
pub fn key_filter(
    segment: &SegmentView,
    field: &str,
    postings: &FieldPostingsReader,
) -> Result<Option<Arc<KeyFilter>>> {
    let known = (segment.reader.id().uuid, field.into());
    if let Some(filter) = KEY_FILTERS.find(&known, |_| true) {
        return Ok(Some(filter));
    }
    // It has a limit of its own.
    let Some(filter) = allocation::apart(|| filter_of(postings)) else { return Ok(None) };
    let filter = filter?;
    KEY_FILTERS.keep([&*segment.reader], known, Arc::clone(&filter), size_of_val(&*filter.words));
    Ok(Some(filter))
}

fn filter_of(postings: &FieldPostingsReader) -> Option<Result<Arc<KeyFilter>>> {
    let filter = KeyFilter::with_room_for(postings.term_count() as usize)?;
    Some(filled(filter, postings).map(Arc::new))
}

fn filled(mut filter: KeyFilter, postings: &FieldPostingsReader) -> Result<KeyFilter> {
    let mut terms = postings.terms_from(b"")?;
    let mut seen = 0u32;
    while let Some((term, _)) = terms.next()? {
        seen += 1;
        if seen.is_multiple_of(TERMS_BETWEEN_LOOKS) {
            interrupt::check()?;
        }
        if term != ALWAYS
            && let Some(key) = key_in(term)
        {
            filter.add(key);
        }
    }
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nothing_that_is_there_is_missed_and_little_else_is_taken(
            keys in prop::collection::vec(any::<u64>(), 0..3_000),
            others in prop::collection::vec(any::<u64>(), 2_000),
        ) {
            let mut filter = KeyFilter::with_room_for(keys.len()).unwrap();
            keys.iter().for_each(|&key| filter.add(key));
            prop_assert!(keys.iter().all(|&key| filter.may_have(key)));
            let taken = others.iter().filter(|&&key| filter.may_have(key)).count();
            prop_assert!(taken <= 2 * others.len() / BITS_OF_KEY, "{taken}");
        }
    }

    #[test]
    fn a_filter_that_could_not_be_kept_is_not_made() {
        let most = BYTES_MAX / 2 * u8::BITS as usize / BITS_OF_KEY;
        assert!(KeyFilter::with_room_for(most).is_some());
        assert!(KeyFilter::with_room_for(most + 1).is_none());
        assert!(KeyFilter::with_room_for(usize::MAX).is_none());
    }
}
