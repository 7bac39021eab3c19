//! `terms` over numbers: the column's values are keys themselves.

use super::end::TermsEnd;
use super::told::Told;
use super::{add_empty, per_owner};
use crate::budget::Budget;
use crate::collect::tables::bucket_table::{BucketTable, ChildBatch};
use crate::collect::tables::deferred::TermChildren;
use crate::collect::values::NumberValues;
use crate::collect::values::slices::KeyBatch;
use crate::collect::{Batch, Collector, Report};
use crate::partial::{Partial, TermKey};
use crate::selection::Selector;
use crate::source::FieldSource;
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use rapidhash::quality::RandomState;
use std::rc::Rc;

pub(super) struct NumberTerms<'a> {
    source: FieldSource,
    values: NumberValues<'a>,
    selector: Selector,
    end: Box<dyn TermsEnd + 'a>,
    budget: Rc<Budget>,
    /// Every key of the shard, when `min_doc_count` is 0.
    met: hashbrown::HashSet<i64, RandomState>,
    keys: KeyBatch,
    table: BucketTable,
    /// Of the keys of a batch.
    buckets: Vec<u32>,
    batch: ChildBatch,
    children: TermChildren<'a>,
    told: Told,
}

impl<'a> NumberTerms<'a> {
    pub(super) fn new(
        source: FieldSource,
        selector: Selector,
        end: Box<dyn TermsEnd + 'a>,
        budget: Rc<Budget>,
        children: TermChildren<'a>,
        told: Told,
    ) -> Self {
        NumberTerms {
            values: NumberValues::new(source.missing_number()),
            source,
            selector,
            end,
            budget,
            met: hashbrown::HashSet::default(),
            keys: KeyBatch::default(),
            table: BucketTable::new(),
            buckets: Vec::new(),
            batch: ChildBatch::default(),
            children,
            told,
        }
    }

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
        let (selector, value_type) = (&self.selector, self.source.format.value_type);
        self.keys.load_taken(
            self.values.slices(&batch),
            |values, keys| match value_type.has_own_keys() {
                true => keys.extend_from_slice(values),
                false => keys.extend(values.iter().map(|&value| value_type.key(value))),
            },
            (!selector.takes_all()).then_some(|value| selector.takes_number(value)),
        );
        self.table.buckets(batch.owners, &self.keys, &self.budget, &mut self.buckets)?;
        self.table.count_each(&self.buckets);
        if self.children.is_empty() {
            return Ok(());
        }
        self.batch.fill(&batch, self.keys.places(), &self.buckets);
        self.children.collect(&self.batch, batch.window, batch.scores.is_some())
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
        let mut partials = self.end.end(&self.source, lists)?;
        let table = &self.table;
        self.children.complete(&mut partials, table.keys().len(), |owner, key| match key {
            TermKey::Number(number) => table.find(owner, *number),
            _ => None,
        })?;
        Ok(partials)
    }

    fn report(&self, report: &mut Report) {
        self.told.report_numbers(self.end.family(), self.source.format.value_type, report);
        report.figure("total_buckets", self.table.keys().len());
    }
}
