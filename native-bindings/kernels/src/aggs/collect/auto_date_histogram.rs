//! `auto_date_histogram`: buckets of the smallest unit of time that is not too many buckets.

use super::bucket_table::{BucketTable, ChildBatch};
use super::metrics::entry;
use super::values::NumberValues;
use super::{Batch, Budget, Children, Collector, Context, Report, build};
use crate::aggs::format::ValueType;
use crate::aggs::partial::{Bucket, Partial, PartialAutoHistogram};
use crate::aggs::plan::{Aggregation, AutoDateHistogram};
use crate::aggs::reduce::auto_date;
use crate::aggs::source::{Accepts, FieldSource};
use crate::aggs::units::Units;
use crate::error::Result;
use crate::search::view::SegmentView;
use hashbrown::HashSet;
use rapidhash::quality::RandomState;
use std::rc::Rc;

const NANOS: i64 = 1_000_000;

pub struct AutoDateHistogramCollector<'a> {
    plan: &'a Aggregation,
    source: FieldSource,
    values: NumberValues<'a>,
    units: Units,
    minimum_unit: u32,
    owners: Vec<Option<Owner>>,
    /// Keys of the unit that its owner had when the bucket was made; merged at the end.
    table: BucketTable,
    /// Buckets that were left at the end.
    surviving: usize,
    budget: Rc<Budget>,
    batch: ChildBatch,
    children: Children<'a>,
}

/// How far one bucket of the parent has come.
#[derive(Debug, Clone)]
struct Owner {
    unit: u32,
    /// Keys of the unit.
    keys: HashSet<i64, RandomState>,
    /// Beginning and end of the last value's bucket: documents come in about the order of their dates.
    last: (i64, i64),
}

impl Owner {
    fn new(unit: u32) -> Self {
        Owner { unit, keys: HashSet::default(), last: (0, 0) }
    }

    fn key(&mut self, instant: i64, units: &Units) -> i64 {
        if self.last.0 <= instant && instant < self.last.1 {
            return self.last.0;
        }
        let mut key = units.rounding(self.unit).round(instant);
        if self.keys.insert(key) {
            while self.keys.len() > units.most_buckets(self.unit) && !Units::is_last(self.unit) {
                self.unit += 1;
                let rounding = units.rounding(self.unit);
                self.keys = self.keys.drain().map(|key| rounding.round(key)).collect();
                key = rounding.round(instant);
            }
        }
        self.last = (key, units.rounding(self.unit).next(key));
        key
    }
}

impl<'a> AutoDateHistogramCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a Aggregation, of: &AutoDateHistogram) -> Result<Self> {
        let source = FieldSource::resolve(context.view, &of.source, &plan.name, Accepts::Dates, context.env.now_ms)?;
        Ok(AutoDateHistogramCollector {
            plan,
            values: NumberValues::new(source.missing_number()),
            units: Units::new(&source.zone()?, of.buckets)?,
            source,
            minimum_unit: of.minimum_unit,
            owners: Vec::new(),
            table: BucketTable::new(),
            surviving: 0,
            budget: Rc::clone(&context.budget),
            batch: ChildBatch::default(),
            children: build(context, &plan.aggs)?,
        })
    }
}

impl<'a> Collector<'a> for AutoDateHistogramCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        let (owners, units, table, budget) = (&mut self.owners, &self.units, &mut self.table, &self.budget);
        let (sent, nested, minimum) = (&mut self.batch, !self.children.is_empty(), self.minimum_unit);
        let nanos = self.source.format.value_type == ValueType::DateNanos;
        sent.clear();
        self.values.for_each(&batch, |place, values| {
            let number = batch.owners.of(place);
            let owner = entry(owners, number).get_or_insert_with(|| Owner::new(minimum));
            let mut before = None;
            for &value in values {
                let instant = if nanos { value.div_euclid(NANOS) } else { value };
                let key = owner.key(instant, units);
                // Values ascend, so a document's equal keys are neighbours: it counts once.
                if before.replace(key) == Some(key) {
                    continue;
                }
                let bucket = table.bucket(number, key, budget)?;
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
        let found = self.children.finish_buckets(self.table.counts())?;
        let mut lists: Vec<Vec<(i64, Bucket)>> = vec![Vec::new(); owner_count];
        for (&(owner, key), bucket) in self.table.keys().iter().zip(found) {
            lists[owner as usize].push((key, bucket));
        }
        self.owners.resize(owner_count, None);
        let mut partials = Vec::with_capacity(owner_count);
        for (owner, mut buckets) in self.owners.drain(..).zip(lists) {
            buckets.sort_by_key(|(key, _)| *key);
            let unit = owner.map_or(self.minimum_unit, |owner| owner.unit);
            let buckets = auto_date::merge_buckets(self.plan, buckets, self.units.rounding(unit))?;
            self.surviving += buckets.len();
            let format = self.source.format.clone();
            partials.push(Partial::AutoHistogram(PartialAutoHistogram { format, unit, step: 1, buckets }));
        }
        Ok(partials)
    }

    fn report(&self, report: &mut Report) {
        report.figure("surviving_buckets", self.surviving);
        self.values.counts.report(report);
    }
}
