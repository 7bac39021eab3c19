//! How long the parts of a query take: weights whose scorers look at the clock.

use super::{Builder, Weight};
use crate::explain::describe::Describer;
use crate::node::Node;
use crate::profile::{Breakdown, QueryProfile};
use crate::view::{SegmentView, ShardView};
use quarry_base::error::Result;
use quarry_codec::window::WindowBits;
use quarry_scores::scorer::WindowScorer;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Nanoseconds and calls of one thing that scorers do.
#[derive(Debug, Default)]
struct Clock {
    nanos: Cell<u64>,
    calls: Cell<u64>,
}

impl Clock {
    fn time<T>(&self, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = run();
        // What was done took time, though the clock may not show it.
        self.nanos.set(self.nanos.get() + (started.elapsed().as_nanos() as u64).max(1));
        self.calls.set(self.calls.get() + 1);
        result
    }

    fn read(&self) -> (u64, u64) {
        (self.nanos.get(), self.calls.get())
    }
}

#[derive(Debug, Default)]
struct Clocks {
    create_weight: Clock,
    build_scorer: Clock,
    next: Clock,
    matches: Clock,
    score: Clock,
    max_score: Clock,
}

/// A query whose scorers are watched, with the queries inside it.
#[derive(Debug)]
struct Watched {
    kind: &'static str,
    description: String,
    clocks: Rc<Clocks>,
    inner: Vec<Watched>,
    /// Vectors that were looked at when it was weighed.
    compared: u64,
}

/// The queries that are being built, outermost first.
#[derive(Debug)]
pub(super) struct Profiler {
    open: Vec<Vec<Watched>>,
}

impl Profiler {
    pub(super) fn new() -> Self {
        Profiler { open: vec![Vec::new()] }
    }
}

impl Builder<'_> {
    pub(super) fn build_watched(&mut self, node: &Node, boost: Option<f32>) -> Result<Box<dyn Weight>> {
        let clocks = Rc::new(Clocks::default());
        if let Some(profiler) = &mut self.profiler {
            profiler.open.push(Vec::new());
        }
        let inner = clocks.create_weight.time(|| self.build_node(node, boost))?;
        let description = Describer::new(&self.view.mapping).describe(node);
        if let Some(profiler) = &mut self.profiler {
            let children = profiler.open.pop().unwrap_or_default();
            let compared = match node {
                Node::Knn(knn) => knn.compared.load(Ordering::Relaxed),
                _ => 0,
            };
            let (kind, clocks) = (Describer::type_name(node), Rc::clone(&clocks));
            let watched = Watched { kind, description, clocks, inner: children, compared };
            if let Some(outer) = profiler.open.last_mut() {
                outer.push(watched);
            }
        }
        Ok(Box::new(WatchedWeight { inner, clocks }))
    }
}

struct WatchedWeight {
    inner: Box<dyn Weight>,
    clocks: Rc<Clocks>,
}

impl Weight for WatchedWeight {
    fn scorer<'a>(&'a self, segment: &'a SegmentView) -> Result<Option<Box<dyn WindowScorer + 'a>>> {
        let inner = self.clocks.build_scorer.time(|| self.inner.scorer(segment))?;
        Ok(inner.map(|inner| Box::new(WatchedScorer { inner, clocks: &self.clocks }) as Box<dyn WindowScorer + 'a>))
    }
}

struct WatchedScorer<'a> {
    inner: Box<dyn WindowScorer + 'a>,
    clocks: &'a Clocks,
}

impl WindowScorer for WatchedScorer<'_> {
    fn cost(&self) -> u64 {
        self.inner.cost()
    }

    fn next_window(&mut self, window: u32) -> Result<u32> {
        self.clocks.next.time(|| self.inner.next_window(window))
    }

    fn max_score(&mut self, window: u32) -> Result<f32> {
        self.clocks.max_score.time(|| self.inner.max_score(window))
    }

    fn matches(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.clocks.matches.time(|| self.inner.matches(window, bits))
    }

    fn retain(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.clocks.matches.time(|| self.inner.retain(window, bits))
    }

    fn score(&mut self, window: u32, docs: &[u16], scores: &mut [f32]) -> Result<()> {
        self.clocks.score.time(|| self.inner.score(window, docs, scores))
    }
}

/// A weight that is watched; [`WatchedQuery::read`] tells what was seen, once it has run.
pub struct WatchedQuery {
    pub weight: Box<dyn Weight>,
    roots: Vec<Watched>,
    rewrite_nanos: u64,
}

impl WatchedQuery {
    pub(super) fn new(view: &ShardView, env: &super::QueryEnv, query: &super::Query, scoring: bool) -> Result<Self> {
        let rewrite = Clock::default();
        let node = rewrite.time(|| super::Resolver::new(view, env).resolve(query))?;
        let mut builder = Builder::new(view, env);
        builder.profiler = Some(Profiler::new());
        let weight = builder.build(&node, scoring.then_some(1.0))?;
        let roots = builder.profiler.and_then(|mut profiler| profiler.open.pop()).unwrap_or_default();
        Ok(WatchedQuery { weight, roots, rewrite_nanos: rewrite.read().0 })
    }

    pub fn read(&self) -> (Vec<QueryProfile>, u64) {
        (self.roots.iter().map(read).collect(), self.rewrite_nanos)
    }
}

fn read(watched: &Watched) -> QueryProfile {
    let clocks = &watched.clocks;
    QueryProfile {
        kind: watched.kind.to_owned(),
        description: watched.description.clone(),
        breakdown: Breakdown {
            create_weight: clocks.create_weight.read(),
            build_scorer: clocks.build_scorer.read(),
            next_doc: clocks.next.read(),
            matches: clocks.matches.read(),
            score: clocks.score.read(),
            compute_max_score: clocks.max_score.read(),
        },
        children: watched.inner.iter().map(read).collect(),
        compared: watched.compared,
    }
}
