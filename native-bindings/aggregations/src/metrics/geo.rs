//! The box around places, and their mean.

use super::stats::Compensated;
use quarry_geo::point::{GeoPoint, lat_of, lon_of};
use quarry_geo::shape::Frame;
use serde::{Deserialize, Serialize};

/// Ends of longitudes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Span {
    least: f64,
    most: f64,
}

impl Default for Span {
    fn default() -> Self {
        Span { least: f64::INFINITY, most: f64::NEG_INFINITY }
    }
}

impl Span {
    fn add(&mut self, other: Span) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }

    fn is_empty(&self) -> bool {
        self.least > self.most
    }
}

/// Ends of latitudes, and of longitudes on each side of Greenwich.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    lat: Span,
    west: Span,
    east: Span,
}

impl Bounds {
    pub fn add(&mut self, GeoPoint { lat, lon }: GeoPoint) {
        self.lat.add(Span { least: lat, most: lat });
        let side = if lon < 0.0 { &mut self.west } else { &mut self.east };
        side.add(Span { least: lon, most: lon });
    }

    /// A box that goes over Greenwich is one of each side, so that no box over the date line leaves some of it out.
    pub fn add_box(&mut self, frame: &Frame) {
        self.lat.add(Span { least: lat_of(frame.south), most: lat_of(frame.north) });
        let (least, most) = (lon_of(frame.west), lon_of(frame.east));
        match (least < 0.0, most < 0.0) {
            (true, true) => self.west.add(Span { least, most }),
            (false, _) => self.east.add(Span { least, most }),
            (true, false) => {
                self.west.add(Span { least, most: 0.0 });
                self.east.add(Span { least: 0.0, most });
            }
        }
    }

    pub fn merge(&mut self, other: &Bounds) {
        self.lat.add(other.lat);
        self.west.add(other.west);
        self.east.add(other.east);
    }

    /// North-west and south-east; `None` without places. With `wrap` the box crosses the date line where it is smaller then.
    pub fn corners(&self, wrap: bool) -> Option<(GeoPoint, GeoPoint)> {
        if self.lat.is_empty() {
            return None;
        }
        let (left, right) = match (self.west.is_empty(), self.east.is_empty()) {
            (true, _) => (self.east.least, self.east.most),
            (_, true) => (self.west.least, self.west.most),
            _ => {
                let over_greenwich = self.east.most - self.west.least;
                let over_date_line = 360.0 - self.east.least + self.west.most;
                if wrap && over_date_line < over_greenwich {
                    (self.east.least, self.west.most)
                } else {
                    (self.west.least, self.east.most)
                }
            }
        };
        Some((GeoPoint { lat: self.lat.most, lon: left }, GeoPoint { lat: self.lat.least, lon: right }))
    }
}

/// The mean of latitudes and longitudes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Centroid {
    lat: Compensated,
    lon: Compensated,
    pub count: u64,
}

impl Centroid {
    pub fn add(&mut self, GeoPoint { lat, lon }: GeoPoint) {
        self.lat.add(lat);
        self.lon.add(lon);
        self.count += 1;
    }

    pub fn merge(&mut self, other: &Centroid) {
        self.lat.merge(other.lat);
        self.lon.merge(other.lon);
        self.count += other.count;
    }

    pub fn place(&self) -> Option<GeoPoint> {
        let count = self.count as f64;
        (self.count > 0).then(|| GeoPoint { lat: self.lat.value() / count, lon: self.lon.value() / count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(places: &[(f64, f64)]) -> Bounds {
        let mut bounds = Bounds::default();
        places.iter().for_each(|&(lat, lon)| bounds.add(GeoPoint { lat, lon }));
        bounds
    }

    fn corners(bounds: &Bounds, wrap: bool) -> [f64; 4] {
        let (a, b) = bounds.corners(wrap).unwrap();
        [a.lat, a.lon, b.lat, b.lon]
    }

    #[test]
    fn boxes_take_the_shorter_way() {
        let pacific = of(&[(10.0, 170.0), (-5.0, -170.0), (0.0, 175.0)]);
        assert_eq!(corners(&pacific, true), [10.0, 170.0, -5.0, -170.0]);
        assert_eq!(corners(&pacific, false), [10.0, -170.0, -5.0, 175.0]);
        assert_eq!(corners(&of(&[(1.0, -2.0), (2.0, 3.0)]), true), [2.0, -2.0, 1.0, 3.0]);
        assert_eq!(corners(&of(&[(1.0, -2.0), (2.0, -3.0)]), true), [2.0, -3.0, 1.0, -2.0]);
        assert_eq!(Bounds::default().corners(true), None);
    }

    #[test]
    fn parts_add_up() {
        let (mut a, b) = (of(&[(1.0, 2.0)]), of(&[(-1.0, -2.0)]));
        a.merge(&b);
        assert_eq!(a, of(&[(1.0, 2.0), (-1.0, -2.0)]));
        let mut mean = Centroid::default();
        mean.add(GeoPoint { lat: 1.0, lon: 10.0 });
        let mut other = Centroid::default();
        other.add(GeoPoint { lat: 3.0, lon: -20.0 });
        mean.merge(&other);
        assert_eq!(mean.place(), Some(GeoPoint { lat: 2.0, lon: -5.0 }));
        assert_eq!(Centroid::default().place(), None);
    }
}
