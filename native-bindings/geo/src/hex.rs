//! Cells of H3: hexagons, and twelve pentagons, each with about seven of the next resolution. Their numbers and edges are H3's own
//! (crate `h3o`).

use super::distance::arc;
use super::point::GeoPoint;
use ::geo::{Coord, Geometry, LineString, Polygon};
use h3o::{CellIndex, LatLng, Resolution};
use quarry_base::error::{Error, Result};

pub const RESOLUTION_MAX: u32 = 15;

/// The cell of a resolution around a place of a column.
#[inline]
pub fn cell(place: GeoPoint, resolution: u32) -> i64 {
    let resolution = u8::try_from(resolution).ok().and_then(|number| Resolution::try_from(number).ok());
    // Places of columns are finite.
    let place = LatLng::new(place.lat, place.lon).unwrap_or_default();
    u64::from(place.to_cell(resolution.unwrap_or(Resolution::Fifteen))) as i64
}

/// Hexadecimal digits.
pub fn text(cell: i64) -> String {
    format!("{cell:x}")
}

/// Errors: `IllegalArgument` for what is no cell.
pub fn parse(text: &str) -> Result<i64> {
    let number = u64::from_str_radix(text, 16).ok().filter(|&number| CellIndex::try_from(number).is_ok());
    number.map(|number| number as i64).ok_or_else(|| Error::illegal_argument(format!("Invalid h3 address [{text}]")))
}

fn known(cell: i64) -> Result<CellIndex> {
    CellIndex::try_from(cell as u64).map_err(|_| Error::illegal_argument(format!("Invalid h3 address [{cell:x}]")))
}

/// Errors: as [`parse`].
pub fn resolution(cell: i64) -> Result<u32> {
    Ok(u32::from(u8::from(known(cell)?.resolution())))
}

fn corners(cell: CellIndex) -> Vec<GeoPoint> {
    cell.boundary().iter().map(|corner| GeoPoint { lat: corner.lat(), lon: corner.lng() }).collect()
}

/// The middle of a cell, and how many metres its places are away from it at most.
///
/// Errors: as [`parse`].
pub fn reach(cell: i64) -> Result<(GeoPoint, f64)> {
    let cell = known(cell)?;
    let middle = LatLng::from(cell);
    let middle = GeoPoint { lat: middle.lat(), lon: middle.lng() };
    // Edges are parts of great circles, which bend away from the middle nowhere. A hundredth more is for rounding.
    let metres = corners(cell).into_iter().map(|corner| arc(middle, corner)).fold(0.0, f64::max);
    Ok((middle, metres * 1.01))
}

/// A cell on the plane that the map is: its corners joined by straight lines, over the date line where it lies there. Longitudes go on
/// beyond the ends of the map.
///
/// Errors: as [`parse`].
pub fn outline(cell: i64) -> Result<Geometry<f64>> {
    let corners = corners(known(cell)?);
    let mut line: Vec<Coord<f64>> = Vec::with_capacity(corners.len() + 3);
    // Back to the first, to see how often the way goes around.
    for corner in corners.iter().chain(corners.first()) {
        let before = line.last().map_or(corner.lon, |before| before.x);
        let turns = ((before - corner.lon) / 360.0).round();
        line.push(Coord { x: corner.lon + turns * 360.0, y: corner.lat });
    }
    if let (Some(&first), Some(&last)) = (line.first(), line.last()) {
        // A way around the globe is one around a pole.
        if (last.x - first.x).abs() > 180.0 {
            let pole = if first.y > 0.0 { 90.0 } else { -90.0 };
            line.extend([Coord { x: last.x, y: pole }, Coord { x: first.x, y: pole }, first]);
        }
    }
    Ok(Geometry::Polygon(Polygon::new(LineString(line), Vec::new())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Of H3's own documentation, and of the reference's.
        let paris = GeoPoint { lat: 48.861111, lon: 2.336389 };
        assert_eq!(text(cell(paris, 4)), "841fb47ffffffff");
        assert_eq!(text(cell(GeoPoint { lat: 52.374081, lon: 4.912350 }, 12)), "8c1969526d26dff");
        let san_francisco = GeoPoint { lat: 37.3615593, lon: -122.0553238 };
        assert_eq!(text(cell(san_francisco, 5)), "85283473fffffff");
        assert_eq!(resolution(cell(san_francisco, 5)).unwrap(), 5);
    }

    #[test]
    fn what_is_no_cell() {
        for text in ["", "0", "85283473ffffff", "x5283473fffffff", "ffffffffffffffff", "10085283473fffffff"] {
            assert_eq!(parse(text).unwrap_err().reason, format!("Invalid h3 address [{text}]"));
        }
        assert_eq!(text(parse("85283473FFFFFFF").unwrap()), "85283473fffffff");
    }
}
