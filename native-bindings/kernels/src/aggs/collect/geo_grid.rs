//! `geohash_grid` and `geotile_grid`: places by the cell of a grid that they lie in.

use super::keyed_buckets::KeyedBuckets;
use super::terms_end::{Cut, TermsEnd};
use super::values::NumberValues;
use super::{Batch, Collector, Context, build};
use crate::aggs::format::ValueType;
use crate::aggs::partial::{Partial, TermKey};
use crate::aggs::plan::{Aggregation, Cells, GeoBox, GeoGrid};
use crate::aggs::source::{Accepts, FieldSource};
use crate::error::Result;
use crate::geo::area::StepBox;
use crate::geo::point::Steps;
use crate::geo::{geohash, tile};
use crate::search::view::SegmentView;

/// The cells of places.
#[derive(Debug, Clone, Copy)]
pub struct CellOf {
    cells: Cells,
    precision: u32,
    /// `None`: no place is inside.
    bounds: Option<StepBox>,
}

impl CellOf {
    pub fn new(cells: Cells, precision: u32, bounds: Option<GeoBox>) -> Self {
        let bounds = match bounds {
            Some(bounds) => StepBox::new(bounds.top, bounds.bottom, bounds.left, bounds.right),
            None => Some(StepBox::EVERYWHERE),
        };
        CellOf { cells, precision, bounds }
    }

    /// Appends the cells of a document's places, ascending and distinct.
    pub fn append(&self, values: &[i64], cells: &mut Vec<i64>) {
        let Some(bounds) = self.bounds else { return };
        let places = values.iter().map(|&value| Steps::of_column(value)).filter(|&place| bounds.contains(place));
        let first = cells.len();
        match self.cells {
            Cells::Geohash => cells.extend(places.map(|place| geohash::cell(place, self.precision))),
            Cells::Geotile => cells.extend(places.map(|place| tile::cell(place.point(), self.precision))),
        }
        if cells.len() > first + 1 {
            let mut own = cells.split_off(first);
            own.sort_unstable();
            own.dedup();
            cells.append(&mut own);
        }
    }
}

pub struct GeoGridCollector<'a> {
    source: FieldSource,
    values: NumberValues<'a>,
    cell_of: CellOf,
    end: Cut<'a>,
    buckets: KeyedBuckets<'a>,
}

impl<'a> GeoGridCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a GeoGrid, name: &str, aggs: &'a [Aggregation]) -> Result<Self> {
        let mut source = FieldSource::resolve(context.view, &plan.source, name, Accepts::Places, context.env.now_ms)?;
        source.format.value_type = match plan.cells {
            Cells::Geohash => ValueType::Geohash,
            Cells::Geotile => ValueType::Geotile,
        };
        Ok(GeoGridCollector {
            values: NumberValues::new(source.missing_number()),
            source,
            cell_of: CellOf::new(plan.cells, plan.precision, plan.bounds),
            end: Cut::new(plan.cut(), aggs)?,
            buckets: KeyedBuckets::new(context, build(context, aggs)?),
        })
    }
}

impl<'a> Collector<'a> for GeoGridCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        self.buckets.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        let (buckets, cell_of) = (&mut self.buckets, self.cell_of);
        buckets.begin();
        let mut cells = Vec::new();
        self.values.for_each(&batch, |place, values| {
            cells.clear();
            cell_of.append(values, &mut cells);
            cells.iter().try_for_each(|&cell| buckets.add(&batch, place, cell))
        })?;
        self.buckets.send(&batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end.end(&self.source, self.buckets.finish_terms(owner_count, TermKey::Number)?)
    }
}
