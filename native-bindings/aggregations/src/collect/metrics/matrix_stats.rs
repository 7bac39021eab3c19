//! `matrix_stats`: moments of several fields, over the documents that have all of them.

use crate::budget::Budget;
use crate::collect::tables::entry;
use crate::collect::values::number_field::NumberField;
use crate::collect::{Batch, Collector, Context};
use crate::metrics::matrix_stats::MatrixStats;
use crate::partial::Partial;
use crate::plan::MatrixStats as Plan;
use quarry_base::error::Result;
use quarry_plan::request::SortMode;
use quarry_query::view::SegmentView;
use std::rc::Rc;

pub struct MatrixStatsCollector<'a> {
    fields: Vec<NumberField<'a>>,
    mode: SortMode,
    /// Of the documents of the batch, field by field; NaN where there is none.
    values: Vec<Vec<f64>>,
    stats: Vec<Option<MatrixStats>>,
    budget: Rc<Budget>,
}

impl<'a> MatrixStatsCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &Plan, name: &str) -> Result<Self> {
        let fields = plan.sources.iter().map(|source| NumberField::resolve(context, source, name));
        let values = vec![Vec::new(); plan.sources.len()];
        let budget = Rc::clone(&context.budget);
        Ok(MatrixStatsCollector {
            fields: fields.collect::<Result<_>>()?,
            mode: plan.mode,
            values,
            stats: Vec::new(),
            budget,
        })
    }
}

/// One value of several, which are ascending.
fn choose(values: &[f64], mode: SortMode) -> f64 {
    let sum: f64 = values.iter().sum();
    match mode {
        SortMode::Min => values[0],
        SortMode::Max => values[values.len() - 1],
        SortMode::Sum => sum,
        SortMode::Avg => sum / values.len() as f64,
        SortMode::Median => (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0,
    }
}

impl<'a> Collector<'a> for MatrixStatsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.fields.iter_mut().for_each(|field| field.start_segment(segment));
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let mut numbers = Vec::new();
        for (field, column) in self.fields.iter_mut().zip(&mut self.values) {
            column.clear();
            column.resize(batch.docs.len(), f64::NAN);
            let value_type = field.value_type();
            field.values.for_each(&batch, |place, values| {
                numbers.clear();
                numbers.extend(values.iter().map(|&value| value_type.number(value)));
                column[place] = choose(&numbers, self.mode);
                Ok(())
            })?;
        }
        let mut row = Vec::with_capacity(self.values.len());
        for place in 0..batch.docs.len() {
            row.clear();
            row.extend(self.values.iter().map(|column| column[place]));
            if row.iter().all(|value| !value.is_nan()) {
                let stats = entry(&mut self.stats, batch.owners.of(place));
                if stats.is_none() {
                    self.budget.take_bytes(MatrixStats::bytes(row.len()))?;
                }
                stats.get_or_insert_with(|| MatrixStats::new(row.len())).add(&row);
            }
        }
        Ok(())
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.stats.resize(owner_count, None);
        let fields = self.fields.len();
        let without = self.stats.iter().filter(|stats| stats.is_none()).count();
        self.budget.take_bytes(without.saturating_mul(MatrixStats::bytes(fields)))?;
        let partial =
            |stats: Option<MatrixStats>| Partial::MatrixStats(stats.unwrap_or_else(|| MatrixStats::new(fields)));
        Ok(self.stats.drain(..).map(partial).collect())
    }
}
