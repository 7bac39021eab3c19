//! Shapes on the globe: points, lines, polygons and collections of them, held in the steps of columns, and how they lie to
//! each other. The algorithms on geometries are those of the crate `geo`, on the plane that the map is.
//!
//! | file | what it does |
//! | --- | --- |
//! | [`read`] | GeoJSON and well-known text to geometries in degrees |
//! | [`fold`] | brings what crosses the date line back onto the map |
//! | [`area`] | what places can lie in |
//! | [`encode`] | a shape as bytes, and back |
//! | [`pieces`] | the shapes of a document as terms |
//! | [`valid`] | which rings make polygons |
//! | [`sweep`] | edges that are near each other |
//! | [`print`] | geometries as answers show them |
mod area;
pub mod encode;
pub mod fold;
pub mod pieces;
pub mod print;
pub mod read;
mod sweep;
mod valid;

#[cfg(test)]
mod tests;

use super::area::Area;
use super::point::{lat_step, lon_step};
use ::geo::indexed::PreparedGeometry;
use ::geo::{Area as _, BoundingRect, Coord, CoordsIter, Geometry, MapCoords, Polygon, Relate};
use quarry_base::error::{Error, Result};
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
/// Two shapes with no more coordinates, multiplied with each other, are held against each other at once.
const EASY_MAX: usize = 1_000_000;
/// Parts of one shape times coordinates of the other, at most.
const PART_STEPS_MAX: usize = 500_000_000;
/// Edges of two shapes that may cross each other, at most: every crossing takes memory.
const MEETINGS_MAX: usize = 4_000_000;

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

    fn of_steps(geometry: Geometry<f64>) -> Result<Self> {
        let rect = geometry.bounding_rect().ok_or_else(|| Error::illegal_argument("an empty shape lies nowhere"))?;
        let (least, most) = (rect.min(), rect.max());
        let frame = Frame { south: least.y as i32, north: most.y as i32, west: least.x as i32, east: most.x as i32 };
        Ok(Shape { size: Size::of(&geometry), geometry, frame })
    }

    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    pub fn area(&self) -> Area {
        area::area_of(&self.geometry)
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

/// A shape that many others are held against.
pub struct Question<'q> {
    shape: &'q Shape,
    prepared: PreparedGeometry<'q, &'q Geometry<f64>, f64>,
    relation: Relation,
}

impl<'q> Question<'q> {
    pub fn new(shape: &'q Shape, relation: Relation) -> Self {
        Question { shape, prepared: PreparedGeometry::from(&shape.geometry), relation }
    }

    /// What the box around a document's shapes says alone; `None`: it depends on the shapes.
    pub fn of_frame(&self, frame: &Frame) -> Option<bool> {
        match self.relation {
            Relation::Intersects if !frame.touches(&self.shape.frame) => Some(false),
            Relation::Disjoint if !frame.touches(&self.shape.frame) => Some(true),
            Relation::Within if !self.shape.frame.holds(frame) => Some(false),
            Relation::Contains if !frame.holds(&self.shape.frame) => Some(false),
            _ => None,
        }
    }

    /// Whether the shapes of a document, of which there is one at least, lie as they are to.
    ///
    /// Errors: `IllegalArgument` for shapes that would take too long.
    pub fn of_shapes(&self, shapes: &[Shape]) -> Result<bool> {
        let mut meets = false;
        for shape in shapes {
            meets = self.meets(shape)?;
            // One shape decides, unless all of them have to lie within.
            if meets != (self.relation == Relation::Within) {
                break;
            }
        }
        Ok(meets != (self.relation == Relation::Disjoint))
    }

    /// What is disjoint does not meet.
    fn meets(&self, shape: &Shape) -> Result<bool> {
        let is_near = match self.relation {
            Relation::Intersects | Relation::Disjoint => self.shape.frame.touches(&shape.frame),
            Relation::Within => self.shape.frame.holds(&shape.frame),
            Relation::Contains => shape.frame.holds(&self.shape.frame),
        };
        if !is_near {
            return Ok(false);
        }
        check_effort(self.shape, shape)?;
        let matrix = self.prepared.relate(&shape.geometry);
        Ok(match self.relation {
            Relation::Intersects | Relation::Disjoint => matrix.is_intersects(),
            Relation::Within => matrix.is_covers(),
            Relation::Contains => matrix.is_coveredby(),
        })
    }
}

/// Refuses two shapes that would take too long, or too much memory, to be held against each other.
fn check_effort(a: &Shape, b: &Shape) -> Result<()> {
    if a.size.coordinates.saturating_mul(b.size.coordinates) <= EASY_MAX {
        return Ok(());
    }
    let steps = |parts: &Shape, of: &Shape| parts.size.parts.saturating_mul(of.size.coordinates);
    if steps(a, b).max(steps(b, a)) > PART_STEPS_MAX {
        return Err(sweep::too_intricate());
    }
    let mut edges = Vec::new();
    sweep::edges_of(&a.geometry, 0, &mut edges);
    sweep::edges_of(&b.geometry, 1, &mut edges);
    let mut meetings = 0;
    sweep::each_pair(&mut edges, |one, other| {
        meetings += usize::from(one.of != other.of);
        if meetings > MEETINGS_MAX { Err(sweep::too_intricate()) } else { Ok(()) }
    })
}
