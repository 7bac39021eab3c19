//! Fields of places.

use super::*;

fn values_of(fields: Vec<Value>, source: &Value) -> Result<Vec<String>> {
    calls_in(&mapping(fields), &source.to_string(), &mut ParseScratch::new())
}

/// The places that a document has, as a recorder shows them.
fn at(lat: f64, lon: f64) -> String {
    format!("place#{}", quarry_geo::point::GeoPoint { lat, lon }.to_column())
}

#[test]
fn places_in_all_forms() {
    let one = at(4.5, 52.25);
    for value in [
        json!({"lat": 4.5, "lon": 52.25}),
        json!([52.25, 4.5]),
        json!("4.5,52.25"),
        json!("POINT (52.25 4.5)"),
        json!({"type": "Point", "coordinates": [52.25, 4.5]}),
        json!([[52.25, 4.5]]),
        json!(["4.5,52.25"]),
    ] {
        let fields = vec![field("place", "geo_point", json!({}))];
        assert_eq!(values_of(fields, &json!({"place": value.clone()})).unwrap(), std::slice::from_ref(&one), "{value}");
    }
    let several = json!({"place": [[1.0, 2.0], {"lat": 3, "lon": 4}, null, "5,6"]});
    let fields = vec![field("place", "geo_point", json!({}))];
    assert_eq!(values_of(fields, &several).unwrap(), [at(2.0, 1.0), at(3.0, 4.0), at(5.0, 6.0)]);
}

#[test]
fn places_that_are_none() {
    for (value, cause) in [
        (json!({"lat": 91, "lon": 0}), "illegal latitude value [91.0] for place"),
        (json!([181, 0]), "illegal longitude value [181.0] for place"),
        (json!({"lat": 1}), "field [lon] missing"),
        (json!(7), "geo_point expected, but got [7]"),
        (json!([]), ""),
    ] {
        let found = values_of(vec![field("place", "geo_point", json!({}))], &json!({"place": value.clone()}));
        if cause.is_empty() {
            assert_eq!(found.unwrap(), Vec::<String>::new());
            continue;
        }
        let error = found.unwrap_err();
        assert_eq!(error.reason, "failed to parse field [place] of type [geo_point]");
        assert_eq!(error.caused_by.unwrap().reason, cause);
        let lenient = vec![field("place", "geo_point", json!({"ignore_malformed": true}))];
        let expected = match cause.contains("illegal") {
            // Degrees beyond the ends went around the globe.
            true if cause.contains("latitude") => at(89.0, 180.0),
            true => at(0.0, -179.0),
            false => "place ignored".into(),
        };
        assert_eq!(values_of(lenient, &json!({"place": value})).unwrap(), [expected]);
    }
}

#[test]
fn parts_of_places() {
    let fields = vec![
        field("place", "geo_point", json!({"null_value": "1,2", "store": true})),
        field("place.hash", "keyword", json!({"parent": "place"})),
        field("flat", "geo_point", json!({"ignore_z_value": false})),
    ];
    let found = values_of(fields.clone(), &json!({"place": null})).unwrap();
    assert_eq!(found, [at(1.0, 2.0), "place stored \"1.0, 2.0\"".into(), "place.hash=s01mtw037ms0".into()]);
    assert!(values_of(fields, &json!({"flat": [1, 2, 3]})).is_err());
}
