//! `auto_date_histogram`: buckets of the smallest unit of time that is not too many buckets.

use crate::collect::tables::entry;
use crate::collect::tables::keyed_buckets::KeyedBuckets;
use crate::collect::values::NumberValues;
use crate::collect::{Batch, Collector, Context, Report, build};
use crate::dates::units::Units;
use crate::partial::{Partial, PartialAutoHistogram};
use crate::plan::{Aggregation, AutoDateHistogram};
use crate::reduce::auto_date;
use crate::source::{Accepts, FieldSource};
use hashbrown::HashSet;
use quarry_base::error::Result;
use quarry_mapping::format::ValueType;
use quarry_query::view::SegmentView;
use rapidhash::quality::RandomState;

const NANOS: i64 = 1_000_000;

pub struct AutoDateHistogramCollector<'a> {
    plan: &'a Aggregation,
    source: FieldSource,
    values: NumberValues<'a>,
    units: Units,
    minimum_unit: u32,
    owners: Vec<Option<Owner>>,
    /// Keys of the unit that its owner had when the bucket was made; merged at the end.
    buckets: KeyedBuckets<'a>,
    /// Buckets that were left at the end.
    surviving: usize,
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
        let source =
            FieldSource::resolve(context.view, &of.source, plan.kind.name(), Accepts::Dates, context.env.now_ms)?;
        Ok(AutoDateHistogramCollector {
            plan,
            values: NumberValues::new(source.missing_number()),
            units: Units::new(&source.zone()?, of.buckets)?,
            source,
            minimum_unit: of.minimum_unit,
            owners: Vec::new(),
            buckets: KeyedBuckets::new(context, build(context, &plan.aggs)?),
            surviving: 0,
        })
    }
}

impl<'a> Collector<'a> for AutoDateHistogramCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        let (owners, units, buckets, minimum) = (&mut self.owners, &self.units, &mut self.buckets, self.minimum_unit);
        let nanos = self.source.format.value_type == ValueType::DateNanos;
        buckets.begin();
        self.values.for_each(&batch, |place, values| {
            let owner = entry(owners, batch.owners.of(place)).get_or_insert_with(|| Owner::new(minimum));
            let mut before = None;
            for &value in values {
                let instant = if nanos { value.div_euclid(NANOS) } else { value };
                let key = owner.key(instant, units);
                // Values ascend, so a document's equal keys are neighbours: it counts once.
                if before.replace(key) == Some(key) {
                    continue;
                }
                buckets.add(&batch, place, key)?;
            }
            Ok(())
        })?;
        self.buckets.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let lists = self.buckets.finish(owner_count)?;
        self.owners.resize(owner_count, None);
        let mut partials = Vec::with_capacity(owner_count);
        for (owner, buckets) in self.owners.drain(..).zip(lists) {
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
