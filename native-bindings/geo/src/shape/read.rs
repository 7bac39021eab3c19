//! GeoJSON and well-known text to geometries in degrees.

use crate::point::GeoPoint;
use crate::units::parse_metres;
use ::geo::{
    Coord, Geometry, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon, Rect,
};
use quarry_base::error::{Error, Result};
use serde_json::{Map, Value};
use std::str::FromStr;

/// Collections within collections.
const DEPTH_MAX: usize = 20;
/// Parentheses within each other: those of the collections, and of the deepest geometry in them.
const PARENTHESES_MAX: usize = DEPTH_MAX + 4;

/// Which way around an outer ring goes that does not cross the date line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orientation {
    /// Counterclockwise.
    #[default]
    Right,
    Left,
}

impl Orientation {
    pub fn named(name: &str) -> Result<Self> {
        match name.to_ascii_lowercase().as_str() {
            "right" | "counterclockwise" | "ccw" => Ok(Orientation::Right),
            "left" | "clockwise" | "cw" => Ok(Orientation::Left),
            _ => Err(Error::illegal_argument(format!("Unknown orientation [{name}]"))),
        }
    }
}

/// What a document or a request draws.
#[derive(Debug, Clone, PartialEq)]
pub enum Drawn {
    /// Longitude is x.
    Geometry(Geometry<f64>),
    Circle {
        centre: GeoPoint,
        metres: f64,
    },
}

/// How shapes of a field are read.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// A third number, the height, counts for nothing.
    pub ignore_z: bool,
    /// Rings that are open are closed.
    pub coerce: bool,
    pub orientation: Orientation,
}

/// Reads a shape, with the orientation that it names or that of the field.
///
/// Errors: `Parse`, `IllegalArgument`.
pub fn read_shape(value: &Value, reading: Reading) -> Result<(Drawn, Orientation)> {
    match value {
        Value::String(text) => Ok((of_text(text, reading)?, reading.orientation)),
        Value::Object(members) => {
            let named = member(members, "orientation").and_then(Value::as_str).map(Orientation::named);
            let orientation = named.transpose()?.unwrap_or(reading.orientation);
            Ok((of_object(members, reading, 0)?, orientation))
        }
        _ => Err(Error::parse("shape must be an object consisting of type and coordinates")),
    }
}

fn member<'m>(members: &'m Map<String, Value>, name: &str) -> Option<&'m Value> {
    members.get(name)
}

fn of_object(members: &Map<String, Value>, reading: Reading, depth: usize) -> Result<Drawn> {
    let kind =
        member(members, "type").and_then(Value::as_str).ok_or_else(|| Error::parse("shape type not included"))?;
    let kind = kind.to_ascii_lowercase();
    if kind == "geometrycollection" {
        return collection(members, reading, depth);
    }
    let missing = || Error::parse("coordinates not included");
    let coordinates = member(members, "coordinates").ok_or_else(missing)?;
    Ok(Drawn::Geometry(match kind.as_str() {
        "point" => Geometry::Point(Point(coordinate(coordinates, reading)?)),
        "multipoint" | "linestring" => {
            let line = coordinates_of(coordinates, reading)?;
            if kind == "multipoint" {
                Geometry::MultiPoint(MultiPoint(line.into_iter().map(Point).collect()))
            } else {
                Geometry::LineString(line_string(line)?)
            }
        }
        "multilinestring" => {
            let lines = items(coordinates)?.iter().map(|line| line_string(coordinates_of(line, reading)?));
            Geometry::MultiLineString(MultiLineString(lines.collect::<Result<_>>()?))
        }
        "polygon" => Geometry::Polygon(polygon(coordinates, reading)?),
        "multipolygon" => {
            let polygons = items(coordinates)?.iter().map(|rings| polygon(rings, reading));
            Geometry::MultiPolygon(MultiPolygon(polygons.collect::<Result<_>>()?))
        }
        "envelope" => {
            let corners = coordinates_of(coordinates, reading)?;
            let &[north_west, south_east] = corners.as_slice() else {
                let found = corners.len();
                return Err(Error::parse(format!(
                    "invalid number of points ({found}) provided for geo_shape [envelope] when expecting an array of 2 coordinates"
                )));
            };
            envelope(north_west.x, south_east.x, north_west.y, south_east.y)?
        }
        "circle" => {
            let Coord { x, y } = coordinate(coordinates, reading)?;
            let radius = member(members, "radius").ok_or_else(|| Error::parse("circle radius not included"))?;
            let text = radius.as_str().map_or_else(|| radius.to_string(), str::to_owned);
            return Ok(Drawn::Circle { centre: GeoPoint { lat: y, lon: x }, metres: parse_metres(&text)? });
        }
        _ => return Err(Error::illegal_argument(format!("unknown geo_shape [{kind}]"))),
    }))
}

fn collection(members: &Map<String, Value>, reading: Reading, depth: usize) -> Result<Drawn> {
    if depth == DEPTH_MAX {
        return Err(Error::parse(format!("collections of shapes may be [{DEPTH_MAX}] deep at most")));
    }
    let parts = member(members, "geometries").and_then(Value::as_array);
    let parts = parts.ok_or_else(|| Error::parse("geometries not included"))?;
    let one = |part: &Value| match part.as_object().map(|part| of_object(part, reading, depth + 1)) {
        Some(Ok(Drawn::Geometry(geometry))) => Ok(geometry),
        Some(Ok(Drawn::Circle { .. })) => Err(Error::illegal_argument("CIRCLE geometry is not supported")),
        Some(Err(error)) => Err(error),
        None => Err(Error::parse("a collection holds what is no shape")),
    };
    Ok(Drawn::Geometry(Geometry::GeometryCollection(parts.iter().map(one).collect::<Result<GeometryCollection<_>>>()?)))
}

fn items(value: &Value) -> Result<&[Value]> {
    value.as_array().map(Vec::as_slice).ok_or_else(|| Error::parse("coordinates must be an array"))
}

fn coordinates_of(value: &Value, reading: Reading) -> Result<Vec<Coord<f64>>> {
    items(value)?.iter().map(|item| coordinate(item, reading)).collect()
}

fn coordinate(value: &Value, reading: Reading) -> Result<Coord<f64>> {
    let numbers = items(value)?;
    let (lon, lat) = match numbers {
        [lon, lat] => (lon, lat),
        [lon, lat, _] if reading.ignore_z => (lon, lat),
        [_, _, z] => {
            return Err(Error::parse(format!(
                "Exception parsing coordinates: found Z value [{z}] but [ignore_z_value] parameter is [false]"
            )));
        }
        _ => return Err(Error::parse("coordinates consist of a longitude and a latitude")),
    };
    match (lon.as_f64(), lat.as_f64()) {
        (Some(x), Some(y)) => checked(Coord { x, y }),
        _ => Err(Error::parse("geo coordinates must be numbers")),
    }
}

/// Longitudes may go around once; what is beyond the poles is nowhere.
fn checked(at: Coord<f64>) -> Result<Coord<f64>> {
    if !(-90.0..=90.0).contains(&at.y) {
        return Err(Error::illegal_argument(format!("invalid latitude {:?}; must be between -90.0 and 90.0", at.y)));
    }
    if !(-360.0..=360.0).contains(&at.x) {
        return Err(Error::illegal_argument(format!("invalid longitude {:?}; must be between -360.0 and 360.0", at.x)));
    }
    Ok(at)
}

fn line_string(points: Vec<Coord<f64>>) -> Result<LineString<f64>> {
    if points.len() < 2 {
        let found = points.len();
        return Err(Error::parse(format!("invalid number of points in LineString (found [{found}] - must be >= 2)")));
    }
    Ok(LineString(points))
}

fn polygon(rings: &Value, reading: Reading) -> Result<Polygon<f64>> {
    let rings = items(rings)?.iter().map(|line| ring(coordinates_of(line, reading)?, reading));
    let mut rings = rings.collect::<Result<Vec<_>>>()?.into_iter();
    let shell = rings.next().ok_or_else(|| {
        Error::parse("invalid LinearRing provided for type polygon. Linear ring must be an array of coordinates")
    })?;
    Ok(Polygon::new(shell, rings.collect()))
}

fn ring(mut points: Vec<Coord<f64>>, reading: Reading) -> Result<LineString<f64>> {
    let is_closed = points.first() == points.last();
    if reading.coerce && !is_closed {
        points.extend(points.first().copied());
    }
    if points.len() < 4 {
        let found = points.len();
        return Err(Error::parse(format!("invalid number of points in LinearRing (found [{found}] - must be >= [4])")));
    }
    if !is_closed && !reading.coerce {
        return Err(Error::parse("invalid LinearRing found (coordinates are not closed)"));
    }
    Ok(LineString(points))
}

/// Two boxes where the date line is between west and east.
/// `west` is east of `east` where it crosses the date line.
///
/// Errors: `IllegalArgument` where `north` is below `south`.
pub fn envelope(west: f64, east: f64, north: f64, south: f64) -> Result<Geometry<f64>> {
    if north < south {
        return Err(Error::illegal_argument(format!("max y cannot be less than min y ({north:?} < {south:?})")));
    }
    let part = |west: f64, east: f64| {
        let (least, most) = (Coord { x: west, y: south }, Coord { x: east, y: north });
        if west == east || south == north {
            Geometry::LineString(LineString(vec![least, most]))
        } else {
            Geometry::Polygon(Rect::new(least, most).to_polygon())
        }
    };
    if west <= east {
        return Ok(part(west, east));
    }
    let parts = [(west, 180.0), (-180.0, east)].into_iter().filter(|(west, east)| west < east);
    Ok(Geometry::GeometryCollection(parts.map(|(west, east)| part(west, east)).collect()))
}

fn of_text(text: &str, reading: Reading) -> Result<Drawn> {
    let refuse = |why: &str| Error::parse(format!("failed to parse WKT [{}]: {why}", shortened(text)));
    let trimmed = text.trim();
    let lower = trimmed.to_ascii_lowercase();
    if lower.starts_with("circle") {
        return Err(Error::illegal_argument("CIRCLE geometry is not supported"));
    }
    if let Some(rest) = lower.strip_prefix("bbox").or_else(|| lower.strip_prefix("envelope")) {
        let inner = rest.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let numbers = inner.unwrap_or_default().split(',').map(|part| part.trim().parse::<f64>());
        let numbers = numbers.collect::<std::result::Result<Vec<_>, _>>().map_err(|_| refuse("numbers expected"))?;
        let &[west, east, north, south] = numbers.as_slice() else {
            return Err(refuse("BBOX (west, east, north, south) expected"));
        };
        checked(Coord { x: west, y: north })?;
        checked(Coord { x: east, y: south })?;
        return envelope(west, east, north, south).map(Drawn::Geometry);
    }
    let mut depth = 0usize;
    let deepest = trimmed.bytes().fold(0, |deepest, byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest.max(depth)
    });
    if deepest > PARENTHESES_MAX {
        return Err(refuse("collections of shapes are too deep"));
    }
    let parsed = wkt::Wkt::<f64>::from_str(trimmed).map_err(refuse)?;
    let geometry = Geometry::try_from(parsed).map_err(|error| refuse(&error.to_string()))?;
    check_parsed(&geometry, reading)?;
    Ok(Drawn::Geometry(geometry))
}

/// What the reader of GeoJSON checks on the way.
fn check_parsed(geometry: &Geometry<f64>, reading: Reading) -> Result<()> {
    use ::geo::CoordsIter;
    geometry.coords_iter().try_for_each(|at| checked(at).map(drop))?;
    let line = |line: &LineString<f64>| line_string(line.0.clone()).map(drop);
    let polygon = |polygon: &Polygon<f64>| {
        let rings = std::iter::once(polygon.exterior()).chain(polygon.interiors());
        rings.into_iter().try_for_each(|line| ring(line.0.clone(), reading).map(drop))
    };
    match geometry {
        Geometry::LineString(of) => line(of),
        Geometry::MultiLineString(of) => of.iter().try_for_each(line),
        Geometry::Polygon(of) => polygon(of),
        Geometry::MultiPolygon(of) => of.iter().try_for_each(polygon),
        Geometry::GeometryCollection(of) => of.iter().try_for_each(|part| check_parsed(part, reading)),
        _ => Ok(()),
    }
}

fn shortened(text: &str) -> String {
    const CHARS_MAX: usize = 100;
    text.chars().take(CHARS_MAX).collect()
}
