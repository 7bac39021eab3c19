//! Buckets that are made as their keys appear, for every bucket of the parent.

use super::{Batch, Budget, Children};
use crate::error::Result;
use hashbrown::HashMap;
use rapidhash::quality::RandomState;

/// Widest range of keys for which the root's buckets are found by position instead of by hash.
const DENSE_KEYS_MAX: i64 = 1 << 16;
const NONE: u32 = u32::MAX;

/// Bucket numbers and document counts by (parent bucket, key).
pub struct BucketTable {
    by_key: HashMap<(u32, i64), u32, RandomState>,
    /// Buckets of parent bucket 0 with keys from `dense_base` on.
    dense: Vec<u32>,
    dense_base: i64,
    keys: Vec<(u32, i64)>,
    counts: Vec<u64>,
    /// The bucket that was asked for last: documents come in about the order of their dates.
    last: u32,
}

impl BucketTable {
    pub fn new() -> Self {
        BucketTable {
            by_key: HashMap::default(),
            dense: Vec::new(),
            dense_base: 0,
            keys: Vec::new(),
            counts: Vec::new(),
            last: NONE,
        }
    }

    /// Says that most keys will lie in `low..=high`. Only the first call that fits has an effect.
    pub fn expect_keys(&mut self, low: i64, high: i64) {
        let width = high.checked_sub(low).and_then(|width| width.checked_add(1));
        if let Some(width) = width.filter(|width| (1..=DENSE_KEYS_MAX).contains(width))
            && self.dense.is_empty()
            && self.keys.is_empty()
        {
            self.dense_base = low;
            self.dense = vec![NONE; width as usize];
        }
    }

    /// The bucket's number, made when it is new.
    #[inline]
    pub fn bucket(&mut self, owner: u32, key: i64, budget: &Budget) -> Result<u32> {
        if self.keys.get(self.last as usize) == Some(&(owner, key)) {
            return Ok(self.last);
        }
        self.last = self.find_or_add(owner, key, budget)?;
        Ok(self.last)
    }

    fn find_or_add(&mut self, owner: u32, key: i64, budget: &Budget) -> Result<u32> {
        if owner == 0
            && let Some(&bucket) = self.dense.get(key.wrapping_sub(self.dense_base) as usize)
        {
            if bucket != NONE {
                return Ok(bucket);
            }
            let bucket = self.add(owner, key, budget)?;
            self.dense[(key - self.dense_base) as usize] = bucket;
            return Ok(bucket);
        }
        if let Some(&bucket) = self.by_key.get(&(owner, key)) {
            return Ok(bucket);
        }
        let bucket = self.add(owner, key, budget)?;
        self.by_key.insert((owner, key), bucket);
        Ok(bucket)
    }

    /// The bucket's number, if it was made.
    pub fn find(&self, owner: u32, key: i64) -> Option<u32> {
        if owner == 0
            && let Some(&bucket) = self.dense.get(key.wrapping_sub(self.dense_base) as usize)
        {
            return Some(bucket).filter(|&bucket| bucket != NONE);
        }
        self.by_key.get(&(owner, key)).copied()
    }

    fn add(&mut self, owner: u32, key: i64, budget: &Budget) -> Result<u32> {
        budget.take()?;
        self.keys.push((owner, key));
        self.counts.push(0);
        Ok(self.keys.len() as u32 - 1)
    }

    #[inline]
    pub fn count(&mut self, bucket: u32, documents: u64) {
        self.counts[bucket as usize] += documents;
    }

    /// Owner and key of each bucket, by bucket number.
    pub fn keys(&self) -> &[(u32, i64)] {
        &self.keys
    }

    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
}

/// The documents of one window on their way to the children, each with its bucket.
#[derive(Default)]
pub struct ChildBatch {
    docs: Vec<u16>,
    owners: Vec<u32>,
    scores: Vec<f32>,
}

impl ChildBatch {
    pub fn clear(&mut self) {
        self.docs.clear();
        self.owners.clear();
        self.scores.clear();
    }

    /// As [`Self::clear`], with room for so many documents.
    pub fn clear_for(&mut self, documents: usize) {
        self.clear();
        self.docs.reserve(documents);
        self.owners.reserve(documents);
    }

    /// Documents before the place `end` that have no bucket yet fall in this one.
    pub fn push_run(&mut self, end: usize, bucket: u32) {
        self.owners.resize(end, bucket);
    }

    /// The documents of `from` with the buckets of their runs.
    pub fn send_runs<'a>(&self, from: &Batch<'_>, children: &mut Children<'a>) -> Result<()> {
        children.collect(Batch { owners: super::Owners::Each(&self.owners), ..*from })
    }

    /// The document at `place` of `from`, in `bucket`.
    #[inline(always)]
    pub fn push(&mut self, from: &Batch<'_>, place: usize, bucket: u32) {
        self.docs.push(from.docs[place]);
        self.owners.push(bucket);
        if let Some(scores) = from.scores {
            self.scores.push(scores[place]);
        }
    }

    pub fn send<'a>(&self, window: u32, scored: bool, children: &mut Children<'a>) -> Result<()> {
        self.batch(window, scored).map_or(Ok(()), |batch| children.collect(batch))
    }

    /// What there is to send.
    pub fn batch(&self, window: u32, scored: bool) -> Option<Batch<'_>> {
        let scores = scored.then_some(&self.scores[..]);
        let batch = Batch { window, docs: &self.docs, owners: super::Owners::Each(&self.owners), scores };
        (!self.docs.is_empty()).then_some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_hashed_keys_are_the_same_table() {
        let budget = Budget::new(10, u64::MAX);
        let mut table = BucketTable::new();
        table.expect_keys(-2, 2);
        let mut seen = Vec::new();
        for (owner, key) in [(0, -2), (0, 7), (1, -2), (0, -2), (0, i64::MIN), (1, -2), (0, 2), (0, 7)] {
            seen.push(table.bucket(owner, key, &budget).unwrap());
        }
        assert_eq!(seen, [0, 1, 2, 0, 3, 2, 4, 1]);
        assert_eq!(table.keys(), [(0, -2), (0, 7), (1, -2), (0, i64::MIN), (0, 2)]);
        let found = [(0, -2), (0, -1), (0, 7), (1, -2), (1, 7)].map(|(owner, key)| table.find(owner, key));
        assert_eq!(found, [Some(0), None, Some(1), Some(2), None]);
    }

    #[test]
    fn the_budget_ends() {
        let budget = Budget::new(1, u64::MAX);
        let mut table = BucketTable::new();
        let error = (0..1_000).find_map(|key| table.bucket(0, key, &budget).err()).unwrap();
        assert!(error.reason.starts_with("Trying to create too many buckets"));
    }
}
