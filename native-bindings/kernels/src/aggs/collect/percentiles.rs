//! `percentiles`, `percentile_ranks`, `median_absolute_deviation` and `boxplot`: one digest serves all, or an HDR histogram.

use super::metrics::entry;
use super::number_field::NumberField;
use super::value_counts::ValueCounts;
use super::{Batch, Budget, Collector, Context};
use crate::aggs::format::ValueType;
use crate::aggs::hdr::Hdr;
use crate::aggs::partial::Partial;
use crate::aggs::plan::Source;
use crate::aggs::source::Accepts;
use crate::aggs::tdigest::TDigest;
use crate::error::Result;
use crate::search::view::SegmentView;
use std::rc::Rc;

pub struct PercentilesCollector<'a> {
    field: NumberField<'a>,
    compression: f64,
    digests: Vec<Option<TDigest>>,
    /// Values of the bucket that batches belonged to last, on their way to its digest.
    counts: ValueCounts,
    counted: u32,
    budget: Rc<Budget>,
}

impl<'a> PercentilesCollector<'a> {
    pub fn new(context: &Context<'a>, source: &Source, compression: f64, name: &str, accepts: Accepts) -> Result<Self> {
        let field = NumberField::resolve_as(context, source, name, accepts)?;
        Ok(PercentilesCollector {
            field,
            compression,
            digests: Vec::new(),
            counts: ValueCounts::default(),
            counted: 0,
            budget: Rc::clone(&context.budget),
        })
    }

    /// Counts the values of a batch whose documents all are in one bucket.
    fn collect_counts(&mut self, owner: u32, batch: &Batch<'_>) -> Result<()> {
        if owner != self.counted {
            self.end_counts();
            self.counted = owner;
        }
        let (value_type, compression) = (self.field.value_type(), self.compression);
        let values = self.field.values.slices(batch).values;
        if values.is_empty() {
            return Ok(());
        }
        let digest = entry(&mut self.digests, owner).get_or_insert_with(|| TDigest::new(compression));
        self.counts.add_all(values, &self.budget, |counts| add_counts(digest, value_type, counts))
    }

    fn end_counts(&mut self) {
        let value_type = self.field.value_type();
        if let Some(Some(digest)) = self.digests.get_mut(self.counted as usize) {
            self.counts.drain(|counts| add_counts(digest, value_type, counts));
        }
    }
}

/// Adds column values, ascending, with their counts.
fn add_counts(digest: &mut TDigest, value_type: ValueType, counts: &[(i64, u32)]) {
    digest.add_sorted(counts.iter().map(|&(value, count)| (value_type.number(value), u64::from(count))));
}

impl<'a> Collector<'a> for PercentilesCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.end_counts();
        self.field.start_segment(segment);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (digests, compression) = (&mut self.digests, self.compression);
        if self.field.is_histogram() {
            return self.field.counted.for_each(&batch, |place, number, count| {
                let digest = entry(digests, batch.owners.of(place));
                digest.get_or_insert_with(|| TDigest::new(compression)).add_counted(number, count);
                Ok(())
            });
        }
        if let Some(owner) = batch.owners.one() {
            return self.collect_counts(owner, &batch);
        }
        self.field.for_each(&batch, |owner, number| {
            entry(digests, owner).get_or_insert_with(|| TDigest::new(compression)).add(number);
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end_counts();
        self.digests.resize(owner_count, None);
        let partial = |digest: Option<TDigest>| {
            let mut digest = digest.unwrap_or_else(|| TDigest::new(self.compression));
            digest.settle();
            Partial::Percentiles { digest, format: self.field.source.format.clone() }
        };
        Ok(self.digests.drain(..).map(partial).collect())
    }
}

pub struct HdrCollector<'a> {
    field: NumberField<'a>,
    digits: u32,
    histograms: Vec<Option<Hdr>>,
}

impl<'a> HdrCollector<'a> {
    pub fn new(context: &Context<'a>, source: &Source, digits: u32, name: &str) -> Result<Self> {
        let field = NumberField::resolve_as(context, source, name, Accepts::NumbersOrHistograms)?;
        Ok(HdrCollector { field, digits, histograms: Vec::new() })
    }
}

impl<'a> Collector<'a> for HdrCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.field.start_segment(segment);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (histograms, digits) = (&mut self.histograms, self.digits);
        let value_type = self.field.value_type();
        if self.field.is_histogram() {
            return self.field.counted.for_each(&batch, |place, number, count| {
                let histogram = entry(histograms, batch.owners.of(place)).get_or_insert_with(|| Hdr::new(digits));
                histogram.add_counted(number, count)
            });
        }
        self.field.values.for_each(&batch, |place, values| {
            let histogram = entry(histograms, batch.owners.of(place)).get_or_insert_with(|| Hdr::new(digits));
            values.iter().try_for_each(|&value| histogram.add(value_type.number(value)))
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.histograms.resize(owner_count, None);
        let partial = |hdr: Option<Hdr>| {
            let hdr = hdr.unwrap_or_else(|| Hdr::new(self.digits));
            Partial::Hdr { hdr, format: self.field.source.format.clone() }
        };
        Ok(self.histograms.drain(..).map(partial).collect())
    }
}
