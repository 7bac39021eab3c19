//! Shapes whose parts lie over each other, as several. The algorithms on geometries ask for parts with no inside in common, and give up
//! with a panic where they have one.

use super::Shape;
use ::geo::{Geometry, Intersects, Relate};

/// Pairs of parts that are looked at, at most.
const PAIRS_MAX: usize = 10_000;

/// The parts of a shape that has polygons over other parts, or, unless it counts what several of them cover `together`, may have some.
/// `None`: it can be taken as a whole.
pub fn apart(shape: &Shape, together: bool) -> Option<Vec<Shape>> {
    let is_collection = match &shape.geometry {
        Geometry::MultiPolygon(polygons) if polygons.0.len() > 1 => false,
        Geometry::GeometryCollection(parts) if parts.len() > 1 => true,
        _ => return None,
    };
    let mut parts = Vec::new();
    add_parts(&shape.geometry, &mut parts);
    let touches = |a: &Shape, b: &Shape| match (together, is_collection) {
        (false, _) => true,
        (true, true) => a.geometry.intersects(&b.geometry),
        // Polygons may have corners and edges in common.
        (true, false) => {
            let matrix = a.geometry.relate(&b.geometry);
            matrix.is_overlaps() || matrix.is_within() || matrix.is_contains()
        }
    };
    any_pair(&mut parts, touches).then_some(parts)
}

fn add_parts(geometry: &Geometry<f64>, parts: &mut Vec<Shape>) {
    match geometry {
        Geometry::MultiPolygon(polygons) => {
            polygons.iter().for_each(|polygon| add_parts(&Geometry::Polygon(polygon.clone()), parts));
        }
        Geometry::GeometryCollection(of) => of.iter().for_each(|part| add_parts(part, parts)),
        // What is empty lies nowhere.
        other => parts.extend(Shape::of_steps(other.clone()).ok()),
    }
}

/// Whether there are two parts, one of them a polygon, whose boxes touch and of which `touches` says that they do; also where there are
/// too many to look at.
fn any_pair(parts: &mut [Shape], touches: impl Fn(&Shape, &Shape) -> bool) -> bool {
    parts.sort_by_key(|part| part.frame.west);
    let has_area = |part: &Shape| matches!(part.geometry, Geometry::Polygon(_));
    let mut pairs = 0;
    for (place, part) in parts.iter().enumerate() {
        for other in parts[place + 1..].iter().take_while(|other| other.frame.west <= part.frame.east) {
            pairs += 1;
            let may_touch = part.frame.touches(&other.frame) && (has_area(part) || has_area(other));
            if pairs > PAIRS_MAX || may_touch && touches(part, other) {
                return true;
            }
        }
    }
    false
}
