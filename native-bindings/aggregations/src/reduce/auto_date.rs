//! Merging the buckets of `auto_date_histogram`, whose shards may have chosen different units.

use super::{Finisher, empty_level, merge_bucket};
use crate::dates::rounding::Rounding;
use crate::dates::units::Units;
use crate::partial::{Bucket, PartialAutoHistogram};
use crate::plan::{Aggregation, AutoDateHistogram};
use jiff::tz::TimeZone;
use quarry_base::error::Result;
use quarry_mapping::date::parse_time_zone;

type Buckets = Vec<(i64, Bucket)>;

/// Brings buckets of ascending keys to a rounding.
pub fn merge_buckets(plan: &Aggregation, buckets: Buckets, rounding: &Rounding) -> Result<Buckets> {
    let mut merged: Buckets = Vec::with_capacity(buckets.len());
    for (key, bucket) in buckets {
        let key = rounding.round(key);
        match merged.last_mut() {
            Some((last, into)) if *last == key => merge_bucket(plan, into, bucket)?,
            _ => merged.push((key, bucket)),
        }
    }
    Ok(merged)
}

fn units(of: &AutoDateHistogram, histogram: &PartialAutoHistogram) -> Result<Units> {
    let zone = histogram.format.time_zone.as_deref().map_or(Ok(TimeZone::UTC), parse_time_zone)?;
    Units::new(&zone, of.buckets)
}

/// Both at the larger of their units.
pub fn merge(
    plan: &Aggregation,
    of: &AutoDateHistogram,
    mine: &mut PartialAutoHistogram,
    theirs: PartialAutoHistogram,
) -> Result<()> {
    if mine.buckets.is_empty() {
        mine.format = theirs.format;
    }
    mine.unit = mine.unit.max(theirs.unit);
    let mut all = std::mem::take(&mut mine.buckets);
    all.extend(theirs.buckets);
    all.sort_by_key(|(key, _)| *key);
    mine.buckets = merge_buckets(plan, all, units(of, mine)?.rounding(mine.unit))?;
    Ok(())
}

impl Finisher {
    /// Larger units until the buckets, empty ones included, are not too many; then several units a bucket.
    pub(super) fn auto_date(
        &mut self,
        plan: &Aggregation,
        of: &AutoDateHistogram,
        histogram: &mut PartialAutoHistogram,
    ) -> Result<()> {
        let units = units(of, histogram)?;
        shrink(plan, &units, histogram)?;
        if let (Some((first, _)), Some((last, _))) = (histogram.buckets.first(), histogram.buckets.last()) {
            histogram.unit = units.fitting(*first, *last, histogram.unit);
            let rounding = units.rounding(histogram.unit);
            let merged = merge_buckets(plan, std::mem::take(&mut histogram.buckets), rounding)?;
            histogram.buckets = with_empty(plan, merged, rounding);
            shrink(plan, &units, histogram)?;
        }
        let step = units.step(histogram.unit, histogram.buckets.len());
        if step > 1 {
            let mut merged: Buckets = Vec::new();
            for (place, (key, bucket)) in std::mem::take(&mut histogram.buckets).into_iter().enumerate() {
                match merged.last_mut() {
                    Some((_, into)) if place % step as usize != 0 => merge_bucket(plan, into, bucket)?,
                    _ => merged.push((key, bucket)),
                }
            }
            histogram.buckets = merged;
        }
        histogram.step = step;
        self.count(histogram.buckets.len())?;
        histogram.buckets.iter_mut().try_for_each(|(_, bucket)| self.level(&plan.aggs, &mut bucket.aggs))
    }
}

fn shrink(plan: &Aggregation, units: &Units, histogram: &mut PartialAutoHistogram) -> Result<()> {
    while histogram.buckets.len() > units.most_buckets(histogram.unit) && !Units::is_last(histogram.unit) {
        histogram.unit += 1;
        let buckets = std::mem::take(&mut histogram.buckets);
        histogram.buckets = merge_buckets(plan, buckets, units.rounding(histogram.unit))?;
    }
    Ok(())
}

/// Few, because the unit fits the span.
fn with_empty(plan: &Aggregation, buckets: Buckets, rounding: &Rounding) -> Buckets {
    let mut filled: Buckets = Vec::with_capacity(buckets.len());
    for (key, bucket) in buckets {
        if let Some((last, _)) = filled.last() {
            let mut next = rounding.next(*last);
            while next < key {
                filled.push((next, Bucket { doc_count: 0, aggs: empty_level(&plan.aggs) }));
                let after = rounding.next(next);
                if after <= next {
                    break;
                }
                next = after;
            }
        }
        filled.push((key, bucket));
    }
    filled
}
