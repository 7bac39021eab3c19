//! How long aggregations take: collectors that look at the clock around what they do.

use super::aggregator_names::{aggregator_name, has_one_bucket};
use super::{Batch, Collector, Context, build_plain};
use crate::partial::Partial;
use crate::plan::Aggregation;
use crate::profile::{AggregationProfile, Breakdown};
use quarry_base::error::Result;
use quarry_query::view::SegmentView;
use serde_json::{Map, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;

/// What a collector tells of itself when it has finished.
#[derive(Debug, Default)]
pub struct Report {
    /// Instead of the name that goes with its kind.
    pub kind: Option<&'static str>,
    pub debug: Map<String, Value>,
}

impl Report {
    pub fn figure(&mut self, name: &str, value: impl Into<Value>) {
        self.debug.insert(name.to_owned(), value.into());
    }
}

/// An aggregation that is watched, with those below it.
#[derive(Debug)]
struct Watch {
    kind: &'static str,
    name: String,
    breakdown: RefCell<Breakdown>,
    report: RefCell<Report>,
    inner: Vec<Rc<Watch>>,
}

impl Watch {
    fn time<T>(&self, part: impl Fn(&mut Breakdown) -> &mut (u64, u64), calls: u64, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = run();
        let mut breakdown = self.breakdown.borrow_mut();
        let (nanos, count) = part(&mut breakdown);
        // What was done took time, though the clock may not show it.
        *nanos += (started.elapsed().as_nanos() as u64).max(1);
        *count += calls;
        result
    }

    fn read(&self) -> AggregationProfile {
        let report = self.report.borrow();
        AggregationProfile {
            kind: report.kind.unwrap_or(self.kind).to_owned(),
            name: self.name.clone(),
            breakdown: self.breakdown.borrow().clone(),
            debug: report.debug.clone(),
            children: self.inner.iter().map(|inner| inner.read()).collect(),
        }
    }
}

/// A level of the plan whose collectors are being built.
#[derive(Debug, Default)]
struct Level {
    watches: Vec<Rc<Watch>>,
    /// Some collector above it has several buckets.
    is_below_many: bool,
}

/// The aggregations of a request that are watched.
#[derive(Debug)]
pub struct Profiler {
    /// Outermost first.
    levels: RefCell<Vec<Level>>,
}

impl Profiler {
    pub fn new() -> Self {
        Profiler { levels: RefCell::new(vec![Level::default()]) }
    }

    /// In the order in which they were built.
    pub fn read(&self) -> Vec<AggregationProfile> {
        let levels = self.levels.borrow();
        levels.first().map_or_else(Vec::new, |level| level.watches.iter().map(|watch| watch.read()).collect())
    }

    /// Builds a collector that is watched.
    pub(super) fn build<'a>(
        &self,
        context: &Context<'a>,
        aggregation: &'a Aggregation,
    ) -> Result<Box<dyn Collector<'a> + 'a>> {
        let many = self.levels.borrow().last().is_some_and(|level| level.is_below_many);
        let is_below_many = many || !has_one_bucket(&aggregation.kind);
        self.levels.borrow_mut().push(Level { watches: Vec::new(), is_below_many });
        let started = Instant::now();
        let built = build_plain(context, aggregation);
        let nanos = started.elapsed().as_nanos() as u64;
        let below = self.levels.borrow_mut().pop().unwrap_or_default();
        let watch = Rc::new(Watch {
            kind: aggregator_name(&aggregation.kind, many),
            name: aggregation.name.clone(),
            breakdown: RefCell::new(Breakdown { initialize: (nanos, 1), ..Breakdown::default() }),
            report: RefCell::default(),
            inner: below.watches,
        });
        if let Some(level) = self.levels.borrow_mut().last_mut() {
            level.watches.push(Rc::clone(&watch));
        }
        Ok(Box::new(Watched { inner: built?, watch }))
    }
}

struct Watched<'a> {
    inner: Box<dyn Collector<'a> + 'a>,
    watch: Rc<Watch>,
}

impl<'a> Collector<'a> for Watched<'a> {
    fn start_segment(&mut self, segment: &'a SegmentView) -> Result<()> {
        self.watch.time(|parts| &mut parts.build_leaf_collector, 1, || self.inner.start_segment(segment))
    }

    fn collect(&mut self, batch: Batch<'_>) -> Result<()> {
        let documents = batch.docs.len() as u64;
        self.watch.time(|parts| &mut parts.collect, documents, || self.inner.collect(batch))
    }

    fn finish(&mut self, owner_count: usize) -> Result<Vec<Partial>> {
        let finished = self.watch.time(|parts| &mut parts.build_aggregation, 1, || self.inner.finish(owner_count))?;
        self.inner.report(&mut self.watch.report.borrow_mut());
        Ok(finished)
    }
}
