//! Fields of shapes.

use super::*;

fn values_of(parameters: Value, source: &Value) -> Result<Vec<String>> {
    let fields = vec![field("area", "geo_shape", parameters)];
    calls_in(&mapping(fields), &source.to_string(), &mut ParseScratch::new())
}

/// How many pieces of shapes and corners of boxes there are.
fn counts(found: &[String]) -> (usize, usize) {
    let corners = found.iter().filter(|call| call.starts_with("area#")).count();
    (found.len() - corners, corners)
}

#[test]
fn shapes_are_pieces_and_boxes() {
    let square = json!({"type": "polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 9], [0, 0]]]});
    for (value, expected) in [
        (json!("POINT (1 2)"), (1, 2)),
        (square.clone(), (1, 2)),
        (json!([square, "LINESTRING (0 0, 1 1)"]), (2, 4)),
        (json!(null), (0, 0)),
        (json!([]), (0, 0)),
    ] {
        let found = values_of(json!({}), &json!({"area": value})).unwrap();
        assert_eq!(counts(&found), expected, "{value}");
    }
}

#[test]
fn shapes_that_are_none() {
    for value in [json!(7), json!([1, 2]), json!("POINT (1"), json!({"type": "blob"})] {
        let source = json!({"area": value});
        let error = values_of(json!({}), &source).unwrap_err();
        assert_eq!(error.reason, "failed to parse field [area] of type [geo_shape]", "{value}");
        assert!(error.caused_by.is_some());
        let ignored = values_of(json!({"ignore_malformed": true}), &source).unwrap();
        assert!(ignored.iter().all(|call| call == "area ignored") && !ignored.is_empty(), "{value}: {ignored:?}");
    }
}

#[test]
fn open_rings_are_closed_where_that_is_asked_for() {
    let source = json!({"area": {"type": "polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 9]]]}});
    assert!(values_of(json!({"coerce": false}), &source).is_err());
    assert_eq!(counts(&values_of(json!({"coerce": true}), &source).unwrap()), (1, 2));
}
