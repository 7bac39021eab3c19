//! `terms` over numbers: the column's values are keys themselves.

use super::bucket_table::{BucketTable, ChildBatch};
use super::deferred::TermChildren;
use super::terms::{add_empty, per_owner};
use super::terms_end::TermsEnd;
use super::terms_told::Told;
use super::values::NumberValues;
use super::{Batch, Budget, Collector, Report};
use crate::aggs::partial::{Partial, TermKey};
use crate::aggs::selection::Selector;
use crate::aggs::source::FieldSource;
use crate::error::Result;
use crate::search::view::SegmentView;
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
    table: BucketTable,
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
            table: BucketTable::new(),
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
        let (table, budget, selector) = (&mut self.table, &self.budget, &self.selector);
        let (sent, nested) = (&mut self.batch, !self.children.is_empty());
        let value_type = self.source.format.value_type;
        sent.clear_for(if nested { batch.docs.len() } else { 0 });
        let mut count = |place: usize, key: i64| {
            let bucket = table.bucket(batch.owners.of(place), key, budget)?;
            table.count(bucket, 1);
            if nested {
                sent.push(&batch, place, bucket);
            }
            Ok(())
        };
        let are_singles = self.values.for_each_single(&batch, |place, value| {
            if selector.takes_number(value) { count(place, value_type.key(value)) } else { Ok(()) }
        })?;
        if !are_singles {
            self.values.for_each(&batch, |place, values| {
                let mut before = None;
                for &value in values {
                    let key = value_type.key(value);
                    // Values ascend, so a document's equal keys are neighbours: it counts once.
                    if before.replace(key) != Some(key) && selector.takes_number(value) {
                        count(place, key)?;
                    }
                }
                Ok(())
            })?;
        }
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
