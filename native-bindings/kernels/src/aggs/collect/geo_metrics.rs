//! `geo_bounds` and `geo_centroid`.

use super::metrics::entry;
use super::values::NumberValues;
use super::{Batch, Collector, Context};
use crate::aggs::geo::{Bounds, Centroid};
use crate::aggs::partial::Partial;
use crate::aggs::plan::Source;
use crate::aggs::source::{Accepts, FieldSource};
use crate::error::Result;
use crate::geo::point::GeoPoint;
use crate::search::view::SegmentView;

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
        let source = FieldSource::resolve(context.view, source, name, Accepts::Places, context.env.now_ms)?;
        Ok(PlacesCollector { values: NumberValues::new(source.missing_number()), source, metrics: Vec::new() })
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
