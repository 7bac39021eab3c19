//! A shape as an area: what places of columns can lie in.

use crate::area::{Area, Polygon, Ring};
use crate::point::{GeoPoint, lat_of, lon_of};
use ::geo::{Coord, Geometry, LineString};

/// A geometry in steps as what places can lie in.
pub fn area_of(geometry: &Geometry<f64>) -> Area {
    let point = |at: Coord<f64>| GeoPoint { lat: lat_of(at.y as i32), lon: lon_of(at.x as i32) };
    let line = |line: &LineString<f64>| line.coords().map(|&at| point(at)).collect::<Vec<_>>();
    let polygon = |polygon: &::geo::Polygon<f64>| {
        let holes = polygon.interiors().iter().filter_map(|hole| Ring::new(&line(hole)));
        let shell = Ring::new(&line(polygon.exterior()));
        shell.map_or(Area::Any(Vec::new()), |shell| Area::Polygon(Polygon::new(shell, holes.collect())))
    };
    match geometry {
        Geometry::Point(of) => Area::Places(vec![point(of.0)]),
        Geometry::MultiPoint(of) => Area::Places(of.iter().map(|at| point(at.0)).collect()),
        Geometry::LineString(of) => Area::Line(line(of)),
        Geometry::MultiLineString(of) => Area::Any(of.iter().map(|part| Area::Line(line(part))).collect()),
        Geometry::Polygon(of) => polygon(of),
        Geometry::MultiPolygon(of) => Area::Any(of.iter().map(polygon).collect()),
        Geometry::GeometryCollection(of) => Area::Any(of.iter().map(area_of).collect()),
        Geometry::Line(of) => Area::Line(vec![point(of.start), point(of.end)]),
        Geometry::Rect(of) => polygon(&of.to_polygon()),
        Geometry::Triangle(of) => polygon(&of.to_polygon()),
    }
}
