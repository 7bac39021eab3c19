//! The cells of a grid that a shape touches: cells are divided as long as something of the shape is in them.

use super::sweep;
use super::{Frame, Shape};
use crate::area::{Area, StepBox};
use crate::grid::Grid;
use crate::point::Steps;
use crate::{geohash, tile};
use ::geo::{Coord, Geometry};
use quarry_base::error::{Error, Result};

/// Cells of one shape at most.
pub const CELLS_MAX: usize = 1 << 20;
/// Edges, and parts of areas, that are held against cells at most: a second or two of work.
const COMPARISONS_MAX: usize = 100_000_000;

/// Appends the cells of a grid that a shape touches and that touch the bounds, in no order.
///
/// Errors: `IllegalArgument` for hexagons, which are not made of smaller ones, and for shapes that touch too many cells.
pub fn append_touched(shape: &Shape, grid: Grid, precision: u32, bounds: &StepBox, cells: &mut Vec<i64>) -> Result<()> {
    if grid == Grid::Geohex {
        return Err(Error::illegal_argument("shapes have no cells in a grid of hexagons"));
    }
    let edges = Edge::of(shape);
    let near: Vec<u32> = (0..edges.len() as u32).collect();
    let most = cells.len() + CELLS_MAX;
    let (area, parts) = (shape.area(), shape.size.parts);
    Walk { grid, precision, bounds, edges: &edges, area: &area, parts, cells, most, comparisons: 0 }.visit(0, &near)
}

struct Walk<'w> {
    grid: Grid,
    precision: u32,
    bounds: &'w StepBox,
    edges: &'w [Edge],
    area: &'w Area,
    /// Of the area: each is asked whether it contains a place.
    parts: usize,
    cells: &'w mut Vec<i64>,
    /// As many cells there may be in the end.
    most: usize,
    comparisons: usize,
}

impl Walk<'_> {
    /// `near` are edges, among them all that touch the cell.
    fn visit(&mut self, cell: i64, near: &[u32]) -> Result<()> {
        let frame = self.frame(cell);
        if frame.south > frame.north || frame.west > frame.east || !self.bounds.touches(&frame) {
            return Ok(());
        }
        self.compare(near.len())?;
        let inside: Vec<u32> = near.iter().copied().filter(|&edge| self.edges[edge as usize].touches(&frame)).collect();
        if !inside.is_empty() {
            return self.divide(cell, &inside);
        }
        // No edge comes through: all of the cell lies inside or outside.
        self.compare(self.parts)?;
        let corner = Steps { lat: frame.south, lon: frame.west };
        if self.area.contains(corner) { self.fill(cell) } else { Ok(()) }
    }

    fn compare(&mut self, count: usize) -> Result<()> {
        self.comparisons += count;
        if self.comparisons > COMPARISONS_MAX { Err(sweep::too_intricate()) } else { Ok(()) }
    }

    fn divide(&mut self, cell: i64, near: &[u32]) -> Result<()> {
        if self.level(cell) == self.precision {
            return self.take(cell);
        }
        self.each_part(cell, |walk, part| walk.visit(part, near))
    }

    /// The cells that a larger one is made of.
    fn each_part(&mut self, cell: i64, mut take: impl FnMut(&mut Self, i64) -> Result<()>) -> Result<()> {
        match self.grid {
            Grid::Geohash => geohash::parts(cell).try_for_each(|part| take(self, part)),
            _ => tile::parts(cell).try_for_each(|part| take(self, part)),
        }
    }

    /// Takes all cells of a larger one that touch the bounds.
    fn fill(&mut self, cell: i64) -> Result<()> {
        let frame = self.frame(cell);
        if frame.south > frame.north || !self.bounds.touches(&frame) {
            return Ok(());
        }
        if self.level(cell) == self.precision {
            return self.take(cell);
        }
        self.each_part(cell, Self::fill)
    }

    fn take(&mut self, cell: i64) -> Result<()> {
        if self.cells.len() == self.most {
            return Err(Error::illegal_argument(format!(
                "a shape touches more than [{CELLS_MAX}] cells of precision [{}]",
                self.precision
            )));
        }
        self.cells.push(cell);
        Ok(())
    }

    fn level(&self, cell: i64) -> u32 {
        match self.grid {
            Grid::Geohash => geohash::letters(cell),
            _ => tile::parts_of(cell).0,
        }
    }

    fn frame(&self, cell: i64) -> Frame {
        match self.grid {
            Grid::Geohash => geohash::frame(cell),
            _ => tile::frame(cell),
        }
    }
}

/// A part of a line, or a point, in steps.
#[derive(Debug, Clone, Copy)]
struct Edge {
    from: (i64, i64),
    to: (i64, i64),
}

impl Edge {
    /// All edges of a shape, and its points.
    fn of(shape: &Shape) -> Vec<Edge> {
        let mut lines = Vec::new();
        sweep::edges_of(&shape.geometry, 0, &mut lines);
        let edges = lines.iter().map(|edge| Edge { from: steps(edge.line.start), to: steps(edge.line.end) });
        let mut edges: Vec<Edge> = edges.collect();
        add_points(&shape.geometry, &mut edges);
        edges
    }

    /// Something of the edge lies in the frame. Exact.
    fn touches(&self, frame: &Frame) -> bool {
        let (from, to) = (self.from, self.to);
        let (south, north) = (i64::from(frame.south), i64::from(frame.north));
        let (west, east) = (i64::from(frame.west), i64::from(frame.east));
        if from.0.max(to.0) < west || from.0.min(to.0) > east || from.1.max(to.1) < south || from.1.min(to.1) > north {
            return false;
        }
        // The line through both ends has corners of the frame on both sides, or on it.
        let (dx, dy) = (i128::from(to.0 - from.0), i128::from(to.1 - from.1));
        let side = |x: i64, y: i64| dx * i128::from(y - from.1) - dy * i128::from(x - from.0);
        let sides = [side(west, south), side(west, north), side(east, south), side(east, north)];
        sides.iter().any(|&side| side >= 0) && sides.iter().any(|&side| side <= 0)
    }
}

fn steps(at: Coord<f64>) -> (i64, i64) {
    (at.x as i64, at.y as i64)
}

fn add_points(geometry: &Geometry<f64>, edges: &mut Vec<Edge>) {
    let mut add = |at: Coord<f64>| edges.push(Edge { from: steps(at), to: steps(at) });
    match geometry {
        Geometry::Point(point) => add(point.0),
        Geometry::MultiPoint(points) => points.iter().for_each(|point| add(point.0)),
        Geometry::GeometryCollection(parts) => parts.iter().for_each(|part| add_points(part, edges)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::read::{Drawn, Orientation};
    use crate::shape::{Question, Relation};
    use ::geo::{GeometryCollection, LineString, MultiPoint, Point, Polygon, Rect};
    use proptest::prelude::*;

    const GRIDS: [(Grid, u32); 5] =
        [(Grid::Geohash, 1), (Grid::Geohash, 2), (Grid::Geotile, 0), (Grid::Geotile, 3), (Grid::Geotile, 5)];

    /// Every cell of the grid is asked by the general relation of shapes.
    fn slow(shape: &Shape, grid: Grid, precision: u32, bounds: &StepBox) -> Vec<i64> {
        let mut cells = vec![0i64];
        for _ in 0..precision {
            let parts = |cell: &i64| match grid {
                Grid::Geohash => geohash::parts(*cell).collect::<Vec<_>>(),
                _ => tile::parts(*cell).collect(),
            };
            cells = cells.iter().flat_map(parts).collect();
        }
        let question = Question::new(shape, Relation::Intersects);
        cells.retain(|&cell| {
            let frame = if grid == Grid::Geohash { geohash::frame(cell) } else { tile::frame(cell) };
            bounds.touches(&frame) && question.of_shapes(&[Shape::of_frame(&frame).unwrap()]).unwrap()
        });
        cells.sort_unstable();
        cells
    }

    fn fast(shape: &Shape, grid: Grid, precision: u32, bounds: &StepBox) -> Vec<i64> {
        let mut cells = Vec::new();
        append_touched(shape, grid, precision, bounds, &mut cells).unwrap();
        cells.sort_unstable();
        cells
    }

    fn at() -> impl Strategy<Value = Coord<f64>> {
        // Halves and quarters of the map are borders of cells.
        let lon = prop_oneof![-180.0f64..180.0, (-4i32..=4).prop_map(|part| f64::from(part) * 45.0)];
        let lat = prop_oneof![-90.0f64..90.0, (-4i32..=4).prop_map(|part| f64::from(part) * 22.5)];
        (lon, lat).prop_map(|(x, y)| Coord { x, y })
    }

    fn geometry() -> impl Strategy<Value = Geometry<f64>> {
        let near = (at(), 0.0f64..60.0, 0.0f64..40.0);
        let rect = near.prop_map(|(Coord { x, y }, wide, high)| {
            Rect::new(Coord { x, y }, Coord { x: (x + wide + 0.1).min(180.0), y: (y + high + 0.1).min(90.0) })
        });
        let triangle = proptest::collection::vec(at(), 3)
            .prop_map(|corners| Geometry::Polygon(Polygon::new(LineString(corners), Vec::new())));
        let hollow = rect.prop_map(|rect| {
            let hole = Rect::new(rect.center() - rect_size(&rect) * 0.25, rect.center() + rect_size(&rect) * 0.25);
            Geometry::Polygon(Polygon::new(rect.to_polygon().into_inner().0, vec![hole.to_polygon().into_inner().0]))
        });
        let line = proptest::collection::vec(at(), 2..6).prop_map(|points| Geometry::LineString(LineString(points)));
        let points = proptest::collection::vec(at(), 1..6)
            .prop_map(|points| Geometry::MultiPoint(MultiPoint(points.into_iter().map(Point).collect())));
        let one = prop_oneof![triangle, hollow, line, points, at().prop_map(|at| Geometry::Point(Point(at)))].boxed();
        prop_oneof![
            3 => one.clone(),
            1 => proptest::collection::vec(one, 1..4).prop_map(|parts| Geometry::GeometryCollection(GeometryCollection(parts))),
        ]
    }

    fn rect_size(rect: &Rect<f64>) -> Coord<f64> {
        Coord { x: rect.width(), y: rect.height() }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn cells_are_those_that_the_shape_meets(geometry in geometry(), a in at(), b in at(), all in any::<bool>()) {
            let shape = Shape::new(Drawn::Geometry(geometry), Orientation::Right);
            prop_assume!(shape.is_ok());
            let shape = shape.unwrap();
            let bounds = StepBox::new(a.y.max(b.y), a.y.min(b.y), a.x, b.x).filter(|_| !all);
            let bounds = bounds.unwrap_or(StepBox::EVERYWHERE);
            for (grid, precision) in GRIDS {
                prop_assert_eq!(
                    fast(&shape, grid, precision, &bounds),
                    slow(&shape, grid, precision, &bounds),
                    "{:?} {} {:?}", grid, precision, shape
                );
            }
        }

        #[test]
        fn a_point_lies_in_one_cell(at in at(), letters in 1u32..=12, zoom in 0u32..=29) {
            let shape = Shape::new(Drawn::Geometry(Geometry::Point(Point(at))), Orientation::Right).unwrap();
            let frame = *shape.frame();
            let place = Steps { lat: frame.south, lon: frame.west };
            for (grid, precision) in [(Grid::Geohash, letters), (Grid::Geotile, zoom)] {
                prop_assert_eq!(fast(&shape, grid, precision, &StepBox::EVERYWHERE), [grid.cell(place, precision)]);
            }
        }
    }

    #[test]
    fn too_many_cells_are_refused() {
        let world = Rect::new(Coord { x: -180.0, y: -90.0 }, Coord { x: 180.0, y: 90.0 }).to_polygon();
        let shape = Shape::new(Drawn::Geometry(Geometry::Polygon(world)), Orientation::Right).unwrap();
        let mut cells = Vec::new();
        let error = append_touched(&shape, Grid::Geohash, 5, &StepBox::EVERYWHERE, &mut cells).unwrap_err();
        assert_eq!(error.reason, "a shape touches more than [1048576] cells of precision [5]");
        let near = StepBox::new(1.0, 0.0, 0.0, 1.0).unwrap();
        assert_eq!(fast(&shape, Grid::Geohash, 5, &near), slow_of_world(&near));
        assert!(append_touched(&shape, Grid::Geohex, 5, &near, &mut cells).is_err());
    }

    fn slow_of_world(bounds: &StepBox) -> Vec<i64> {
        let mut cells: Vec<i64> = (0..=100)
            .flat_map(|lat| (0..=100).map(move |lon| (lat, lon)))
            .map(|(lat, lon)| crate::point::GeoPoint { lat: f64::from(lat) / 100.0, lon: f64::from(lon) / 100.0 })
            .map(|place| Steps::of_column(place.to_column()))
            .filter(|&place| bounds.contains(place))
            .map(|place| geohash::cell(place, 5))
            .collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}
