//! Aggregations of a shard that several threads collect in parts: each thread the documents that it comes to look at.
//!
//! The parts together are what one collection of all documents finds, to the last digit: only aggregations whose partial results merge exactly are
//! collected so, and terms are cut when they are merged.

use super::PartialAggregations;
use super::collect::{CHUNK_WINDOWS, Cut, whole_digest};
use super::metrics::tdigest::TDigest;
use super::partial::{Bucket, Partial, PartialTerms};
use super::plan::{Aggregation, Kind, TermsCut};
use super::reduce;
use quarry_base::error::Result;
use quarry_codec::window::WINDOW;
use quarry_query::ordinals::of_shard::term_count;
use quarry_query::view::{SegmentView, ShardView};
use quarry_segment::column::numeric::{NumericColumn, NumericWindow};

/// Merging so many buckets takes about as long as parts save.
const BUCKETS_MAX: u64 = 50_000;
/// What the digest of one chunk of documents takes until it is merged, in buckets.
const DIGEST_BUCKETS: u64 = 10;
/// What a sketch of distinct values takes at most, in buckets.
const SKETCH_BUCKETS: u64 = 128;
/// What a histogram is taken to have.
const HISTOGRAM_BUCKETS: u64 = 500;

/// Not worth a closer look.
const FEW_VALUES: u64 = 16;
/// How often a value comes again in a window that tells of the other ones.
const REPEATS_MIN: u64 = 8;
/// How many times more different values than a window the column is taken to have.
const MORE_ELSEWHERE: u64 = 4;

/// What each part collects.
pub struct PlanOfParts {
    pub aggregations: Vec<Aggregation>,
    /// A part takes windows by so many in a row.
    pub windows_in_a_row: u32,
}

/// `None` where parts do not merge exactly, or not cheaply.
pub fn plan_of_parts(view: &ShardView, plan: &[Aggregation]) -> Option<PlanOfParts> {
    let windows_in_a_row = if has_digests(plan) { CHUNK_WINDOWS } else { 1 };
    let aggregations = || plan.iter().map(uncut).collect();
    (buckets(view, plan)? <= BUCKETS_MAX).then(|| PlanOfParts { aggregations: aggregations(), windows_in_a_row })
}

fn has_digests(plan: &[Aggregation]) -> bool {
    plan.iter().any(|aggregation| is_digest(&aggregation.kind) || has_digests(&aggregation.aggs))
}

fn is_digest(kind: &Kind) -> bool {
    match kind {
        Kind::Percentiles(plan) | Kind::PercentileRanks(plan) => plan.hdr_digits.is_none(),
        Kind::MedianAbsoluteDeviation(_) | Kind::Boxplot(_) => true,
        _ => false,
    }
}

/// The result of the shard.
pub fn merge_parts(plan: &[Aggregation], parts: Vec<PartialAggregations>) -> Result<PartialAggregations> {
    let mut level = reduce::merge(plan, parts.into_iter().map(|part| part.level).collect())?;
    end(plan, &mut level)?;
    Ok(PartialAggregations { level, shards: 1 })
}

/// Buckets of all levels, about. `None`: unknown, or of an aggregation that is not for parts.
fn buckets(view: &ShardView, plan: &[Aggregation]) -> Option<u64> {
    plan.iter().filter(|aggregation| !aggregation.is_pipeline()).try_fold(0u64, |sum, aggregation| {
        let own = own_buckets(view, &aggregation.kind)?;
        let is_histogram = matches!(aggregation.kind, Kind::Histogram(_) | Kind::DateHistogram(_));
        // How many buckets it has is not known, and each would have a digest of each chunk.
        if is_histogram && has_digests(&aggregation.aggs) {
            return None;
        }
        let below = buckets(view, &aggregation.aggs)?;
        Some(sum.saturating_add(own.saturating_mul(below.saturating_add(1))))
    })
}

fn own_buckets(view: &ShardView, kind: &Kind) -> Option<u64> {
    Some(match kind {
        Kind::Terms(plan) => distinct_values(view, &plan.source.field)?,
        Kind::MultiTerms(plan) => plan.sources.iter().try_fold(1u64, |product, source| {
            Some(product.saturating_mul(distinct_values(view, &source.field)?.saturating_add(1)))
        })?,
        Kind::Composite(plan) => u64::from(plan.size),
        Kind::Histogram(_) | Kind::DateHistogram(_) => HISTOGRAM_BUCKETS,
        Kind::Range(plan) | Kind::DateRange(plan) => plan.ranges.len() as u64,
        Kind::GeoDistance(plan) => plan.range.ranges.len() as u64,
        Kind::IpRange(plan) => plan.ranges.len() as u64,
        Kind::Filters(plan) => plan.filters.len() as u64 + 1,
        Kind::Filter(_) | Kind::Missing(_) => 1,
        Kind::AdjacencyMatrix(plan) => (plan.filters.len() as u64).saturating_mul(plan.filters.len() as u64),
        Kind::Cardinality(_) => SKETCH_BUCKETS,
        Kind::Min(_)
        | Kind::Max(_)
        | Kind::Sum(_)
        | Kind::Avg(_)
        | Kind::Stats(_)
        | Kind::ExtendedStats(_)
        | Kind::ValueCount(_)
        | Kind::WeightedAvg(_)
        | Kind::Rate(_)
        | Kind::GeoBounds(_)
        | Kind::GeoCentroid(_) => 0,
        // Parts keep those of the chunks apart.
        kind if is_digest(kind) => DIGEST_BUCKETS.saturating_mul(digest_chunks(view)),
        // What they find depends on the order of documents (hits, scripts, clusters), or on documents of other windows (nested ones,
        // relations), or on how many there are in all (samples, rare and significant terms).
        _ => return None,
    })
}

fn digest_chunks(view: &ShardView) -> u64 {
    let of_segment = |segment: &SegmentView| u64::from(segment.window_count().div_ceil(CHUNK_WINDOWS));
    view.segments.iter().map(of_segment).sum()
}

/// At most so many values that a field has in the view; `None` where that is not known.
fn distinct_values(view: &ShardView, field: &str) -> Option<u64> {
    view.segments.iter().try_fold(0u64, |sum, segment| {
        let Some(reader) = segment.field(field) else { return Some(sum) };
        let own = match (term_count(segment, field), reader.numeric()) {
            (Some(terms), _) => u64::from(terms),
            (None, Some(numbers)) => distinct_numbers(numbers),
            (None, None) => return None,
        };
        Some(sum.saturating_add(own))
    })
}

/// About as many different values as a column of numbers has: no more than there are from the least to the largest, and where those of one window come
/// again and again, not many more than that one has. An estimate that is wrong costs time alone.
fn distinct_numbers(column: &NumericColumn) -> u64 {
    let Some((low, high)) = column.range() else { return 0 };
    let range = high.abs_diff(low).saturating_add(1);
    if range <= FEW_VALUES {
        return range;
    }
    let mut window = NumericWindow::default();
    column.decode_window(column.window_count() / 2, &mut window);
    let mut values: Vec<i64> = (0..WINDOW as u16).flat_map(|doc| window.values_of(doc)).copied().collect();
    let all = values.len() as u64;
    values.sort_unstable();
    values.dedup();
    let distinct = values.len() as u64;
    if distinct == 0 || distinct * REPEATS_MIN > all { range } else { range.min(distinct * MORE_ELSEWHERE) }
}

fn uncut(aggregation: &Aggregation) -> Aggregation {
    let mut uncut = aggregation.clone();
    match &mut uncut.kind {
        Kind::Terms(plan) => {
            (plan.shard_size, plan.shard_min_doc_count) = (u32::MAX, 0);
            // Nothing is left out, so nothing is gained by coming back to what is kept.
            plan.breadth_first = false;
        }
        Kind::MultiTerms(plan) => (plan.shard_size, plan.shard_min_doc_count) = (u32::MAX, 0),
        Kind::Percentiles(plan) | Kind::PercentileRanks(plan) => plan.in_parts = true,
        Kind::MedianAbsoluteDeviation(plan) | Kind::Boxplot(plan) => plan.in_parts = true,
        _ => {}
    }
    uncut.aggs = aggregation.aggs.iter().map(self::uncut).collect();
    uncut
}

/// Terms and digests as a shard hands them to the reduction, on all levels: first below, where orders look.
fn end(plan: &[Aggregation], level: &mut [Partial]) -> Result<()> {
    plan.iter().zip(level).try_for_each(|(aggregation, partial)| end_one(aggregation, partial))
}

fn end_one(aggregation: &Aggregation, partial: &mut Partial) -> Result<()> {
    let below = |bucket: &mut Bucket| end(&aggregation.aggs, &mut bucket.aggs);
    match partial {
        Partial::Terms(terms) => {
            terms.buckets.iter_mut().try_for_each(|term| below(&mut term.bucket))?;
            match &aggregation.kind {
                Kind::Terms(of) => cut_terms(aggregation, of.cut(), terms),
                Kind::MultiTerms(of) => cut_terms(aggregation, of.cut(), terms),
                _ => Ok(()),
            }
        }
        Partial::Histogram(histogram) => histogram.buckets.iter_mut().try_for_each(|(_, bucket)| below(bucket)),
        Partial::Composite(composite) => composite.buckets.iter_mut().try_for_each(|(_, bucket)| below(bucket)),
        Partial::Buckets(buckets) => buckets.buckets.iter_mut().try_for_each(below),
        Partial::Single(bucket) => below(bucket),
        Partial::Digests { digests, format } => {
            let digest =
                whole_digest(std::mem::take(digests)).unwrap_or_else(|| TDigest::new(compression(aggregation)));
            *partial = Partial::Percentiles { digest, format: format.clone() };
            Ok(())
        }
        _ => Ok(()),
    }
}

fn compression(aggregation: &Aggregation) -> f64 {
    match &aggregation.kind {
        Kind::Percentiles(plan) | Kind::PercentileRanks(plan) => plan.compression,
        Kind::MedianAbsoluteDeviation(plan) | Kind::Boxplot(plan) => plan.compression,
        _ => 0.0,
    }
}

fn cut_terms(aggregation: &Aggregation, of: TermsCut<'_>, terms: &mut PartialTerms) -> Result<()> {
    let all = std::mem::take(&mut terms.buckets);
    let PartialTerms { buckets, other, error, .. } = Cut::new(of, &aggregation.aggs)?.apply(all);
    (terms.buckets, terms.other, terms.error) = (buckets, other, error);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_codec::shared_bytes::SharedBytes;
    use quarry_segment::column::numeric::NumericColumnWriter;

    const DOCUMENTS: u32 = 3 * WINDOW as u32;

    fn column(value: impl Fn(u32) -> Option<i64>) -> NumericColumn {
        let mut writer = NumericColumnWriter::new();
        for doc in 0..DOCUMENTS {
            if let Some(value) = value(doc) {
                writer.add(doc, &[value]);
            }
        }
        NumericColumn::open(SharedBytes::from(writer.finish(DOCUMENTS).bytes), DOCUMENTS).unwrap()
    }

    #[test]
    fn values_that_come_again_and_again_are_few_however_far_apart_they_are() {
        assert_eq!(distinct_numbers(&column(|doc| Some([200, 304, 404, 500][doc as usize % 4]))), 4 * MORE_ELSEWHERE);
        assert_eq!(
            distinct_numbers(&column(|doc| Some(if doc % 2 == 0 { i64::MIN } else { i64::MAX }))),
            2 * MORE_ELSEWHERE
        );
    }

    #[test]
    fn others_are_as_many_as_their_range_has() {
        assert_eq!(distinct_numbers(&column(|doc| Some(3 * i64::from(doc)))), 3 * u64::from(DOCUMENTS - 1) + 1);
        assert_eq!(distinct_numbers(&column(|doc| Some(i64::from(doc % 10)))), 10);
        assert_eq!(distinct_numbers(&column(|_| None)), 0);
        // The window that is looked at has no values.
        let ends = column(|doc| (doc < 4 || doc + 4 > DOCUMENTS).then_some(i64::from(doc)));
        assert_eq!(distinct_numbers(&ends), u64::from(DOCUMENTS));
    }
}
