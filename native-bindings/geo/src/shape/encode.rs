//! A shape as bytes: a tag for its kind, counts, and two steps of 32 bits for each coordinate. All numbers are little-endian.

use super::Shape;
use ::geo::{
    Coord, Geometry, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon,
};
use quarry_base::error::{Error, Result};

const POINT: u8 = 1;
const POINTS: u8 = 2;
const LINE: u8 = 3;
const LINES: u8 = 4;
const POLYGON: u8 = 5;
const POLYGONS: u8 = 6;
const COLLECTION: u8 = 7;

const COORDINATE_BYTES: usize = 8;
/// More than the reader lets pass.
const DEPTH_MAX: usize = 64;

pub fn encode(shape: &Shape) -> Vec<u8> {
    let mut out = Vec::new();
    write(&shape.geometry, &mut out);
    out
}

/// Errors: `Corrupt`.
pub fn decode(bytes: &[u8]) -> Result<Shape> {
    let mut input = Input { bytes };
    let geometry = input.geometry(0)?;
    if !input.bytes.is_empty() {
        return Err(Error::corrupt("bytes follow a shape"));
    }
    Shape::of_steps(geometry).map_err(|_| Error::corrupt("a shape is empty"))
}

fn write(geometry: &Geometry<f64>, out: &mut Vec<u8>) {
    match geometry {
        Geometry::Point(point) => {
            out.push(POINT);
            coordinate(point.0, out);
        }
        Geometry::MultiPoint(points) => {
            out.push(POINTS);
            coordinates(points.iter().map(|point| point.0), points.0.len(), out);
        }
        Geometry::LineString(points) => {
            out.push(LINE);
            line(points, out);
        }
        Geometry::MultiLineString(lines) => {
            out.push(LINES);
            count(lines.0.len(), out);
            lines.iter().for_each(|points| line(points, out));
        }
        Geometry::Polygon(of) => {
            out.push(POLYGON);
            polygon(of, out);
        }
        Geometry::MultiPolygon(polygons) => {
            out.push(POLYGONS);
            count(polygons.0.len(), out);
            polygons.iter().for_each(|of| polygon(of, out));
        }
        Geometry::GeometryCollection(parts) => {
            out.push(COLLECTION);
            count(parts.len(), out);
            parts.iter().for_each(|part| write(part, out));
        }
        Geometry::Line(of) => write(&Geometry::LineString((*of).into()), out),
        Geometry::Rect(of) => write(&Geometry::Polygon(of.to_polygon()), out),
        Geometry::Triangle(of) => write(&Geometry::Polygon(of.to_polygon()), out),
    }
}

fn count(number: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&(number as u32).to_le_bytes());
}

fn coordinate(at: Coord<f64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&(at.x as i32).to_le_bytes());
    out.extend_from_slice(&(at.y as i32).to_le_bytes());
}

fn coordinates(points: impl Iterator<Item = Coord<f64>>, number: usize, out: &mut Vec<u8>) {
    count(number, out);
    points.for_each(|at| coordinate(at, out));
}

fn line(points: &LineString<f64>, out: &mut Vec<u8>) {
    coordinates(points.coords().copied(), points.0.len(), out);
}

fn polygon(of: &Polygon<f64>, out: &mut Vec<u8>) {
    count(of.interiors().len() + 1, out);
    line(of.exterior(), out);
    of.interiors().iter().for_each(|hole| line(hole, out));
}

struct Input<'b> {
    bytes: &'b [u8],
}

impl Input<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) =
            self.bytes.split_first_chunk::<N>().ok_or_else(|| Error::corrupt("the bytes of a shape end too early"))?;
        self.bytes = rest;
        Ok(*taken)
    }

    /// How many items follow, each of so many bytes at least.
    fn count(&mut self, least_bytes: usize) -> Result<usize> {
        let number = u32::from_le_bytes(self.take()?) as usize;
        if number.saturating_mul(least_bytes) > self.bytes.len() {
            return Err(Error::corrupt(format!("a shape has [{number}] parts that are not there")));
        }
        Ok(number)
    }

    fn coordinate(&mut self) -> Result<Coord<f64>> {
        let (x, y) = (i32::from_le_bytes(self.take()?), i32::from_le_bytes(self.take()?));
        Ok(Coord { x: f64::from(x), y: f64::from(y) })
    }

    fn coordinates(&mut self) -> Result<Vec<Coord<f64>>> {
        let number = self.count(COORDINATE_BYTES)?;
        (0..number).map(|_| self.coordinate()).collect()
    }

    fn line(&mut self) -> Result<LineString<f64>> {
        self.coordinates().map(LineString)
    }

    fn polygon(&mut self) -> Result<Polygon<f64>> {
        let rings = self.count(4)?;
        if rings == 0 {
            return Err(Error::corrupt("a polygon has no ring"));
        }
        let shell = self.line()?;
        let holes = (1..rings).map(|_| self.line()).collect::<Result<_>>()?;
        Ok(Polygon::new(shell, holes))
    }

    fn geometry(&mut self, depth: usize) -> Result<Geometry<f64>> {
        if depth > DEPTH_MAX {
            return Err(Error::corrupt("collections of shapes are too deep"));
        }
        let [tag] = self.take()?;
        Ok(match tag {
            POINT => Geometry::Point(Point(self.coordinate()?)),
            POINTS => Geometry::MultiPoint(MultiPoint(self.coordinates()?.into_iter().map(Point).collect())),
            LINE => Geometry::LineString(self.line()?),
            LINES => {
                let number = self.count(4)?;
                Geometry::MultiLineString(MultiLineString((0..number).map(|_| self.line()).collect::<Result<_>>()?))
            }
            POLYGON => Geometry::Polygon(self.polygon()?),
            POLYGONS => {
                let number = self.count(4)?;
                Geometry::MultiPolygon(MultiPolygon((0..number).map(|_| self.polygon()).collect::<Result<_>>()?))
            }
            COLLECTION => {
                let number = self.count(1)?;
                let parts = (0..number).map(|_| self.geometry(depth + 1));
                Geometry::GeometryCollection(parts.collect::<Result<GeometryCollection<_>>>()?)
            }
            other => return Err(Error::corrupt(format!("[{other}] is no kind of shape"))),
        })
    }
}
