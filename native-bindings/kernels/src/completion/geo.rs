//! Places as documents and requests write them, and their geohashes (Niemeyer 2008): each character halves the ranges of
//! longitude and latitude five times in turn.

use crate::error::{Error, ErrorCode, Result};
use serde_json::Value;

const ALPHABET: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
/// More characters tell nothing that a number of 64 bits could.
pub const PRECISION_MAX: u32 = 12;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    pub latitude: f64,
    pub longitude: f64,
}

/// The cell of a place, with so many characters.
pub fn geohash(place: Place, precision: u32) -> String {
    let (mut latitudes, mut longitudes) = ((-90.0, 90.0), (-180.0, 180.0));
    let mut hash = String::new();
    let mut is_longitude = true;
    for _ in 0..precision.clamp(1, PRECISION_MAX) {
        let mut character = 0;
        for _ in 0..5 {
            let (range, value) =
                if is_longitude { (&mut longitudes, place.longitude) } else { (&mut latitudes, place.latitude) };
            let (low, high): (f64, f64) = *range;
            let middle = (low + high) / 2.0;
            let is_upper = value >= middle;
            *range = if is_upper { (middle, high) } else { (low, middle) };
            character = character << 1 | usize::from(is_upper);
            is_longitude = !is_longitude;
        }
        hash.push(char::from(ALPHABET[character]));
    }
    hash
}

/// Center, and half of height and width, of a cell; `None` for what is no geohash.
fn cell(hash: &str) -> Option<(Place, f64, f64)> {
    let (mut latitudes, mut longitudes) = ((-90.0f64, 90.0f64), (-180.0f64, 180.0f64));
    let mut is_longitude = true;
    for character in hash.bytes() {
        let bits = ALPHABET.iter().position(|&known| known == character.to_ascii_lowercase())?;
        for bit in (0..5).rev() {
            let range = if is_longitude { &mut longitudes } else { &mut latitudes };
            let middle = (range.0 + range.1) / 2.0;
            *range = if bits >> bit & 1 == 1 { (middle, range.1) } else { (range.0, middle) };
            is_longitude = !is_longitude;
        }
    }
    let center = Place { latitude: (latitudes.0 + latitudes.1) / 2.0, longitude: (longitudes.0 + longitudes.1) / 2.0 };
    Some((center, (latitudes.1 - latitudes.0) / 2.0, (longitudes.1 - longitudes.0) / 2.0))
}

/// The cells around a cell, of its size; over the poles there are none.
pub fn neighbours(hash: &str) -> Vec<String> {
    let Some((center, height, width)) = cell(hash) else { return Vec::new() };
    let precision = hash.len() as u32;
    let mut found = Vec::with_capacity(8);
    for (up, right) in [(1, -1), (1, 0), (1, 1), (0, -1), (0, 1), (-1, -1), (-1, 0), (-1, 1)] {
        let latitude = center.latitude + f64::from(up) * 2.0 * height;
        let mut longitude = center.longitude + f64::from(right) * 2.0 * width;
        if latitude.abs() > 90.0 {
            continue;
        }
        if longitude.abs() > 180.0 {
            longitude -= 360.0 * longitude.signum();
        }
        found.push(geohash(Place { latitude, longitude }, precision));
    }
    found
}

const EQUATOR_METERS: f64 = 40_075_016.685_578_49;
/// From pole to pole.
const POLAR_METERS: f64 = 19_970_326.371_122_01;
/// Units of lengths, longer names before those that they end with.
const UNITS: [(&str, f64); 20] = [
    ("nauticalmiles", 1852.0),
    ("kilometers", 1000.0),
    ("millimeters", 0.001),
    ("centimeters", 0.01),
    ("nmi", 1852.0),
    ("meters", 1.0),
    ("miles", 1609.344),
    ("yards", 0.9144),
    ("feet", 0.3048),
    ("inch", 0.0254),
    ("km", 1000.0),
    ("cm", 0.01),
    ("mm", 0.001),
    ("mi", 1609.344),
    ("yd", 0.9144),
    ("ft", 0.3048),
    ("in", 0.0254),
    ("NM", 1852.0),
    ("m", 1.0),
    ("", 1.0),
];

/// Characters of geohashes whose cells are about as large as a distance, such as `5km`; `None` for what is no distance.
pub fn precision_of_distance(text: &str) -> Option<u32> {
    let text = text.trim();
    let (number, meters) = UNITS.iter().find_map(|(unit, meters)| {
        let number = text.strip_suffix(unit)?.trim();
        Some((number, meters))
    })?;
    let meters = number.parse::<f64>().ok().filter(|number| *number >= 0.0 && number.is_finite())? * meters;
    if meters == 0.0 {
        return Some(PRECISION_MAX);
    }
    // Cells are about as much higher than wide as a circle through the poles is longer than half of the equator.
    let width = meters / (1.0 + POLAR_METERS / EQUATOR_METERS);
    let bits = (EQUATOR_METERS / width).ceil().log2().ceil() as u32;
    let (full, left) = (bits / 5, bits % 5);
    Some((2 * full + u32::from(left > 0) + u32::from(left > 3)).clamp(1, PRECISION_MAX))
}

fn failed(reason: impl Into<String>) -> Error {
    Error::new(ErrorCode::Parse, reason)
}

/// A place written as an object with `lat` and `lon`, a list `[lon, lat]`, a text `lat,lon`, a geohash, or a point as GeoJSON or WKT
/// has it.
pub fn place_of(value: &Value) -> Result<Place> {
    match value {
        Value::Array(items) => match items.as_slice() {
            [longitude, latitude] | [longitude, latitude, _] => {
                place(number(latitude, "lat")?, number(longitude, "lon")?)
            }
            _ => Err(failed("only two values [lon, lat] expected")),
        },
        Value::Object(members) => match (members.get("coordinates"), members.get("geohash")) {
            (Some(coordinates), _) => place_of(coordinates),
            (_, Some(Value::String(hash))) => of_geohash(hash),
            _ => {
                let member = |name: &str| {
                    let value = members.get(name).ok_or_else(|| failed(format!("field [{name}] missing")))?;
                    number(value, name)
                };
                place(member("lat")?, member("lon")?)
            }
        },
        Value::String(text) => of_text(text),
        _ => Err(failed("geo_point expected")),
    }
}

fn of_text(text: &str) -> Result<Place> {
    let upper = text.trim().to_ascii_uppercase();
    if let Some(point) = upper.strip_prefix("POINT") {
        let inner = point.trim().trim_start_matches('(').trim_end_matches(')');
        let numbers: Vec<f64> = inner.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        return match numbers.as_slice() {
            [longitude, latitude, ..] => place(*latitude, *longitude),
            _ => Err(failed(format!("failed to parse [{text}] as a point"))),
        };
    }
    let Some((latitude, longitude)) = text.split_once(',') else { return of_geohash(text) };
    let longitude = longitude.split(',').next().unwrap_or_default();
    let read =
        |text: &str, name: &str| text.trim().parse::<f64>().map_err(|_| failed(format!("{name} must be a number")));
    place(read(latitude, "latitude")?, read(longitude, "longitude")?)
}

fn of_geohash(hash: &str) -> Result<Place> {
    let found = cell(hash).filter(|_| !hash.is_empty() && hash.len() <= PRECISION_MAX as usize);
    found.map(|(center, ..)| center).ok_or_else(|| failed(format!("unsupported symbol in geohash [{hash}]")))
}

fn number(value: &Value, name: &str) -> Result<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    number.ok_or_else(|| failed(format!("[{name}] must be a valid double value")))
}

/// Brings places beyond the poles and the date line back onto the globe.
fn place(latitude: f64, longitude: f64) -> Result<Place> {
    if !latitude.is_finite() || !longitude.is_finite() {
        return Err(failed("latitude and longitude must be finite"));
    }
    let (mut latitude, mut longitude) = ((latitude + 90.0).rem_euclid(360.0), longitude);
    if latitude > 180.0 {
        latitude = 360.0 - latitude;
        longitude += 180.0;
    }
    latitude -= 90.0;
    if !(-180.0..=180.0).contains(&longitude) {
        longitude = (longitude + 180.0).rem_euclid(360.0) - 180.0;
    }
    Ok(Place { latitude, longitude })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn places_have_the_cells_that_everybody_gives_them() {
        let place = Place { latitude: 57.64911, longitude: 10.40744 };
        assert_eq!(geohash(place, 11), "u4pruydqqvj");
        assert_eq!(neighbours("dqcjq"), ["dqcjt", "dqcjw", "dqcjx", "dqcjm", "dqcjr", "dqcjj", "dqcjn", "dqcjp"]);
        assert_eq!(neighbours("zzzz").len(), 5);
    }

    #[test]
    fn places_are_read_in_every_way_of_writing() {
        let expected = Place { latitude: 41.12, longitude: -71.34 };
        for value in [
            json!({ "lat": 41.12, "lon": -71.34 }),
            json!({ "lat": "41.12", "lon": "-71.34" }),
            json!([-71.34, 41.12]),
            json!("41.12, -71.34"),
            json!("POINT (-71.34 41.12)"),
            json!({ "type": "Point", "coordinates": [-71.34, 41.12] }),
        ] {
            let found = place_of(&value).unwrap();
            let distance = (found.latitude - expected.latitude).abs() + (found.longitude - expected.longitude).abs();
            assert!(distance < 1e-9, "{value}");
        }
        for value in [json!(true), json!([1]), json!({ "lat": 1 }), json!("a,b"), json!("!"), json!("POINT (1)")] {
            assert!(place_of(&value).is_err(), "{value}");
        }
    }

    #[test]
    fn distances_are_lengths_of_geohashes() {
        assert_eq!(precision_of_distance("5km"), Some(6));
        assert_eq!(precision_of_distance("5000"), Some(6));
        assert_eq!(precision_of_distance("100 km"), Some(4));
        assert_eq!(precision_of_distance("0"), Some(12));
        assert_eq!(precision_of_distance("far"), None);
    }

    proptest! {
        #[test]
        fn a_cell_holds_its_place(latitude in -90.0..90.0f64, longitude in -180.0..180.0f64, precision in 1..=12u32) {
            let hash = geohash(Place { latitude, longitude }, precision);
            let (center, height, width) = cell(&hash).unwrap();
            prop_assert!((center.latitude - latitude).abs() <= height && (center.longitude - longitude).abs() <= width);
            prop_assert_eq!(geohash(center, precision), hash.clone());
            prop_assert!(!neighbours(&hash).contains(&hash) || precision == 1);
        }

        #[test]
        fn every_place_comes_back_onto_the_globe(latitude in -1e4..1e4f64, longitude in -1e4..1e4f64) {
            let found = place(latitude, longitude).unwrap();
            prop_assert!(found.latitude.abs() <= 90.0 && found.longitude.abs() <= 180.0);
        }
    }
}
