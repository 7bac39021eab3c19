//! `cardinality`: distinct values of any type.

use crate::budget::Budget;
use crate::collect::tables::entry;
use crate::collect::values::{NumberValues, OrdinalValues};
use crate::collect::{Batch, Collector, Context};
use crate::kept_terms::{term_counts, term_hashes};
use crate::metrics::hll::{Sketch, hash_bytes, hash_number};
use crate::partial::Partial;
use crate::plan::Cardinality;
use crate::source::{Accepts, FieldSource, MissingValue};
use quarry_base::error::Result;
use quarry_postings::reader::FieldPostingsReader;
use quarry_query::view::SegmentView;
use quarry_segment::reader::{FieldReader, SegmentReader};
use std::rc::Rc;

pub struct CardinalityCollector<'a> {
    source: FieldSource,
    threshold: u32,
    numbers: NumberValues<'a>,
    ordinals: OrdinalValues<'a>,
    reader: Option<&'a FieldReader>,
    /// Whose terms' hashes and counts are kept; `None` where they are of one search only.
    segment: Option<&'a SegmentReader>,
    met: Met,
    sketches: Vec<Option<Sketch>>,
    budget: Rc<Budget>,
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
            met: Met::default(),
            sketches: Vec::new(),
            budget: Rc::clone(&context.budget),
        })
    }

    fn hash_met_terms(&mut self) -> Result<()> {
        let Some(postings) = self.reader.and_then(FieldReader::postings) else {
            self.met.clear();
            return Ok(());
        };
        let known = self.segment.map(|segment| (segment, self.source.name.as_str()));
        for (owner, words) in self.met.by_owner.iter().enumerate().filter(|(_, words)| !words.is_empty()) {
            let sketch = entry(&mut self.sketches, owner as u32).get_or_insert_with(|| Sketch::new(self.threshold));
            let budget = &self.budget;
            for_each_hash(postings, words, known, budget, |hash| add(sketch, hash, budget))?;
        }
        self.met.clear();
        Ok(())
    }

    fn collect_terms(&mut self, batch: &Batch<'_>) -> Result<()> {
        if let Some(owner) = batch.owners.one().filter(|_| self.source.missing.is_none()) {
            return self.met.mark(owner, self.ordinals.slices(batch).values, &self.budget);
        }
        let budget = &self.budget;
        let (met, sketches, threshold) = (&mut self.met, &mut self.sketches, self.threshold);
        let missing = match &self.source.missing {
            Some(MissingValue::Term(term)) => Some(hash_bytes(term)),
            _ => None,
        };
        self.ordinals.for_each(batch, |place, ordinals| {
            let owner = batch.owners.of(place);
            if let (true, Some(hash)) = (ordinals.is_empty(), missing) {
                add(entry(sketches, owner).get_or_insert_with(|| Sketch::new(threshold)), hash, budget)?;
            }
            met.mark(owner, ordinals, budget)
        })
    }
}

#[inline]
fn add(sketch: &mut Sketch, hash: u64, budget: &Budget) -> Result<()> {
    match sketch.add(hash) {
        0 => Ok(()),
        grown => budget.take_bytes(grown),
    }
}

/// Bits of the ordinals of the current segment that were met, by parent bucket: each term is hashed once a segment.
#[derive(Default)]
struct Met {
    by_owner: Vec<Vec<u64>>,
    /// What they take in this segment, and what was reserved.
    bytes: usize,
    reserved: usize,
}

impl Met {
    /// Sets the bits of ordinals that were met in a bucket.
    fn mark(&mut self, owner: u32, ordinals: &[u32], budget: &Budget) -> Result<()> {
        let Some(&greatest) = ordinals.iter().max() else { return Ok(()) };
        let words = self.hold(owner, greatest as usize / 64 + 1, budget)?;
        ordinals.iter().for_each(|&ordinal| words[ordinal as usize / 64] |= 1 << (ordinal % 64));
        Ok(())
    }

    /// The bits of a bucket, so many words at least.
    fn hold(&mut self, owner: u32, wanted: usize, budget: &Budget) -> Result<&mut [u64]> {
        let words = entry(&mut self.by_owner, owner);
        if wanted > words.len() {
            self.bytes += (wanted - words.len()) * size_of::<u64>();
            if self.bytes > self.reserved {
                budget.take_bytes(self.bytes - self.reserved)?;
                self.reserved = self.bytes;
            }
            words.resize(wanted, 0);
        }
        Ok(words)
    }

    fn clear(&mut self) {
        self.by_owner.clear();
        self.bytes = 0;
    }
}

/// One term in so many is looked up; where there are more of them, it is quicker to go through all.
const SPARSE: usize = 8;

/// Calls `take` with the hashes of the terms whose ordinals have their bit set.
fn for_each_hash(
    postings: &FieldPostingsReader,
    met: &[u64],
    known: Option<(&SegmentReader, &str)>,
    budget: &Budget,
    mut take: impl FnMut(u64) -> Result<()>,
) -> Result<()> {
    let count: usize = met.iter().map(|word| word.count_ones() as usize).sum();
    let hashes = match known.filter(|_| count * SPARSE > postings.term_count() as usize) {
        Some((segment, field)) => Some(term_hashes::of(segment, field, postings, budget)?),
        None => None,
    };
    let mut term = Vec::new();
    for (place, &word) in met.iter().enumerate() {
        let mut bits = word;
        while bits != 0 {
            let ordinal = place as u32 * 64 + bits.trailing_zeros();
            match hashes.as_deref().and_then(|hashes| hashes.get(ordinal as usize)) {
                Some(&hash) => take(hash)?,
                None => {
                    postings.term(ordinal, &mut term)?;
                    take(hash_bytes(&term))?;
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
        self.segment = (!segment.computes(&self.source.name)).then_some(&*segment.reader);
        self.numbers.start_segment(self.source.numeric(segment));
        self.ordinals.start_segment(self.reader.and_then(FieldReader::ordinals));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.source.has_terms() {
            return self.collect_terms(&batch);
        }
        let (sketches, threshold, budget) = (&mut self.sketches, self.threshold, &self.budget);
        let value_type = self.source.format.value_type;
        self.numbers.for_each(&batch, |place, values| {
            let sketch = entry(sketches, batch.owners.of(place)).get_or_insert_with(|| Sketch::new(threshold));
            values.iter().try_for_each(|&value| add(sketch, hash_number(value_type.hashed_bits(value)), budget))
        })
    }

    fn takes_whole(&self) -> bool {
        let has_counts = self.segment.is_some() && self.ordinals.column().is_some();
        has_counts && self.source.has_terms() && self.source.missing.is_none()
    }

    fn collect_whole(&mut self) -> Result<()> {
        let (Some(segment), Some(column)) = (self.segment, self.ordinals.column()) else { return Ok(()) };
        let counts = term_counts::of(segment, &self.source.name, column, &self.budget)?;
        let word = |counts: &[u32]| {
            (0..).zip(counts).fold(0, |word, (bit, &count): (u32, _)| word | u64::from(count > 0) << bit)
        };
        let words = self.met.hold(0, counts.len().div_ceil(u64::BITS as usize), &self.budget)?;
        words.iter_mut().zip(counts.chunks(u64::BITS as usize)).for_each(|(met, counts)| *met |= word(counts));
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.hash_met_terms()?;
        self.sketches.resize(owner_count, None);
        let sketches = self.sketches.drain(..);
        Ok(sketches.map(|sketch| Partial::Cardinality(sketch.unwrap_or_else(|| Sketch::new(self.threshold)))).collect())
    }
}
