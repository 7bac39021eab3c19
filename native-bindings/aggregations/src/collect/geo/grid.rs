//! `geohash_grid`, `geotile_grid` and `geohex_grid`: places by the cell of a grid that they lie in, shapes by the cells that they touch.

use super::shapes::ShapeValues;
use crate::collect::tables::keyed_buckets::KeyedBuckets;
use crate::collect::terms::end::{Cut, TermsEnd};
use crate::collect::values::NumberValues;
use crate::collect::{Batch, Collector, Context, build};
use crate::partial::{Partial, TermKey};
use crate::plan::{Aggregation, GeoBox, GeoGrid};
use crate::source::{Accepts, FieldSource};
use quarry_base::error::{Error, Result};
use quarry_base::interrupt;
use quarry_geo::area::StepBox;
use quarry_geo::grid::Grid;
use quarry_geo::point::Steps;
use quarry_geo::shape::Shape;
use quarry_geo::shape::cells::{CELLS_MAX, append_touched};
use quarry_mapping::format::ValueType;
use quarry_query::view::SegmentView;

/// The cells of places and shapes.
#[derive(Debug, Clone, Copy)]
pub struct CellOf {
    grid: Grid,
    precision: u32,
    /// `None`: nothing is inside.
    bounds: Option<StepBox>,
}

impl CellOf {
    pub fn new(grid: Grid, precision: u32, bounds: Option<GeoBox>) -> Self {
        let bounds = match bounds {
            Some(bounds) => StepBox::new(bounds.top, bounds.bottom, bounds.left, bounds.right),
            None => Some(StepBox::EVERYWHERE),
        };
        CellOf { grid, precision, bounds }
    }

    /// Appends the cells of a document's places, ascending and distinct.
    pub fn append(&self, values: &[i64], cells: &mut Vec<i64>) {
        let Some(bounds) = self.bounds else { return };
        let places = values.iter().map(|&value| Steps::of_column(value)).filter(|&place| bounds.contains(place));
        let first = cells.len();
        cells.extend(places.map(|place| self.grid.cell(place, self.precision)));
        if cells.len() > first + 1 {
            let mut own = cells.split_off(first);
            sort_distinct(&mut own);
            cells.append(&mut own);
        }
    }

    /// Makes `cells` those of a document's shapes, ascending and distinct.
    ///
    /// Errors: `IllegalArgument` for shapes that touch too many.
    fn of_shapes(&self, shapes: &[Shape], cells: &mut Vec<i64>) -> Result<()> {
        cells.clear();
        let Some(bounds) = self.bounds else { return Ok(()) };
        for shape in shapes {
            append_touched(shape, self.grid, self.precision, &bounds, cells)?;
            if cells.len() > CELLS_MAX {
                sort_distinct(cells);
            }
            if cells.len() > CELLS_MAX {
                return Err(Error::illegal_argument(format!(
                    "the shapes of a document touch more than [{CELLS_MAX}] cells of precision [{}]",
                    self.precision
                )));
            }
            interrupt::check()?;
        }
        sort_distinct(cells);
        Ok(())
    }
}

fn sort_distinct(cells: &mut Vec<i64>) {
    cells.sort_unstable();
    cells.dedup();
}

/// Where cells come from.
enum Values<'a> {
    Places(Box<NumberValues<'a>>),
    Shapes(Box<ShapeValues<'a>>),
}

pub struct GeoGridCollector<'a> {
    source: FieldSource,
    values: Values<'a>,
    cell_of: CellOf,
    end: Cut<'a>,
    buckets: KeyedBuckets<'a>,
}

impl<'a> GeoGridCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a GeoGrid, name: &str, aggs: &'a [Aggregation]) -> Result<Self> {
        let accepts = Accepts::PlacesOrShapes;
        let mut source = FieldSource::resolve(context.view, &plan.source, name, accepts, context.env.now_ms)?;
        let has_shapes = source.format.value_type == ValueType::Shape;
        if has_shapes && plan.cells == Grid::Geohex {
            return Err(Error::illegal_argument(format!(
                "Field [{}] of type [geo_shape] is not supported for aggregation [{name}]",
                source.name
            )));
        }
        source.format.value_type = ValueType::Cell(plan.cells);
        Ok(GeoGridCollector {
            values: match has_shapes {
                true => Values::Shapes(Box::new(ShapeValues::new(&source)?)),
                false => Values::Places(Box::new(NumberValues::new(source.missing_number()))),
            },
            source,
            cell_of: CellOf::new(plan.cells, plan.precision, plan.bounds),
            end: Cut::new(plan.cut(), aggs)?,
            buckets: KeyedBuckets::new(context, build(context, aggs)?),
        })
    }
}

impl<'a> Collector<'a> for GeoGridCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        match &mut self.values {
            Values::Places(places) => places.start_segment(self.source.numeric(segment)),
            Values::Shapes(shapes) => shapes.start_segment(self.source.reader(segment)),
        }
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (buckets, cell_of) = (&mut self.buckets, self.cell_of);
        buckets.begin();
        let mut cells = Vec::new();
        match &mut self.values {
            Values::Places(places) => places.for_each(&batch, |place, values| {
                cells.clear();
                cell_of.append(values, &mut cells);
                cells.iter().try_for_each(|&cell| buckets.add(&batch, place, cell))
            })?,
            Values::Shapes(shapes) => shapes.for_each(&batch, |place, document| {
                cell_of.of_shapes(&document.shapes()?, &mut cells)?;
                cells.iter().try_for_each(|&cell| buckets.add(&batch, place, cell))
            })?,
        }
        self.buckets.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end.end(&self.source, self.buckets.finish_terms(owner_count, TermKey::Number)?)
    }
}
