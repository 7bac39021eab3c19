//! What a digest, or an HDR histogram, answers for a key.

use crate::metrics::hdr::Hdr;
use crate::metrics::tdigest::TDigest;
use crate::plan::Kind;

/// The aggregation's answer for one of its keys; NaN without numbers.
pub fn value(kind: &Kind, digest: &TDigest, key: f64) -> f64 {
    match kind {
        Kind::PercentileRanks(_) => digest.rank(key) * 100.0,
        Kind::MedianAbsoluteDeviation(_) => digest.median_absolute_deviation(),
        _ => digest.quantile(key / 100.0),
    }
}

/// As [`value`], from an HDR histogram.
pub fn hdr_value(kind: &Kind, hdr: &Hdr, key: f64) -> f64 {
    match kind {
        Kind::PercentileRanks(_) => hdr.rank(key),
        _ => hdr.percentile(key),
    }
}
