//! `composite`: a page of the buckets of several fields' keys, in their order.
//!
//! The page is found first, in a heap of as many keys as it has; what lies below its buckets is collected in a second run over the
//! documents that were met.

use super::combinations::Combinations;
use super::key_source::KeySource;
use super::page::{Page, TupleOrder};
use super::tuples::Tuples;
use crate::budget::Budget;
use crate::collect::tables::bucket_table::ChildBatch;
use crate::collect::tables::replay::Replay;
use crate::collect::{Batch, Children, Collector, Context, Report, build};
use crate::kinds::composite::{PartialComposite, after_key};
use crate::partial::{Bucket, Partial};
use crate::plan::{Aggregation, Composite};
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use std::rc::Rc;

pub struct CompositeCollector<'a> {
    plan: &'a Composite,
    tuples: Tuples<'a>,
    /// Of the segment's documents with one key in each field, on their way to the page.
    combinations: Combinations,
    page: Page,
    budget: Rc<Budget>,
    replay: Replay<'a>,
    children: Children<'a>,
}

impl<'a> CompositeCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a Composite, name: &str, aggs: &'a [Aggregation]) -> Result<Self> {
        let sources = plan.sources.iter().map(|of| KeySource::new(context, &of.source, of.keys, name));
        let mut sources = sources.collect::<Result<Vec<_>>>()?;
        let after = match &plan.after {
            Some(values) => {
                let mut cells = Vec::with_capacity(values.len());
                for ((value, of), source) in values.iter().zip(&plan.sources).zip(&mut sources) {
                    let key = after_key(value, of, &source.source, context.env.now_ms)?;
                    cells.push(key.map(|key| source.cell(&key)).transpose()?);
                }
                Some(cells.into_boxed_slice())
            }
            None => None,
        };
        Ok(CompositeCollector {
            plan,
            tuples: Tuples::new(sources, plan.sources.iter().map(|of| of.missing_bucket).collect()),
            combinations: Combinations::default(),
            page: Page::new(plan.size, after),
            budget: Rc::clone(&context.budget),
            replay: Replay::default(),
            children: build(context, aggs)?,
        })
    }

    fn end_segment(&mut self) -> Result<()> {
        let order = TupleOrder { plan: &self.plan.sources, sources: &self.tuples.sources };
        let (page, budget) = (&mut self.page, &self.budget);
        self.combinations.drain(|tuple, documents| page.count(tuple, documents, order, budget))
    }

    /// Collects what lies below the buckets of the page.
    fn collect_children(&mut self) -> Result<()> {
        let mut sent = ChildBatch::default();
        let (page, children) = (&self.page, &mut self.children);
        for (segment, batches) in self.replay.segments() {
            self.tuples.start_segment(segment);
            children.start_segment(segment)?;
            for kept in batches {
                let batch = kept.batch();
                sent.clear();
                self.tuples.for_each(&batch, |_, place, tuple| {
                    if let Some(slot) = page.slot(tuple) {
                        sent.push(&batch, place, slot);
                    }
                    Ok(())
                })?;
                sent.send(batch.window, batch.scores.is_some(), children)?;
            }
        }
        Ok(())
    }
}

impl<'a> Collector<'a> for CompositeCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.end_segment()?;
        self.tuples.start_segment(segment);
        self.combinations.start(self.tuples.sources.iter().map(KeySource::range), &self.budget)?;
        if !self.children.is_empty() {
            self.replay.start_segment(segment);
        }
        Ok(())
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if !self.children.is_empty() {
            self.replay.keep(&batch, &self.budget)?;
        }
        self.tuples.load(&batch)?;
        if self.combinations.are_few()
            && let Some(columns) = self.tuples.columns()
        {
            return self.combinations.count(&columns);
        }
        let (page, budget, plan) = (&mut self.page, &self.budget, &self.plan.sources);
        self.tuples
            .for_each_loaded(&batch, |sources, _, tuple| page.count(tuple, 1, TupleOrder { plan, sources }, budget))
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        self.end_segment()?;
        self.collect_children()?;
        let counts = self.page.counts();
        let mut found: Vec<Option<Bucket>> = self.children.finish_buckets(&counts)?.into_iter().map(Some).collect();
        let sources = &self.tuples.sources;
        let order = TupleOrder { plan: &self.plan.sources, sources };
        let mut buckets = Vec::with_capacity(found.len());
        for (slot, tuple) in self.page.in_order(order) {
            let key = tuple.iter().zip(sources).map(|(cell, source)| cell.map(|cell| source.key(cell))).collect();
            buckets.extend(found[slot].take().map(|bucket| (key, bucket)));
        }
        let format = |source: &KeySource<'_>| (!source.source.unmapped).then(|| source.source.format.of_keys());
        let formats: Vec<_> = sources.iter().map(format).collect();
        // It lies below the root or below single buckets of it: other owners have no documents.
        let lists = std::iter::once(buckets).chain(std::iter::repeat_with(Vec::new)).take(owner_count);
        let partial = |buckets| Partial::Composite(PartialComposite { formats: formats.clone(), buckets, after: None });
        Ok(lists.map(partial).collect())
    }

    fn report(&self, report: &mut Report) {
        if let [source] = self.tuples.sources.as_slice() {
            source.report(report);
        }
    }
}
