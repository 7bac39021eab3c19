//! `geo_bounds` and `geo_centroid`.

use super::shapes::{ShapeValues, ShapesOf};
use crate::collect::tables::entry;
use crate::collect::values::NumberValues;
use crate::collect::{Batch, Collector, Context};
use crate::metrics::geo::{Bounds, Centroid};
use crate::partial::Partial;
use crate::plan::Source;
use crate::source::{Accepts, FieldSource};
use quarry_base::error::Result;
use quarry_geo::point::GeoPoint;
use quarry_geo::shape::Frame;
use quarry_mapping::format::ValueType;
use quarry_query::view::SegmentView;

/// What grows with places.
pub trait PlaceMetric: Clone + Default {
    fn add(&mut self, place: GeoPoint);
    fn partial(self) -> Partial;
}

impl PlaceMetric for Bounds {
    fn add(&mut self, place: GeoPoint) {
        Bounds::add(self, place);
    }

    fn partial(self) -> Partial {
        Partial::GeoBounds(self)
    }
}

impl PlaceMetric for Centroid {
    fn add(&mut self, place: GeoPoint) {
        Centroid::add(self, place);
    }

    fn partial(self) -> Partial {
        Partial::GeoCentroid(self)
    }
}

pub struct PlacesCollector<'a, M> {
    source: FieldSource,
    values: NumberValues<'a>,
    metrics: Vec<M>,
}

impl<'a, M: PlaceMetric> PlacesCollector<'a, M> {
    pub fn new(context: &Context<'a>, source: &Source, name: &str) -> Result<Self> {
        Ok(Self::of(FieldSource::resolve(context.view, source, name, Accepts::Places, context.env.now_ms)?))
    }

    fn of(source: FieldSource) -> Self {
        PlacesCollector { values: NumberValues::new(source.missing_number()), source, metrics: Vec::new() }
    }
}

impl<'a, M: PlaceMetric> Collector<'a> for PlacesCollector<'a, M> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let metrics = &mut self.metrics;
        self.values.for_each(&batch, |place, values| {
            let metric = entry(metrics, batch.owners.of(place));
            values.iter().for_each(|&value| metric.add(GeoPoint::of_column(value)));
            Ok(())
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.metrics.resize(owner_count, M::default());
        Ok(self.metrics.drain(..).map(M::partial).collect())
    }
}

/// The box around places or shapes.
pub fn bounds<'a>(context: &Context<'a>, source: &Source, name: &str) -> Result<Box<dyn Collector<'a> + 'a>> {
    let accepts = Accepts::PlacesOrShapes;
    let source = FieldSource::resolve(context.view, source, name, accepts, context.env.now_ms)?;
    if source.format.value_type != ValueType::Shape {
        return Ok(Box::new(PlacesCollector::<Bounds>::of(source)));
    }
    Ok(Box::new(ShapeBoundsCollector { values: ShapeValues::new(&source)?, source, bounds: Vec::new() }))
}

struct ShapeBoundsCollector<'a> {
    source: FieldSource,
    values: ShapeValues<'a>,
    bounds: Vec<Bounds>,
}

impl<'a> Collector<'a> for ShapeBoundsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.reader(segment));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let bounds = &mut self.bounds;
        self.values.for_each(&batch, |place, document| add_shapes(entry(bounds, batch.owners.of(place)), document))
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.bounds.resize(owner_count, Bounds::default());
        Ok(self.bounds.drain(..).map(Partial::GeoBounds).collect())
    }
}

fn add_shapes(bounds: &mut Bounds, document: &mut ShapesOf<'_>) -> Result<()> {
    let frame = document.frame();
    // A box from one end of the map to the other may be around shapes on both sides of the date line.
    if (frame.west, frame.east) != (i32::MIN, i32::MAX) {
        bounds.add_box(&frame);
        return Ok(());
    }
    let shapes = document.shapes()?;
    shapes.iter().flat_map(|shape| shape.frames_of_parts()).for_each(|part: Frame| bounds.add_box(&part));
    Ok(())
}
