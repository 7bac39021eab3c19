//! Shapes read, folded, held against each other and as bytes; relations against a slow reference on a raster.

use super::encode::{decode, encode};
use super::print::write_geometry;
use super::read::{Drawn, Orientation, Reading, read_shape};
use super::*;
use crate::format::PointFormat;
use proptest::prelude::*;
use serde_json::{Value, json};

const READING: Reading = Reading { ignore_z: true, coerce: false, orientation: Orientation::Right };

fn shape(value: Value) -> Shape {
    let (drawn, orientation) = read_shape(&value, READING).unwrap_or_else(|error| panic!("{value}: {error}"));
    Shape::new(drawn, orientation).unwrap_or_else(|error| panic!("{value}: {error}"))
}

fn refusal(value: Value) -> String {
    match read_shape(&value, READING).and_then(|(drawn, orientation)| Shape::new(drawn, orientation)) {
        Ok(found) => panic!("{value} is {found:?}"),
        Err(error) => error.reason,
    }
}

fn lies(relation: Relation, document: &Shape, query: &Shape) -> bool {
    let question = Question::new(query, relation);
    let exact = question.of_shapes(std::slice::from_ref(document)).unwrap();
    if let Some(by_frame) = question.of_frame(document.frame()) {
        assert_eq!(by_frame, exact, "{relation:?} {document:?} {query:?}");
    }
    exact
}

fn envelope(west: f64, east: f64, north: f64, south: f64) -> Value {
    json!({"type": "envelope", "coordinates": [[west, north], [east, south]]})
}

#[test]
fn the_same_in_both_languages() {
    for (geojson, text) in [
        (json!({"type": "Point", "coordinates": [1.5, 2]}), "POINT (1.5 2)"),
        (json!({"type": "multipoint", "coordinates": [[1, 2], [3, 4]]}), "MULTIPOINT (1 2, 3 4)"),
        (json!({"type": "LineString", "coordinates": [[1, 2], [3, 4, 9]]}), "LINESTRING (1 2, 3 4)"),
        (
            json!({"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]]]}),
            "POLYGON ((0 0, 9 0, 9 9, 0 0))",
        ),
        (
            json!({"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [1, 2]}]}),
            "GEOMETRYCOLLECTION (POINT (1 2))",
        ),
        (envelope(0.0, 9.0, 8.0, 1.0), "BBOX (0, 9, 8, 1)"),
    ] {
        assert_eq!(shape(geojson.clone()), shape(json!(text)), "{geojson}");
        let found = shape(geojson);
        assert_eq!(decode(&encode(&found)).unwrap(), found);
    }
}

#[test]
fn what_is_no_shape() {
    for (value, why) in [
        (json!(7), "shape must be an object"),
        (json!({}), "shape type not included"),
        (json!({"type": "blob", "coordinates": []}), "unknown geo_shape [blob]"),
        (json!({"type": "point"}), "coordinates not included"),
        (json!({"type": "point", "coordinates": [1]}), "longitude and a latitude"),
        (json!({"type": "point", "coordinates": [1, 91]}), "invalid latitude 91.0"),
        (json!({"type": "linestring", "coordinates": [[1, 1]]}), "must be >= 2"),
        (json!({"type": "polygon", "coordinates": [[[0, 0], [1, 0], [0, 0]]]}), "must be >= [4]"),
        (json!({"type": "polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1]]]}), "not closed"),
        (json!({"type": "polygon", "coordinates": [[[0, 0], [4, 4], [4, 0], [0, 4], [0, 0]]]}), "invalid shape"),
        (json!({"type": "circle", "coordinates": [1, 1], "radius": "1km"}), "CIRCLE geometry is not supported"),
        (envelope(0.0, 1.0, 0.0, 1.0), "max y cannot be less than min y"),
        (json!("POLYGON ((0 0, 1 1"), "failed to parse WKT"),
        (json!("CIRCLE (1 1 5)"), "CIRCLE geometry is not supported"),
        (json!("(".repeat(100_000)), "too deep"),
        (json!({"type": "geometrycollection", "geometries": []}), "lies nowhere"),
    ] {
        let reason = refusal(value.clone());
        assert!(reason.contains(why), "{value}: {reason}");
    }
    let mut deep = json!({"type": "point", "coordinates": [1, 1]});
    for _ in 0..30 {
        deep = json!({"type": "geometrycollection", "geometries": [deep]});
    }
    assert!(refusal(deep).contains("deep"));
}

#[test]
fn over_the_date_line() {
    let across = json!({"type": "polygon", "coordinates": [[[170, 0], [-170, 0], [-170, 10], [170, 10], [170, 0]]]});
    let wide = json!({"type": "polygon", "coordinates": [[[-170, 0], [170, 0], [170, 10], [-170, 10], [-170, 0]]]});
    let at = |lon: f64| shape(json!({"type": "point", "coordinates": [lon, 5]}));
    for (lon, is_across) in [(175.0, true), (-175.0, true), (0.0, false), (165.0, false), (179.999, true)] {
        assert_eq!(lies(Relation::Intersects, &at(lon), &shape(across.clone())), is_across, "{lon}");
        let unrolled =
            json!({"type": "polygon", "coordinates": [[[170, 0], [190, 0], [190, 10], [170, 10], [170, 0]]]});
        assert_eq!(lies(Relation::Intersects, &at(lon), &shape(unrolled)), is_across, "{lon}");
        assert_eq!(lies(Relation::Intersects, &at(lon), &shape(envelope(170.0, -170.0, 10.0, 0.0))), is_across);
        assert_eq!(lies(Relation::Intersects, &at(lon), &shape(wide.clone())), lon.abs() < 170.0, "{lon}");
    }
    let line = shape(json!({"type": "linestring", "coordinates": [[170, 0], [-170, 10], [-160, 10]]}));
    for (at, is_on) in [([180.0, 5.0], true), ([-165.0, 10.0], true), ([0.0, 5.0], false)] {
        let near = json!({"type": "envelope", "coordinates": [[at[0] - 0.1, at[1] + 0.1], [(at[0] + 0.1f64).min(180.0), at[1] - 0.1]]});
        assert_eq!(lies(Relation::Intersects, &line, &shape(near)), is_on, "{at:?}");
    }
}

#[test]
fn relations_by_hand() {
    let square = |low: f64, high: f64| shape(envelope(low, high, high, low));
    let ring = shape(json!({"type": "polygon", "coordinates": [
        [[0, 0], [30, 0], [30, 30], [0, 30], [0, 0]],
        [[10, 10], [10, 20], [20, 20], [20, 10], [10, 10]],
    ]}));
    use Relation::{Contains, Disjoint, Intersects, Within};
    for (document, query, expected) in [
        (square(1.0, 2.0), square(0.0, 5.0), [true, false, true, false]),
        (square(0.0, 5.0), square(1.0, 2.0), [true, false, false, true]),
        (square(0.0, 5.0), square(0.0, 5.0), [true, false, true, true]),
        (square(0.0, 5.0), square(5.0, 9.0), [true, false, false, false]),
        (square(0.0, 5.0), square(6.0, 9.0), [false, true, false, false]),
        (square(12.0, 15.0), ring.clone(), [false, true, false, false]),
        (ring.clone(), square(12.0, 15.0), [false, true, false, false]),
        (ring.clone(), square(2.0, 5.0), [true, false, false, true]),
        (square(10.0, 20.0), ring, [true, false, false, false]),
    ] {
        let found = [Intersects, Disjoint, Within, Contains].map(|relation| lies(relation, &document, &query));
        assert_eq!(found, expected, "{document:?} {query:?}");
    }
}

#[test]
fn several_shapes_of_one_document() {
    let square = |low: f64, high: f64| shape(envelope(low, high, high, low));
    let (both, query) = ([square(0.0, 1.0), square(8.0, 9.0)], square(0.0, 5.0));
    let asks = |relation| Question::new(&query, relation).of_shapes(&both).unwrap();
    assert!(asks(Relation::Intersects) && !asks(Relation::Disjoint) && !asks(Relation::Within));
}

#[test]
fn printed() {
    let value = json!({"type": "Polygon", "coordinates": [[[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [0.0, 0.0]]]});
    let (Drawn::Geometry(geometry), _) = read_shape(&value, READING).unwrap() else { panic!("no geometry") };
    let mut json = Vec::new();
    write_geometry(&geometry, PointFormat::GeoJson, &mut json);
    assert_eq!(serde_json::from_slice::<Value>(&json).unwrap(), value);
    json.clear();
    write_geometry(&geometry, PointFormat::WellKnownText, &mut json);
    assert_eq!(json, b"\"POLYGON((0 0,9 0,9 9,0 0))\"");
}

/// Boxes of whole steps on a small raster, so that each relation can be counted cell by cell.
type Cells = (i32, i32, i32, i32);

fn boxes() -> impl Strategy<Value = Cells> {
    (0..8i32, 1..5i32, 0..8i32, 1..5i32)
}

fn of_cells((x, width, y, height): Cells) -> Shape {
    // Degrees that are steps exactly.
    let unit = 5.625;
    let (west, south) = (f64::from(x) * unit, f64::from(y) * unit);
    shape(envelope(west, west + f64::from(width) * unit, south + f64::from(height) * unit, south))
}

proptest! {
    #[test]
    fn boxes_against_a_raster(a in boxes(), b in boxes()) {
        let within = |(x, width, y, height): Cells, (u, breadth, v, depth): Cells| {
            x >= u && x + width <= u + breadth && y >= v && y + height <= v + depth
        };
        let touches = a.0 <= b.0 + b.1 && b.0 <= a.0 + a.1 && a.2 <= b.2 + b.3 && b.2 <= a.2 + a.3;
        let (document, query) = (of_cells(a), of_cells(b));
        prop_assert_eq!(lies(Relation::Intersects, &document, &query), touches);
        prop_assert_eq!(lies(Relation::Disjoint, &document, &query), !touches);
        prop_assert_eq!(lies(Relation::Within, &document, &query), within(a, b));
        prop_assert_eq!(lies(Relation::Contains, &document, &query), within(b, a));
    }

    #[test]
    fn points_in_triangles_against_signs(
        corners in proptest::array::uniform3((-170.0f64..170.0, -80.0f64..80.0)),
        at in (-170.0f64..170.0, -80.0f64..80.0),
    ) {
        let [a, b, c] = corners;
        let side = |(ax, ay): (f64, f64), (bx, by): (f64, f64)| (bx - ax) * (at.1 - ay) - (by - ay) * (at.0 - ax);
        let area = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
        let sides = [side(a, b), side(b, c), side(c, a)];
        // Near an edge steps decide, and a wide triangle is turned so that it does not cross the date line.
        prop_assume!(area.abs() > 1.0 && sides.iter().all(|side| side.abs() > 1e-3));
        let ring = if area > 0.0 { [a, b, c, a] } else { [a, c, b, a] };
        let triangle = shape(json!({"type": "polygon", "coordinates": [ring.map(|(x, y)| [x, y])]}));
        let point = shape(json!({"type": "point", "coordinates": [at.0, at.1]}));
        let inside = sides.iter().all(|side| side.signum() == area.signum());
        prop_assert_eq!(lies(Relation::Intersects, &point, &triangle), inside);
        prop_assert_eq!(lies(Relation::Within, &point, &triangle), inside);
        prop_assert_eq!(lies(Relation::Contains, &triangle, &point), inside);
    }

    #[test]
    fn no_bytes_are_too_bad(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes);
    }

    #[test]
    fn cut_bytes_are_corrupt(cut in 1usize..40) {
        let bytes = encode(&shape(json!({"type": "multipolygon", "coordinates": [
            [[[0, 0], [9, 0], [9, 9], [0, 0]]], [[[20, 0], [29, 0], [29, 9], [20, 0]]],
        ]})));
        prop_assert!(decode(&bytes[..bytes.len() - cut]).is_err());
    }
}

#[test]
fn parts_may_lie_within_each_other() {
    let both = shape(json!("MULTIPOLYGON (((0 0, 20 0, 20 20, 0 20, 0 0)), ((5 5, 10 5, 10 10, 5 10, 5 5)))"));
    let across = shape(json!("POLYGON ((8 8, 15 8, 15 15, 8 15, 8 8))"));
    for (document, query, [intersects, within, contains]) in [
        (&across, &both, [true, true, false]),
        (&both, &across, [true, false, true]),
        (&both, &both, [true, true, true]),
    ] {
        assert_eq!(lies(Relation::Intersects, document, query), intersects);
        assert_eq!(lies(Relation::Within, document, query), within);
        assert_eq!(lies(Relation::Contains, document, query), contains);
    }
}

#[test]
fn parts_may_lie_over_each_other() {
    let parts = "POLYGON ((0 0, 20 0, 20 20, 0 20, 0 0)), POLYGON ((10 10, 30 10, 30 30, 10 30, 10 10))";
    let polygons = "MULTIPOLYGON (((0 0, 20 0, 20 20, 0 20, 0 0)), ((10 10, 30 10, 30 30, 10 30, 10 10)))";
    let line = "LINESTRING (5 5, 25 25)";
    for text in
        [format!("GEOMETRYCOLLECTION ({parts})"), polygons.into(), format!("GEOMETRYCOLLECTION ({parts}, {line})")]
    {
        let both = shape(json!(text));
        let one = shape(json!("POLYGON ((1 1, 19 1, 19 19, 1 19, 1 1))"));
        let beside = shape(json!("POLYGON ((22 1, 25 1, 25 5, 22 5, 22 1))"));
        let across = shape(json!("POLYGON ((5 5, 22 5, 22 15, 5 15, 5 5))"));
        let around = shape(envelope(-5.0, 40.0, 40.0, -5.0));
        for (document, query, [intersects, within, contains]) in [
            (&both, &one, [true, false, true]),
            (&one, &both, [true, true, false]),
            (&both, &beside, [false, false, false]),
            (&across, &both, [true, false, false]),
            (&both, &around, [true, true, false]),
            (&around, &both, [true, false, true]),
            (&both, &both, [true, true, true]),
        ] {
            assert_eq!(lies(Relation::Intersects, document, query), intersects, "{document:?} {query:?}");
            assert_eq!(lies(Relation::Disjoint, document, query), !intersects, "{document:?} {query:?}");
            assert_eq!(lies(Relation::Within, document, query), within, "{document:?} {query:?}");
            assert_eq!(lies(Relation::Contains, document, query), contains, "{document:?} {query:?}");
        }
    }
}
