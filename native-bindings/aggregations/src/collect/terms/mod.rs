//! Buckets of terms, and here `terms` itself: one bucket for each distinct value. Terms are met as ordinals and looked up once a
//! segment; numbers are keys themselves.

mod duplicate_text;
pub mod end;
mod numbers;
pub mod significant;
pub mod significant_text;
mod told;

use super::tables::bucket_table::{BucketTable, ChildBatch, DENSE_KEYS_MAX};
use super::tables::deferred::TermChildren;
use super::tables::recent_buckets::{NO_BUCKET, RecentBuckets};
use super::values::OrdinalValues;
use super::values::slices::KeyBatch;
use super::values::term_ids::TermIds;
use super::{Batch, Collector, Context, Owners, Report, build};
use crate::budget::Budget;
use crate::kept_terms::term_counts;
use crate::partial::{Bucket, Partial, TermBucket, TermKey};
use crate::plan::{Aggregation, Selection, Source};
use crate::selection::Selector;
use crate::source::{Accepts, FieldSource, MissingValue};
use end::TermsEnd;
use numbers::NumberTerms;
use quarry_base::error::{Error, Result};
use quarry_query::ordinals::of_shard::ShardOrdinals;
use quarry_query::view::SegmentView;
use quarry_segment::reader::{FieldReader, SegmentReader};
use std::rc::Rc;
use std::sync::Arc;
use told::Told;

/// Where terms come from and which of them count.
pub struct TermsInput<'p> {
    /// Of the aggregation.
    pub name: &'p str,
    pub source: &'p Source,
    pub include: Option<&'p Selection>,
    pub exclude: Option<&'p Selection>,
    /// As [`crate::plan::Terms`] has them.
    pub by_map: bool,
    pub breadth_first: bool,
}

impl<'p> TermsInput<'p> {
    pub fn new(
        name: &'p str,
        source: &'p Source,
        (include, exclude): (Option<&'p Selection>, Option<&'p Selection>),
    ) -> Self {
        TermsInput { name, source, include, exclude, by_map: false, breadth_first: false }
    }
}

pub fn build_terms<'a>(
    context: &Context<'a>,
    input: TermsInput<'_>,
    end: Box<dyn TermsEnd + 'a>,
    kind: &str,
    aggs: &'a [Aggregation],
) -> Result<Box<dyn Collector<'a> + 'a>> {
    let now_ms = context.env.now_ms;
    let source = FieldSource::resolve(context.view, input.source, kind, Accepts::Keys, now_ms)?;
    let selector = Selector::new(input.include, input.exclude, &source, input.name, now_ms)?;
    let budget = Rc::clone(&context.budget);
    let children = TermChildren::new(build(context, aggs)?, input.breadth_first, &budget);
    let told = Told::new(&input, aggs);
    if !source.has_terms() {
        return Ok(Box::new(NumberTerms::new(source, selector, end, budget, children, told)));
    }
    let readers: Vec<_> = context.view.segments.iter().map(|segment| source.reader(segment)).collect();
    let is_plain = source.missing.is_none() && !end.wants_empty();
    let shard = if is_plain { ShardOrdinals::of(context.view, context.env, &source.name)? } else { None };
    Ok(Box::new(OrdinalTerms {
        source,
        selector,
        end,
        budget,
        readers,
        segment: 0,
        ordinals: OrdinalValues::new(),
        ids: shard.map_or_else(|| Ids::Met(TermIds::default()), Ids::Shard),
        segment_ids: Vec::new(),
        segment_counts: Vec::new(),
        shard_counts: Vec::new(),
        whole_counts: None,
        known: None,
        keys: KeyBatch::default(),
        table: BucketTable::new(),
        buckets: Vec::new(),
        batch: ChildBatch::default(),
        pairs: Vec::new(),
        recent: RecentBuckets::default(),
        children,
        told,
    }))
}

/// Buckets of each parent bucket, from the table's order.
pub(super) fn per_owner(
    owner_count: usize,
    table: &BucketTable,
    buckets: Vec<Bucket>,
    key: impl Fn(i64) -> TermKey,
) -> Vec<Vec<TermBucket>> {
    let mut lists: Vec<Vec<TermBucket>> = (0..owner_count).map(|_| Vec::new()).collect();
    for (&(owner, number), bucket) in table.keys().iter().zip(buckets) {
        lists[owner as usize].push(TermBucket { key: key(number), bucket, error: 0 });
    }
    lists
}

/// Adds an empty bucket for every known key that a list lacks: `min_doc_count` 0 shows terms that no document matched.
pub(super) fn add_empty<'k>(
    list: &mut Vec<TermBucket>,
    keys: impl Iterator<Item = TermKey> + 'k,
    children: &[Partial],
) {
    let met: hashbrown::HashSet<TermKey> = list.iter().map(|bucket| bucket.key.clone()).collect();
    for key in keys.filter(|key| !met.contains(key)) {
        list.push(TermBucket { key, bucket: Bucket { doc_count: 0, aggs: children.to_vec() }, error: 0 });
    }
}

/// Not yet looked up in this segment.
const UNKNOWN: u32 = u32::MAX;
/// Left out by `include` or `exclude`.
const LEFT_OUT: u32 = u32::MAX - 1;

/// What terms are told apart by.
enum Ids {
    /// Numbers in the order of terms, known beforehand.
    Shard(ShardOrdinals),
    /// Numbers in the order in which they are met.
    Met(TermIds),
}

struct OrdinalTerms<'a> {
    source: FieldSource,
    selector: Selector,
    end: Box<dyn TermsEnd + 'a>,
    budget: Rc<Budget>,
    /// Of all segments.
    readers: Vec<Option<&'a FieldReader>>,
    /// Place of the current segment.
    segment: usize,
    ordinals: OrdinalValues<'a>,
    ids: Ids,
    /// Term number of each ordinal of the segment, where it has to be remembered.
    segment_ids: Vec<u32>,
    /// Documents by ordinal, for root buckets without children; moved on at the end of the segment.
    segment_counts: Vec<u32>,
    /// The same by number in the shard.
    shard_counts: Vec<u32>,
    /// In place of `shard_counts` where the only segment with the field was taken whole.
    whole_counts: Option<Arc<[u32]>>,
    /// Whose terms' counts are kept; `None` where they are of one search only.
    known: Option<&'a SegmentReader>,
    keys: KeyBatch,
    table: BucketTable,
    /// Of the keys of a batch.
    buckets: Vec<u32>,
    batch: ChildBatch,
    /// Place and ordinal, of the documents of a window.
    pairs: Vec<(u32, u32)>,
    recent: RecentBuckets,
    children: TermChildren<'a>,
    told: Told,
}

impl OrdinalTerms<'_> {
    fn term_id(&mut self, ordinal: u32) -> Result<u32> {
        if let Ids::Shard(ordinals) = &self.ids
            && self.selector.takes_all()
        {
            return Ok(number_of(ordinals.of_segment(self.segment), ordinal));
        }
        let known = self.segment_ids[ordinal as usize];
        if known != UNKNOWN {
            return Ok(known);
        }
        let mut term = Vec::new();
        if let Some(postings) = self.readers[self.segment].and_then(FieldReader::postings) {
            postings.term(ordinal, &mut term)?;
        }
        let id = match &mut self.ids {
            _ if !self.selector.takes_term(&term) => LEFT_OUT,
            Ids::Shard(ordinals) => number_of(ordinals.of_segment(self.segment), ordinal),
            Ids::Met(ids) => ids.id(&term, &self.budget)?,
        };
        self.segment_ids[ordinal as usize] = id;
        Ok(id)
    }

    fn missing_id(&mut self) -> Result<Option<u32>> {
        match (&self.source.missing, &mut self.ids) {
            (Some(MissingValue::Term(term)), Ids::Met(ids)) if self.selector.takes_term(term) => {
                ids.id(term, &self.budget).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Moves the segment's counts by ordinal to those of the shard, or into the table.
    fn end_segment(&mut self) -> Result<()> {
        let mut counts = std::mem::take(&mut self.segment_counts);
        match &self.ids {
            Ids::Shard(ordinals) => {
                let count = ordinals.count() as usize;
                if self.shard_counts.is_empty() && counts.iter().any(|&count| count > 0) {
                    self.budget.take_bytes(count * size_of::<u32>())?;
                    self.shard_counts.resize(count, 0);
                }
                for ordinal in met(&counts) {
                    let id = self.term_id(ordinal)?;
                    if let Some(sum) = self.shard_counts.get_mut(id as usize) {
                        *sum += counts[ordinal as usize];
                    }
                }
            }
            Ids::Met(_) => {
                for ordinal in met(&counts) {
                    let id = self.term_id(ordinal)?;
                    self.count(id, counts[ordinal as usize])?;
                }
            }
        }
        if self.end.wants_empty() {
            (0..self.segment_ids.len() as u32).try_for_each(|ordinal| self.term_id(ordinal).map(drop))?;
        }
        counts.fill(0);
        self.segment_counts = counts;
        Ok(())
    }

    /// Documents of the root.
    fn count(&mut self, id: u32, documents: u32) -> Result<()> {
        if id != LEFT_OUT {
            let bucket = self.table.bucket(0, i64::from(id), &self.budget)?;
            self.table.count(bucket, u64::from(documents));
        }
        Ok(())
    }

    fn count_by_ordinal(&mut self, batch: &Batch<'_>) -> Result<()> {
        let missing = self.missing_id()?;
        let counts = &mut self.segment_counts;
        if missing.is_none() {
            let count = |_, ordinal: u32| {
                counts[ordinal as usize] += 1;
                Ok(())
            };
            if self.ordinals.for_each_single(batch, count)? {
                return Ok(());
            }
        }
        let mut without = 0;
        self.ordinals.for_each(batch, |_, ordinals| {
            ordinals.iter().for_each(|&ordinal| counts[ordinal as usize] += 1);
            without += u32::from(ordinals.is_empty());
            Ok(())
        })?;
        match missing.filter(|_| without > 0) {
            Some(id) => self.count(id, without),
            None => Ok(()),
        }
    }

    /// Most terms have a number up to this.
    fn greatest_number(&self) -> i64 {
        match &self.ids {
            Ids::Shard(ordinals) => i64::from(ordinals.count()).clamp(1, DENSE_KEYS_MAX) - 1,
            Ids::Met(_) => DENSE_KEYS_MAX - 1,
        }
    }

    /// Terms have few numbers, known beforehand, and all count.
    fn has_dense_numbers(&self) -> bool {
        let Ids::Shard(ordinals) = &self.ids else { return false };
        self.selector.takes_all() && i64::from(ordinals.count()) <= DENSE_KEYS_MAX
    }

    fn count_numbers(&mut self, batch: &Batch<'_>) -> Result<()> {
        let Ids::Shard(ordinals) = &self.ids else { return Ok(()) };
        let numbers = ordinals.of_segment(self.segment);
        self.keys.load(self.ordinals.slices(batch), |ordinals, keys| match numbers {
            None => keys.extend(ordinals.iter().map(|&ordinal| i64::from(ordinal))),
            Some(_) => keys.extend(ordinals.iter().map(|&ordinal| i64::from(number_of(numbers, ordinal)))),
        });
        self.table.buckets(batch.owners, &self.keys, &self.budget, &mut self.buckets)?;
        self.table.count_each(&self.buckets);
        if self.children.is_empty() {
            return Ok(());
        }
        self.batch.fill(batch, self.keys.places(), &self.buckets);
        self.children.collect(&self.batch, batch.window, batch.scores.is_some())
    }

    fn count_into_table(&mut self, batch: &Batch<'_>) -> Result<()> {
        let missing = self.missing_id()?;
        let mut pairs = std::mem::take(&mut self.pairs);
        pairs.clear();
        let mut note = |place: usize, ordinal: u32| {
            pairs.push((place as u32, ordinal));
            Ok(())
        };
        if missing.is_some() || !self.ordinals.for_each_single(batch, &mut note)? {
            self.ordinals.for_each(batch, |place, ordinals| {
                if ordinals.is_empty() && missing.is_some() {
                    return note(place, UNKNOWN);
                }
                ordinals.iter().try_for_each(|&ordinal| note(place, ordinal))
            })?;
        }
        self.recent.hold(self.segment_ids.len(), &self.budget)?;
        let nested = !self.children.is_empty();
        self.batch.clear_for(if nested { pairs.len() } else { 0 });
        for &(place, ordinal) in &pairs {
            let (place, owner) = (place as usize, batch.owners.of(place as usize));
            let bucket = match self.recent.get(owner, ordinal) {
                Some(bucket) => bucket,
                None => self.bucket_of(owner, ordinal, missing)?,
            };
            if bucket != NO_BUCKET {
                self.table.count(bucket, 1);
                if nested {
                    self.batch.push(batch, place, bucket);
                }
            }
        }
        self.pairs = pairs;
        self.children.collect(&self.batch, batch.window, batch.scores.is_some())
    }

    fn bucket_of(&mut self, owner: u32, ordinal: u32, missing: Option<u32>) -> Result<u32> {
        let id = match (ordinal, missing) {
            (UNKNOWN, Some(id)) => id,
            (ordinal, _) => self.term_id(ordinal)?,
        };
        let bucket = if id == LEFT_OUT { NO_BUCKET } else { self.table.bucket(owner, i64::from(id), &self.budget)? };
        self.recent.set(owner, ordinal, bucket);
        Ok(bucket)
    }

    /// The result where only counts of the root are wanted, and the order does not ask for the terms.
    fn finish_counted(&mut self) -> Result<Option<Partial>> {
        let Ids::Shard(ordinals) = &self.ids else { return Ok(None) };
        if !self.children.is_empty() || !self.table.keys().is_empty() {
            return Ok(None);
        }
        let counts = self.whole_counts.as_deref().unwrap_or(&self.shard_counts);
        self.end.end_counted(&self.source, counts, &|id| key_of(ordinals, &self.readers, id))
    }

    /// Lists of buckets with numbers as keys to results with terms.
    fn end_numbered(&mut self, mut lists: Vec<Vec<TermBucket>>) -> Result<Vec<Partial>> {
        let Ids::Shard(ordinals) = &self.ids else { return Err(Error::internal("terms have no numbers")) };
        let look_up = |buckets: &mut Vec<TermBucket>| {
            buckets.iter_mut().try_for_each(|bucket| {
                if let TermKey::Number(id) = bucket.key {
                    bucket.key = key_of(ordinals, &self.readers, id as u32)?;
                }
                Ok(())
            })
        };
        if !self.end.takes_numbers() {
            lists.iter_mut().try_for_each(look_up)?;
            return self.end.end(&self.source, lists);
        }
        let mut partials = self.end.end(&self.source, lists)?;
        let table = &self.table;
        self.children.complete(&mut partials, table.keys().len(), |owner, key| match key {
            TermKey::Number(id) => table.find(owner, *id),
            _ => None,
        })?;
        for partial in &mut partials {
            if let Partial::Terms(terms) = partial {
                look_up(&mut terms.buckets)?;
            }
        }
        Ok(partials)
    }
}

fn number_of(numbers: Option<&[u32]>, ordinal: u32) -> u32 {
    numbers.map_or(ordinal, |numbers| numbers.get(ordinal as usize).copied().unwrap_or(LEFT_OUT))
}

/// Places of counts that are not 0.
fn met(counts: &[u32]) -> impl Iterator<Item = u32> + use<'_> {
    (0u32..).zip(counts).filter(|(_, count)| **count > 0).map(|(place, _)| place)
}

fn key_of(ordinals: &ShardOrdinals, readers: &[Option<&FieldReader>], id: u32) -> Result<TermKey> {
    let mut term = Vec::new();
    ordinals.term(id, readers, &mut term)?;
    Ok(TermKey::Bytes(term))
}

impl<'a> Collector<'a> for OrdinalTerms<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.end_segment()?;
        self.segment = segment.ordinal;
        let column = self.source.reader(segment).and_then(FieldReader::ordinals);
        let width = column.map_or(0, |column| column.ordinal_count() as usize);
        self.segment_ids.clear();
        self.segment_ids.resize(width, UNKNOWN);
        self.segment_counts.clear();
        self.segment_counts.resize(width, 0);
        self.recent.clear();
        self.table.expect_keys(0, self.greatest_number());
        self.told.segment(column);
        self.known = (!segment.computes(&self.source.name)).then_some(&*segment.reader);
        self.ordinals.start_segment(column);
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.end.observe(&batch);
        self.told.has_owners |= !matches!(batch.owners, Owners::Root);
        if self.children.is_empty() && matches!(batch.owners, Owners::Root) {
            self.count_by_ordinal(&batch)
        } else if self.has_dense_numbers() {
            self.count_numbers(&batch)
        } else {
            self.count_into_table(&batch)
        }
    }

    fn takes_whole(&self) -> bool {
        let has_counts = self.known.is_some() && self.ordinals.column().is_some();
        has_counts && self.children.is_empty() && self.source.missing.is_none() && self.end.counts_alone()
    }

    fn collect_whole(&mut self) -> Result<()> {
        let (Some(segment), Some(column)) = (self.known, self.ordinals.column()) else { return Ok(()) };
        let counts = term_counts::of(segment, &self.source.name, column, &self.budget)?;
        if matches!(self.ids, Ids::Shard(ShardOrdinals::One { .. })) && self.selector.takes_all() {
            self.whole_counts = Some(counts);
        } else {
            self.segment_counts.copy_from_slice(&counts);
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end_segment()?;
        if owner_count == 1
            && let Some(partial) = self.finish_counted()?
        {
            return Ok(vec![partial]);
        }
        let shard_counts: Arc<[u32]> = match self.whole_counts.take() {
            Some(counts) => counts,
            None => std::mem::take(&mut self.shard_counts).into(),
        };
        met(&shard_counts).try_for_each(|id| self.count(id, shard_counts[id as usize]))?;
        let mut counts = self.table.counts().to_vec();
        // One bucket more: what the children of an empty bucket hold.
        counts.push(0);
        let mut buckets = self.children.finish_buckets(&counts)?;
        let empty = buckets.pop().unwrap_or_default();
        let Ids::Met(ids) = &self.ids else {
            let lists = per_owner(owner_count, &self.table, buckets, TermKey::Number);
            return self.end_numbered(lists);
        };
        let terms = ids.terms();
        let key = |id: i64| TermKey::Bytes(terms[id as usize].clone());
        let mut lists = per_owner(owner_count, &self.table, buckets, key);
        if self.end.wants_empty() {
            for list in &mut lists {
                add_empty(list, terms.iter().cloned().map(TermKey::Bytes), &empty.aggs);
            }
        }
        let mut partials = self.end.end(&self.source, lists)?;
        let table = &self.table;
        self.children.complete(&mut partials, table.keys().len(), |owner, key| match key {
            TermKey::Bytes(term) => ids.find(term).and_then(|id| table.find(owner, i64::from(id))),
            _ => None,
        })?;
        Ok(partials)
    }

    fn report(&self, report: &mut Report) {
        self.told.report_ordinals(self.end.family(), report);
    }
}
