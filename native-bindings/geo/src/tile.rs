//! Map tiles: squares of the Mercator projection, four of each zoom in one of the zoom before.

use super::point::{GeoPoint, lat_of, lat_step, lon_of, lon_step};
use super::shape::Frame;
use super::trigonometry::cos;
use quarry_base::error::{Error, Result};
use std::f64::consts::{FRAC_PI_2, PI};

pub const ZOOM_MAX: u32 = 29;
const ZOOM_SHIFT: u32 = 2 * ZOOM_MAX;
const COORDINATE_MASK: i64 = (1 << ZOOM_MAX) - 1;

/// The tile of a zoom around a place: zoom, then the column from the west, then the row from the north.
#[inline]
pub fn cell(place: GeoPoint, zoom: u32) -> i64 {
    numbered(zoom, column(place.lon, zoom), row(place.lat, zoom))
}

#[inline]
fn numbered(zoom: u32, column: i64, row: i64) -> i64 {
    i64::from(zoom) << ZOOM_SHIFT | column << ZOOM_MAX | row
}

#[inline]
fn column(lon: f64, zoom: u32) -> i64 {
    let tiles = f64::from(1u32 << zoom);
    within((lon + 180.0) / 360.0 * tiles, tiles)
}

#[inline]
fn row(lat: f64, zoom: u32) -> i64 {
    let tiles = f64::from(1u32 << zoom);
    let sine = cos(FRAC_PI_2 - lat.to_radians());
    within((0.5 - ((1.0 + sine) / (1.0 - sine)).ln() / (4.0 * PI)) * tiles, tiles)
}

/// The projection has no poles: what is beyond its ends is in the last row.
#[inline]
fn within(coordinate: f64, tiles: f64) -> i64 {
    coordinate.floor().clamp(0.0, tiles - 1.0) as i64
}

/// Zoom, column and row.
pub fn parts_of(cell: i64) -> (u32, i64, i64) {
    ((cell as u64 >> ZOOM_SHIFT) as u32, cell >> ZOOM_MAX & COORDINATE_MASK, cell & COORDINATE_MASK)
}

/// The four tiles of the next zoom that a tile is made of.
pub fn parts(cell: i64) -> impl Iterator<Item = i64> {
    let (zoom, column, row) = parts_of(cell);
    [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().map(move |(x, y)| numbered(zoom + 1, 2 * column + x, 2 * row + y))
}

/// The places of a tile. South is north of north where it is so low that it has none.
pub fn frame(cell: i64) -> Frame {
    let (zoom, column, row) = parts_of(cell);
    let tiles = 1i64 << zoom;
    // What is beyond the ends of the projection is in its last rows.
    Frame {
        south: if row + 1 == tiles { i32::MIN } else { first_north_of(row + 1, zoom) },
        north: if row == 0 { i32::MAX } else { first_north_of(row, zoom) - 1 },
        west: if column == 0 { i32::MIN } else { first_east_of(column, zoom) },
        east: if column + 1 == tiles { i32::MAX } else { first_east_of(column + 1, zoom) - 1 },
    }
}

/// The first step of longitude that is in a column, which is not the first one, or east of it.
fn first_east_of(number: i64, zoom: u32) -> i32 {
    let lon = number as f64 / f64::from(1u32 << zoom) * 360.0 - 180.0;
    first_step(lon_step(lon), |step| column(lon_of(step), zoom) >= number)
}

/// The first step of latitude that is north of a row, which is not the first one.
fn first_north_of(number: i64, zoom: u32) -> i32 {
    let lat = (PI * (1.0 - 2.0 * number as f64 / f64::from(1u32 << zoom))).sinh().atan().to_degrees();
    first_step(lat_step(lat), |step| row(lat_of(step), zoom) < number)
}

/// The first of the steps that fit, which are all from it on; the guess is at most a few steps away from it.
fn first_step(guess: i32, fits: impl Fn(i32) -> bool) -> i32 {
    let mut step = guess;
    while step < i32::MAX && !fits(step) {
        step += 1;
    }
    while step > i32::MIN && fits(step - 1) {
        step -= 1;
    }
    step
}

/// `zoom/x/y`
pub fn text(cell: i64) -> String {
    let (zoom, x, y) = parts_of(cell);
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
    Ok(numbered(zoom as u32, x, y))
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

    proptest! {
        #[test]
        fn frames_hold_the_places_of_their_tiles(
            lat in prop_oneof![-90.0f64..=90.0, 84.9f64..85.2, -85.2f64..-84.9],
            lon in prop_oneof![-180.0f64..=180.0, Just(180.0), Just(-180.0)],
            zoom in 0u32..=29,
        ) {
            let (lat, lon) = (lat_step(lat), lon_step(lon));
            let at = |lat: i32, lon: i32| cell(GeoPoint { lat: lat_of(lat), lon: lon_of(lon) }, zoom);
            let tile = at(lat, lon);
            let Frame { south, north, west, east } = frame(tile);
            prop_assert!((south..=north).contains(&lat) && (west..=east).contains(&lon));
            prop_assert_eq!(at(south, west), tile);
            prop_assert_eq!(at(north, east), tile);
            prop_assert!(south == i32::MIN || at(south - 1, lon) != tile);
            prop_assert!(north == i32::MAX || at(north + 1, lon) != tile);
            prop_assert!(west == i32::MIN || at(lat, west - 1) != tile);
            prop_assert!(east == i32::MAX || at(lat, east + 1) != tile);
            if zoom > 0 {
                let (_, column, row) = parts_of(tile);
                prop_assert!(parts(numbered(zoom - 1, column / 2, row / 2)).any(|part| part == tile));
            }
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
