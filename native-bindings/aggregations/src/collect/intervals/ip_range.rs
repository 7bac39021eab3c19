//! `ip_range`: buckets of addresses.

use crate::collect::tables::bucket_table::ChildBatch;
use crate::collect::tables::entry;
use crate::collect::values::OrdinalValues;
use crate::collect::{Batch, Children, Collector, Context, build};
use crate::kinds::ip_range::IpEnds;
use crate::partial::{Partial, PartialBuckets};
use crate::plan::{Aggregation, IpRange};
use crate::source::{Accepts, FieldSource, MissingValue};
use quarry_base::error::Result;
use quarry_postings::FieldPostingsReader;
use quarry_query::view::SegmentView;
use quarry_segment::reader::FieldReader;
use std::ops::Range;

pub struct IpRangeCollector<'a> {
    source: FieldSource,
    /// In the plan's order.
    ends: Vec<IpEnds>,
    ordinals: OrdinalValues<'a>,
    /// The ordinals of the current segment that lie in each range.
    inside: Vec<Range<u32>>,
    /// Which ranges hold the missing value.
    missing: Vec<bool>,
    counts: Vec<u64>,
    batch: ChildBatch,
    children: Children<'a>,
}

impl<'a> IpRangeCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &IpRange, name: &str, aggs: &'a [Aggregation]) -> Result<Self> {
        let source = FieldSource::resolve(context.view, &plan.source, name, Accepts::Addresses, context.env.now_ms)?;
        let ends = plan.ranges.iter().map(IpEnds::new).collect::<Result<Vec<_>>>()?;
        let missing = ends.iter().map(|ends| match &source.missing {
            Some(MissingValue::Term(address)) => ends.holds(address),
            _ => false,
        });
        Ok(IpRangeCollector {
            missing: missing.collect(),
            source,
            ends,
            ordinals: OrdinalValues::new(),
            inside: Vec::new(),
            counts: Vec::new(),
            batch: ChildBatch::default(),
            children: build(context, aggs)?,
        })
    }
}

/// The first ordinal whose term is not below `bound`.
pub(super) fn lower_bound(postings: &FieldPostingsReader, bound: &[u8]) -> Result<u32> {
    match postings.terms_from(bound)?.next()? {
        Some((_, entry)) => Ok(entry.ordinal),
        None => Ok(postings.term_count()),
    }
}

fn inside(postings: &FieldPostingsReader, ends: &IpEnds) -> Result<Range<u32>> {
    let from = ends.from.map_or(Ok(0), |from| lower_bound(postings, &from))?;
    let to = ends.to.map_or(Ok(postings.term_count()), |to| lower_bound(postings, &to))?;
    Ok(from..to)
}

impl<'a> Collector<'a> for IpRangeCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        let reader = self.source.reader(segment);
        self.ordinals.start_segment(reader.and_then(FieldReader::ordinals));
        self.inside = match reader.and_then(FieldReader::postings) {
            Some(postings) => self.ends.iter().map(|ends| inside(postings, ends)).collect::<Result<_>>()?,
            None => vec![0..0; self.ends.len()],
        };
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let width = self.ends.len() as u32;
        let (inside, missing, counts, sent) = (&self.inside, &self.missing, &mut self.counts, &mut self.batch);
        let nested = !self.children.is_empty();
        sent.clear();
        self.ordinals.for_each(&batch, |place, ordinals| {
            let first = batch.owners.of(place) * width;
            for (range, (inside, missing)) in inside.iter().zip(missing).enumerate() {
                let holds = ordinals.iter().any(|ordinal| inside.contains(ordinal));
                if holds || (ordinals.is_empty() && *missing) {
                    let bucket = first + range as u32;
                    *entry(counts, bucket) += 1;
                    if nested {
                        sent.push(&batch, place, bucket);
                    }
                }
            }
            Ok(())
        })?;
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let width = self.ends.len();
        self.counts.resize(owner_count * width, 0);
        let mut buckets = self.children.finish_buckets(&self.counts)?.into_iter();
        let partials = (0..owner_count).map(|_| {
            let buckets = buckets.by_ref().take(width).collect();
            Partial::Buckets(PartialBuckets { format: self.source.format.clone(), ends: Vec::new(), buckets })
        });
        Ok(partials.collect())
    }
}
