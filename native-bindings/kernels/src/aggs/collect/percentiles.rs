//! `percentiles`, `percentile_ranks` and `median_absolute_deviation`: one digest serves all.

use super::metrics::entry;
use super::values::NumberValues;
use super::{Batch, Collector, Context};
use crate::aggs::partial::Partial;
use crate::aggs::plan::Source;
use crate::aggs::source::{Accepts, FieldSource};
use crate::aggs::tdigest::TDigest;
use crate::error::Result;
use crate::search::view::SegmentView;

pub struct PercentilesCollector<'a> {
    source: FieldSource,
    compression: f64,
    values: NumberValues<'a>,
    digests: Vec<Option<TDigest>>,
}

impl<'a> PercentilesCollector<'a> {
    pub fn new(context: &Context<'a>, source: &Source, compression: f64, name: &str) -> Result<Self> {
        let source = FieldSource::resolve(context.view, source, name, Accepts::Numbers, context.env.now_ms)?;
        let values = NumberValues::new(source.missing_number());
        Ok(PercentilesCollector { source, compression, values, digests: Vec::new() })
    }
}

impl<'a> Collector<'a> for PercentilesCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.values.start_segment(self.source.numeric(segment));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        let value_type = self.source.format.value_type;
        let (digests, compression) = (&mut self.digests, self.compression);
        self.values.for_each(&batch, |place, values| {
            let digest = entry(digests, batch.owners.of(place)).get_or_insert_with(|| TDigest::new(compression));
            values.iter().for_each(|&value| digest.add(value_type.number(value)));
            Ok(())
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.digests.resize(owner_count, None);
        let partial = |digest: Option<TDigest>| {
            let mut digest = digest.unwrap_or_else(|| TDigest::new(self.compression));
            digest.settle();
            Partial::Percentiles { digest, format: self.source.format.clone() }
        };
        Ok(self.digests.drain(..).map(partial).collect())
    }
}
