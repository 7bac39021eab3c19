//! Edges whose boxes touch, found by a sweep from west to east.

use ::geo::{Geometry, Line, LineString, Polygon};
use quarry_base::error::{Error, Result};

/// Edges that are held against each other at most: a second or two of work.
const COMPARISONS_MAX: usize = 100_000_000;

/// An edge of the ring or line with that number.
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    pub line: Line<f64>,
    pub of: usize,
    west: f64,
    east: f64,
    south: f64,
    north: f64,
}

impl Edge {
    fn new(line: Line<f64>, of: usize) -> Self {
        let (a, b) = (line.start, line.end);
        Edge { line, of, west: a.x.min(b.x), east: a.x.max(b.x), south: a.y.min(b.y), north: a.y.max(b.y) }
    }
}

/// The edges of a line or ring.
pub fn edges_of_line(line: &LineString<f64>, of: usize) -> impl Iterator<Item = Edge> + '_ {
    line.lines().map(move |line| Edge::new(line, of))
}

pub fn edges_of_polygon(polygon: &Polygon<f64>) -> Vec<Edge> {
    let rings = std::iter::once(polygon.exterior()).chain(polygon.interiors());
    rings.enumerate().flat_map(|(number, ring)| edges_of_line(ring, number)).collect()
}

/// All edges of a geometry as those of one.
pub fn edges_of(geometry: &Geometry<f64>, of: usize, edges: &mut Vec<Edge>) {
    let mut add = |line: &LineString<f64>| edges.extend(edges_of_line(line, of));
    let mut polygon = |polygon: &Polygon<f64>| {
        add(polygon.exterior());
        polygon.interiors().iter().for_each(&mut add);
    };
    match geometry {
        Geometry::Polygon(of) => polygon(of),
        Geometry::MultiPolygon(many) => many.iter().for_each(polygon),
        Geometry::LineString(of) => add(of),
        Geometry::MultiLineString(many) => many.iter().for_each(add),
        Geometry::GeometryCollection(parts) => parts.iter().for_each(|part| edges_of(part, of, edges)),
        Geometry::Line(line) => edges.push(Edge::new(*line, of)),
        Geometry::Rect(of) => polygon(&of.to_polygon()),
        Geometry::Triangle(of) => polygon(&of.to_polygon()),
        Geometry::Point(_) | Geometry::MultiPoint(_) => {}
    }
}

/// Calls `meet` with each two edges whose boxes touch.
///
/// Errors: those of `meet`; `IllegalArgument` where too many edges lie beside each other.
pub fn each_pair(edges: &mut [Edge], mut meet: impl FnMut(&Edge, &Edge) -> Result<()>) -> Result<()> {
    edges.sort_by(|a, b| a.west.total_cmp(&b.west));
    let mut comparisons = 0;
    for (place, edge) in edges.iter().enumerate() {
        for other in edges[place + 1..].iter().take_while(|other| other.west <= edge.east) {
            comparisons += 1;
            if comparisons > COMPARISONS_MAX {
                return Err(too_intricate());
            }
            if edge.south <= other.north && other.south <= edge.north {
                meet(edge, other)?;
            }
        }
    }
    Ok(())
}

pub fn too_intricate() -> Error {
    Error::illegal_argument("a shape is too intricate: too many of its edges lie beside each other")
}
