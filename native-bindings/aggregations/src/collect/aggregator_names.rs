//! What `profile` calls the collector of each kind: the name of the class that does the same in the reference.

use crate::plan::{Kind, Sampler};
use quarry_geo::grid::Grid;

/// `many`: the collector serves several buckets of a parent. Where the name follows from the field as well, the collector itself says it
/// ([`super::Collector::report`]).
pub fn aggregator_name(kind: &Kind, many: bool) -> &'static str {
    match kind {
        Kind::Terms(_) | Kind::SignificantTerms(_) => "NumericTermsAggregator",
        Kind::SignificantText(_) => "MapStringTermsAggregator",
        Kind::RareTerms(_) => "LongRareTermsAggregator",
        Kind::MultiTerms(_) => "MultiTermsAggregator",
        Kind::Histogram(_) => "NumericHistogramAggregator",
        Kind::DateHistogram(_) => "DateHistogramAggregator",
        Kind::AutoDateHistogram(_) if many => "AutoDateHistogramAggregator.FromMany",
        Kind::AutoDateHistogram(_) => "AutoDateHistogramAggregator.FromSingle",
        Kind::VariableWidthHistogram(_) => "VariableWidthHistogramAggregator",
        Kind::Range(_) | Kind::DateRange(_) | Kind::GeoDistance(_) => "RangeAggregator",
        Kind::GeoGrid(of) => match of.cells {
            Grid::Geohash => "GeoHashGridAggregator",
            Grid::Geotile => "GeoTileGridAggregator",
            Grid::Geohex => "GeoHexGridAggregator",
        },
        Kind::IpRange(_) => "BinaryRangeAggregator",
        Kind::IpPrefix(_) => "IpPrefixAggregator",
        Kind::Filter(_) => "FilterAggregator",
        Kind::Filters(_) => "FiltersAggregator",
        Kind::AdjacencyMatrix(_) => "AdjacencyMatrixAggregator",
        Kind::Missing(_) => "MissingAggregator",
        Kind::Global(_) => "GlobalAggregator",
        Kind::Nested(_) => "NestedAggregator",
        Kind::ReverseNested(_) => "ReverseNestedAggregator",
        Kind::Children(_) => "ParentToChildrenAggregator",
        Kind::Parent(_) => "ChildrenToParentAggregator",
        Kind::Composite(_) => "CompositeAggregator",
        Kind::Sampler(Sampler { diversity: None, .. }) => "SamplerAggregator",
        Kind::Sampler(_) => "DiversifiedMapSamplerAggregator",
        metric => metric_name(metric),
    }
}

fn metric_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Min(_) => "MinAggregator",
        Kind::Max(_) => "MaxAggregator",
        Kind::Sum(_) => "SumAggregator",
        Kind::Avg(_) => "AvgAggregator",
        Kind::Stats(_) => "StatsAggregator",
        Kind::ExtendedStats(_) => "ExtendedStatsAggregator",
        Kind::ValueCount(_) => "ValueCountAggregator",
        Kind::WeightedAvg(_) => "WeightedAvgAggregator",
        Kind::Cardinality(_) => "CardinalityAggregator",
        Kind::Percentiles(of) if of.hdr_digits.is_some() => "HDRPercentilesAggregator",
        Kind::PercentileRanks(of) if of.hdr_digits.is_some() => "HDRPercentileRanksAggregator",
        Kind::Percentiles(_) => "TDigestPercentilesAggregator",
        Kind::PercentileRanks(_) => "TDigestPercentileRanksAggregator",
        Kind::MedianAbsoluteDeviation(_) => "MedianAbsoluteDeviationAggregator",
        Kind::TopHits(_) => "TopHitsAggregator",
        Kind::TopMetrics(_) => "TopMetricsAggregator",
        Kind::StringStats(_) => "StringStatsAggregator",
        Kind::Boxplot(_) => "BoxplotAggregator",
        Kind::MatrixStats(_) => "MatrixStatsAggregator",
        Kind::GeoBounds(_) => "GeoBoundsAggregator",
        Kind::GeoCentroid(_) => "GeoCentroidAggregator",
        Kind::TTest(_) => "TTestAggregator",
        Kind::Rate(_) => "RateAggregator",
        Kind::ScriptedMetric(_) => "ScriptedMetricAggregator",
        _ => "Aggregator",
    }
}

/// Below one bucket of it there is one bucket only.
pub fn has_one_bucket(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Filter(_)
            | Kind::Missing(_)
            | Kind::Global(_)
            | Kind::Nested(_)
            | Kind::ReverseNested(_)
            | Kind::Children(_)
            | Kind::Parent(_)
            | Kind::Sampler(_)
    )
}
