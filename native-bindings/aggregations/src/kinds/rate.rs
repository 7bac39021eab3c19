//! How many units of time the bucket of a `rate` is long.

use crate::dates::rounding::Rounding;
use crate::partial::{Bucket, Partial};
use crate::plan::{Aggregation, CalendarUnit, DateInterval, Kind, Rate};
use jiff::tz::TimeZone;
use quarry_base::error::{Error, Result};
use quarry_mapping::date::parse_time_zone;

const DAY_MS: f64 = 86_400_000.0;

/// Notes the lengths in the rates of each bucket of a date histogram, and below buckets of other kinds in it.
pub fn measure(plan: &Aggregation, partial: &mut Partial) -> Result<()> {
    let (Kind::DateHistogram(of), Partial::Histogram(histogram)) = (&plan.kind, partial) else { return Ok(()) };
    if !has_rate(&plan.aggs) {
        return Ok(());
    }
    let zone = histogram.format.time_zone.as_deref().map_or(Ok(TimeZone::UTC), parse_time_zone)?;
    let rounding = Rounding::new(of.interval, zone, of.offset_ms)?;
    for (key, bucket) in &mut histogram.buckets {
        let length = rounding.next(*key).saturating_sub(*key) as f64;
        in_bucket(&plan.aggs, bucket, of.interval, length)?;
    }
    Ok(())
}

fn has_rate(aggs: &[Aggregation]) -> bool {
    aggs.iter().any(|aggregation| matches!(aggregation.kind, Kind::Rate(_)) || has_rate(&aggregation.aggs))
}

fn in_bucket(aggs: &[Aggregation], bucket: &mut Bucket, interval: DateInterval, length: f64) -> Result<()> {
    for (aggregation, partial) in aggs.iter().zip(&mut bucket.aggs) {
        match (&aggregation.kind, &mut *partial) {
            (Kind::Rate(of), Partial::Rate(rate)) => rate.units = units(of, interval, length)?,
            // It measures its own.
            (Kind::DateHistogram(_), _) => {}
            _ => {
                for inner in partial.buckets_mut() {
                    in_bucket(&aggregation.aggs, inner, interval, length)?;
                }
            }
        }
    }
    Ok(())
}

fn units(of: &Rate, interval: DateInterval, length: f64) -> Result<f64> {
    let Some(unit) = of.unit else { return Ok(1.0) };
    if let Some(months) = months_in(unit) {
        let of_interval = match interval {
            DateInterval::Calendar(calendar) => months_in(calendar),
            DateInterval::FixedMs(_) => None,
        };
        return of_interval.map(|of_interval| of_interval / months).ok_or_else(|| {
            Error::illegal_argument(
                "Cannot use month-based rate unit with non-month based calendar interval histogram, only week, day, hour, minute \
                 and second are supported for this histogram",
            )
        });
    }
    Ok(length
        / match unit {
            CalendarUnit::Second => 1_000.0,
            CalendarUnit::Minute => 60_000.0,
            CalendarUnit::Hour => 3_600_000.0,
            CalendarUnit::Week => 7.0 * DAY_MS,
            _ => DAY_MS,
        })
}

fn months_in(unit: CalendarUnit) -> Option<f64> {
    match unit {
        CalendarUnit::Month => Some(1.0),
        CalendarUnit::Quarter => Some(3.0),
        CalendarUnit::Year => Some(12.0),
        _ => None,
    }
}
