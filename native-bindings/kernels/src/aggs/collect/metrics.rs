//! `min`, `max`, `sum`, `avg`, `stats`, `extended_stats` (one accumulator serves all) and `value_count`.

use super::number_field::NumberField;
use super::values::{NumberValues, OrdinalValues};
use super::{Batch, Collector, Context};
use crate::aggs::partial::{Partial, Stats};
use crate::aggs::plan::Source;
use crate::aggs::source::{Accepts, FieldSource};
use crate::error::Result;
use crate::search::view::SegmentView;
use crate::segment::reader::FieldReader;

/// The entry of `owner`, with the list grown to hold it.
pub(super) fn entry<T: Default + Clone>(list: &mut Vec<T>, owner: u32) -> &mut T {
    let owner = owner as usize;
    if owner >= list.len() {
        list.resize(owner + 1, T::default());
    }
    &mut list[owner]
}

pub struct StatsCollector<'a> {
    field: NumberField<'a>,
    stats: Vec<Stats>,
}

impl<'a> StatsCollector<'a> {
    pub fn new(context: &Context<'a>, source: &Source, name: &str) -> Result<Self> {
        Ok(StatsCollector { field: NumberField::resolve(context, source, name)?, stats: Vec::new() })
    }
}

impl<'a> Collector<'a> for StatsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.field.start_segment(segment);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let stats = &mut self.stats;
        self.field.for_each(&batch, |owner, number| entry(stats, owner).add(number))
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.stats.resize(owner_count, Stats::default());
        let format = &self.field.source.format;
        Ok(self.stats.drain(..).map(|stats| Partial::Stats { stats, format: format.clone() }).collect())
    }
}

/// Counts values of any type.
pub struct ValueCountCollector<'a> {
    source: FieldSource,
    numbers: NumberValues<'a>,
    ordinals: OrdinalValues<'a>,
    counts: Vec<u64>,
}

impl<'a> ValueCountCollector<'a> {
    pub fn new(context: &Context<'a>, source: &Source, name: &str) -> Result<Self> {
        let source = FieldSource::resolve(context.view, source, name, Accepts::Anything, context.env.now_ms)?;
        let numbers = NumberValues::new(source.missing_number());
        Ok(ValueCountCollector { source, numbers, ordinals: OrdinalValues::new(), counts: Vec::new() })
    }
}

impl<'a> Collector<'a> for ValueCountCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.numbers.start_segment(self.source.numeric(segment));
        self.ordinals.start_segment(self.source.reader(segment).and_then(FieldReader::ordinals));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let counts = &mut self.counts;
        let missing = u64::from(self.source.missing.is_some());
        if self.source.has_terms() {
            return self.ordinals.for_each(&batch, |place, ordinals| {
                let found = if ordinals.is_empty() { missing } else { ordinals.len() as u64 };
                *entry(counts, batch.owners.of(place)) += found;
                Ok(())
            });
        }
        self.numbers.for_each(&batch, |place, values| {
            *entry(counts, batch.owners.of(place)) += values.len() as u64;
            Ok(())
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.counts.resize(owner_count, 0);
        Ok(self.counts.drain(..).map(Partial::ValueCount).collect())
    }
}
