//! One numeric field for an aggregation: what it is in this shard, and its values.

use super::NumberValues;
use super::counted::CountedValues;
use super::slices::Slices;
use crate::collect::{Batch, Context};
use crate::plan::Source;
use crate::source::{Accepts, FieldSource};
use quarry_base::error::Result;
use quarry_mapping::format::ValueType;
use quarry_query::view::SegmentView;

pub(in crate::collect) struct NumberField<'a> {
    pub source: FieldSource,
    pub values: NumberValues<'a>,
    /// Of histogram fields.
    pub counted: CountedValues<'a>,
}

impl<'a> NumberField<'a> {
    pub fn resolve(context: &Context<'a>, source: &Source, name: &str) -> Result<Self> {
        Self::resolve_as(context, source, name, Accepts::Numbers)
    }

    /// As [`NumberField::resolve`], of histogram fields as well where they are accepted.
    pub fn resolve_as(context: &Context<'a>, source: &Source, name: &str, accepts: Accepts) -> Result<Self> {
        let source = FieldSource::resolve(context.view, source, name, accepts, context.env.now_ms)?;
        let values = NumberValues::new(source.missing_number());
        Ok(NumberField { values, source, counted: CountedValues::default() })
    }

    /// Numbers come with counts: they are told by [`NumberField::counted`].
    pub fn is_histogram(&self) -> bool {
        self.source.counted.is_some()
    }

    pub fn start_segment(&mut self, segment: &'a SegmentView) {
        self.values.start_segment(self.source.numeric(segment));
        self.counted.start_segment(&self.source, segment);
    }

    pub fn value_type(&self) -> ValueType {
        self.source.format.value_type
    }

    /// Calls `take` with each number and the bucket that its document is in.
    #[inline]
    pub fn for_each(&mut self, batch: &Batch<'_>, mut take: impl FnMut(u32, f64)) -> Result<()> {
        if self.values.is_void() {
            return Ok(());
        }
        let value_type = self.value_type();
        let Slices { places, values, .. } = self.values.slices(batch);
        match places {
            None => (0..).zip(values).for_each(|(at, &value)| take(batch.owners.of(at), value_type.number(value))),
            Some(places) => {
                let owners = places.iter().map(|&place| batch.owners.of(place as usize));
                owners.zip(values).for_each(|(owner, &value)| take(owner, value_type.number(value)));
            }
        }
        Ok(())
    }
}
