//! A place as documents and requests write it: an object, `[lon, lat]`, `"lat,lon"`, `POINT (lon lat)` or a geohash.

use super::geohash;
use super::point::GeoPoint;
use quarry_base::error::{Error, Result};
use serde_json::{Map, Value};

/// Reads one place; degrees may be out of bounds. A third number, the height, counts for nothing and may be forbidden.
///
/// Errors: `Parse`.
pub fn read_point(value: &Value, ignore_z: bool) -> Result<GeoPoint> {
    match value {
        Value::Object(members) => of_object(members, ignore_z),
        Value::Array(numbers) => of_array(numbers, ignore_z),
        Value::String(text) => of_text(text, ignore_z),
        _ => Err(Error::parse("geo_point expected")),
    }
}

fn of_object(members: &Map<String, Value>, ignore_z: bool) -> Result<GeoPoint> {
    let known = ["lat", "lon", "geohash", "type", "coordinates"];
    if let Some(unknown) = members.keys().find(|name| !known.contains(&name.as_str())) {
        return Err(Error::parse(format!(
            "field [{unknown}] not supported - must be one of: lon, lat, type, coordinates, geohash"
        )));
    }
    let [lat, lon, hash, kind, coordinates] = known.map(|name| members.get(name));
    let forms = [lat.or(lon).is_some(), hash.is_some(), kind.or(coordinates).is_some()];
    if forms.iter().filter(|&&form| form).count() > 1 {
        return Err(Error::parse("fields [lat] and [lon], [geohash], or [type] and [coordinates] exclude each other"));
    }
    if let Some(hash) = hash {
        return geohash::corner(hash.as_str().ok_or_else(|| Error::parse("[geohash] must be a string"))?);
    }
    if forms[2] {
        let kind = kind.and_then(Value::as_str).ok_or_else(|| Error::parse("field [type] missing"))?;
        if !kind.eq_ignore_ascii_case("point") {
            return Err(Error::parse(format!("[type] for geo_point can only be 'Point', but was [{kind}]")));
        }
        let numbers =
            coordinates.and_then(Value::as_array).ok_or_else(|| Error::parse("field [coordinates] missing"))?;
        return of_array(numbers, ignore_z);
    }
    let lat = lat.ok_or_else(|| Error::parse("field [lat] missing"))?;
    let lon = lon.ok_or_else(|| Error::parse("field [lon] missing"))?;
    Ok(GeoPoint { lat: degrees(lat, "lat")?, lon: degrees(lon, "lon")? })
}

fn degrees(value: &Value, name: &str) -> Result<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number
        .filter(|number| number.is_finite())
        .ok_or_else(|| Error::parse(format!("[{name}] must be a valid double value")))
}

fn of_array(numbers: &[Value], ignore_z: bool) -> Result<GeoPoint> {
    let (lon, lat) = match numbers {
        [lon, lat] => (lon, lat),
        [lon, lat, z] => {
            check_z(&z.to_string(), ignore_z)?;
            (lon, lat)
        }
        [] | [_] => return Err(Error::parse("[lon] and [lat] expected")),
        _ => return Err(Error::parse("[geo_point] field type does not accept more than 3 dimensions")),
    };
    if !numbers.iter().all(Value::is_number) {
        return Err(Error::parse("numeric value expected"));
    }
    Ok(GeoPoint { lat: degrees(lat, "lat")?, lon: degrees(lon, "lon")? })
}

fn check_z(z: &str, ignore_z: bool) -> Result<()> {
    if ignore_z {
        return Ok(());
    }
    Err(Error::parse(format!(
        "Exception parsing coordinates: found Z value [{z}] but [ignore_z_value] parameter is [false]"
    )))
}

/// As [`read_point`], of a text.
pub fn of_text(text: &str, ignore_z: bool) -> Result<GeoPoint> {
    if text.to_ascii_lowercase().contains("point") {
        return of_well_known_text(text, ignore_z);
    }
    if !text.contains(',') {
        return geohash::corner(text);
    }
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let number = |part: &str, name: &str| {
        let number = part.parse::<f64>().ok().filter(|number| number.is_finite());
        number.ok_or_else(|| Error::parse(format!("{name} must be a number")))
    };
    if !(2..=3).contains(&parts.len()) {
        let found = parts.len();
        return Err(Error::parse(format!(
            "failed to parse [{text}], expected 2 or 3 coordinates but found: [{found}]"
        )));
    }
    if let Some(z) = parts.get(2) {
        check_z(z, ignore_z)?;
    }
    Ok(GeoPoint { lat: number(parts[0], "latitude")?, lon: number(parts[1], "longitude")? })
}

fn of_well_known_text(text: &str, ignore_z: bool) -> Result<GeoPoint> {
    let refuse =
        || Error::parse(format!("failed to parse WKT [{text}]: [geo_point] supports only POINT (longitude latitude)"));
    let trimmed = text.trim();
    let (kind, rest) = trimmed.split_once('(').ok_or_else(refuse)?;
    if !kind.trim().eq_ignore_ascii_case("point") {
        return Err(refuse());
    }
    let inner = rest.strip_suffix(')').ok_or_else(refuse)?;
    let numbers: Vec<f64> =
        inner.split_whitespace().map(str::parse).collect::<std::result::Result<_, _>>().map_err(|_| refuse())?;
    let (lon, lat) = match numbers[..] {
        [lon, lat] => (lon, lat),
        [lon, lat, z] => {
            check_z(&z.to_string(), ignore_z)?;
            (lon, lat)
        }
        _ => return Err(refuse()),
    };
    if lon.is_finite() && lat.is_finite() { Ok(GeoPoint { lat, lon }) } else { Err(refuse()) }
}

/// Refuses what is not on the globe.
///
/// Errors: `IllegalArgument`.
pub fn check_bounds(point: GeoPoint, name: &str) -> Result<()> {
    for (kind, degrees, most) in [("latitude", point.lat, 90.0), ("longitude", point.lon, 180.0)] {
        if degrees.abs() > most || degrees.is_nan() {
            return Err(Error::illegal_argument(format!("illegal {kind} value [{degrees:?}] for {name}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn at(lat: f64, lon: f64) -> GeoPoint {
        GeoPoint { lat, lon }
    }

    #[test]
    fn all_forms() {
        for value in [
            json!({"lat": 4.5, "lon": 52.25}),
            json!({"lon": "52.25", "lat": "4.5"}),
            json!({"type": "point", "coordinates": [52.25, 4.5]}),
            json!([52.25, 4.5]),
            json!([52.25, 4.5, 7]),
            json!("4.5,52.25"),
            json!(" 4.5 , 52.25 , 7"),
            json!("POINT (52.25 4.5)"),
            json!("point(52.25 4.5 7)"),
        ] {
            assert_eq!(read_point(&value, true).unwrap(), at(4.5, 52.25), "{value}");
        }
        let hash = read_point(&json!("t0v5zsq1gpzf"), true).unwrap();
        assert!((hash.lat - 4.901_618).abs() < 1e-6 && (hash.lon - 52.369_219).abs() < 1e-6, "{hash:?}");
        assert_eq!(read_point(&json!({"geohash": "t0v5zsq1gpzf"}), true).unwrap(), hash);
    }

    #[test]
    fn what_is_no_place() {
        for value in [
            json!(null),
            json!(true),
            json!(7),
            json!(""),
            json!("1,2,3,4"),
            json!("a,b"),
            json!("1,"),
            json!([]),
            json!([1]),
            json!([1, 2, 3, 4]),
            json!(["1", "2"]),
            json!({}),
            json!({"lat": 1}),
            json!({"lat": 1, "lon": "x"}),
            json!({"lat": 1, "lon": 2, "geohash": "u"}),
            json!({"lat": 1, "lon": 2, "alt": 3}),
            json!({"type": "LineString", "coordinates": [1, 2]}),
            json!({"type": "Point"}),
            json!("POINT (1)"),
            json!("POINT (1 2"),
            json!("MULTIPOINT (1 2)"),
            json!("POINT (1 inf)"),
        ] {
            assert!(read_point(&value, true).is_err(), "{value}");
        }
        for value in [json!([1, 2, 3]), json!("1,2,3"), json!("POINT (1 2 3)")] {
            assert!(read_point(&value, false).unwrap_err().reason.contains("ignore_z_value"), "{value}");
        }
    }

    #[test]
    fn bounds() {
        assert!(check_bounds(at(90.0, -180.0), "f").is_ok());
        assert_eq!(check_bounds(at(91.0, 0.0), "f").unwrap_err().reason, "illegal latitude value [91.0] for f");
        assert_eq!(check_bounds(at(0.0, -180.5), "f").unwrap_err().reason, "illegal longitude value [-180.5] for f");
    }
}
