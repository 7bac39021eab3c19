//! What `typed_keys` calls results. A field that no shard has counts as one of terms.

use crate::aggs::format::{Format, ValueType};
use crate::aggs::partial::{Computed, Partial, PartialTerms};
use crate::aggs::plan::{Cells, GeoGrid, Kind, Pipeline};

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
        (Kind::Cardinality(_), _) => "cardinality",
        (Kind::Min(_), _) => "min",
        (Kind::Max(_), _) => "max",
        (Kind::Sum(_), _) => "sum",
        (Kind::Avg(_), _) => "avg",
        (Kind::Stats(_), _) => "stats",
        (Kind::ExtendedStats(_), _) => "extended_stats",
        (Kind::ValueCount(_), _) => "value_count",
        (Kind::Percentiles(of), _) if of.hdr_digits.is_some() => "hdr_percentiles",
        (Kind::PercentileRanks(of), _) if of.hdr_digits.is_some() => "hdr_percentile_ranks",
        (Kind::Percentiles(_), _) => "tdigest_percentiles",
        (Kind::PercentileRanks(_), _) => "tdigest_percentile_ranks",
        (Kind::MedianAbsoluteDeviation(_), _) => "median_absolute_deviation",
        (Kind::WeightedAvg(_), _) => "weighted_avg",
        (Kind::Histogram(_), _) => "histogram",
        (Kind::DateHistogram(_), _) => "date_histogram",
        (Kind::Range(_), _) => "range",
        (Kind::DateRange(_), _) => "date_range",
        (Kind::Filter(_), _) => "filter",
        (Kind::Filters(_), _) => "filters",
        (Kind::Missing(_), _) => "missing",
        (Kind::AdjacencyMatrix(_), _) => "adjacency_matrix",
        (Kind::IpRange(_), _) => "ip_range",
        (Kind::AutoDateHistogram(_), _) => "auto_date_histogram",
        (Kind::Composite(_), _) => "composite",
        (Kind::MultiTerms(_), _) => "multi_terms",
        (Kind::RareTerms(_), partial) => rare_name(partial),
        (Kind::SignificantTerms(_), partial) => significant_name(partial),
        (Kind::Sampler(_), _) => "sampler",
        (Kind::IpPrefix(_), _) => "ip_prefix",
        (Kind::VariableWidthHistogram(_), _) => "variable_width_histogram",
        (Kind::StringStats(_), _) => "string_stats",
        (Kind::Boxplot(_), _) => "boxplot",
        (Kind::MatrixStats(_), _) => "matrix_stats",
        (Kind::TTest(_), _) => "t_test",
        (Kind::ScriptedMetric(_), _) => "scripted_metric",
        (Kind::TopMetrics(_), _) => "top_metrics",
        (Kind::Rate(_), _) => "rate",
        (Kind::Pipeline(pipeline), partial) => pipeline_name(pipeline, partial),
        (Kind::GeoDistance(_), _) => "geo_distance",
        (Kind::GeoGrid(GeoGrid { cells: Cells::Geohash, .. }), _) => "geohash_grid",
        (Kind::GeoGrid(_), _) => "geotile_grid",
        (Kind::GeoBounds(_), _) => "geo_bounds",
        (Kind::GeoCentroid(_), _) => "geo_centroid",
        (Kind::Global(_), _) => "global",
        (Kind::Nested(_), _) => "nested",
        (Kind::ReverseNested(_), _) => "reverse_nested",
        (Kind::Children(_), _) => "children",
        (Kind::Parent(_), _) => "parent",
        (Kind::TopHits(_), _) => "top_hits",
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
        (Pipeline::CumulativeCardinality(_), _) => "simple_long_value",
        (Pipeline::Derivative(_), _) => "derivative",
        (_, Partial::Computed(Computed::Extreme { .. })) => "bucket_metric_value",
        (_, Partial::Computed(Computed::Percentiles { .. })) => "percentiles_bucket",
        _ => "simple_value",
    }
}
