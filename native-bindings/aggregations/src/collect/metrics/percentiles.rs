//! `percentiles`, `percentile_ranks`, `median_absolute_deviation` and `boxplot`: one digest serves all, or an HDR histogram.

use super::value_counts::ValueCounts;
use crate::budget::Budget;
use crate::collect::tables::entry;
use crate::collect::values::number_field::NumberField;
use crate::collect::{Batch, Collector, Context};
use crate::metrics::hdr::Hdr;
use crate::metrics::tdigest::TDigest;
use crate::partial::Partial;
use crate::plan::Source;
use crate::source::Accepts;
use quarry_base::error::Result;
use quarry_mapping::format::ValueType;
use quarry_query::view::SegmentView;
use std::rc::Rc;

/// Documents of so many windows have a digest of their own before it becomes part of that of the whole: what the whole is then does not depend on
/// which thread had which of them.
pub const CHUNK_WINDOWS: u32 = if cfg!(test) { 2 } else { 32 };

/// What a collector of digests is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Digests {
    pub compression: f64,
    /// Digests of chunks, for whoever puts those of several threads in their order.
    pub in_parts: bool,
}

/// Digests of one chunk after the other, by bucket of the parent.
struct Chunks {
    asked: Digests,
    segment: u64,
    chunk: u32,
    /// Of the chunk that is collected, and the buckets that have one.
    current: Vec<Option<TDigest>>,
    touched: Vec<u32>,
    ended: Vec<Vec<(u64, TDigest)>>,
}

impl Chunks {
    fn new(asked: Digests) -> Self {
        Chunks { asked, segment: 0, chunk: 0, current: Vec::new(), touched: Vec::new(), ended: Vec::new() }
    }

    fn digest(&mut self, owner: u32) -> &mut TDigest {
        let (touched, compression) = (&mut self.touched, self.asked.compression);
        entry(&mut self.current, owner).get_or_insert_with(|| {
            touched.push(owner);
            TDigest::new(compression)
        })
    }

    fn end(&mut self) {
        let number = self.segment << 32 | u64::from(self.chunk);
        for owner in self.touched.drain(..) {
            let Some(digest) = self.current.get_mut(owner as usize).and_then(Option::take) else { continue };
            let ended = entry(&mut self.ended, owner);
            match ended.last_mut() {
                Some((_, whole)) if !self.asked.in_parts => whole.absorb(digest),
                _ => ended.push((number, digest)),
            }
        }
    }
}

/// The digest of a bucket, of those of its chunks.
pub fn whole(mut chunks: Vec<(u64, TDigest)>) -> Option<TDigest> {
    chunks.sort_by_key(|(number, _)| *number);
    let mut whole = chunks.into_iter().map(|(_, digest)| digest).reduce(|mut whole, digest| {
        whole.absorb(digest);
        whole
    })?;
    whole.settle();
    Some(whole)
}

pub struct PercentilesCollector<'a> {
    field: NumberField<'a>,
    chunks: Chunks,
    /// Values of the bucket that batches belonged to last, on their way to its digest.
    counts: ValueCounts,
    counted: u32,
    budget: Rc<Budget>,
}

impl<'a> PercentilesCollector<'a> {
    pub fn new(context: &Context<'a>, source: &Source, asked: Digests, name: &str, accepts: Accepts) -> Result<Self> {
        let field = NumberField::resolve_as(context, source, name, accepts)?;
        Ok(PercentilesCollector {
            field,
            chunks: Chunks::new(asked),
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
        let value_type = self.field.value_type();
        let values = self.field.values.slices(batch).values;
        if values.is_empty() {
            return Ok(());
        }
        let digest = self.chunks.digest(owner);
        self.counts.add_all(values, &self.budget, |counts| add_counts(digest, value_type, counts))
    }

    fn end_counts(&mut self) {
        let value_type = self.field.value_type();
        let digest = self.chunks.current.get_mut(self.counted as usize).and_then(Option::as_mut);
        if let Some(digest) = digest {
            self.counts.drain(|counts| add_counts(digest, value_type, counts));
        }
    }

    fn end_chunk(&mut self) {
        self.end_counts();
        self.chunks.end();
    }
}

/// Adds column values, ascending, with their counts.
fn add_counts(digest: &mut TDigest, value_type: ValueType, counts: &[(i64, u32)]) {
    digest.add_sorted(counts.iter().map(|&(value, count)| (value_type.number(value), u64::from(count))));
}

impl<'a> Collector<'a> for PercentilesCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.end_chunk();
        self.chunks.segment = segment.ordinal as u64;
        self.field.start_segment(segment);
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let chunk = batch.window / CHUNK_WINDOWS;
        if chunk != self.chunks.chunk {
            self.end_chunk();
            self.chunks.chunk = chunk;
        }
        let chunks = &mut self.chunks;
        if self.field.is_histogram() {
            return self.field.counted.for_each(&batch, |place, number, count| {
                chunks.digest(batch.owners.of(place)).add_counted(number, count);
                Ok(())
            });
        }
        if let Some(owner) = batch.owners.one() {
            return self.collect_counts(owner, &batch);
        }
        self.field.for_each(&batch, |owner, number| chunks.digest(owner).add(number))
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end_chunk();
        self.chunks.ended.resize(owner_count, Vec::new());
        let Chunks { asked: Digests { compression, in_parts }, ended, .. } = &mut self.chunks;
        let partial = |digests: Vec<(u64, TDigest)>| {
            let format = self.field.source.format.clone();
            if *in_parts {
                return Partial::Digests { digests, format };
            }
            Partial::Percentiles { digest: whole(digests).unwrap_or_else(|| TDigest::new(*compression)), format }
        };
        Ok(ended.drain(..).map(partial).collect())
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
