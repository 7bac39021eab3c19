//! `variable_width_histogram`: clusters of numbers.
//!
//! The first numbers are kept apart, then cut into clusters of equally many; later ones go to the nearest cluster, or make one of their
//! own where they are far from all.

use crate::budget::Budget;
use crate::collect::tables::bucket_table::ChildBatch;
use crate::collect::values::number_field::NumberField;
use crate::collect::{Batch, Children, Collector, Context, build};
use crate::partial::{Bucket, Cluster, Partial, PartialVariableWidth};
use crate::plan::{Aggregation, VariableWidthHistogram};
use crate::reduce::merge_bucket;
use quarry_base::error::{Error, Result};
use quarry_query::view::SegmentView;
use std::rc::Rc;

pub struct VariableWidthCollector<'a> {
    plan: &'a Aggregation,
    field: NumberField<'a>,
    clusters: Clusters,
    /// Documents of each bucket that children know; several of them make a cluster.
    counts: Vec<u64>,
    budget: Rc<Budget>,
    batch: ChildBatch,
    children: Children<'a>,
}

struct Clusters {
    shard_size: usize,
    buffer_limit: usize,
    /// Numbers that are kept apart, each with its bucket; empty from the first clusters on.
    buffer: Vec<(f64, u32)>,
    is_buffering: bool,
    /// By ascending centre.
    list: Vec<Open>,
    /// Between neighbouring centres, on average.
    distance: f64,
}

struct Open {
    min: f64,
    max: f64,
    centre: f64,
    size: f64,
    /// Buckets of the children.
    buckets: Vec<u32>,
}

impl Open {
    fn new(value: f64, bucket: u32) -> Self {
        Open { min: value, max: value, centre: value, size: 1.0, buckets: vec![bucket] }
    }

    fn add(&mut self, value: f64) {
        self.min = self.min.min(value);
        self.max = self.max.max(value);
        self.centre = (self.centre * self.size + value) / (self.size + 1.0);
        self.size += 1.0;
    }
}

impl Clusters {
    fn new(of: &VariableWidthHistogram) -> Self {
        Clusters {
            shard_size: of.shard_size as usize,
            buffer_limit: of.initial_buffer as usize,
            buffer: Vec::new(),
            is_buffering: true,
            list: Vec::new(),
            distance: 0.0,
        }
    }

    /// The bucket of a number; `next` is the number of a new one.
    fn bucket(&mut self, value: f64, next: u32) -> u32 {
        if self.is_buffering {
            self.buffer.push((value, next));
            if self.buffer.len() >= self.buffer_limit {
                self.cluster();
            }
            return next;
        }
        let nearest = self.nearest(value);
        let is_far = (self.list[nearest].centre - value).abs() > 2.0 * self.distance;
        if is_far && self.list.len() < self.shard_size {
            let place = if value > self.list[nearest].centre { nearest + 1 } else { nearest };
            self.list.insert(place, Open::new(value, next));
            self.measure();
            return next;
        }
        self.list[nearest].add(value);
        if nearest == 0 || nearest + 1 == self.list.len() {
            self.measure();
        }
        self.list[nearest].buckets[0]
    }

    fn nearest(&self, value: f64) -> usize {
        let after = self.list.partition_point(|cluster| cluster.centre < value);
        let distance = |place: usize| (self.list[place].centre - value).abs();
        match (after.checked_sub(1), after < self.list.len()) {
            (Some(before), true) if distance(before) <= distance(after) => before,
            (Some(before), false) => before,
            _ => after,
        }
    }

    fn measure(&mut self) {
        if let (Some(first), Some(last), true) = (self.list.first(), self.list.last(), self.list.len() > 1) {
            self.distance = (last.centre - first.centre) / (self.list.len() - 1) as f64;
        }
    }

    /// Cuts the numbers kept so far into clusters of equally many.
    fn cluster(&mut self) {
        self.is_buffering = false;
        let mut values = std::mem::take(&mut self.buffer);
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Three quarters of the clusters now, the rest for numbers far from all of them.
        let wanted = (self.shard_size * 3 / 4).max(1);
        let each = values.len().div_ceil(wanted).max(1);
        for chunk in values.chunks(each) {
            let mut numbers = chunk.iter();
            let Some(&(value, bucket)) = numbers.next() else { continue };
            let mut cluster = Open::new(value, bucket);
            for &(value, bucket) in numbers {
                cluster.add(value);
                cluster.buckets.push(bucket);
            }
            self.list.push(cluster);
        }
        self.measure();
    }
}

impl<'a> VariableWidthCollector<'a> {
    pub fn new(context: &Context<'a>, plan: &'a Aggregation, of: &VariableWidthHistogram) -> Result<Self> {
        Ok(VariableWidthCollector {
            plan,
            field: NumberField::resolve(context, &of.source, plan.kind.name())?,
            clusters: Clusters::new(of),
            counts: Vec::new(),
            budget: Rc::clone(&context.budget),
            batch: ChildBatch::default(),
            children: build(context, &plan.aggs)?,
        })
    }

    fn close(&mut self, mut found: Vec<Option<Bucket>>) -> Result<Vec<Cluster>> {
        if self.clusters.is_buffering {
            self.clusters.cluster();
        }
        let mut clusters = Vec::with_capacity(self.clusters.list.len());
        for open in &self.clusters.list {
            let mut parts = open.buckets.iter().filter_map(|&bucket| found[bucket as usize].take());
            let Some(mut bucket) = parts.next() else { continue };
            parts.try_for_each(|part| merge_bucket(self.plan, &mut bucket, part))?;
            clusters.push(Cluster { min: open.min, max: open.max, centre: open.centre, bucket });
        }
        Ok(clusters)
    }
}

impl<'a> Collector<'a> for VariableWidthCollector<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.field.start_segment(segment);
        self.children.start_segment(segment)
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        if self.field.values.is_void() {
            return Ok(());
        }
        let value_type = self.field.value_type();
        let (clusters, counts, sent, budget) = (&mut self.clusters, &mut self.counts, &mut self.batch, &self.budget);
        sent.clear();
        self.field.values.for_each(&batch, |place, values| {
            if batch.owners.of(place) != 0 {
                return Err(Error::illegal_argument(
                    "[variable_width_histogram] cannot be nested inside an aggregation that collects more than a single \
                     bucket.",
                ));
            }
            let mut before = None;
            for &value in values {
                if before.replace(value) == Some(value) {
                    continue;
                }
                let next = counts.len() as u32;
                let bucket = clusters.bucket(value_type.number(value), next);
                if bucket == next {
                    budget.take()?;
                    counts.push(0);
                }
                counts[bucket as usize] += 1;
                sent.push(&batch, place, bucket);
            }
            Ok(())
        })?;
        self.batch.send(batch.window, batch.scores.is_some(), &mut self.children)
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let found = self.children.finish_buckets(&self.counts)?.into_iter().map(Some).collect();
        let clusters = self.close(found)?;
        let format = self.field.source.format.clone();
        let lists = std::iter::once(clusters).chain(std::iter::repeat_with(Vec::new)).take(owner_count);
        let partial = |buckets| Partial::VariableWidth(PartialVariableWidth { format: format.clone(), buckets });
        Ok(lists.map(partial).collect())
    }
}
