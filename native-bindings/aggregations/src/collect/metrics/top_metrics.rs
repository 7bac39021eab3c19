//! `top_metrics`: values of the first documents of each bucket, in the order of a sort key.

use super::top_hits::TopHitsCollector;
use crate::collect::{Batch, Collector, Context, SortedHits};
use crate::partial::Partial;
use crate::plan::{Source, TopMetrics};
use crate::source::{Accepts, FieldSource};
use quarry_base::error::Result;
use quarry_codec::sortable;
use quarry_mapping::format::{ValueType, plain_double, term_text};
use quarry_query::sort::key::ResolvedKey;
use quarry_query::view::{SegmentView, ShardView};
use quarry_segment::reader::FieldReader;
use serde_json::Value;

pub struct TopMetricsCollector<'a> {
    view: &'a ShardView,
    keys: &'a [ResolvedKey],
    metrics: Vec<FieldSource>,
    hits: TopHitsCollector<'a>,
}

impl<'a> TopMetricsCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &TopMetrics, of: &'a SortedHits<'a>, name: &str) -> Result<Self> {
        let resolve =
            |source: &Source| FieldSource::resolve(context.view, source, name, Accepts::Keys, context.env.now_ms);
        let metrics = plan.metrics.iter().map(resolve).collect::<Result<_>>()?;
        Ok(TopMetricsCollector { view: context.view, keys: &of.keys, metrics, hits: TopHitsCollector::new(of) })
    }

    /// `"field":value` of one document of the shard.
    fn member(&self, metric: &FieldSource, doc: u32) -> Result<String> {
        let (segment, doc) = self.view.locate(doc)?;
        let name = Value::String(metric.name.clone());
        let value = value_json(metric, segment, doc)?;
        Ok(format!("{name}:{}", value.unwrap_or_else(|| "null".to_owned())))
    }
}

/// The document's smallest value as JSON; dates and booleans as they are printed.
fn value_json(metric: &FieldSource, segment: &SegmentView, doc: u32) -> Result<Option<String>> {
    let value_type = metric.format.value_type;
    if let Some(number) = metric.numeric(segment).and_then(|column| column.first(doc)) {
        let double = value_type.number(number);
        return Ok(Some(match metric.format.printer()?.number_as_string(double) {
            Some(printed) if value_type == ValueType::Boolean => printed,
            Some(printed) => Value::String(printed).to_string(),
            None if value_type == ValueType::UnsignedLong => sortable::to_u64(number).to_string(),
            None if value_type.is_fractional() => plain_double(double),
            None => number.to_string(),
        }));
    }
    let reader = metric.reader(segment);
    let ordinal = reader.and_then(FieldReader::ordinals).and_then(|column| column.first(doc));
    let (Some(ordinal), Some(postings)) = (ordinal, reader.and_then(FieldReader::postings)) else { return Ok(None) };
    let mut term = Vec::new();
    postings.term(ordinal, &mut term)?;
    Ok(Some(Value::String(term_text(value_type, &term)).to_string()))
}

impl<'a> Collector<'a> for TopMetricsCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.hits.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        self.hits.collect(batch)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let mut partials = self.hits.finish(owner_count)?;
        for partial in &mut partials {
            let Partial::TopHits(top) = partial else { continue };
            for found in &mut top.hits {
                let mut sort = Vec::new();
                for (place, (key, value)) in self.keys.iter().zip(&found.hit.sort).enumerate() {
                    if place > 0 {
                        sort.push(b',');
                    }
                    key.render(value, &mut sort);
                }
                let members =
                    self.metrics.iter().map(|metric| self.member(metric, found.hit.doc)).collect::<Result<Vec<_>>>()?;
                let sort = String::from_utf8_lossy(&sort);
                found.json = format!("{{\"sort\":[{sort}],\"metrics\":{{{}}}}}", members.join(","));
            }
        }
        Ok(partials)
    }
}
