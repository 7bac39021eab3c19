//! `min`, `max`, `sum`, `avg`, `stats`, `extended_stats` (one accumulator serves all) and `value_count`.

use super::counted::CountedValues;
use super::number_field::NumberField;
use super::values::{NumberValues, OrdinalValues, RangeValues};
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

/// Whole numbers up to this size are added up as such: a shard's documents cannot make their sum overflow.
const WHOLE_MAX: i64 = 1 << 31;

/// Count, extremes and sum of whole numbers, exact.
#[derive(Debug, Clone, Copy)]
struct WholeStats {
    count: u64,
    min: i64,
    max: i64,
    sum: i64,
}

impl Default for WholeStats {
    fn default() -> Self {
        WholeStats { count: 0, min: i64::MAX, max: i64::MIN, sum: 0 }
    }
}

impl WholeStats {
    #[inline]
    fn add(&mut self, value: i64) {
        self.count += 1;
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.sum += value;
    }

    fn add_all(&mut self, others: &WholeStats) {
        self.count += others.count;
        self.min = self.min.min(others.min);
        self.max = self.max.max(others.max);
        self.sum += others.sum;
    }
}

pub struct StatsCollector<'a> {
    field: NumberField<'a>,
    /// The sum of squares is wanted too.
    squares: bool,
    /// The values of the segment are small whole numbers.
    is_whole: bool,
    stats: Vec<Stats>,
    whole: Vec<WholeStats>,
}

impl<'a> StatsCollector<'a> {
    /// `histograms`: the field may be one of them, which know nothing of squares.
    pub fn new(
        context: &Context<'a>,
        source: &Source,
        name: &str,
        (squares, histograms): (bool, bool),
    ) -> Result<Self> {
        let accepts = if histograms { Accepts::NumbersOrHistograms } else { Accepts::Numbers };
        let field = NumberField::resolve_as(context, source, name, accepts)?;
        Ok(StatsCollector { field, squares, is_whole: false, stats: Vec::new(), whole: Vec::new() })
    }

    /// `false`: nothing was taken.
    fn collect_whole(&mut self, batch: &Batch<'_>) -> Result<bool> {
        if !self.is_whole {
            return Ok(false);
        }
        let whole = &mut self.whole;
        let values = &mut self.field.values;
        match batch.owners.one() {
            Some(owner) => {
                let stats = entry(whole, owner);
                values.for_each_single(batch, |_, value| {
                    stats.add(value);
                    Ok(())
                })
            }
            None if batch.owners.are_in_runs() => {
                let (mut owner, mut run) = (batch.owners.of(0), WholeStats::default());
                let are_singles = values.for_each_single(batch, |place, value| {
                    if batch.owners.of(place) != owner {
                        entry(whole, owner).add_all(&run);
                        (owner, run) = (batch.owners.of(place), WholeStats::default());
                    }
                    run.add(value);
                    Ok(())
                })?;
                entry(whole, owner).add_all(&run);
                Ok(are_singles)
            }
            None => values.for_each_single(batch, |place, value| {
                entry(whole, batch.owners.of(place)).add(value);
                Ok(())
            }),
        }
    }
}

impl<'a> Collector<'a> for StatsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.field.start_segment(segment);
        let is_small = |(low, high): (i64, i64)| low >= -WHOLE_MAX && high <= WHOLE_MAX;
        self.is_whole =
            !self.squares && self.field.value_type().is_whole() && self.field.values.range().is_some_and(is_small);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.collect_whole(&batch)? {
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
        for (stats, whole) in self.stats.iter_mut().zip(&self.whole).filter(|(_, whole)| whole.count > 0) {
            stats.add_all(whole.count, (whole.min as f64, whole.max as f64), whole.sum as f64);
        }
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
