//! Map tiles: squares of the Mercator projection, four of each zoom in one of the zoom before.

use super::point::GeoPoint;
use super::trigonometry::cos;
use quarry_base::error::{Error, Result};
use std::f64::consts::{FRAC_PI_2, PI};

pub const ZOOM_MAX: u32 = 29;
const ZOOM_SHIFT: u32 = 2 * ZOOM_MAX;
const COORDINATE_MASK: i64 = (1 << ZOOM_MAX) - 1;

/// The tile of a zoom around a place: zoom, then the column from the west, then the row from the north.
#[inline]
pub fn cell(place: GeoPoint, zoom: u32) -> i64 {
    let tiles = f64::from(1u32 << zoom);
    let x = (place.lon + 180.0) / 360.0 * tiles;
    let sine = cos(FRAC_PI_2 - place.lat.to_radians());
    let y = (0.5 - ((1.0 + sine) / (1.0 - sine)).ln() / (4.0 * PI)) * tiles;
    // The projection has no poles: what is beyond its ends is in the last row.
    let within = |coordinate: f64| coordinate.floor().clamp(0.0, tiles - 1.0) as i64;
    i64::from(zoom) << ZOOM_SHIFT | within(x) << ZOOM_MAX | within(y)
}

/// `zoom/x/y`
pub fn text(cell: i64) -> String {
    let (zoom, x, y) = (cell as u64 >> ZOOM_SHIFT, cell >> ZOOM_MAX & COORDINATE_MASK, cell & COORDINATE_MASK);
    format!("{zoom}/{x}/{y}")
}

/// Errors: `IllegalArgument` for what is no tile.
pub fn parse(text: &str) -> Result<i64> {
    let refuse = || {
        Error::illegal_argument(format!(
            "Invalid geotile_grid hash string of {text}. Must be three integers in a form \"zoom/x/y\"."
        ))
    };
    let parts: Vec<i64> =
        text.split('/').map(|part| part.parse()).collect::<std::result::Result<_, _>>().map_err(|_| refuse())?;
    let [zoom, x, y] = parts[..] else { return Err(refuse()) };
    if !(0..=i64::from(ZOOM_MAX)).contains(&zoom) {
        return Err(Error::illegal_argument(format!(
            "Invalid geotile_grid precision of {zoom}. Must be between 0 and {ZOOM_MAX}."
        )));
    }
    let tiles = 1i64 << zoom;
    if !(0..tiles).contains(&x) || !(0..tiles).contains(&y) {
        return Err(Error::illegal_argument(format!("Zoom/X/Y combination is not valid: {zoom}/{x}/{y}")));
    }
    Ok(zoom << ZOOM_SHIFT | x << ZOOM_MAX | y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The edges of a tile: west, east, north, south.
    fn edges(cell: i64) -> [f64; 4] {
        let parts: Vec<f64> = text(cell).split('/').map(|part| part.parse().unwrap()).collect();
        let tiles = parts[0].exp2();
        let lon = |x: f64| x / tiles * 360.0 - 180.0;
        let lat = |y: f64| (PI * (1.0 - 2.0 * y / tiles)).sinh().atan().to_degrees();
        [lon(parts[1]), lon(parts[1] + 1.0), lat(parts[2]), lat(parts[2] + 1.0)]
    }

    proptest! {
        #[test]
        fn places_lie_in_their_tiles(lat in -85.0f64..85.0, lon in -180.0f64..180.0, zoom in 0u32..=29) {
            let tile = cell(GeoPoint { lat, lon }, zoom);
            let [west, east, north, south] = edges(tile);
            prop_assert!(west - 1e-7 <= lon && lon <= east + 1e-7);
            prop_assert!(south - 1e-7 <= lat && lat <= north + 1e-7);
            prop_assert_eq!(parse(&text(tile)).unwrap(), tile);
        }
    }

    #[test]
    fn poles_and_date_line() {
        let at = |lat, lon, zoom| text(cell(GeoPoint { lat, lon }, zoom));
        assert_eq!(at(90.0, 180.0, 3), "3/7/0");
        assert_eq!(at(-90.0, -180.0, 3), "3/0/7");
        assert_eq!(at(0.0, 0.0, 0), "0/0/0");
        assert_eq!(at(0.0, 0.0, 1), "1/1/1");
    }

    #[test]
    fn what_is_no_tile() {
        for text in ["", "1/2", "1/2/0", "30/0/0", "a/b/c", "-1/0/0", "1/0/0/0"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
