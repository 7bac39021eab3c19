//! The grids that the globe is divided by, and their cells as areas.

use super::area::{StepBox, around};
use super::point::Steps;
use super::shape::read::{Drawn, Orientation};
use super::shape::{Frame, Shape};
use super::{geohash, hex, tile};
use quarry_base::error::Result;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grid {
    /// By letters.
    Geohash,
    /// By zoom.
    Geotile,
    /// By resolution.
    Geohex,
}

impl Grid {
    /// The cell around a place.
    #[inline]
    pub fn cell(self, place: Steps, precision: u32) -> i64 {
        match self {
            Grid::Geohash => geohash::cell(place, precision),
            Grid::Geotile => tile::cell(place.point(), precision),
            Grid::Geohex => hex::cell(place.point(), precision),
        }
    }

    /// How answers name a cell.
    pub fn text(self, cell: i64) -> String {
        match self {
            Grid::Geohash => geohash::text(cell),
            Grid::Geotile => tile::text(cell),
            Grid::Geohex => hex::text(cell),
        }
    }

    /// Errors: `Parse`, `IllegalArgument` for what names no cell.
    pub fn parse(self, text: &str) -> Result<i64> {
        match self {
            Grid::Geohash => geohash::parse(text),
            Grid::Geotile => tile::parse(text),
            Grid::Geohex => hex::parse(text),
        }
    }
}

/// One cell: the places that are counted in it, and no others.
#[derive(Debug, Clone, PartialEq)]
pub struct GridCell {
    grid: Grid,
    cell: i64,
    precision: u32,
    /// No place of the cell is outside.
    bounds: StepBox,
}

impl GridCell {
    /// Errors: as [`Grid::parse`].
    pub fn named(grid: Grid, name: &str) -> Result<Self> {
        let cell = grid.parse(name)?;
        let (precision, bounds) = match grid {
            Grid::Geohash => (geohash::letters(cell), bounds_of(&geohash::frame(cell))),
            Grid::Geotile => (tile::parts_of(cell).0, bounds_of(&tile::frame(cell))),
            Grid::Geohex => {
                let (middle, metres) = hex::reach(cell)?;
                (hex::resolution(cell)?, around(middle, metres))
            }
        };
        Ok(GridCell { grid, cell, precision, bounds })
    }

    #[inline]
    pub fn contains(&self, place: Steps) -> bool {
        self.bounds.contains(place) && self.grid.cell(place, self.precision) == self.cell
    }

    pub fn bounds(&self) -> &StepBox {
        &self.bounds
    }

    /// What shapes touch that lie in the cell.
    ///
    /// Errors: `IllegalArgument`.
    pub fn shape(&self) -> Result<Shape> {
        match self.grid {
            Grid::Geohash => Shape::of_frame(&geohash::frame(self.cell)),
            Grid::Geotile => Shape::of_frame(&tile::frame(self.cell)),
            Grid::Geohex => Shape::new(Drawn::Geometry(hex::outline(self.cell)?), Orientation::Right),
        }
    }
}

fn bounds_of(frame: &Frame) -> StepBox {
    let width = frame.east.wrapping_sub(frame.west) as u32;
    StepBox { south: frame.south, north: frame.north, west: frame.west, width }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::point::GeoPoint;
    use crate::shape::{Question, Relation};
    use proptest::prelude::*;

    fn place() -> impl Strategy<Value = GeoPoint> {
        let lat = prop_oneof![-90.0f64..=90.0, Just(90.0), Just(-90.0), 84.9f64..85.2, 89.9f64..90.0, -90.0f64..-89.9];
        let lon = prop_oneof![-180.0f64..=180.0, Just(180.0), Just(-180.0), 179.9f64..180.0, -180.0f64..-179.9];
        (lat, lon).prop_map(|(lat, lon)| GeoPoint { lat, lon })
    }

    fn grid() -> impl Strategy<Value = (Grid, u32)> {
        prop_oneof![
            (1u32..=12).prop_map(|letters| (Grid::Geohash, letters)),
            (0..=tile::ZOOM_MAX).prop_map(|zoom| (Grid::Geotile, zoom)),
            (0..=hex::RESOLUTION_MAX).prop_map(|resolution| (Grid::Geohex, resolution)),
        ]
    }

    fn point_shape(place: Steps) -> Shape {
        let frame = Frame { south: place.lat, north: place.lat, west: place.lon, east: place.lon };
        Shape::of_frame(&frame).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn a_named_cell_is_the_places_of_that_key(
            place in place(),
            (grid, precision) in grid(),
            (up, right) in (-3.0f64..3.0, -3.0f64..3.0),
        ) {
            let place = Steps::of_column(place.to_column());
            let cell = grid.cell(place, precision);
            let named = GridCell::named(grid, &grid.text(cell)).unwrap();
            prop_assert!(named.contains(place), "{:?}", named);
            // Another place in the neighbourhood.
            let span = f64::from(named.bounds.north) - f64::from(named.bounds.south) + 1.0;
            let near = |step: i32, by: f64| (f64::from(step) + by * span) as i32;
            let other = Steps { lat: near(place.lat, up), lon: near(place.lon, right) };
            prop_assert_eq!(named.contains(other), grid.cell(other, precision) == cell);
            // Shapes see a hexagon with straight edges on the map: near its middle there is no difference.
            let question_shape = named.shape().unwrap();
            let middle = match grid {
                Grid::Geohex => Steps::of_column(hex::reach(cell).unwrap().0.to_column()),
                _ => place,
            };
            let question = Question::new(&question_shape, Relation::Intersects);
            prop_assert!(question.of_shapes(&[point_shape(middle)]).unwrap(), "{:?}", question_shape);
            if grid != Grid::Geohex {
                let other_inside = question.of_shapes(&[point_shape(other)]).unwrap();
                prop_assert_eq!(other_inside, grid.cell(other, precision) == cell);
            }
        }
    }

    #[test]
    fn a_small_cell_on_the_date_line_has_no_gap_there() {
        for lat in [39.56304748323298, -12.5, 0.0, 71.25] {
            for resolution in 9..=hex::RESOLUTION_MAX {
                let place = Steps::of_column(GeoPoint { lat, lon: 180.0 }.to_column());
                let cell = Grid::Geohex.cell(place, resolution);
                let shape = GridCell::named(Grid::Geohex, &Grid::Geohex.text(cell)).unwrap().shape().unwrap();
                let question = Question::new(&shape, Relation::Intersects);
                assert!(question.of_shapes(&[point_shape(place)]).unwrap(), "{lat} {resolution} {shape:?}");
            }
        }
    }

    #[test]
    fn outlines_at_poles_and_date_line() {
        for (lat, lon) in [(90.0, 0.0), (-90.0, 0.0), (0.0, 180.0), (65.0, 180.0)] {
            for resolution in 0..=8 {
                let place = Steps::of_column(GeoPoint { lat, lon }.to_column());
                let cell = Grid::Geohex.cell(place, resolution);
                let shape = GridCell::named(Grid::Geohex, &Grid::Geohex.text(cell)).unwrap().shape().unwrap();
                let question = Question::new(&shape, Relation::Intersects);
                let middle = Steps::of_column(hex::reach(cell).unwrap().0.to_column());
                assert!(question.of_shapes(&[point_shape(middle)]).unwrap(), "{lat} {lon} {resolution}");
                if lat.abs() == 90.0 {
                    assert!(question.of_shapes(&[point_shape(place)]).unwrap(), "{lat} {resolution}");
                }
                // Around the globe from there nothing of it is left.
                let far = Steps { lat: !place.lat / 2, lon: place.lon.wrapping_add(1 << 31) };
                assert!(!question.of_shapes(&[point_shape(far)]).unwrap(), "{lat} {lon} {resolution}");
            }
        }
    }

    #[test]
    fn what_names_no_cell() {
        for (grid, name) in [(Grid::Geohash, "a"), (Grid::Geotile, "3/9/1"), (Grid::Geohex, "u1")] {
            assert!(GridCell::named(grid, name).is_err(), "{name}");
        }
    }
}
