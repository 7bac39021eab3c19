//! `terms`: one bucket for each distinct value. Terms are met as ordinals and looked up once a segment; numbers are keys themselves.

use super::bucket_table::{BucketTable, ChildBatch};
use super::term_ids::TermIds;
use super::terms_end::TermsEnd;
use super::values::{NumberValues, OrdinalValues};
use super::{Batch, Budget, Children, Collector, Context, Owners, build};
use crate::aggs::partial::{Bucket, Partial, TermBucket, TermKey};
use crate::aggs::plan::{Aggregation, Selection, Source};
use crate::aggs::selection::Selector;
use crate::aggs::source::{Accepts, FieldSource, MissingValue};
use crate::error::Result;
use crate::search::view::SegmentView;
use crate::segment::reader::FieldReader;
use rapidhash::quality::RandomState;
use std::rc::Rc;

/// Where terms come from and which of them count.
pub struct TermsInput<'p> {
    pub source: &'p Source,
    pub include: Option<&'p Selection>,
    pub exclude: Option<&'p Selection>,
}

pub fn build_terms<'a>(
    context: &Context<'a>,
    input: TermsInput<'_>,
    end: Box<dyn TermsEnd + 'a>,
    name: &str,
    aggs: &'a [Aggregation],
) -> Result<Box<dyn Collector<'a> + 'a>> {
    let now_ms = context.env.now_ms;
    let source = FieldSource::resolve(context.view, input.source, name, Accepts::Anything, now_ms)?;
    let selector = Selector::new(input.include, input.exclude, &source, name, now_ms)?;
    let children = build(context, aggs)?;
    let budget = Rc::clone(&context.budget);
    Ok(if source.has_terms() {
        Box::new(OrdinalTerms {
            source,
            selector,
            end,
            budget,
            reader: None,
            ordinals: OrdinalValues::new(),
            term_ids: TermIds::default(),
            segment_ids: Vec::new(),
            segment_counts: Vec::new(),
            table: BucketTable::new(),
            batch: ChildBatch::default(),
            children,
        })
    } else {
        Box::new(NumberTerms {
            values: NumberValues::new(source.missing_number()),
            source,
            selector,
            end,
            budget,
            met: hashbrown::HashSet::default(),
            table: BucketTable::new(),
            batch: ChildBatch::default(),
            children,
        })
    })
}

/// Buckets of each parent bucket, from the table's order.
fn per_owner(
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
fn add_empty<'k>(list: &mut Vec<TermBucket>, keys: impl Iterator<Item = TermKey> + 'k, children: &[Partial]) {
    let met: hashbrown::HashSet<TermKey> = list.iter().map(|bucket| bucket.key.clone()).collect();
    for key in keys.filter(|key| !met.contains(key)) {
        list.push(TermBucket { key, bucket: Bucket { doc_count: 0, aggs: children.to_vec() }, error: 0 });
    }
}

/// Not yet looked up in this segment.
const UNKNOWN: u32 = u32::MAX;
/// Left out by `include` or `exclude`.
const LEFT_OUT: u32 = u32::MAX - 1;

struct OrdinalTerms<'a> {
    source: FieldSource,
    selector: Selector,
    end: Box<dyn TermsEnd + 'a>,
    budget: Rc<Budget>,
    reader: Option<&'a FieldReader>,
    ordinals: OrdinalValues<'a>,
    term_ids: TermIds,
    /// Term number of each ordinal of the segment.
    segment_ids: Vec<u32>,
    /// Documents by ordinal, for root buckets without children; moved to the table at the end of the segment.
    segment_counts: Vec<u32>,
    table: BucketTable,
    batch: ChildBatch,
    children: Children<'a>,
}

impl OrdinalTerms<'_> {
    fn term_id(&mut self, ordinal: u32) -> Result<u32> {
        let known = self.segment_ids[ordinal as usize];
        if known != UNKNOWN {
            return Ok(known);
        }
        let mut term = Vec::new();
        if let Some(postings) = self.reader.and_then(FieldReader::postings) {
            postings.term(ordinal, &mut term)?;
        }
        let id = if self.selector.takes_term(&term) { self.term_ids.id(&term, &self.budget)? } else { LEFT_OUT };
        self.segment_ids[ordinal as usize] = id;
        Ok(id)
    }

    fn missing_id(&mut self) -> Result<Option<u32>> {
        match &self.source.missing {
            Some(MissingValue::Term(term)) if self.selector.takes_term(term) => {
                self.term_ids.id(term, &self.budget).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Moves the segment's counts by ordinal into the table.
    fn end_segment(&mut self) -> Result<()> {
        let counts = std::mem::take(&mut self.segment_counts);
        for (ordinal, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let id = self.term_id(ordinal as u32)?;
            if id != LEFT_OUT {
                let bucket = self.table.bucket(0, i64::from(id), &self.budget)?;
                self.table.count(bucket, u64::from(count));
            }
        }
        if self.end.wants_empty() {
            (0..self.segment_ids.len() as u32).try_for_each(|ordinal| self.term_id(ordinal).map(drop))?;
        }
        self.segment_counts = counts;
        self.segment_counts.fill(0);
        Ok(())
    }

    fn count_by_ordinal(&mut self, batch: &Batch<'_>) -> Result<()> {
        let missing = self.missing_id()?;
        let counts = &mut self.segment_counts;
        let mut without = 0;
        self.ordinals.for_each(batch, |_, ordinals| {
            ordinals.iter().for_each(|&ordinal| counts[ordinal as usize] += 1);
            without += u64::from(ordinals.is_empty());
            Ok(())
        })?;
        if let Some(id) = missing.filter(|_| without > 0) {
            let bucket = self.table.bucket(0, i64::from(id), &self.budget)?;
            self.table.count(bucket, without);
        }
        Ok(())
    }

    fn count_into_table(&mut self, batch: &Batch<'_>) -> Result<()> {
        let missing = self.missing_id()?;
        let mut pairs: Vec<(usize, u32)> = Vec::with_capacity(batch.docs.len());
        self.ordinals.for_each(batch, |place, ordinals| {
            pairs.extend(ordinals.iter().map(|&ordinal| (place, ordinal)));
            if ordinals.is_empty() && missing.is_some() {
                pairs.push((place, UNKNOWN));
            }
            Ok(())
        })?;
        self.batch.clear();
        for (place, ordinal) in pairs {
            let id = match (ordinal, missing) {
                (UNKNOWN, Some(id)) => id,
                (ordinal, _) => self.term_id(ordinal)?,
            };
            if id != LEFT_OUT {
                let bucket = self.table.bucket(batch.owners.of(place), i64::from(id), &self.budget)?;
                self.table.count(bucket, 1);
                self.batch.push(batch, place, bucket);
            }
        }
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)
    }
}

impl<'a> Collector<'a> for OrdinalTerms<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.end_segment()?;
        self.reader = self.source.reader(segment);
        let column = self.reader.and_then(FieldReader::ordinals);
        let width = column.map_or(0, |column| column.ordinal_count() as usize);
        self.segment_ids.clear();
        self.segment_ids.resize(width, UNKNOWN);
        self.segment_counts.clear();
        self.segment_counts.resize(width, 0);
        self.table.expect_keys(0, i64::from(u16::MAX));
        self.ordinals.start_segment(column);
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.end.observe(&batch);
        if self.children.is_empty() && matches!(batch.owners, Owners::Root) {
            self.count_by_ordinal(&batch)
        } else {
            self.count_into_table(&batch)
        }
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end_segment()?;
        let mut counts = self.table.counts().to_vec();
        // One bucket more: what the children of an empty bucket hold.
        counts.push(0);
        let mut buckets = self.children.finish_buckets(&counts)?;
        let empty = buckets.pop().unwrap_or_default();
        let terms = self.term_ids.terms();
        let key = |id: i64| TermKey::Bytes(terms[id as usize].clone());
        let mut lists = per_owner(owner_count, &self.table, buckets, key);
        if self.end.wants_empty() {
            for list in &mut lists {
                add_empty(list, terms.iter().cloned().map(TermKey::Bytes), &empty.aggs);
            }
        }
        self.end.end(&self.source, lists)
    }
}

struct NumberTerms<'a> {
    source: FieldSource,
    values: NumberValues<'a>,
    selector: Selector,
    end: Box<dyn TermsEnd + 'a>,
    budget: Rc<Budget>,
    /// Every key of the shard, when `min_doc_count` is 0.
    met: hashbrown::HashSet<i64, RandomState>,
    table: BucketTable,
    batch: ChildBatch,
    children: Children<'a>,
}

impl NumberTerms<'_> {
    fn note_all_values(&mut self, segment: &SegmentView) {
        let Some(column) = self.source.numeric(segment) else { return };
        let mut values = Vec::new();
        for doc in 0..segment.max_doc() {
            column.get(doc, &mut values);
            let taken = values.drain(..).filter(|&value| self.selector.takes_number(value));
            self.met.extend(taken.map(|value| self.source.format.value_type.key(value)));
        }
    }
}

impl<'a> Collector<'a> for NumberTerms<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        if let Some((low, high)) = self.values.range() {
            let value_type = self.source.format.value_type;
            self.table.expect_keys(value_type.key(low), value_type.key(high));
        }
        if self.end.wants_empty() {
            self.note_all_values(segment);
        }
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.end.observe(&batch);
        if self.values.is_void() {
            return Ok(());
        }
        let (table, budget, selector) = (&mut self.table, &self.budget, &self.selector);
        let (sent, nested) = (&mut self.batch, !self.children.is_empty());
        let value_type = self.source.format.value_type;
        sent.clear();
        self.values.for_each(&batch, |place, values| {
            let mut before = None;
            for &value in values {
                let key = value_type.key(value);
                // Values ascend, so a document's equal keys are neighbours: it counts once.
                if before.replace(key) == Some(key) || !selector.takes_number(value) {
                    continue;
                }
                let bucket = table.bucket(batch.owners.of(place), key, budget)?;
                table.count(bucket, 1);
                if nested {
                    sent.push(&batch, place, bucket);
                }
            }
            Ok(())
        })?;
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let mut counts = self.table.counts().to_vec();
        counts.push(0);
        let mut buckets = self.children.finish_buckets(&counts)?;
        let empty = buckets.pop().unwrap_or_default();
        let mut lists = per_owner(owner_count, &self.table, buckets, TermKey::Number);
        if self.end.wants_empty() {
            for list in &mut lists {
                add_empty(list, self.met.iter().map(|&value| TermKey::Number(value)), &empty.aggs);
            }
        }
        self.end.end(&self.source, lists)
    }
}
