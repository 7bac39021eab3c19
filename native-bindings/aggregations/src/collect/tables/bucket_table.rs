//! Buckets that are made as their keys appear, for every bucket of the parent.

use super::recent_buckets::NO_BUCKET;
use crate::budget::Budget;
use crate::collect::values::slices::KeyBatch;
use crate::collect::{Batch, Children, Owners};
use hashbrown::HashMap;
use quarry_base::error::Result;
use rapidhash::quality::RandomState;

/// Widest range of keys for which buckets are found by position instead of by hash.
pub const DENSE_KEYS_MAX: i64 = 1 << 16;
/// Positions of all parents' buckets together: a megabyte.
const DENSE_CELLS_MAX: usize = 1 << 18;
const NONE: u32 = u32::MAX;
/// Up to so many buckets are counted in lanes: documents behind one another mostly fall in the same few.
const LANED_BUCKETS: usize = 256;
const LANES: usize = 4;

/// Bucket numbers and document counts by (parent bucket, key).
pub struct BucketTable {
    by_key: HashMap<(u32, i64), u32, RandomState>,
    /// A row of buckets, by key from `base` on, for each of the first buckets of the parent.
    dense: Vec<u32>,
    base: i64,
    /// Cells of a row; 0 where keys are looked up by hash alone.
    width: usize,
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
            base: 0,
            width: 0,
            keys: Vec::new(),
            counts: Vec::new(),
            last: NONE,
        }
    }

    /// Says that most keys will lie in `low..=high`. Only the first call that fits has an effect.
    pub fn expect_keys(&mut self, low: i64, high: i64) {
        let width = high.checked_sub(low).and_then(|width| width.checked_add(1));
        if let Some(width) = width.filter(|width| (1..=DENSE_KEYS_MAX).contains(width))
            && self.width == 0
            && self.keys.is_empty()
        {
            self.base = low;
            self.width = width as usize;
        }
    }

    /// Most buckets are found by position.
    pub fn has_dense_keys(&self) -> bool {
        self.width > 0
    }

    /// Replaces `buckets` by the bucket of each key, made where it is new.
    pub fn buckets(
        &mut self,
        owners: Owners<'_>,
        keys: &KeyBatch,
        budget: &Budget,
        buckets: &mut Vec<u32>,
    ) -> Result<()> {
        let owner_at = |at: usize| owners.of(keys.places().map_or(at, |places| places[at] as usize));
        buckets.clear();
        match owners.one() {
            Some(owner) => {
                let start = (owner as usize).saturating_mul(self.width);
                let row = self.dense.get(start..start.saturating_add(self.width)).unwrap_or_default();
                let place = |key: i64| key.wrapping_sub(self.base) as u64 as usize;
                buckets.extend(keys.keys().iter().map(|&key| row.get(place(key)).copied().unwrap_or(NONE)));
            }
            None => {
                let known = |(at, &key): (usize, &i64)| {
                    self.cell(owner_at(at), key).and_then(|cell| self.dense.get(cell)).copied().unwrap_or(NONE)
                };
                buckets.extend(keys.keys().iter().enumerate().map(known));
            }
        }
        if buckets.contains(&NONE) {
            for (at, (bucket, &key)) in buckets.iter_mut().zip(keys.keys()).enumerate() {
                if *bucket == NONE {
                    *bucket = self.bucket(owner_at(at), key, budget)?;
                }
            }
        }
        Ok(())
    }

    /// Where the bucket is found by position.
    #[inline]
    fn cell(&self, owner: u32, key: i64) -> Option<usize> {
        let place = key.wrapping_sub(self.base) as u64;
        let width = self.width as u64;
        // Two numbers of 32 bits at most.
        let row = u64::from(owner) * width;
        (place < width && row < DENSE_CELLS_MAX as u64).then(|| (row + place) as usize)
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
        if let Some(cell) = self.cell(owner, key) {
            self.hold_rows(owner, budget)?;
            if self.dense[cell] == NONE {
                self.dense[cell] = self.add(owner, key, budget)?;
            }
            return Ok(self.dense[cell]);
        }
        if let Some(&bucket) = self.by_key.get(&(owner, key)) {
            return Ok(bucket);
        }
        let bucket = self.add(owner, key, budget)?;
        self.by_key.insert((owner, key), bucket);
        Ok(bucket)
    }

    /// Makes room for the rows up to that of `owner`.
    fn hold_rows(&mut self, owner: u32, budget: &Budget) -> Result<()> {
        let wanted = (owner as usize + 1) * self.width;
        if wanted > self.dense.len() {
            budget.take_bytes((wanted - self.dense.len()) * size_of::<u32>())?;
            self.dense.resize(wanted, NONE);
        }
        Ok(())
    }

    /// The bucket's number, if it was made.
    pub fn find(&self, owner: u32, key: i64) -> Option<u32> {
        if let Some(cell) = self.cell(owner, key) {
            return self.dense.get(cell).copied().filter(|&bucket| bucket != NONE);
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

    /// A document more for each of these buckets.
    pub fn count_each(&mut self, buckets: &[u32]) {
        count_each(&mut self.counts, buckets);
    }

    /// Owner and key of each bucket, by bucket number.
    pub fn keys(&self) -> &[(u32, i64)] {
        &self.keys
    }

    pub fn counts(&self) -> &[u64] {
        &self.counts
    }
}

/// Adds one for each time that a bucket is named; all must have a count.
pub fn count_each(counts: &mut [u64], buckets: &[u32]) {
    if counts.len() > LANED_BUCKETS || buckets.len() < LANED_BUCKETS {
        buckets.iter().for_each(|&bucket| counts[bucket as usize] += 1);
        return;
    }
    let mut lanes = [[0u32; LANED_BUCKETS]; LANES];
    let (rounds, rest) = buckets.as_chunks::<LANES>();
    for round in rounds {
        for (lane, &bucket) in lanes.iter_mut().zip(round) {
            lane[bucket as usize % LANED_BUCKETS] += 1;
        }
    }
    rest.iter().for_each(|&bucket| counts[bucket as usize] += 1);
    for (bucket, count) in counts.iter_mut().enumerate() {
        *count += lanes.iter().map(|lane| u64::from(lane[bucket])).sum::<u64>();
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
        children.collect(Batch { owners: Owners::Each(&self.owners), ..*from })
    }

    /// Replaces the documents by those at the `places` of `from` (`None`: all, one after another) that have a bucket.
    pub fn fill(&mut self, from: &Batch<'_>, places: Option<&[u32]>, buckets: &[u32]) {
        self.clear_for(buckets.len());
        let all_have = !buckets.contains(&NO_BUCKET);
        match places {
            None if all_have => {
                self.docs.extend_from_slice(from.docs);
                self.owners.extend_from_slice(buckets);
                self.scores.extend_from_slice(from.scores.unwrap_or_default());
            }
            None => self.fill_some(from, (0..).zip(buckets)),
            Some(places) if all_have => {
                let at = || places.iter().map(|&place| place as usize);
                self.docs.extend(at().map(|place| from.docs[place]));
                self.owners.extend_from_slice(buckets);
                self.scores.extend(from.scores.iter().flat_map(|scores| at().map(|place| scores[place])));
            }
            Some(places) => self.fill_some(from, places.iter().map(|&place| place as usize).zip(buckets)),
        }
    }

    /// Writes every document and steps on behind those that have a bucket.
    fn fill_some<'b>(&mut self, from: &Batch<'_>, buckets: impl Iterator<Item = (usize, &'b u32)> + Clone) {
        let count = buckets.clone().count();
        self.docs.resize(count, 0);
        self.owners.resize(count, 0);
        let mut kept = 0;
        for (place, &bucket) in buckets.clone() {
            self.docs[kept] = from.docs[place];
            self.owners[kept] = bucket;
            kept += usize::from(bucket != NO_BUCKET);
        }
        self.docs.truncate(kept);
        self.owners.truncate(kept);
        if let Some(scores) = from.scores {
            self.scores.extend(buckets.filter(|(_, bucket)| **bucket != NO_BUCKET).map(|(place, _)| scores[place]));
        }
    }

    /// The buckets of the documents.
    pub fn owners(&self) -> &[u32] {
        &self.owners
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
        let batch = Batch { window, docs: &self.docs, owners: Owners::Each(&self.owners), scores };
        (!self.docs.is_empty()).then_some(batch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::values::slices::Slices;
    use quarry_testing::Dice;

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
    fn buckets_of_many_keys_are_those_of_each() {
        for seed in 0..20 {
            let mut dice = Dice::new(seed);
            let budget = Budget::new(10_000, u64::MAX);
            let (mut at_once, mut each) = (BucketTable::new(), BucketTable::new());
            for table in [&mut at_once, &mut each] {
                table.expect_keys(0, [9, 9, 1 << 40][seed as usize % 3]);
            }
            for _ in 0..5 {
                let count = 1 + dice.below(600) as usize;
                let owners: Vec<u32> = (0..count).map(|_| dice.below(40_000) as u32 / 1_000).collect();
                let owners = match dice.below(3) {
                    0 => Owners::Root,
                    1 => Owners::Same(3),
                    _ => Owners::Each(&owners),
                };
                let values: Vec<i64> = (0..count).map(|_| dice.below(12) as i64 - 1).collect();
                let mut keys = KeyBatch::default();
                keys.load(Slices { places: None, values: &values, has_several: false }, |values, keys| {
                    keys.extend_from_slice(values);
                });
                let mut buckets = Vec::new();
                at_once.buckets(owners, &keys, &budget, &mut buckets).unwrap();
                at_once.count_each(&buckets);
                for (place, &key) in values.iter().enumerate() {
                    let bucket = each.bucket(owners.of(place), key, &budget).unwrap();
                    each.count(bucket, 1);
                    assert_eq!(at_once.keys()[buckets[place] as usize], (owners.of(place), key), "seed {seed}");
                }
            }
            let sorted = |table: &BucketTable| {
                let mut all: Vec<_> = table.keys().iter().copied().zip(table.counts().iter().copied()).collect();
                all.sort_unstable();
                all
            };
            assert_eq!(sorted(&at_once), sorted(&each), "seed {seed}");
        }
    }

    #[test]
    fn documents_without_a_bucket_are_left_out() {
        let (docs, scores) = ([3, 5, 8], [0.5, 1.5, 2.5]);
        let from = Batch { window: 0, docs: &docs, owners: Owners::Root, scores: Some(&scores) };
        let mut sent = ChildBatch::default();
        let mut fill = |places: Option<&[u32]>, buckets: &[u32]| {
            sent.fill(&from, places, buckets);
            (sent.docs.clone(), sent.owners.clone(), sent.scores.clone())
        };
        assert_eq!(fill(None, &[1, 2, 1]), (docs.to_vec(), vec![1, 2, 1], scores.to_vec()));
        assert_eq!(fill(None, &[1, NO_BUCKET, 1]), (vec![3, 8], vec![1, 1], vec![0.5, 2.5]));
        assert_eq!(fill(Some(&[0, 2, 2]), &[1, 7, 8]), (vec![3, 8, 8], vec![1, 7, 8], vec![0.5, 2.5, 2.5]));
        assert_eq!(fill(Some(&[0, 2]), &[NO_BUCKET, 7]), (vec![8], vec![7], vec![2.5]));
    }

    #[test]
    fn the_budget_ends() {
        let budget = Budget::new(1, u64::MAX);
        let mut table = BucketTable::new();
        let error = (0..1_000).find_map(|key| table.bucket(0, key, &budget).err()).unwrap();
        assert!(error.reason.starts_with("Trying to create too many buckets"));
    }
}
