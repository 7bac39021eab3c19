//! What `typed_keys` calls results. A field that no shard has counts as one of terms.

use crate::partial::{Computed, Partial, PartialTerms};
use crate::plan::{Kind, Pipeline};
use quarry_mapping::format::{Format, ValueType};

/// The name that `typed_keys` puts before `#`.
pub fn type_name(kind: &Kind, partial: &Partial) -> &'static str {
    match (kind, partial) {
        (Kind::Terms(_), Partial::Terms(PartialTerms { format: Some(format), .. })) => match format.value_type {
            value_type if value_type.has_terms() => "sterms",
            ValueType::UnsignedLong => "ulterms",
            value_type if value_type.is_fractional() => "dterms",
            _ => "lterms",
        },
        (Kind::Terms(_), _) => "sterms",
        (Kind::Percentiles(of), _) if of.hdr_digits.is_some() => "hdr_percentiles",
        (Kind::PercentileRanks(of), _) if of.hdr_digits.is_some() => "hdr_percentile_ranks",
        (Kind::Percentiles(_), _) => "tdigest_percentiles",
        (Kind::PercentileRanks(_), _) => "tdigest_percentile_ranks",
        (Kind::RareTerms(_), partial) => rare_name(partial),
        (Kind::SignificantTerms(_) | Kind::SignificantText(_), partial) => significant_name(partial),
        (Kind::Pipeline(pipeline), partial) => pipeline_name(pipeline, partial),
        (kind, _) => kind.name(),
    }
}

fn is_text(format: &Option<Format>) -> Option<bool> {
    format.as_ref().map(|format| format.value_type.has_terms())
}

fn rare_name(partial: &Partial) -> &'static str {
    let Partial::RareTerms(rare) = partial else { return "sterms" };
    match is_text(&rare.terms.format) {
        Some(true) => "srareterms",
        Some(false) => "lrareterms",
        None => "sterms",
    }
}

fn significant_name(partial: &Partial) -> &'static str {
    match partial {
        Partial::Significant(terms) if is_text(&terms.format) == Some(false) => "siglterms",
        _ => "sigsterms",
    }
}

fn pipeline_name(pipeline: &Pipeline, partial: &Partial) -> &'static str {
    match (pipeline, partial) {
        (Pipeline::StatsBucket(_), _) => "stats_bucket",
        (Pipeline::ExtendedStatsBucket(_), _) => "extended_stats_bucket",
        (Pipeline::BucketCountKsTest(_), _) => "bucket_count_ks_test",
        (Pipeline::CumulativeCardinality(_), _) => "simple_long_value",
        (Pipeline::Derivative(_), _) => "derivative",
        (_, Partial::Computed(Computed::Extreme { .. })) => "bucket_metric_value",
        (_, Partial::Computed(Computed::MovingPercentiles { is_hdr: true, .. })) => "hdr_percentiles",
        (Pipeline::MovingPercentiles(_), _) => "tdigest_percentiles",
        (_, Partial::Computed(Computed::Percentiles { .. })) => "percentiles_bucket",
        _ => "simple_value",
    }
}
