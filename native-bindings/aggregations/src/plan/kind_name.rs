//! What the API calls kinds of aggregations.

use super::Kind;
use quarry_geo::grid::Grid;

impl Kind {
    /// The name under which a request asks for it; pipelines have one for all of them.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Terms(_) => "terms",
            Kind::Cardinality(_) => "cardinality",
            Kind::Min(_) => "min",
            Kind::Max(_) => "max",
            Kind::Sum(_) => "sum",
            Kind::Avg(_) => "avg",
            Kind::Stats(_) => "stats",
            Kind::ExtendedStats(_) => "extended_stats",
            Kind::ValueCount(_) => "value_count",
            Kind::WeightedAvg(_) => "weighted_avg",
            Kind::Percentiles(_) => "percentiles",
            Kind::PercentileRanks(_) => "percentile_ranks",
            Kind::MedianAbsoluteDeviation(_) => "median_absolute_deviation",
            Kind::Histogram(_) => "histogram",
            Kind::DateHistogram(_) => "date_histogram",
            Kind::Range(_) => "range",
            Kind::DateRange(_) => "date_range",
            Kind::Filter(_) => "filter",
            Kind::Filters(_) => "filters",
            Kind::Missing(_) => "missing",
            Kind::Global(_) => "global",
            Kind::Nested(_) => "nested",
            Kind::ReverseNested(_) => "reverse_nested",
            Kind::Children(_) => "children",
            Kind::Parent(_) => "parent",
            Kind::TopHits(_) => "top_hits",
            Kind::AdjacencyMatrix(_) => "adjacency_matrix",
            Kind::IpRange(_) => "ip_range",
            Kind::AutoDateHistogram(_) => "auto_date_histogram",
            Kind::Composite(_) => "composite",
            Kind::MultiTerms(_) => "multi_terms",
            Kind::RareTerms(_) => "rare_terms",
            Kind::SignificantTerms(_) => "significant_terms",
            Kind::SignificantText(_) => "significant_text",
            Kind::Sampler(_) => "sampler",
            Kind::IpPrefix(_) => "ip_prefix",
            Kind::VariableWidthHistogram(_) => "variable_width_histogram",
            Kind::StringStats(_) => "string_stats",
            Kind::Boxplot(_) => "boxplot",
            Kind::MatrixStats(_) => "matrix_stats",
            Kind::TTest(_) => "t_test",
            Kind::TopMetrics(_) => "top_metrics",
            Kind::Rate(_) => "rate",
            Kind::ScriptedMetric(_) => "scripted_metric",
            Kind::GeoDistance(_) => "geo_distance",
            Kind::GeoGrid(of) => match of.cells {
                Grid::Geohash => "geohash_grid",
                Grid::Geotile => "geotile_grid",
                Grid::Geohex => "geohex_grid",
            },
            Kind::GeoBounds(_) => "geo_bounds",
            Kind::GeoCentroid(_) => "geo_centroid",
            Kind::Pipeline(_) => "pipeline",
        }
    }
}
