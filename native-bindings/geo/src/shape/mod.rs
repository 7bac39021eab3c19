//! Shapes on the globe: points, lines, polygons and collections of them, held in the steps of columns, and how they lie to
//! each other. The algorithms on geometries are those of the crate `geo`, on the plane that the map is.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`figure`] | what queries draw: circles besides shapes |
//! | [`question`] | how shapes lie to each other |
//! | [`read`] | GeoJSON and well-known text to geometries in degrees |
//! | [`fold`] | brings what crosses the date line back onto the map |
//! | [`apart`] | shapes whose parts lie over each other |
//! | [`area`] | what places can lie in |
//! | [`cells`] | the cells of grids that a shape touches |
//! | [`encode`] | a shape as bytes, and back |
//! | [`pieces`] | the shapes of a document as terms |
//! | [`valid`] | which rings make polygons |
//! | [`sweep`] | edges that are near each other |
//! | [`print`] | geometries as answers show them |
mod apart;
mod area;
pub mod cells;
pub mod encode;
mod figure;
pub mod fold;
pub mod pieces;
pub mod print;
mod question;
pub mod read;
mod sweep;
mod valid;

#[cfg(test)]
mod tests;

use super::area::Area;
use super::point::{lat_step, lon_step};
use ::geo::{Area as _, BoundingRect, Coord, CoordsIter, Geometry, MapCoords, Polygon, Rect};
pub use figure::{Asking, Figure};
use quarry_base::error::{Error, Result};
pub use question::Question;
use read::{Drawn, Orientation};
use serde::Deserialize;

/// How a document's shapes must lie to the query's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// They have a place in common.
    #[default]
    Intersects,
    Disjoint,
    /// The document's lie in the query's.
    Within,
    /// The query's lies in one of the document's.
    Contains,
}

/// A box around a shape, in steps; its ends are part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    pub south: i32,
    pub north: i32,
    pub west: i32,
    pub east: i32,
}

impl Frame {
    pub fn touches(&self, other: &Frame) -> bool {
        self.south <= other.north && other.south <= self.north && self.west <= other.east && other.west <= self.east
    }

    pub fn holds(&self, other: &Frame) -> bool {
        self.south <= other.south && other.north <= self.north && self.west <= other.west && other.east <= self.east
    }

    pub fn join(&mut self, other: &Frame) {
        self.south = self.south.min(other.south);
        self.north = self.north.max(other.north);
        self.west = self.west.min(other.west);
        self.east = self.east.max(other.east);
    }

    /// Its south-west and north-east corners as places of a column.
    pub fn corners(&self) -> [i64; 2] {
        let corner = |lat: i32, lon: i32| i64::from(lat) << 32 | i64::from(lon as u32);
        [corner(self.south, self.west), corner(self.north, self.east)]
    }

    /// The box between two corners of a column, in whichever order they come.
    pub fn of_corners(corners: &[i64]) -> Option<Frame> {
        let steps = corners.iter().map(|&corner| super::point::Steps::of_column(corner));
        steps.map(|at| Frame { south: at.lat, north: at.lat, west: at.lon, east: at.lon }).reduce(|mut all, one| {
            all.join(&one);
            all
        })
    }
}

/// Geometries in steps; what crosses the date line is in parts.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    geometry: Geometry<f64>,
    frame: Frame,
    size: Size,
}

/// What it takes to hold a shape against others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    coordinates: usize,
    /// Points, lines and rings.
    parts: usize,
}

impl Size {
    fn of(geometry: &Geometry<f64>) -> Self {
        let rings = |polygon: &Polygon<f64>| 1 + polygon.interiors().len();
        let parts = match geometry {
            Geometry::MultiPoint(points) => points.0.len(),
            Geometry::MultiLineString(lines) => lines.0.len(),
            Geometry::Polygon(polygon) => rings(polygon),
            Geometry::MultiPolygon(polygons) => polygons.iter().map(rings).sum(),
            Geometry::GeometryCollection(parts) => parts.iter().map(|part| Size::of(part).parts).sum(),
            _ => 1,
        };
        Size { coordinates: geometry.coords_count(), parts }
    }
}

/// Coordinates of one shape at most.
pub const COORDINATES_MAX: usize = 200_000;

impl Shape {
    /// Errors: `IllegalArgument` for what is no shape on the globe.
    pub fn new(drawn: Drawn, orientation: Orientation) -> Result<Self> {
        let geometry = match drawn {
            Drawn::Geometry(geometry) => geometry,
            Drawn::Circle { .. } => return Err(Error::illegal_argument("CIRCLE geometry is not supported")),
        };
        if geometry.coords_count() > COORDINATES_MAX {
            let (found, most) = (geometry.coords_count(), COORDINATES_MAX);
            return Err(Error::illegal_argument(format!("a shape has [{found}] coordinates, but may have [{most}]")));
        }
        valid::check(&geometry)?;
        let folded = fold::fold(geometry, orientation)?;
        Self::of_steps(flat_areas_as_lines(in_steps(&folded)))
    }

    /// All that lies in a frame.
    ///
    /// Errors: `IllegalArgument` for a frame in which nothing does.
    pub fn of_frame(frame: &Frame) -> Result<Self> {
        let corner = |lat: i32, lon: i32| Coord { x: f64::from(lon), y: f64::from(lat) };
        let (least, most) = (corner(frame.south, frame.west), corner(frame.north, frame.east));
        if least.x > most.x || least.y > most.y {
            return Err(empty());
        }
        if least == most {
            return Self::of_steps(Geometry::Point(least.into()));
        }
        Self::of_steps(flat_areas_as_lines(Geometry::Polygon(Rect::new(least, most).to_polygon())))
    }

    fn of_steps(geometry: Geometry<f64>) -> Result<Self> {
        let rect = geometry.bounding_rect().ok_or_else(empty)?;
        Ok(Shape { size: Size::of(&geometry), geometry, frame: frame_of(rect) })
    }

    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The boxes around its parts: what crosses the date line is in several.
    pub fn frames_of_parts(&self) -> Vec<Frame> {
        let mut frames = Vec::new();
        add_frames(&self.geometry, &mut frames);
        frames
    }

    pub fn area(&self) -> Area {
        area::area_of(&self.geometry)
    }
}

fn empty() -> Error {
    Error::illegal_argument("an empty shape lies nowhere")
}

fn frame_of(rect: Rect<f64>) -> Frame {
    let (least, most) = (rect.min(), rect.max());
    Frame { south: least.y as i32, north: most.y as i32, west: least.x as i32, east: most.x as i32 }
}

fn add_frames(geometry: &Geometry<f64>, frames: &mut Vec<Frame>) {
    let mut add = |rect: Option<Rect<f64>>| frames.extend(rect.map(frame_of));
    match geometry {
        Geometry::MultiPoint(points) => points.iter().for_each(|point| add(Some(point.bounding_rect()))),
        Geometry::MultiLineString(lines) => lines.iter().for_each(|line| add(line.bounding_rect())),
        Geometry::MultiPolygon(polygons) => polygons.iter().for_each(|polygon| add(polygon.bounding_rect())),
        Geometry::GeometryCollection(parts) => parts.iter().for_each(|part| add_frames(part, frames)),
        other => add(other.bounding_rect()),
    }
}

fn in_steps(geometry: &Geometry<f64>) -> Geometry<f64> {
    geometry.map_coords(|Coord { x, y }| Coord { x: f64::from(lon_step(x)), y: f64::from(lat_step(y)) })
}

/// Steps may leave nothing of a polygon but a line.
fn flat_areas_as_lines(geometry: Geometry<f64>) -> Geometry<f64> {
    match geometry {
        Geometry::Polygon(polygon) if polygon.unsigned_area() == 0.0 => Geometry::LineString(polygon.into_inner().0),
        Geometry::MultiPolygon(polygons) if polygons.iter().any(|polygon| polygon.unsigned_area() == 0.0) => {
            let parts = polygons.into_iter().map(|polygon| flat_areas_as_lines(Geometry::Polygon(polygon)));
            Geometry::GeometryCollection(parts.collect())
        }
        Geometry::GeometryCollection(parts) => {
            Geometry::GeometryCollection(parts.into_iter().map(flat_areas_as_lines).collect())
        }
        other => other,
    }
}
