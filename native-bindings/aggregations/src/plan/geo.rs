//! Aggregations of places.

use super::{Order, Range, Source, TermsCut};
use quarry_geo::distance::DistanceType;
use quarry_geo::grid::Grid;
use quarry_geo::point::GeoPoint;
use serde::Deserialize;

/// Buckets of places by how far they are from another one.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoDistance {
    pub range: Range,
    pub origin: GeoPoint,
    /// Metres of the unit that the ranges are in.
    pub unit: f64,
    pub distance_type: DistanceType,
}

/// Buckets of places by the cell of a grid that they lie in, and of shapes by the cells that they touch.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoGrid {
    pub source: Source,
    pub cells: Grid,
    /// Letters of a geohash, zoom of a tile, resolution of a hexagon.
    pub precision: u32,
    pub size: u32,
    pub shard_size: u32,
    pub order: Vec<Order>,
    /// Places elsewhere are left out, and so are cells of shapes.
    pub bounds: Option<GeoBox>,
}

impl GeoGrid {
    pub fn cut(&self) -> TermsCut<'_> {
        TermsCut {
            size: self.size,
            shard_size: self.shard_size,
            min_doc_count: 1,
            shard_min_doc_count: 1,
            order: &self.order,
            show_error: false,
        }
    }
}

/// In degrees; `left` is east of `right` where the box crosses the date line.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoBox {
    pub top: f64,
    pub bottom: f64,
    pub left: f64,
    pub right: f64,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoBounds {
    pub source: Source,
    /// The box may cross the date line where that makes it smaller.
    pub wrap_longitude: bool,
}
