//! What queries draw: shapes, and circles on the globe, which are no shapes of the map.

use super::{Frame, Question, Relation, Shape};
use crate::area::Circle;
use crate::point::{GeoPoint, lat_of, lat_step, lon_of, lon_step};
use ::geo::{Coord, CoordsIter, Geometry, Intersects, Line, LineString, Polygon};
use quarry_base::error::Result;

#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    Shape(Shape),
    Circle(Circle),
}

impl Figure {
    /// For documents whose shapes lie so to it.
    pub fn ask(&self, relation: Relation) -> Asking<'_> {
        match self {
            Figure::Shape(shape) => Asking::Shape(Question::new(shape, relation)),
            Figure::Circle(circle) => Asking::Circle(circle, relation),
        }
    }

    /// The latitudes that it has, in steps, first and last.
    pub fn latitudes(&self) -> (i32, i32) {
        match self {
            Figure::Shape(shape) => (shape.frame().south, shape.frame().north),
            Figure::Circle(circle) => (circle.bounds().south, circle.bounds().north),
        }
    }
}

/// A figure that the shapes of many documents are held against.
pub enum Asking<'q> {
    Shape(Question<'q>),
    Circle(&'q Circle, Relation),
}

impl Asking<'_> {
    /// What the box around a document's shapes says alone; `None`: it depends on the shapes.
    pub fn of_frame(&self, frame: &Frame) -> Option<bool> {
        match self {
            Asking::Shape(question) => question.of_frame(frame),
            Asking::Circle(circle, relation) => {
                (!circle.bounds().touches(frame)).then_some(*relation == Relation::Disjoint)
            }
        }
    }

    /// Whether the shapes of a document, of which there is one at least, lie as they are to.
    ///
    /// Errors: `IllegalArgument` for shapes that would take too long.
    pub fn of_shapes(&self, shapes: &[Shape]) -> Result<bool> {
        let (circle, relation) = match self {
            Asking::Shape(question) => return question.of_shapes(shapes),
            Asking::Circle(circle, relation) => (*circle, *relation),
        };
        let mut geometries = shapes.iter().map(|shape| &shape.geometry);
        Ok(match relation {
            Relation::Intersects => geometries.any(|geometry| meets(circle, geometry)),
            Relation::Disjoint => !geometries.any(|geometry| meets(circle, geometry)),
            Relation::Within => geometries.all(|geometry| geometry.coords_iter().all(|at| circle.has(degrees(at)))),
            Relation::Contains => geometries.any(|geometry| holds(geometry, circle)),
        })
    }
}

/// A place of a geometry, which is in steps.
fn degrees(at: Coord<f64>) -> GeoPoint {
    GeoPoint { lat: lat_of(at.y as i32), lon: lon_of(at.x as i32) }
}

fn meets(circle: &Circle, geometry: &Geometry<f64>) -> bool {
    let of_line = |line: &LineString<f64>| line.lines().any(|edge| meets_edge(circle, edge));
    let of_polygon = |polygon: &Polygon<f64>| is_inside(polygon, circle) || meets_rings(polygon, circle);
    match geometry {
        Geometry::Point(point) => circle.has(degrees(point.0)),
        Geometry::MultiPoint(points) => points.iter().any(|point| circle.has(degrees(point.0))),
        Geometry::Line(edge) => meets_edge(circle, *edge),
        Geometry::LineString(line) => of_line(line),
        Geometry::MultiLineString(lines) => lines.iter().any(of_line),
        Geometry::Polygon(polygon) => of_polygon(polygon),
        Geometry::MultiPolygon(polygons) => polygons.iter().any(of_polygon),
        Geometry::GeometryCollection(parts) => parts.iter().any(|part| meets(circle, part)),
        Geometry::Rect(rect) => of_polygon(&rect.to_polygon()),
        Geometry::Triangle(triangle) => of_polygon(&triangle.to_polygon()),
    }
}

/// The whole circle lies in one of the polygons.
fn holds(geometry: &Geometry<f64>, circle: &Circle) -> bool {
    let of_polygon = |polygon: &Polygon<f64>| is_inside(polygon, circle) && !meets_rings(polygon, circle);
    match geometry {
        Geometry::Polygon(polygon) => of_polygon(polygon),
        Geometry::MultiPolygon(polygons) => polygons.iter().any(of_polygon),
        Geometry::GeometryCollection(parts) => parts.iter().any(|part| holds(part, circle)),
        _ => false,
    }
}

/// The middle of the circle lies in the polygon.
fn is_inside(polygon: &Polygon<f64>, circle: &Circle) -> bool {
    let centre = circle.centre();
    polygon.intersects(&Coord { x: f64::from(lon_step(centre.lon)), y: f64::from(lat_step(centre.lat)) })
}

fn meets_rings(polygon: &Polygon<f64>, circle: &Circle) -> bool {
    let rings = std::iter::once(polygon.exterior()).chain(polygon.interiors());
    rings.flat_map(|ring| ring.lines()).any(|edge| meets_edge(circle, edge))
}

/// One of the ends lies in the circle, or what is nearest to its middle: on the map as the reference has it, or where degrees of longitude
/// are as long as they are around the middle.
fn meets_edge(circle: &Circle, edge: Line<f64>) -> bool {
    let (from, to) = (degrees(edge.start), degrees(edge.end));
    if circle.has(from) || circle.has(to) {
        return true;
    }
    let centre = circle.centre();
    // The turn around the globe on which the middle is nearest to the edge.
    let turn = (((from.lon + to.lon) / 2.0 - centre.lon) / 360.0).round() * 360.0;
    [1.0, centre.lat.to_radians().cos()].into_iter().any(|scale| {
        let (along, up) = ((to.lon - from.lon) * scale, to.lat - from.lat);
        let (east, north) = ((centre.lon + turn - from.lon) * scale, centre.lat - from.lat);
        let share = (east * along + north * up) / (along * along + up * up);
        // Not a number for an edge without a length, whose ends were looked at.
        (0.0..=1.0).contains(&share)
            && circle.has(GeoPoint {
                lat: from.lat + (to.lat - from.lat) * share,
                lon: from.lon + (to.lon - from.lon) * share,
            })
    })
}

#[cfg(test)]
mod tests {
    use super::super::read::{Orientation, Reading, read_shape};
    use super::*;
    use crate::distance::arc;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn shape(value: &Value) -> Shape {
        let (drawn, orientation) =
            read_shape(value, Reading { ignore_z: true, coerce: false, orientation: Orientation::Right }).unwrap();
        Shape::new(drawn, orientation).unwrap()
    }

    fn lies(relation: Relation, document: &Shape, centre: GeoPoint, metres: f64) -> bool {
        let figure = Figure::Circle(Circle::new(centre, metres));
        let asking = figure.ask(relation);
        let exact = asking.of_shapes(std::slice::from_ref(document)).unwrap();
        if let Some(by_frame) = asking.of_frame(document.frame()) {
            assert_eq!(by_frame, exact, "{relation:?} {document:?} {centre:?} {metres}");
        }
        exact
    }

    /// Kilometres from the middle to the nearest of many places on the edges.
    fn nearest(points: &[(f64, f64)], centre: GeoPoint) -> f64 {
        const PARTS: u32 = 400;
        let edges = points.windows(2).flat_map(|ends| {
            (0..=PARTS).map(|part| {
                let share = f64::from(part) / f64::from(PARTS);
                let between = |from: f64, to: f64| from + (to - from) * share;
                GeoPoint { lat: between(ends[0].1, ends[1].1), lon: between(ends[0].0, ends[1].0) }
            })
        });
        edges.map(|place| arc(place, centre)).fold(f64::INFINITY, f64::min) / 1_000.0
    }

    proptest! {
        /// Triangles of a few degrees anywhere but near the poles, also over the date line, and circles around them.
        #[test]
        fn circles_meet_what_is_near(
            corner in (-180.0f64..178.0, -70.0f64..70.0),
            sides in ((0.1f64..2.0, 0.0f64..0.5), (0.0f64..0.6, 0.4f64..2.0)),
            from in (-4.0f64..4.0, -4.0f64..4.0),
            kilometres in 1.0f64..400.0,
        ) {
            let ((a, b), (c, d)) = sides;
            let (west, south) = corner;
            let points = [(west, south), (west + a, south + b), (west + c, south + d), (west, south)];
            let ring = shape(&json!({"type": "polygon", "coordinates": [points]}));
            let line = shape(&json!({"type": "linestring", "coordinates": points}));
            let centre = GeoPoint { lat: south + from.1, lon: west + from.0 };
            let on_map = GeoPoint { lat: centre.lat, lon: centre.normalized().lon };
            let metres = kilometres * 1_000.0;
            let distance = nearest(&points, on_map);
            prop_assume!((distance - kilometres).abs() > 0.03 * kilometres.max(distance) + 0.5);
            let is_near = distance < kilometres;
            prop_assert_eq!(lies(Relation::Intersects, &line, on_map, metres), is_near);
            prop_assert_eq!(lies(Relation::Disjoint, &line, on_map, metres), !is_near);
            let cross = |(x, y): (f64, f64), (p, q): (f64, f64)| (p - x) * (centre.lat - y) - (q - y) * (centre.lon - x);
            let is_inside = points.windows(2).all(|ends| cross(ends[0], ends[1]) > 0.0);
            prop_assert_eq!(lies(Relation::Intersects, &ring, on_map, metres), is_near || is_inside);
            prop_assert_eq!(lies(Relation::Contains, &ring, on_map, metres), is_inside && !is_near);
            let farthest = points.iter().map(|&(lon, lat)| arc(GeoPoint { lat, lon }, on_map)).fold(0.0, f64::max);
            prop_assert_eq!(lies(Relation::Within, &ring, on_map, metres), farthest <= metres);
        }
    }

    #[test]
    fn holes_and_the_date_line() {
        let ring = shape(&json!("POLYGON ((0 0, 30 0, 30 30, 0 30, 0 0), (10 10, 10 20, 20 20, 20 10, 10 10))"));
        let middle = GeoPoint { lat: 15.0, lon: 15.0 };
        assert!(!lies(Relation::Intersects, &ring, middle, 400_000.0));
        assert!(lies(Relation::Intersects, &ring, middle, 600_000.0));
        assert!(lies(Relation::Contains, &ring, GeoPoint { lat: 5.0, lon: 5.0 }, 400_000.0));
        let across = shape(&json!("LINESTRING (179 0, 181 0)"));
        for lon in [180.0, -180.0, 179.5, -179.5] {
            assert!(lies(Relation::Intersects, &across, GeoPoint { lat: 0.5, lon }, 60_000.0), "{lon}");
            assert!(!lies(Relation::Intersects, &across, GeoPoint { lat: 0.5, lon }, 50_000.0), "{lon}");
        }
    }
}
