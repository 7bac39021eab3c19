//! Runs a compiled query over the segments of a shard: counts, best documents, aggregations.
pub mod parts;
pub mod rescore;
mod shortcut;
mod slice;
mod windows;

use super::profile::ShardProfile;
use crate::ABOVE;
use parts::windows::{SharedWindows, Windows};
use quarry_aggregations as aggs;
use quarry_aggregations::PartialAggregations;
use quarry_aggregations::plan::Aggregation;
use quarry_base::control::Control;
use quarry_base::error::Result;
use quarry_base::interrupt::{ended_in_time, watching};
use quarry_plan::request::{SearchPlan, TrackTotalHits};
use quarry_query::sort::groups::GroupField;
use quarry_query::sort::hit::Hit;
use quarry_query::sort::key::ResolvedKey;
use quarry_query::sort::{After, SortCollector};
use quarry_query::view::{SegmentView, ShardView};
use quarry_query::weight::{QueryEnv, WatchedQuery, Weight, compile, compile_watched};
use quarry_scores::topk::TopK;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What one shard found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Collected {
    /// Matches that were counted.
    pub total: u64,
    /// Windows were left out after enough had been counted: there may be more.
    pub is_lower_bound: bool,
    pub max_score: Option<f32>,
    /// The best `from + size`, in order.
    pub hits: Vec<Hit>,
    pub aggregations: Option<PartialAggregations>,
    pub timed_out: bool,
    pub terminated_early: bool,
    /// With `profile`.
    pub profile: Option<ShardProfile>,
}

/// The best documents so far.
enum Top<'a> {
    /// Only counted.
    None,
    Score(TopK),
    Sort(SortCollector<'a>),
}

/// A search of one shard while it runs.
struct Search<'a> {
    plan: &'a SearchPlan,
    post_filter: Option<Box<dyn Weight>>,
    top: Top<'a>,
    /// The order, or somebody else, needs scores.
    needs_scores: bool,
    /// Also of matches that can be no hits.
    needs_all_scores: bool,
    total: u64,
    is_lower_bound: bool,
    max_score: f32,
    /// Matches before `post_filter`, for `terminate_after`.
    collected: u64,
    terminated_early: bool,
}

/// Runs the query phase of a search, on more than one thread where that pays. `keys` are the plan's sort keys.
///
/// `after`: only hits behind that one of this shard.
pub fn run(
    view: &ShardView,
    plan: &SearchPlan,
    keys: &[ResolvedKey],
    after: Option<&Hit>,
    control: &mut Control<'_>,
) -> Result<Collected> {
    let aggregations = plan.aggregations.as_ref().map(aggs::read_plan).transpose()?.unwrap_or_default();
    let alone = Part { view, plan, keys, after, aggregations: &aggregations, windows: None };
    match parts::run(&alone, control)? {
        Some(collected) => Ok(collected),
        None => {
            control.restart();
            let collected = alone.run(control, || {})?;
            #[cfg(test)]
            parts::tests::look_in(&alone, &collected);
            Ok(collected)
        }
    }
}

/// What the request's sort keys are in this shard.
pub fn sort_keys(view: &ShardView, env: &QueryEnv<'_>, plan: &SearchPlan) -> Result<Vec<ResolvedKey>> {
    let resolve = |key| {
        let mut resolved = ResolvedKey::resolve(view, env, key, "")?;
        resolved.shard_ordinal = plan.shard_ordinal;
        resolved.has_int_missing = plan.int_missing && resolved.is_int;
        Ok(resolved)
    };
    plan.sort.iter().map(resolve).collect()
}

/// What one thread does of the query phase.
struct Part<'p> {
    view: &'p ShardView,
    plan: &'p SearchPlan,
    keys: &'p [ResolvedKey],
    after: Option<&'p Hit>,
    aggregations: &'p [Aggregation],
    /// Those that are left for the threads of this search; `None`: it is one thread, and all are.
    windows: Option<&'p SharedWindows>,
}

impl Part<'_> {
    /// `prepared` is called before the first document is looked at.
    fn run(&self, control: &mut Control<'_>, prepared: impl FnOnce()) -> Result<Collected> {
        let Part { view, plan, keys, .. } = *self;
        let group = plan.collapse.as_deref().map(|field| GroupField::resolve(view, field)).transpose()?;
        let env = QueryEnv {
            now_ms: plan.now_ms,
            limits: plan.limits.clone(),
            is_cancelled: control.is_cancelled(),
            above: ABOVE,
        };
        let aggregations = aggs::Prepared::new(view, &env, self.aggregations, plan)?;
        let mut collecting = if self.aggregations.is_empty() { None } else { Some(aggregations.start()?) };
        if let Some(slice) = &plan.slice {
            slice::check(view, slice)?;
        }
        let needs_all_scores =
            plan.track_scores || plan.min_score.is_some() || (collecting.is_some() && aggregations.needs_scores());
        let needs_scores =
            needs_all_scores || (keys.is_empty() && page_of(plan) > 0) || keys.iter().any(ResolvedKey::needs_score);
        let query = Compiled::new(view, &env, plan, needs_scores)?;
        let weight = query.weight();
        let started = Instant::now();
        let post_filter = plan.post_filter.as_ref().map(|query| compile(view, &env, query, false)).transpose()?;
        let mut search = Search {
            plan,
            post_filter,
            top: self.top(group.as_ref()),
            needs_scores,
            needs_all_scores,
            total: 0,
            is_lower_bound: false,
            max_score: f32::NEG_INFINITY,
            collected: 0,
            terminated_early: false,
        };
        prepared();
        for segment in view.segments.iter() {
            if control.should_stop()? || search.terminated_early {
                break;
            }
            let mut windows = Windows::of(segment, self.windows);
            if windows.are_gone() {
                continue;
            }
            let (is_cancelled, deadline) = (control.is_cancelled(), control.deadline());
            let searched = watching(is_cancelled, deadline, || {
                search.run_segment(weight, segment, collecting.as_mut(), &mut windows, control)
            });
            ended_in_time(searched, control)?;
        }
        let watch = collecting.as_ref().map(aggs::Run::watch);
        let aggregations = collecting.map(|run| run.finish(control)).transpose()?;
        let collector = if keys.is_empty() { "SimpleTopScoreDocCollector" } else { "SimpleFieldCollector" };
        let watched = watch.map_or_else(Vec::new, |watch| watch.read());
        let profile =
            query.profile(view, collector, started).map(|profile| ShardProfile { aggregations: watched, ..profile });
        let mut collected = search.finish(aggregations, control.timed_out());
        collected.profile = profile;
        Ok(collected)
    }

    fn top<'s>(&'s self, group: Option<&'s GroupField>) -> Top<'s> {
        let Part { plan, keys, .. } = *self;
        let k = page_of(plan);
        match (plan.size, keys.is_empty()) {
            (0, _) => Top::None,
            (_, true) => Top::Score(TopK::new(k)),
            (_, false) => {
                let after = match self.after {
                    Some(hit) => Some(After::Hit(&hit.sort)),
                    None => plan.search_after.as_deref().map(After::Request),
                };
                let sorts_by_score = keys.iter().any(|key| key.source == quarry_query::sort::key::KeySource::Score);
                let collector = SortCollector::new(keys, k, plan.track_scores || sorts_by_score);
                Top::Sort(collector.after(after).grouped(group))
            }
        }
    }
}

/// Hits that a shard finds: those of the page, those before it, and those that are scored again.
fn page_of(plan: &SearchPlan) -> usize {
    let page = (plan.from as usize).saturating_add(plan.size as usize);
    plan.rescore.iter().map(|rescore| rescore.window).fold(page, usize::max)
}

/// The query's weight, watched where the request asks how long its parts take.
enum Compiled {
    Plain(Box<dyn Weight>),
    Watched(WatchedQuery),
}

impl Compiled {
    fn new(view: &ShardView, env: &QueryEnv, plan: &SearchPlan, scoring: bool) -> Result<Self> {
        Ok(match plan.profile {
            false => Compiled::Plain(compile(view, env, &plan.query, scoring)?),
            true => Compiled::Watched(compile_watched(view, env, &plan.query, scoring)?),
        })
    }

    fn weight(&self) -> &dyn Weight {
        match self {
            Compiled::Plain(weight) => weight.as_ref(),
            Compiled::Watched(watched) => watched.weight.as_ref(),
        }
    }

    fn profile(&self, view: &ShardView, collector: &str, started: Instant) -> Option<ShardProfile> {
        let Compiled::Watched(watched) = self else { return None };
        let (queries, rewrite_nanos) = watched.read();
        Some(ShardProfile {
            index: view.index.to_string(),
            shard: view.shard,
            queries,
            rewrite_nanos,
            collector: collector.to_owned(),
            collect_nanos: started.elapsed().as_nanos() as u64,
            aggregations: Vec::new(),
        })
    }
}

impl<'a> Search<'a> {
    fn run_segment(
        &mut self,
        weight: &dyn Weight,
        segment: &'a SegmentView,
        aggregations: Option<&mut aggs::Run<'a>>,
        windows: &mut Windows<'_>,
        control: &mut Control<'_>,
    ) -> Result<()> {
        if aggregations.is_none() && self.run_shortcut(weight, segment, windows)? {
            return Ok(());
        }
        self.run_windows(weight, segment, aggregations, windows, control)
    }

    /// More matches need not be counted.
    fn is_counted_enough(&self) -> bool {
        match self.plan.track_total_hits {
            TrackTotalHits::Disabled => true,
            TrackTotalHits::Exact => false,
            TrackTotalHits::UpTo(limit) => self.total > limit,
        }
    }

    fn finish(self, aggregations: Option<PartialAggregations>, timed_out: bool) -> Collected {
        let (hits, max_score) = match self.top {
            Top::None => (Vec::new(), None),
            Top::Score(top) => {
                let best = top.into_sorted();
                let max_score = best.first().map(|best| best.score);
                let hit = |scored: quarry_scores::topk::ScoredDoc| Hit {
                    doc: scored.doc,
                    score: Some(scored.score),
                    sort: Vec::new(),
                    group: None,
                    rescored: Vec::new(),
                };
                (best.into_iter().map(hit).collect(), max_score)
            }
            Top::Sort(collector) => {
                let leads_with_best = collector.leads_with_best_score();
                let hits = collector.into_hits();
                let tracked = (self.plan.track_scores && self.max_score.is_finite()).then_some(self.max_score);
                let first = hits.first().and_then(|hit| hit.score).filter(|_| leads_with_best);
                (hits, tracked.or(first))
            }
        };
        Collected {
            total: self.total,
            is_lower_bound: self.is_lower_bound || timed_out,
            max_score,
            hits,
            aggregations,
            timed_out,
            terminated_early: self.terminated_early,
            profile: None,
        }
    }
}
