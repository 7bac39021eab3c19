//! Queries on places. What they ask for is in degrees and metres, checked and within the bounds of the globe.

use crate::nested::NestedSort;
use crate::request::{SortMode, SortOrder};
use quarry_geo::distance::DistanceType;
use quarry_geo::grid::Grid;
use quarry_geo::point::GeoPoint;
use quarry_geo::shape::Relation;
use serde::Deserialize;

fn one() -> f32 {
    1.0
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoDistanceQuery {
    pub field: String,
    pub origin: GeoPoint,
    pub metres: f64,
    #[serde(default)]
    pub ignore_unmapped: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

/// `left` is east of `right` where the box crosses the date line.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoBoundingBoxQuery {
    pub field: String,
    pub top: f64,
    pub bottom: f64,
    pub left: f64,
    pub right: f64,
    #[serde(default)]
    pub ignore_unmapped: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoPolygonQuery {
    pub field: String,
    pub points: Vec<GeoPoint>,
    #[serde(default)]
    pub ignore_unmapped: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

/// On places and on shapes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoShapeQuery {
    pub field: String,
    /// JSON: an object, or well-known text.
    pub shape: String,
    #[serde(default)]
    pub relation: Relation,
    #[serde(default)]
    pub ignore_unmapped: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

/// On places and on shapes: those in one cell of a grid.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoGridQuery {
    pub field: String,
    pub grid: Grid,
    /// The name of the cell.
    pub cell: String,
    #[serde(default)]
    pub ignore_unmapped: bool,
    #[serde(default = "one")]
    pub boost: f32,
}

/// `_geo_distance`: how far a document's places are from some others.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoDistanceSort {
    pub field: String,
    pub origins: Vec<GeoPoint>,
    pub order: SortOrder,
    /// Metres of the unit that distances are shown in.
    pub unit: f64,
    #[serde(default)]
    pub distance_type: DistanceType,
    /// `None`: `min` when ascending, `max` when descending.
    pub mode: Option<SortMode>,
    #[serde(default)]
    pub ignore_unmapped: bool,
    pub nested: Option<Box<NestedSort>>,
}
