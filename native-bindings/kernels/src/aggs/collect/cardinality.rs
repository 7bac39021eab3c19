//! `cardinality`: distinct values of any type.

use super::metrics::entry;
use super::values::{NumberValues, OrdinalValues};
use super::{Batch, Collector, Context};
use crate::aggs::hll::{Sketch, hash_bytes, hash_number};
use crate::aggs::partial::Partial;
use crate::aggs::plan::Cardinality;
use crate::aggs::source::{Accepts, FieldSource, MissingValue};
use crate::aggs::term_counts;
use crate::aggs::term_hashes::{self, Known};
use crate::error::Result;
use crate::postings::reader::FieldPostingsReader;
use crate::search::view::SegmentView;
use crate::segment::reader::FieldReader;

pub struct CardinalityCollector<'a> {
    source: FieldSource,
    threshold: u32,
    numbers: NumberValues<'a>,
    ordinals: OrdinalValues<'a>,
    reader: Option<&'a FieldReader>,
    /// Under what the hashes of the segment's terms are kept; `None` where they are of one search only.
    segment: Option<[u8; 16]>,
    /// Ordinals of the current segment that were met, by parent bucket: each term is hashed once a segment.
    met: Vec<Vec<u64>>,
    sketches: Vec<Option<Sketch>>,
}

impl<'a> CardinalityCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &Cardinality, name: &str) -> Result<Self> {
        let source = FieldSource::resolve(context.view, &plan.source, name, Accepts::Anything, context.env.now_ms)?;
        Ok(CardinalityCollector {
            numbers: NumberValues::new(source.missing_number()),
            source,
            threshold: plan.precision_threshold,
            ordinals: OrdinalValues::new(),
            reader: None,
            segment: None,
            met: Vec::new(),
            sketches: Vec::new(),
        })
    }

    fn hash_met_terms(&mut self) -> Result<()> {
        let Some(postings) = self.reader.and_then(FieldReader::postings) else {
            self.met.clear();
            return Ok(());
        };
        let known = || self.segment.map(|segment| Known { segment, field: self.source.name.as_str().into() });
        for (owner, words) in self.met.iter().enumerate().filter(|(_, words)| !words.is_empty()) {
            let sketch = entry(&mut self.sketches, owner as u32).get_or_insert_with(|| Sketch::new(self.threshold));
            for_each_hash(postings, words, known(), |hash| sketch.add(hash))?;
        }
        self.met.clear();
        Ok(())
    }

    fn collect_terms(&mut self, batch: &Batch<'_>) -> Result<()> {
        if let Some(owner) = batch.owners.one().filter(|_| self.source.missing.is_none()) {
            mark(&mut self.met, owner, self.ordinals.slices(batch).values);
            return Ok(());
        }
        let (met, sketches, threshold) = (&mut self.met, &mut self.sketches, self.threshold);
        let missing = match &self.source.missing {
            Some(MissingValue::Term(term)) => Some(hash_bytes(term)),
            _ => None,
        };
        self.ordinals.for_each(batch, |place, ordinals| {
            let owner = batch.owners.of(place);
            if let (true, Some(hash)) = (ordinals.is_empty(), missing) {
                entry(sketches, owner).get_or_insert_with(|| Sketch::new(threshold)).add(hash);
            }
            mark(met, owner, ordinals);
            Ok(())
        })
    }
}

/// Sets the bits of ordinals that were met in a bucket.
fn mark(met: &mut Vec<Vec<u64>>, owner: u32, ordinals: &[u32]) {
    let Some(&greatest) = ordinals.iter().max() else { return };
    let words = entry(met, owner);
    words.resize(words.len().max(greatest as usize / 64 + 1), 0);
    ordinals.iter().for_each(|&ordinal| words[ordinal as usize / 64] |= 1 << (ordinal % 64));
}

/// One term in so many is looked up; where there are more of them, it is quicker to go through all.
const SPARSE: usize = 8;

/// Calls `take` with the hashes of the terms whose ordinals have their bit set.
fn for_each_hash(
    postings: &FieldPostingsReader,
    met: &[u64],
    known: Option<Known>,
    mut take: impl FnMut(u64),
) -> Result<()> {
    let count: usize = met.iter().map(|word| word.count_ones() as usize).sum();
    let hashes = match known.filter(|_| count * SPARSE > postings.term_count() as usize) {
        Some(known) => Some(term_hashes::of(known, postings)?),
        None => None,
    };
    let mut term = Vec::new();
    for (place, &word) in met.iter().enumerate() {
        let mut bits = word;
        while bits != 0 {
            let ordinal = place as u32 * 64 + bits.trailing_zeros();
            match hashes.as_deref().and_then(|hashes| hashes.get(ordinal as usize)) {
                Some(&hash) => take(hash),
                None => {
                    postings.term(ordinal, &mut term)?;
                    take(hash_bytes(&term));
                }
            }
            bits &= bits - 1;
        }
    }
    Ok(())
}

impl<'a> Collector<'a> for CardinalityCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.hash_met_terms()?;
        self.reader = self.source.reader(segment);
        self.segment = (!segment.computes(&self.source.name)).then(|| segment.reader.id().uuid);
        self.numbers.start_segment(self.source.numeric(segment));
        self.ordinals.start_segment(self.reader.and_then(FieldReader::ordinals));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.source.has_terms() {
            return self.collect_terms(&batch);
        }
        let (sketches, threshold) = (&mut self.sketches, self.threshold);
        let value_type = self.source.format.value_type;
        self.numbers.for_each(&batch, |place, values| {
            let sketch = entry(sketches, batch.owners.of(place)).get_or_insert_with(|| Sketch::new(threshold));
            values.iter().for_each(|&value| sketch.add(hash_number(value_type.hashed_bits(value))));
            Ok(())
        })
    }

    fn takes_whole(&self) -> bool {
        let has_counts = self.segment.is_some() && self.ordinals.column().is_some();
        has_counts && self.source.has_terms() && self.source.missing.is_none()
    }

    fn collect_whole(&mut self) -> Result<()> {
        let (Some(segment), Some(column)) = (self.segment, self.ordinals.column()) else { return Ok(()) };
        let counts = term_counts::of(Known { segment, field: self.source.name.as_str().into() }, column);
        let word = |counts: &[u32]| {
            (0..).zip(counts).fold(0, |word, (bit, &count): (u32, _)| word | u64::from(count > 0) << bit)
        };
        *entry(&mut self.met, 0) = counts.chunks(u64::BITS as usize).map(word).collect();
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.hash_met_terms()?;
        self.sketches.resize(owner_count, None);
        let sketches = self.sketches.drain(..);
        Ok(sketches.map(|sketch| Partial::Cardinality(sketch.unwrap_or_else(|| Sketch::new(self.threshold)))).collect())
    }
}
