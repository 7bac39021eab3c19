//! Whether rings make polygons: no edge crosses another, and holes lie inside.

use super::sweep::{Edge, each_pair, edges_of_polygon};
use crate::area::{Ring, Side};
use crate::point::GeoPoint;
use ::geo::line_intersection::{LineIntersection, line_intersection};
use ::geo::{Geometry, LineString, Polygon};
use quarry_base::error::{Error, Result};

/// Errors: `IllegalArgument`.
pub fn check(geometry: &Geometry<f64>) -> Result<()> {
    match geometry {
        Geometry::Polygon(polygon) => check_polygon(polygon),
        Geometry::MultiPolygon(polygons) => polygons.iter().try_for_each(check_polygon),
        Geometry::GeometryCollection(parts) => parts.iter().try_for_each(check),
        _ => Ok(()),
    }
}

fn check_polygon(polygon: &Polygon<f64>) -> Result<()> {
    each_pair(&mut edges_of_polygon(polygon), check_edges)?;
    let Some(shell) = ring(polygon.exterior()) else { return Ok(()) };
    for hole in polygon.interiors() {
        let mut corners = hole.coords().map(|at| GeoPoint { lat: at.y, lon: at.x });
        // Edges do not cross, so that one corner beyond the edge of the shell tells for all.
        let side = corners.find_map(|corner| Some(shell.side(corner)).filter(|side| *side != Side::On));
        if side == Some(Side::Outside) {
            return Err(Error::illegal_argument("invalid shape: a hole of a polygon is not within its shell"));
        }
    }
    Ok(())
}

fn ring(line: &LineString<f64>) -> Option<Ring> {
    let points: Vec<GeoPoint> = line.coords().map(|at| GeoPoint { lat: at.y, lon: at.x }).collect();
    Ring::new(&points)
}

/// Edges may touch, but neither cross nor run along each other.
fn check_edges(a: &Edge, b: &Edge) -> Result<()> {
    let (at, kind) = match line_intersection(a.line, b.line) {
        Some(LineIntersection::SinglePoint { intersection, is_proper: true }) => (intersection, "crosses"),
        Some(LineIntersection::Collinear { intersection }) if intersection.start != intersection.end => {
            (intersection.start, "runs along")
        }
        _ => return Ok(()),
    };
    let which = if a.of == b.of { "itself" } else { "another ring" };
    let (lat, lon) = (at.y, at.x);
    Err(Error::illegal_argument(format!("invalid shape: a polygon {kind} {which} at lat={lat:?} lon={lon:?}")))
}
