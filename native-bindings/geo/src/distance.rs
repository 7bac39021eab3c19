//! How far two places are from each other.

use super::point::GeoPoint;
use super::trigonometry::{asin, cos};
use serde::{Deserialize, Serialize};

/// The mean radius of the earth, in metres.
pub const EARTH_RADIUS: f64 = 6_371_008.771_4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DistanceType {
    /// Along the sphere.
    #[default]
    Arc,
    /// On a map: fast, and wrong far away and near the poles.
    Plane,
}

impl DistanceType {
    /// In metres.
    #[inline]
    pub fn metres(self, a: GeoPoint, b: GeoPoint) -> f64 {
        match self {
            DistanceType::Arc => arc(a, b),
            DistanceType::Plane => plane(a, b),
        }
    }
}

/// A number that grows with the distance, made by half of the work (haversine).
#[inline]
pub fn sort_key(a: GeoPoint, b: GeoPoint) -> f64 {
    let (a_lat, b_lat) = (a.lat.to_radians(), b.lat.to_radians());
    let by_lat = 1.0 - cos(a_lat - b_lat);
    let by_lon = 1.0 - cos((a.lon - b.lon).to_radians());
    let key = by_lat + cos(a_lat) * cos(b_lat) * by_lon;
    // Without the last bits, which are noise: what is equally far compares equal.
    f64::from_bits(key.to_bits() & !7)
}

/// The metres of a sort key.
#[inline]
pub fn metres_of_key(key: f64) -> f64 {
    EARTH_RADIUS * 2.0 * asin((key * 0.5).sqrt().min(1.0))
}

#[inline]
pub fn arc(a: GeoPoint, b: GeoPoint) -> f64 {
    metres_of_key(sort_key(a, b))
}

pub fn plane(a: GeoPoint, b: GeoPoint) -> f64 {
    let x = (b.lon - a.lon).to_radians() * ((b.lat + a.lat) / 2.0).to_radians().cos();
    let y = (b.lat - a.lat).to_radians();
    (x * x + y * y).sqrt() * EARTH_RADIUS
}

/// The greatest sort key of places that are at most so many metres away.
pub fn greatest_key(metres: f64) -> f64 {
    if metres < 0.0 {
        return -1.0;
    }
    // No place is farther away than the other side of the globe.
    if metres >= metres_of_key(f64::MAX) {
        return metres_of_key(f64::MAX);
    }
    // Keys of positive numbers ascend as their bits do: the last one whose metres are within the radius.
    let (mut low, mut high) = (0, f64::MAX.to_bits());
    while low <= high {
        let middle = (low + high) / 2;
        if metres_of_key(f64::from_bits(middle)) > metres { high = middle - 1 } else { low = middle + 1 }
    }
    f64::from_bits(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Through the chord between the two places in space.
    fn slow(a: GeoPoint, b: GeoPoint) -> f64 {
        let in_space = |p: GeoPoint| {
            let (lat, lon) = (p.lat.to_radians(), p.lon.to_radians());
            [lat.cos() * lon.cos(), lat.cos() * lon.sin(), lat.sin()]
        };
        let (a, b) = (in_space(a), in_space(b));
        let chord: f64 = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        2.0 * EARTH_RADIUS * (chord / 2.0).min(1.0).asin()
    }

    fn place() -> impl Strategy<Value = GeoPoint> {
        let lat = prop_oneof![-90.0f64..=90.0, Just(90.0), Just(-90.0), 89.9f64..90.0];
        let lon = prop_oneof![-180.0f64..=180.0, Just(180.0), Just(-180.0), 179.9f64..180.0, -180.0f64..-179.9];
        (lat, lon).prop_map(|(lat, lon)| GeoPoint { lat, lon })
    }

    proptest! {
        #[test]
        fn arcs_are_those_of_the_sphere(a in place(), b in place()) {
            prop_assert!((arc(a, b) - slow(a, b)).abs() < 0.5, "{} {}", arc(a, b), slow(a, b));
            prop_assert_eq!(arc(a, b), arc(b, a));
        }

        #[test]
        fn keys_divide_at_the_radius(a in place(), b in place(), metres in 0.0f64..21_000_000.0) {
            // The tables are not monotone to the last digit.
            prop_assume!((arc(a, b) - metres).abs() > 0.5);
            prop_assert_eq!(sort_key(a, b) <= greatest_key(metres), arc(a, b) <= metres);
        }

        #[test]
        fn maps_are_good_nearby(lat in -60.0f64..60.0, lon in -179.0f64..179.0, by in 0.0f64..0.1) {
            let (a, b) = (GeoPoint { lat, lon }, GeoPoint { lat: lat + by, lon: lon + by });
            prop_assert!((plane(a, b) - arc(a, b)).abs() <= 0.001 * arc(a, b) + 0.01);
        }
    }

    #[test]
    fn half_around_the_globe() {
        let at = |lat, lon| GeoPoint { lat, lon };
        let half = EARTH_RADIUS * std::f64::consts::PI;
        assert!((arc(at(0.0, -180.0), at(0.0, 0.0)) - half).abs() < 1.0);
        assert_eq!(arc(at(0.0, -180.0), at(0.0, 180.0)), 0.0);
        // The cosine of a right angle is not quite 0.
        assert!(arc(at(90.0, 10.0), at(90.0, 150.0)) < 1e-8);
    }
}
