//! Buckets by number: one for each key that documents have in a bucket of the parent, with what lies below.

use super::bucket_table::{BucketTable, ChildBatch};
use crate::budget::Budget;
use crate::collect::terms::per_owner;
use crate::collect::values::slices::KeyBatch;
use crate::collect::{Batch, Children, Context, Owners};
use crate::partial::{Bucket, TermBucket, TermKey};
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use std::rc::Rc;

pub struct KeyedBuckets<'a> {
    table: BucketTable,
    budget: Rc<Budget>,
    sent: ChildBatch,
    /// Of the keys of a batch.
    buckets: Vec<u32>,
    children: Children<'a>,
}

impl<'a> KeyedBuckets<'a> {
    pub fn new(context: &Context<'a>, children: Children<'a>) -> Self {
        KeyedBuckets {
            table: BucketTable::new(),
            budget: Rc::clone(&context.budget),
            sent: ChildBatch::default(),
            buckets: Vec::new(),
            children,
        }
    }

    /// What else the collector takes is taken from here.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn bucket_count(&self) -> usize {
        self.table.keys().len()
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.children.start_segment(segment)
    }

    /// Says that most keys will lie in `low..=high`. Only the first call that fits has an effect.
    pub fn expect_keys(&mut self, low: i64, high: i64) {
        self.table.expect_keys(low, high);
    }

    /// Before the documents of a batch.
    pub fn begin(&mut self) {
        self.sent.clear();
    }

    /// The document at `place` of the batch falls in the bucket of `key`; places ascend.
    #[inline]
    pub fn add(&mut self, batch: &Batch<'_>, place: usize, key: i64) -> Result<()> {
        let bucket = self.count(batch.owners.of(place), key, 1)?;
        if !self.children.is_empty() {
            self.sent.push(batch, place, bucket);
        }
        Ok(())
    }

    /// Counts without handing anything on: the bucket's number.
    #[inline]
    pub fn count(&mut self, owner: u32, key: i64, documents: u64) -> Result<u32> {
        let bucket = self.table.bucket(owner, key, &self.budget)?;
        self.table.count(bucket, documents);
        Ok(bucket)
    }

    /// The documents `start..end` of the batch, which have one owner, fall in the bucket of `key`; runs follow one another.
    #[inline]
    pub fn add_run(&mut self, owner: u32, key: i64, (start, end): (usize, usize)) -> Result<()> {
        let bucket = self.count(owner, key, (end - start) as u64)?;
        if !self.children.is_empty() {
            self.sent.push_run(end, bucket);
        }
        Ok(())
    }

    /// All documents of the batch, which have one owner, fall in the bucket of `key`: nothing else is to be sent.
    pub fn add_all(&mut self, owner: u32, key: i64, batch: &Batch<'_>) -> Result<()> {
        let bucket = self.count(owner, key, batch.docs.len() as u64)?;
        self.children.collect(Batch { owners: Owners::Same(bucket), ..*batch })
    }

    /// The documents of the batch fall in the buckets of these keys: nothing else is to be sent.
    pub fn take(&mut self, batch: &Batch<'_>, keys: &KeyBatch) -> Result<()> {
        self.table.buckets(batch.owners, keys, &self.budget, &mut self.buckets)?;
        self.table.count_each(&self.buckets);
        if self.children.is_empty() {
            return Ok(());
        }
        self.sent.fill(batch, keys.places(), &self.buckets);
        self.send(batch)
    }

    /// Most buckets are found by position.
    pub fn has_dense_keys(&self) -> bool {
        self.table.has_dense_keys()
    }

    /// Hands on what [`Self::add`] was given since [`Self::begin`].
    pub fn send(&mut self, batch: &Batch<'_>) -> Result<()> {
        self.sent.send(batch.window, batch.scores.is_some(), &mut self.children)
    }

    /// Hands on the batch, all of whose documents are in the runs since [`Self::begin`].
    pub fn send_runs(&mut self, batch: &Batch<'_>) -> Result<()> {
        if self.children.is_empty() {
            return Ok(());
        }
        self.sent.send_runs(batch, &mut self.children)
    }

    /// The buckets of each bucket of the parent, in the order of their keys.
    pub fn finish(&mut self, owner_count: usize) -> Result<Vec<Vec<(i64, Bucket)>>> {
        let buckets = self.children.finish_buckets(self.table.counts())?;
        let mut lists = vec![Vec::new(); owner_count];
        for (&(owner, key), bucket) in self.table.keys().iter().zip(buckets) {
            lists[owner as usize].push((key, bucket));
        }
        for list in &mut lists {
            list.sort_unstable_by_key(|(key, _)| *key);
        }
        Ok(lists)
    }

    /// The buckets of each bucket of the parent as they were met, with what their keys stand for.
    pub fn finish_terms(&mut self, owner_count: usize, key: impl Fn(i64) -> TermKey) -> Result<Vec<Vec<TermBucket>>> {
        let buckets = self.children.finish_buckets(self.table.counts())?;
        Ok(per_owner(owner_count, &self.table, buckets, key))
    }
}
