//! Brings what crosses the date line back onto the map, in parts.
//!
//! A line goes the shorter way around. A polygon that is wider than half of the globe either is that wide, or it crosses the
//! date line: which of the two, its orientation says.

use super::empty;
use super::read::Orientation;
use ::geo::winding_order::{Winding, WindingOrder};
use ::geo::{
    BooleanOps, BoundingRect, Coord, Geometry, GeometryCollection, LineString, MapCoords, MultiLineString,
    MultiPolygon, Point, Polygon, Rect, Translate,
};
use quarry_base::error::Result;

const EAST: f64 = 180.0;
const AROUND: f64 = 360.0;
/// Three steps of the grid on which polygons are cut, 2^30 of them around the globe: ten centimetres.
const ROUNDED: f64 = 1e-6;

/// The same places with longitudes between -180 and 180.
///
/// Errors: `IllegalArgument` for a shape of which nothing is left.
pub fn fold(geometry: Geometry<f64>, orientation: Orientation) -> Result<Geometry<f64>> {
    Ok(match geometry {
        Geometry::Point(point) => Geometry::Point(Point(on_map(point.0))),
        Geometry::MultiPoint(points) => {
            Geometry::MultiPoint(points.into_iter().map(|point| Point(on_map(point.0))).collect())
        }
        Geometry::LineString(line) => lines(vec![line]),
        Geometry::MultiLineString(many) => lines(many.0),
        Geometry::Polygon(polygon) => polygons(vec![polygon], orientation).ok_or_else(empty)?,
        Geometry::MultiPolygon(many) => polygons(many.0, orientation).ok_or_else(empty)?,
        Geometry::GeometryCollection(parts) => {
            let parts = parts.into_iter().map(|part| fold(part, orientation));
            Geometry::GeometryCollection(parts.collect::<Result<GeometryCollection<_>>>()?)
        }
        Geometry::Line(line) => lines(vec![line.into()]),
        Geometry::Rect(rect) => polygons(vec![rect.to_polygon()], orientation).ok_or_else(empty)?,
        Geometry::Triangle(triangle) => polygons(vec![triangle.to_polygon()], orientation).ok_or_else(empty)?,
    })
}

fn on_map(at: Coord<f64>) -> Coord<f64> {
    if at.x.abs() <= EAST {
        return at;
    }
    let within = at.x.rem_euclid(AROUND);
    Coord { x: if within > EAST { within - AROUND } else { within }, y: at.y }
}

fn lines(lines: Vec<LineString<f64>>) -> Geometry<f64> {
    let mut parts: Vec<LineString<f64>> = lines.into_iter().flat_map(|line| parts_of_line(&unrolled(&line))).collect();
    match parts.pop() {
        Some(only) if parts.is_empty() => Geometry::LineString(only),
        last => {
            parts.extend(last);
            Geometry::MultiLineString(MultiLineString(parts))
        }
    }
}

/// The line with longitudes that go on beyond the date line.
fn unrolled(line: &LineString<f64>) -> Vec<Coord<f64>> {
    let mut shift = 0.0;
    let mut before: Option<Coord<f64>> = None;
    line.coords()
        .map(|&at| {
            if let Some(before) = before {
                if at.x - before.x > EAST {
                    shift -= AROUND;
                } else if before.x - at.x > EAST {
                    shift += AROUND;
                }
            }
            before = Some(at);
            Coord { x: at.x + shift, y: at.y }
        })
        .collect()
}

/// Which turn of the globe a piece of a line is on that crosses no end of the map.
fn turn(from: f64, to: f64) -> f64 {
    if from == to {
        // The date line is the end of the turn before it.
        return ((from + EAST) / AROUND).ceil() - 1.0;
    }
    ((f64::midpoint(from, to) + EAST) / AROUND).floor()
}

/// The parts of a line, each on one turn of the globe.
#[derive(Default)]
struct Parts {
    ended: Vec<LineString<f64>>,
    open: Vec<Coord<f64>>,
    turn: Option<f64>,
}

impl Parts {
    fn add(&mut self, from: Coord<f64>, to: Coord<f64>) {
        let turn = turn(from.x, to.x);
        let back = |at: Coord<f64>| Coord { x: at.x - turn * AROUND, y: at.y };
        if self.turn != Some(turn) {
            self.end();
            self.turn = Some(turn);
            self.open.push(back(from));
        }
        self.open.push(back(to));
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            self.ended.push(LineString(std::mem::take(&mut self.open)));
        }
    }
}

fn parts_of_line(points: &[Coord<f64>]) -> Vec<LineString<f64>> {
    let is_on_map = points.iter().all(|at| at.x.abs() <= EAST);
    if is_on_map {
        return vec![LineString(points.to_vec())];
    }
    let mut parts = Parts::default();
    for ends in points.windows(2) {
        let (mut at, to) = (ends[0], ends[1]);
        for x in ends_of_map_between(at.x, to.x) {
            let cut = Coord { x, y: at.y + (to.y - at.y) * (x - at.x) / (to.x - at.x) };
            parts.add(at, cut);
            at = cut;
        }
        parts.add(at, to);
    }
    parts.end();
    parts.ended
}

/// The meridians between two others at which the map begins anew, in the order of the way.
fn ends_of_map_between(from: f64, to: f64) -> Vec<f64> {
    let (low, high) = (from.min(to), from.max(to));
    let first = ((low + EAST) / AROUND).floor() as i64 + 1;
    let last = ((high + EAST) / AROUND).ceil() as i64 - 1;
    let mut ends: Vec<f64> = (first..=last).map(|number| number as f64 * AROUND - EAST).collect();
    if to < from {
        ends.reverse();
    }
    ends
}

fn polygons(polygons: Vec<Polygon<f64>>, orientation: Orientation) -> Option<Geometry<f64>> {
    let mut parts: Vec<Polygon<f64>> =
        polygons.into_iter().flat_map(|polygon| parts_of_polygon(polygon, orientation)).collect();
    let last = parts.pop()?;
    if parts.is_empty() {
        return Some(Geometry::Polygon(last));
    }
    parts.push(last);
    Some(Geometry::MultiPolygon(MultiPolygon(parts)))
}

fn parts_of_polygon(polygon: Polygon<f64>, orientation: Orientation) -> Vec<Polygon<f64>> {
    let Some(rect) = polygon.bounding_rect() else { return Vec::new() };
    let is_on_map = rect.min().x >= -EAST && rect.max().x <= EAST;
    let may_cross = rect.width() > EAST && rect.width() < AROUND;
    if is_on_map && !(may_cross && goes_around_wrong(&polygon, orientation)) {
        return vec![polygon];
    }
    let polygon = if is_on_map { moved_east(polygon) } else { polygon };
    let Some(rect) = polygon.bounding_rect() else { return Vec::new() };
    let mut parts = Vec::new();
    let mut number = ((rect.min().x + EAST) / AROUND).floor();
    while number * AROUND - EAST < rect.max().x {
        let west = number * AROUND - EAST;
        let strip = Rect::new(Coord { x: west, y: -91.0 }, Coord { x: west + AROUND, y: 91.0 }).to_polygon();
        let inside = polygon.intersection(&strip);
        parts.extend(inside.into_iter().map(|part| to_ends(part, west).translate(-number * AROUND, 0.0)));
        number += 1.0;
    }
    parts
}

/// A part of a strip with the points that were cut at its ends where these are: the algorithm rounds to a grid, and would leave a gap at
/// the date line.
fn to_ends(part: Polygon<f64>, west: f64) -> Polygon<f64> {
    let end_near = |x: f64| [west, west + AROUND].into_iter().find(|end| (x - end).abs() < ROUNDED);
    let moved = part.map_coords(|at| Coord { x: end_near(at.x).unwrap_or(at.x), ..at });
    // What is as narrow as that would have no area.
    let is_flat = moved.bounding_rect().is_none_or(|rect| rect.width() == 0.0);
    if is_flat { part } else { moved }
}

fn goes_around_wrong(polygon: &Polygon<f64>, orientation: Orientation) -> bool {
    let expected = match orientation {
        Orientation::Right => WindingOrder::CounterClockwise,
        Orientation::Left => WindingOrder::Clockwise,
    };
    polygon.exterior().winding_order().is_some_and(|order| order != expected)
}

/// The polygon around the date line instead of around Greenwich.
fn moved_east(polygon: Polygon<f64>) -> Polygon<f64> {
    let (shell, holes) = polygon.into_inner();
    let east = |line: LineString<f64>| {
        LineString(
            line.into_iter().map(|at| Coord { x: if at.x < 0.0 { at.x + AROUND } else { at.x }, ..at }).collect(),
        )
    };
    Polygon::new(east(shell), holes.into_iter().map(east).collect())
}
