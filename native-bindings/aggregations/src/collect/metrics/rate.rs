//! `rate`: documents, or the sum of their values, for each unit of time.

use crate::collect::tables::entry;
use crate::collect::values::number_field::NumberField;
use crate::collect::{Batch, Collector, Context};
use crate::metrics::stats::Compensated;
use crate::partial::{Partial, PartialRate};
use crate::plan::Rate;
use quarry_base::error::Result;
use quarry_mapping::format::{Format, ValueType};
use quarry_query::view::SegmentView;

pub struct RateCollector<'a> {
    field: Option<NumberField<'a>>,
    counts_values: bool,
    sums: Vec<Compensated>,
}

impl<'a> RateCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &Rate, name: &str) -> Result<Self> {
        let field = plan.source.as_ref().map(|source| NumberField::resolve(context, source, name)).transpose()?;
        Ok(RateCollector { field, counts_values: plan.counts_values, sums: Vec::new() })
    }
}

impl<'a> Collector<'a> for RateCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        if let Some(field) = &mut self.field {
            field.start_segment(segment);
        }
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let (sums, counts_values) = (&mut self.sums, self.counts_values);
        match &mut self.field {
            Some(field) => field.for_each(&batch, |owner, number| {
                entry(sums, owner).add(if counts_values { 1.0 } else { number });
            }),
            None => {
                (0..batch.docs.len()).for_each(|place| entry(sums, batch.owners.of(place)).add(1.0));
                Ok(())
            }
        }
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.sums.resize(owner_count, Compensated::default());
        let plain = Format::plain(ValueType::Double);
        let format = self.field.as_ref().map_or(&plain, |field| &field.source.format);
        let partial = |sum| Partial::Rate(PartialRate { sum, format: format.clone(), units: 1.0 });
        Ok(self.sums.drain(..).map(partial).collect())
    }
}
