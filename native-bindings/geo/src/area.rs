//! Which places lie in an area. Places are those of columns: in steps.

use super::distance::{EARTH_RADIUS, greatest_key, sort_key};
use super::grid::GridCell;
use super::point::{GeoPoint, Steps, lat_step, lat_step_above, lon_step, lon_step_above};
use super::shape::Frame;
use std::f64::consts::FRAC_PI_2;

/// Places between two parallels and two meridians, those included. Steps of longitude go around the globe as numbers of 32
/// bits go around, so that the date line is no special case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepBox {
    pub south: i32,
    pub north: i32,
    pub west: i32,
    /// Steps from west to east.
    pub width: u32,
}

impl StepBox {
    pub const EVERYWHERE: StepBox = StepBox { south: i32::MIN, north: i32::MAX, west: i32::MIN, width: u32::MAX };

    /// `west` is east of `east` where the box crosses the date line. `None`: no place is inside.
    pub fn new(top: f64, bottom: f64, west: f64, east: f64) -> Option<Self> {
        // Neither end of the map has a step of its own: nothing lies beyond them.
        let crosses = west > east;
        let west = if west == 180.0 && crosses { -180.0 } else { west };
        let (south, north) = (lat_step_above(bottom), lat_step(top));
        let (first, last) = (lon_step_above(west), lon_step(east));
        let is_empty = bottom == 90.0 || west == 180.0 || south > north || (first > last && !crosses);
        (!is_empty).then(|| StepBox { south, north, west: first, width: last.wrapping_sub(first) as u32 })
    }

    #[inline]
    pub fn contains(&self, place: Steps) -> bool {
        self.south <= place.lat && place.lat <= self.north && place.lon.wrapping_sub(self.west) as u32 <= self.width
    }

    /// The box and the frame have a place in common.
    pub fn touches(&self, frame: &Frame) -> bool {
        let is_east = |from: i32, to: i32, width: u32| to.wrapping_sub(from) as u32 <= width;
        let frame_width = frame.east.wrapping_sub(frame.west) as u32;
        self.south <= frame.north
            && frame.south <= self.north
            && (is_east(self.west, frame.west, self.width) || is_east(frame.west, self.west, frame_width))
    }

    fn of_degrees(south: f64, north: f64, west: f64, east: f64) -> Self {
        let west = lon_step(west);
        // One step more on each side: rounding must not leave places out.
        StepBox {
            south: lat_step(south).saturating_sub(1),
            north: lat_step(north).saturating_add(1),
            west: west.wrapping_sub(1),
            width: (lon_step(east).wrapping_sub(west) as u32).saturating_add(2),
        }
    }
}

/// Places that are at most so far away.
#[derive(Debug, Clone, PartialEq)]
pub struct Circle {
    centre: GeoPoint,
    greatest_key: f64,
    bounds: StepBox,
}

impl Circle {
    pub fn new(centre: GeoPoint, metres: f64) -> Self {
        Circle { centre, greatest_key: greatest_key(metres), bounds: around(centre, metres) }
    }

    #[inline]
    pub fn contains(&self, place: Steps) -> bool {
        self.bounds.contains(place) && self.has(place.point())
    }

    /// As [`Circle::contains`], of places between steps.
    #[inline]
    pub fn has(&self, place: GeoPoint) -> bool {
        sort_key(place, self.centre) <= self.greatest_key
    }

    pub fn centre(&self) -> GeoPoint {
        self.centre
    }

    /// A box that has all of it.
    pub fn bounds(&self) -> &StepBox {
        &self.bounds
    }
}

/// A box that has all places of a circle.
pub(super) fn around(centre: GeoPoint, metres: f64) -> StepBox {
    // A metre more than asked for: distances are only near the truth.
    let angle = (metres + 1.0) / EARTH_RADIUS;
    let lat = centre.lat.to_radians();
    let (south, north) = (lat - angle, lat + angle);
    let (south_degrees, north_degrees) = (south.to_degrees().max(-90.0), north.to_degrees().min(90.0));
    if south <= -FRAC_PI_2 || north >= FRAC_PI_2 {
        return StepBox {
            west: i32::MIN,
            width: u32::MAX,
            ..StepBox::of_degrees(south_degrees, north_degrees, 0.0, 0.0)
        };
    }
    let half = (angle.sin() / lat.cos()).min(1.0).asin().to_degrees();
    if half >= 179.0 {
        return StepBox {
            west: i32::MIN,
            width: u32::MAX,
            ..StepBox::of_degrees(south_degrees, north_degrees, 0.0, 0.0)
        };
    }
    let on_map = |lon: f64| GeoPoint { lat: 0.0, lon }.normalized().lon;
    StepBox::of_degrees(south_degrees, north_degrees, on_map(centre.lon - half), on_map(centre.lon + half))
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Edge {
    from: GeoPoint,
    to: GeoPoint,
}

impl Edge {
    /// The point lies on the edge.
    #[inline]
    fn touches(&self, point: GeoPoint) -> bool {
        let Edge { from, to } = self;
        let turn = (to.lon - from.lon) * (point.lat - from.lat) - (to.lat - from.lat) * (point.lon - from.lon);
        turn == 0.0
            && (from.lat.min(to.lat)..=from.lat.max(to.lat)).contains(&point.lat)
            && (from.lon.min(to.lon)..=from.lon.max(to.lon)).contains(&point.lon)
    }

    /// A line from the point to the east crosses the edge.
    #[inline]
    fn is_crossed(&self, point: GeoPoint) -> bool {
        let Edge { from, to } = self;
        (from.lat > point.lat) != (to.lat > point.lat)
            && point.lon < (to.lon - from.lon) * (point.lat - from.lat) / (to.lat - from.lat) + from.lon
    }
}

/// Most edges that one slab of a ring has on average, as long as there are not too many slabs.
const EDGES_PER_SLAB: usize = 4;
const SLABS_MAX: usize = 4096;

/// A closed line; edges are found by the slab of latitudes that a place lies in.
#[derive(Debug, Clone, PartialEq)]
pub struct Ring {
    south: f64,
    north: f64,
    west: f64,
    east: f64,
    slabs: Vec<Vec<Edge>>,
}

/// Where a place lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Inside,
    On,
    Outside,
}

impl Ring {
    /// The last point is joined to the first. `None` without points.
    pub fn new(points: &[GeoPoint]) -> Option<Self> {
        let first = points.first()?;
        let next = points.iter().skip(1).chain([first]);
        let edges: Vec<Edge> = points.iter().zip(next).map(|(&from, &to)| Edge { from, to }).collect();
        let least = |of: fn(&GeoPoint) -> f64| points.iter().map(of).fold(f64::INFINITY, f64::min);
        let most = |of: fn(&GeoPoint) -> f64| points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let slabs = (edges.len() / EDGES_PER_SLAB).clamp(1, SLABS_MAX);
        let mut ring = Ring {
            south: least(|point| point.lat),
            north: most(|point| point.lat),
            west: least(|point| point.lon),
            east: most(|point| point.lon),
            slabs: vec![Vec::new(); slabs],
        };
        for edge in edges {
            let (a, b) = (ring.slab(edge.from.lat), ring.slab(edge.to.lat));
            ring.slabs[a.min(b)..=a.max(b)].iter_mut().for_each(|slab| slab.push(edge));
        }
        Some(ring)
    }

    fn slab(&self, lat: f64) -> usize {
        let slabs = self.slabs.len();
        ((lat - self.south) / (self.north - self.south) * slabs as f64).clamp(0.0, slabs as f64 - 1.0) as usize
    }

    pub fn side(&self, point: GeoPoint) -> Side {
        let is_near = (self.south..=self.north).contains(&point.lat) && (self.west..=self.east).contains(&point.lon);
        if !is_near {
            return Side::Outside;
        }
        let mut is_inside = false;
        for edge in &self.slabs[self.slab(point.lat)] {
            if edge.touches(point) {
                return Side::On;
            }
            is_inside ^= edge.is_crossed(point);
        }
        if is_inside { Side::Inside } else { Side::Outside }
    }

    fn bounds(&self) -> StepBox {
        StepBox::of_degrees(self.south, self.north, self.west, self.east)
    }
}

/// A ring with holes; edges are part of it, those of holes as well.
#[derive(Debug, Clone, PartialEq)]
pub struct Polygon {
    shell: Ring,
    holes: Vec<Ring>,
    bounds: StepBox,
}

impl Polygon {
    pub fn new(shell: Ring, holes: Vec<Ring>) -> Self {
        Polygon { bounds: shell.bounds(), shell, holes }
    }

    #[inline]
    fn contains(&self, place: Steps) -> bool {
        if !self.bounds.contains(place) {
            return false;
        }
        let point = place.point();
        self.shell.side(point) != Side::Outside && self.holes.iter().all(|hole| hole.side(point) != Side::Inside)
    }
}

/// What a query asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Area {
    Box(StepBox),
    Circle(Circle),
    Polygon(Polygon),
    /// These very places.
    Places(Vec<GeoPoint>),
    /// Places on a line.
    Line(Vec<GeoPoint>),
    /// Places in a cell of a grid.
    Cell(GridCell),
    Any(Vec<Area>),
}

impl Area {
    #[inline]
    pub fn contains(&self, place: Steps) -> bool {
        match self {
            Area::Box(area) => area.contains(place),
            Area::Circle(area) => area.contains(place),
            Area::Polygon(area) => area.contains(place),
            Area::Places(points) => points.iter().any(|point| Steps::of_column(point.to_column()) == place),
            Area::Line(points) => {
                let point = place.point();
                points.windows(2).any(|ends| Edge { from: ends[0], to: ends[1] }.touches(point))
            }
            Area::Cell(cell) => cell.contains(place),
            Area::Any(areas) => areas.iter().any(|area| area.contains(place)),
        }
    }

    /// The latitudes that places of the area have, in steps, first and last; where there are none the first is greater.
    pub fn latitudes(&self) -> (i32, i32) {
        let of_points = |points: &[GeoPoint]| {
            points.iter().fold((i32::MAX, i32::MIN), |(low, high), point| {
                let step = lat_step(point.lat);
                (low.min(step.saturating_sub(1)), high.max(step.saturating_add(1)))
            })
        };
        match self {
            Area::Box(area) => (area.south, area.north),
            Area::Circle(area) => (area.bounds.south, area.bounds.north),
            Area::Polygon(area) => (area.bounds.south, area.bounds.north),
            Area::Places(points) | Area::Line(points) => of_points(points),
            Area::Cell(cell) => (cell.bounds().south, cell.bounds().north),
            Area::Any(areas) => areas
                .iter()
                .map(Area::latitudes)
                .fold((i32::MAX, i32::MIN), |(low, high), (a, b)| (low.min(a), high.max(b))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distance::arc;
    use proptest::prelude::*;

    fn place() -> impl Strategy<Value = GeoPoint> {
        let lat = prop_oneof![-90.0f64..=90.0, Just(90.0), Just(-90.0), 89.0f64..90.0, -10.0f64..10.0];
        let lon = prop_oneof![-180.0f64..=180.0, Just(180.0), Just(-180.0), 179.0f64..180.0, -180.0f64..-179.0];
        (lat, lon).prop_map(|(lat, lon)| GeoPoint { lat, lon })
    }

    fn steps(point: GeoPoint) -> Steps {
        Steps::of_column(point.to_column())
    }

    proptest! {
        #[test]
        fn boxes(a in place(), b in place(), point in place()) {
            let (top, bottom) = (a.lat.max(b.lat), a.lat.min(b.lat));
            let held = steps(point).point();
            let by_lon = if a.lon <= b.lon {
                (a.lon..=b.lon).contains(&held.lon)
            } else {
                held.lon >= a.lon || held.lon <= b.lon
            };
            let expected = (bottom..=top).contains(&held.lat) && by_lon;
            let area = StepBox::new(top, bottom, a.lon, b.lon);
            prop_assert_eq!(area.is_some_and(|area| area.contains(steps(point))), expected, "{:?}", area);
        }

        #[test]
        fn circles(centre in place(), point in place(), metres in prop_oneof![0.0f64..1e6, 1e6f64..2.1e7]) {
            let held = steps(point).point();
            let distance = arc(held, centre);
            prop_assume!((distance - metres).abs() > 0.5);
            let circle = Circle::new(centre, metres);
            prop_assert_eq!(circle.contains(steps(point)), distance <= metres, "{:?} {}", circle, distance);
            let (south, north) = Area::Circle(circle.clone()).latitudes();
            prop_assert!(!circle.contains(steps(point)) || (south..=north).contains(&steps(point).lat));
        }

        #[test]
        fn slabs_find_what_all_edges_find(
            points in proptest::collection::vec((-80.0f64..80.0, -170.0f64..170.0), 3..60),
            point in (-80.0f64..80.0, -170.0f64..170.0),
        ) {
            let points: Vec<GeoPoint> = points.into_iter().map(|(lat, lon)| GeoPoint { lat, lon }).collect();
            let ring = Ring::new(&points).unwrap();
            let point = GeoPoint { lat: point.0, lon: point.1 };
            let mut crossings = 0;
            for (place, &from) in points.iter().enumerate() {
                let edge = Edge { from, to: points[(place + 1) % points.len()] };
                crossings += usize::from(edge.is_crossed(point));
            }
            let expected = if crossings % 2 == 1 { Side::Inside } else { Side::Outside };
            prop_assert_eq!(ring.side(point), expected);
        }
    }

    #[test]
    fn edges_and_holes() {
        let square = |low: f64, high: f64| {
            let corners = [(low, low), (low, high), (high, high), (high, low)];
            Ring::new(&corners.map(|(lat, lon)| GeoPoint { lat, lon })).unwrap()
        };
        let polygon = Polygon::new(square(0.0, 90.0 / 2.0), vec![square(11.25, 22.5)]);
        let holds = |lat, lon| polygon.contains(steps(GeoPoint { lat, lon }));
        // Eighths of the circle have steps of their own.
        assert!(holds(0.0, 0.0) && holds(45.0, 22.5) && holds(45.0, 45.0));
        assert!(holds(11.25, 15.0) && !holds(15.0, 15.0) && holds(30.0, 30.0));
        assert!(!holds(-0.1, 1.0) && !holds(1.0, 45.1));
    }

    #[test]
    fn nothing_beyond_the_ends() {
        assert_eq!(StepBox::new(90.0, 90.0, 0.0, 1.0), None);
        assert_eq!(StepBox::new(1.0, 0.0, 180.0, 180.0), None);
        assert!(StepBox::new(1.0, 0.0, 180.0, -179.0).unwrap().contains(steps(GeoPoint { lat: 0.5, lon: -179.5 })));
        let all = StepBox::new(90.0, -90.0, -180.0, 180.0).unwrap();
        assert_eq!(all, StepBox::EVERYWHERE);
    }
}
