//! `min`, `max`, `sum`, `avg`, `stats`, `extended_stats` (one accumulator serves all) and `value_count`.

use super::whole_sums::{Whole, WholeSums};
use crate::collect::tables::entry;
use crate::collect::values::counted::CountedValues;
use crate::collect::values::number_field::NumberField;
use crate::collect::values::slices::OwnersOfValues;
use crate::collect::values::{NumberValues, OrdinalValues, RangeValues};
use crate::collect::{Batch, Collector, Context, Owners};
use crate::metrics::stats::Stats;
use crate::partial::Partial;
use crate::plan::Source;
use crate::source::{Accepts, FieldSource};
use quarry_base::error::Result;
use quarry_mapping::format::ValueType;
use quarry_query::view::SegmentView;
use quarry_segment::reader::FieldReader;

/// `W`: what is computed of whole numbers.
pub struct StatsCollector<'a, W> {
    field: NumberField<'a>,
    /// The values of the segment are whole numbers that can be added as such, at most one a document.
    is_whole: bool,
    stats: Vec<Stats>,
    whole: WholeSums<W>,
    owners: OwnersOfValues,
}

impl<'a, W: Whole> StatsCollector<'a, W> {
    pub fn new(context: &Context<'a>, source: &Source, name: &str, accepts: Accepts) -> Result<Self> {
        let field = NumberField::resolve_as(context, source, name, accepts)?;
        Ok(StatsCollector {
            field,
            is_whole: false,
            stats: Vec::new(),
            whole: WholeSums::default(),
            owners: OwnersOfValues::default(),
        })
    }

    fn collect_whole(&mut self, batch: &Batch<'_>) {
        let slices = self.field.values.slices(batch);
        match (batch.owners.one(), batch.owners) {
            (None, Owners::Each(owners)) => {
                self.whole.add_each(self.owners.of(owners, slices.places), slices.values);
            }
            (owner, _) => self.whole.add_all(owner.unwrap_or_default(), slices.values),
        }
    }
}

impl<'a, W: Whole> Collector<'a> for StatsCollector<'a, W> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.field.start_segment(segment);
        let values = &self.field.values;
        self.is_whole = self.field.value_type().is_whole()
            && values.are_single()
            && values.range().is_some_and(WholeSums::<W>::can_add);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.is_whole {
            self.collect_whole(&batch);
            return Ok(());
        }
        let stats = &mut self.stats;
        if self.field.is_histogram() {
            return self.field.counted.for_each(&batch, |place, number, count| {
                let stats = entry(stats, batch.owners.of(place));
                stats.add_all(count, (number, number), number * count as f64);
                Ok(())
            });
        }
        self.field.for_each(&batch, |owner, number| entry(stats, owner).add(number))
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.stats.resize(owner_count, Stats::default());
        self.whole.add_to(&mut self.stats);
        let format = &self.field.source.format;
        Ok(self.stats.drain(..).map(|stats| Partial::Stats { stats, format: format.clone() }).collect())
    }
}

/// Counts values of any type.
pub struct ValueCountCollector<'a> {
    source: FieldSource,
    numbers: NumberValues<'a>,
    ordinals: OrdinalValues<'a>,
    ranges: RangeValues<'a>,
    counted: CountedValues<'a>,
    counts: Vec<u64>,
}

impl<'a> ValueCountCollector<'a> {
    pub fn new(context: &Context<'a>, source: &Source, name: &str) -> Result<Self> {
        let source = FieldSource::resolve(context.view, source, name, Accepts::Everything, context.env.now_ms)?;
        let numbers = NumberValues::new(source.missing_number());
        Ok(ValueCountCollector {
            source,
            numbers,
            ordinals: OrdinalValues::new(),
            ranges: RangeValues::default(),
            counted: CountedValues::default(),
            counts: Vec::new(),
        })
    }
}

impl<'a> Collector<'a> for ValueCountCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.numbers.start_segment(self.source.numeric(segment));
        self.ordinals.start_segment(self.source.reader(segment).and_then(FieldReader::ordinals));
        self.ranges.start_segment(self.source.reader(segment).and_then(FieldReader::ranges));
        self.counted.start_segment(&self.source, segment);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let counts = &mut self.counts;
        let missing = u64::from(self.source.missing.is_some());
        if self.source.counted.is_some() {
            return self.counted.for_each(&batch, |place, _, count| {
                *entry(counts, batch.owners.of(place)) += count;
                Ok(())
            });
        }
        if self.source.ranges.is_some() {
            // All ranges of a document are one value of it.
            return self.ranges.for_each(&batch, |place, _| {
                *entry(counts, batch.owners.of(place)) += 1;
                Ok(())
            });
        }
        if self.source.has_terms() {
            return self.ordinals.for_each(&batch, |place, ordinals| {
                let found = if ordinals.is_empty() { missing } else { ordinals.len() as u64 };
                *entry(counts, batch.owners.of(place)) += found;
                Ok(())
            });
        }
        // All shapes of a document are one value of it.
        let is_shape = self.source.format.value_type == ValueType::Shape;
        self.numbers.for_each(&batch, |place, values| {
            *entry(counts, batch.owners.of(place)) += if is_shape { 1 } else { values.len() as u64 };
            Ok(())
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.counts.resize(owner_count, 0);
        Ok(self.counts.drain(..).map(Partial::ValueCount).collect())
    }
}
