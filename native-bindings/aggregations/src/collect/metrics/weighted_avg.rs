//! `weighted_avg`: an average in which the values of another field say how much each counts.

use crate::collect::tables::entry;
use crate::collect::values::number_field::NumberField;
use crate::collect::{Batch, Collector, Context};
use crate::metrics::stats::WeightedAverage;
use crate::partial::Partial;
use crate::plan::WeightedAvg;
use quarry_base::error::{Error, Result};
use quarry_query::view::SegmentView;

pub struct WeightedAvgCollector<'a> {
    value: NumberField<'a>,
    weight: NumberField<'a>,
    /// Of the documents of the batch.
    weights: Vec<Option<f64>>,
    averages: Vec<WeightedAverage>,
}

impl<'a> WeightedAvgCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &WeightedAvg, name: &str) -> Result<Self> {
        let value = NumberField::resolve(context, &plan.value, name)?;
        let weight = NumberField::resolve(context, &plan.weight, name)?;
        Ok(WeightedAvgCollector { value, weight, weights: Vec::new(), averages: Vec::new() })
    }
}

impl<'a> Collector<'a> for WeightedAvgCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        for field in [&mut self.value, &mut self.weight] {
            field.start_segment(segment);
        }
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.value.values.is_void() || self.weight.values.is_void() {
            return Ok(());
        }
        let (weights, averages) = (&mut self.weights, &mut self.averages);
        weights.clear();
        weights.resize(batch.docs.len(), None);
        let value_type = self.weight.value_type();
        self.weight.values.for_each(&batch, |place, values| match values {
            [weight] => {
                weights[place] = Some(value_type.number(*weight));
                Ok(())
            }
            _ => Err(Error::illegal_argument(
                "Encountered more than one weight for a single document. Use a script to combine multiple weights-per-doc \
                 into a single value.",
            )),
        })?;
        let value_type = self.value.value_type();
        self.value.values.for_each(&batch, |place, values| {
            if let Some(weight) = weights[place] {
                let average = entry(averages, batch.owners.of(place));
                values.iter().for_each(|&value| average.add(value_type.number(value), weight));
            }
            Ok(())
        })
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.averages.resize(owner_count, WeightedAverage::default());
        let format = &self.value.source.format;
        let partial = |average| Partial::WeightedAvg { average, format: format.clone() };
        Ok(self.averages.drain(..).map(partial).collect())
    }
}
