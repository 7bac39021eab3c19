//! A place as the 64 bits of a column: latitude above, longitude below, each rounded down to one of 2^32 steps.
//!
//! The steps are those of Lucene's `GeoEncodingUtils`, so that a place lies on the same side of every border as it does there.

use serde::{Deserialize, Serialize};

const STEPS: f64 = 4_294_967_296.0;
const LAT_STEP: f64 = 1.0 / (STEPS / 180.0);
const LON_STEP: f64 = 1.0 / (STEPS / 360.0);

/// Degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeoPoint {
    pub lat: f64,
    pub lon: f64,
}

/// A place in steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    pub lat: i32,
    pub lon: i32,
}

/// `lat` is within 90 degrees of the equator. The pole itself has no step of its own.
pub fn lat_step(lat: f64) -> i32 {
    (below(lat, 90.0) / LAT_STEP).floor() as i32
}

pub fn lon_step(lon: f64) -> i32 {
    (below(lon, 180.0) / LON_STEP).floor() as i32
}

/// The first step that is not south of a latitude.
pub fn lat_step_above(lat: f64) -> i32 {
    (below(lat, 90.0) / LAT_STEP).ceil() as i32
}

/// The first step that is not west of a longitude.
pub fn lon_step_above(lon: f64) -> i32 {
    (below(lon, 180.0) / LON_STEP).ceil() as i32
}

fn below(degrees: f64, most: f64) -> f64 {
    if degrees >= most { most.next_down() } else { degrees }
}

#[inline]
pub fn lat_of(step: i32) -> f64 {
    f64::from(step) * LAT_STEP
}

#[inline]
pub fn lon_of(step: i32) -> f64 {
    f64::from(step) * LON_STEP
}

impl Steps {
    #[inline]
    pub fn of_column(value: i64) -> Self {
        Steps { lat: (value >> 32) as i32, lon: value as i32 }
    }

    #[inline]
    pub fn point(self) -> GeoPoint {
        GeoPoint { lat: lat_of(self.lat), lon: lon_of(self.lon) }
    }
}

impl GeoPoint {
    /// The value of a column. The place is within the bounds of the globe.
    pub fn to_column(self) -> i64 {
        i64::from(lat_step(self.lat)) << 32 | i64::from(lon_step(self.lon) as u32)
    }

    #[inline]
    pub fn of_column(value: i64) -> Self {
        Steps::of_column(value).point()
    }

    pub fn is_on_globe(self) -> bool {
        (-90.0..=90.0).contains(&self.lat) && (-180.0..=180.0).contains(&self.lon)
    }

    /// The same place with degrees within bounds: over a pole one comes down on the other side.
    pub fn normalized(self) -> Self {
        let (mut lat, mut lon) = (self.lat, self.lon);
        if lat.abs() > 90.0 {
            lat = around_zero(lat);
            if lat.abs() > 90.0 {
                lat = lat.signum() * 180.0 - lat;
                lon += 180.0;
            }
        }
        GeoPoint { lat, lon: if lon.abs() > 180.0 { around_zero(lon) } else { lon } }
    }
}

/// The same angle, above -180 and up to 180.
fn around_zero(degrees: f64) -> f64 {
    let within = degrees.rem_euclid(360.0);
    if within > 180.0 { within - 360.0 } else { within }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ends_of_the_globe() {
        for (lat, lon) in [(90.0, 180.0), (-90.0, -180.0), (90.0, -180.0), (0.0, 0.0)] {
            let back = GeoPoint::of_column(GeoPoint { lat, lon }.to_column());
            assert!((back.lat - lat).abs() < 1e-7 && (back.lon - lon).abs() < 1e-6, "{back:?}");
            assert!(back.is_on_globe());
        }
        assert_eq!((lat_step(-90.0), lat_step(90.0)), (i32::MIN, i32::MAX));
        assert_eq!((lon_step(-180.0), lon_step(180.0)), (i32::MIN, i32::MAX));
    }

    #[test]
    fn places_beyond_the_ends() {
        let normal = |lat, lon| GeoPoint { lat, lon }.normalized();
        assert_eq!(normal(91.0, 10.0), GeoPoint { lat: 89.0, lon: -170.0 });
        assert_eq!(normal(-95.0, 0.0), GeoPoint { lat: -85.0, lon: 180.0 });
        assert_eq!(normal(10.0, 190.0), GeoPoint { lat: 10.0, lon: -170.0 });
        assert_eq!(normal(10.0, -540.0), GeoPoint { lat: 10.0, lon: 180.0 });
        assert_eq!(normal(10.0, 20.0), GeoPoint { lat: 10.0, lon: 20.0 });
    }

    proptest! {
        #[test]
        fn columns_round_down_and_stay(lat in -90.0f64..=90.0, lon in -180.0f64..=180.0) {
            let column = GeoPoint { lat, lon }.to_column();
            let back = GeoPoint::of_column(column);
            prop_assert!(back.lat <= lat && lat - back.lat <= LAT_STEP * 1.001);
            prop_assert!(back.lon <= lon && lon - back.lon <= LON_STEP * 1.001);
            prop_assert_eq!(back.to_column(), column);
        }

        #[test]
        fn normal_places_are_on_the_globe(lat in -1000.0f64..1000.0, lon in -1000.0f64..1000.0) {
            let normal = GeoPoint { lat, lon }.normalized();
            prop_assert!(normal.is_on_globe(), "{:?}", normal);
        }
    }
}
