//! Geometries in degrees as answers show them.

use crate::format::PointFormat;
use ::geo::{Coord, Geometry, LineString, Polygon};
use quarry_base::json::write::write_string;
use wkt::ToWkt;

/// Appends JSON: GeoJSON, or well-known text as a text.
pub fn write_geometry(geometry: &Geometry<f64>, format: PointFormat, out: &mut Vec<u8>) {
    if format == PointFormat::WellKnownText {
        return write_string(out, &geometry.wkt_string());
    }
    let mut json = String::new();
    geojson(geometry, &mut json);
    out.extend_from_slice(json.as_bytes());
}

fn geojson(geometry: &Geometry<f64>, out: &mut String) {
    let (kind, coordinates) = match geometry {
        Geometry::GeometryCollection(parts) => {
            out.push_str("{\"type\":\"GeometryCollection\",\"geometries\":[");
            for (place, part) in parts.iter().enumerate() {
                out.push_str(if place == 0 { "" } else { "," });
                geojson(part, out);
            }
            out.push_str("]}");
            return;
        }
        Geometry::Point(of) => ("Point", coordinate(of.0)),
        Geometry::MultiPoint(of) => ("MultiPoint", list(of.iter().map(|point| coordinate(point.0)))),
        Geometry::LineString(of) => ("LineString", line(of)),
        Geometry::MultiLineString(of) => ("MultiLineString", list(of.iter().map(line))),
        Geometry::Polygon(of) => ("Polygon", polygon(of)),
        Geometry::MultiPolygon(of) => ("MultiPolygon", list(of.iter().map(polygon))),
        Geometry::Line(of) => ("LineString", line(&(*of).into())),
        Geometry::Rect(of) => ("Polygon", polygon(&of.to_polygon())),
        Geometry::Triangle(of) => ("Polygon", polygon(&of.to_polygon())),
    };
    out.push_str(&format!("{{\"type\":\"{kind}\",\"coordinates\":{coordinates}}}"));
}

fn coordinate(at: Coord<f64>) -> String {
    format!("[{:?},{:?}]", at.x, at.y)
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn line(points: &LineString<f64>) -> String {
    list(points.coords().map(|&at| coordinate(at)))
}

fn polygon(of: &Polygon<f64>) -> String {
    list(std::iter::once(of.exterior()).chain(of.interiors()).map(line))
}
