//! The entry points of a search.
//!
//! One shard: [`execute`]. Several: [`query_phase`] on each, a [`Reducer`](crate::reduce::Reducer) of what they return,
//! [`fetch_phase`] on each shard that has hits to show (with the view that its query phase used), then
//! [`Reduced::render`](crate::reduce::Reduced::render).

use super::collect;
use super::collect::{Collected, rescore};
use super::cursor::Cursor;
use super::profile::{ShardProfile, render_profiles};
use super::response::{Totals, render_hits};
use crate::ABOVE;
use quarry_aggregations as aggs;
use quarry_aggregations::{PartialAggregations, Shape};
use quarry_base::allocation;
use quarry_base::control::{Control, IsCancelled, NEVER};
use quarry_base::error::{Error, Result};
use quarry_base::interrupt::watching;
use quarry_base::wire;
use quarry_fetch::named::{NamedQueries, NamedRequest};
use quarry_fetch::{Explained, Fetcher};
use quarry_plan::request::{CountPlan, QueryCheckPlan, SearchPlan, TrackTotalHits};
use quarry_query::breaker::measured;
use quarry_query::explain::describe::Describer;
use quarry_query::explain::explain;
use quarry_query::resolve::Resolver;
use quarry_query::sort::hit::Hit;
use quarry_query::sort::key::ResolvedKey;
use quarry_query::sort::value::KeyOrder;
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
use serde::{Deserialize, Serialize};

/// The finished pieces of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult {
    /// The response's `hits` object as JSON.
    pub hits: Vec<u8>,
    /// The response's `aggregations` object as JSON, when the request has any.
    pub aggregations: Option<Vec<u8>>,
    /// The response's `profile` object as JSON, when the request asks for it.
    pub profile: Option<Vec<u8>>,
    pub timed_out: bool,
    /// Present when the request has `terminate_after`.
    pub terminated_early: Option<bool>,
    /// Hits show what is still to be looked up (see [`quarry_fetch::page_lookups`]).
    pub has_lookups: bool,
}

/// Runs a search of a single shard to the end. `is_cancelled` is asked in every window.
///
/// Errors: whatever the plan asks that the mapping does not allow; `TaskCancelled`; damage in a segment.
pub fn execute(view: &ShardView, plan: &SearchPlan, is_cancelled: IsCancelled<'_>) -> Result<SearchResult> {
    measured(plan.limits.request_breaker_bytes, || {
        watching(is_cancelled, None, || execute_watched(view, plan, is_cancelled))
    })
}

fn execute_watched(view: &ShardView, plan: &SearchPlan, is_cancelled: IsCancelled<'_>) -> Result<SearchResult> {
    let view = &view.scored_by(plan)?;
    let env = query_env(plan, is_cancelled);
    let keys = collect::sort_keys(view, &env, plan)?;
    let mut control = Control::new(is_cancelled, plan.timeout_ms);
    let collected = collected(view, plan, &keys, None, &mut control)?;
    let shown = collected.hits.get(plan.from as usize..).unwrap_or(&[]);
    let mut fetcher = fetcher(view, plan, &env, &keys, shown)?;
    let mut rendered = Vec::new();
    for (place, hit) in shown.iter().enumerate() {
        if place > 0 {
            rendered.push(b',');
        }
        fetcher.render(hit, &mut rendered)?;
        allocation::check()?;
    }
    let mut totals = Totals::default();
    totals.add(&collected);
    let result = finish(plan, &totals.capped(plan), &rendered, collected.aggregations, collected.profile.as_slice())?;
    Ok(SearchResult { has_lookups: fetcher.shows_lookups(), ..result })
}

/// The best hits of a shard, in their final order there.
fn collected(
    view: &ShardView,
    plan: &SearchPlan,
    keys: &[ResolvedKey],
    after: Option<&Hit>,
    control: &mut Control<'_>,
) -> Result<Collected> {
    let mut collected = collect::run(view, plan, keys, after, control)?;
    if let Some(late) = plan.late_error.filter(|_| collected.timed_out) {
        return Err(Error::new(late.code(), "Time exceeded"));
    }
    rescore::run(view, &query_env(plan, control.is_cancelled()), plan, &mut collected, control)?;
    Ok(collected)
}

/// A fetcher of the search's hits.
fn fetcher<'a>(
    view: &'a ShardView,
    plan: &'a SearchPlan,
    env: &'a QueryEnv<'a>,
    keys: &'a [ResolvedKey],
    hits: &[Hit],
) -> Result<Fetcher<'a>> {
    let docs = hits.iter().map(|hit| hit.doc);
    let named = NamedQueries::run(view, env, NamedRequest::of(plan), docs)?;
    let shown = keys.len().saturating_sub(plan.hidden_keys as usize);
    let request = NamedRequest::of(plan);
    let fetcher = Fetcher::new(view, env, request, &plan.fetch, keys.get(..shown).unwrap_or(&[]), named)?;
    let explained = Explained { query: &plan.query, env, rescore: &plan.rescore };
    let fetcher = fetcher.of_page(hits.len()).fetch_ahead(hits.iter()).with_lookups(env)?;
    Ok(fetcher.collapsed_by(plan.collapse.as_deref()).explaining(explained))
}

fn query_env<'c>(plan: &SearchPlan, is_cancelled: IsCancelled<'c>) -> QueryEnv<'c> {
    QueryEnv { now_ms: plan.now_ms, limits: plan.limits.clone(), is_cancelled, above: ABOVE }
}

pub(super) fn finish(
    plan: &SearchPlan,
    totals: &Totals,
    rendered: &[u8],
    aggregations: Option<PartialAggregations>,
    profiles: &[ShardProfile],
) -> Result<SearchResult> {
    let aggregations = match &plan.aggregations {
        Some(requested) => {
            let requested = aggs::read_plan(requested)?;
            let reduced = aggs::reduce(&requested, aggregations.into_iter().collect())?;
            let shape = Shape { typed_keys: plan.typed_keys, total_hits_as_int: plan.fetch.total_hits_as_int };
            let mut out = Vec::new();
            aggs::render(&requested, reduced, &query_env(plan, NEVER), shape, &mut out)?;
            Some(out)
        }
        None => None,
    };
    Ok(SearchResult {
        hits: render_hits(plan, totals, rendered),
        aggregations,
        profile: plan.profile.then(|| render_profiles(profiles.iter())),
        timed_out: totals.timed_out,
        terminated_early: (plan.terminate_after > 0).then_some(totals.terminated_early),
        has_lookups: false,
    })
}

/// What `_explain` answers: whether the document matches, and the explanation as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainResult {
    pub is_match: bool,
    pub explanation: Vec<u8>,
}

fn check_env(plan: &QueryCheckPlan) -> QueryEnv<'static> {
    QueryEnv { now_ms: plan.now_ms, limits: plan.limits.clone(), is_cancelled: NEVER, above: ABOVE }
}

/// Explains the score of a live document; `None` when searches of this view do not see one with the plan's id.
pub fn explain_document(view: &ShardView, plan: &QueryCheckPlan) -> Result<Option<ExplainResult>> {
    let id = plan.id.as_deref().unwrap_or_default().as_bytes();
    for segment in view.segments.iter() {
        let found = segment.reader.ids().find(id);
        let is_live = |doc: &u32| segment.live.as_ref().is_none_or(|live| live.is_live(*doc));
        if let Some(doc) = found.filter(is_live) {
            let explanation = explain(view, &check_env(plan), &plan.query, segment.doc_base + doc)?;
            let mut written = Vec::new();
            explanation.write(&mut written);
            return Ok(Some(ExplainResult { is_match: explanation.is_match, explanation: written }));
        }
    }
    Ok(None)
}

/// A query as text, resolved against the shard's mapping. Errors are what a search with it would fail with.
pub fn describe_query(view: &ShardView, plan: &QueryCheckPlan) -> Result<String> {
    let node = Resolver::new(view, &check_env(plan)).resolve(&plan.query)?;
    Ok(Describer::new(&view.mapping).describe(&node))
}

/// What `_count` answers for one shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CountResult {
    pub count: u64,
    pub terminated_early: bool,
}

pub fn count(view: &ShardView, plan: &CountPlan, is_cancelled: IsCancelled<'_>) -> Result<CountResult> {
    let CountPlan { query, min_score, terminate_after, now_ms, runtime, limits } = plan.clone();
    let search = SearchPlan { min_score, terminate_after, runtime, ..SearchPlan::of(query, now_ms, limits) };
    let counted = || collect::run(view, &search, &[], None, &mut Control::new(is_cancelled, None));
    let collected = measured(search.limits.request_breaker_bytes, counted)?;
    Ok(CountResult { count: collected.total, terminated_early: collected.terminated_early })
}

/// Names in errors of what goes to other threads and nodes.
const QUERY_RESULT: &str = "the result of a query phase";
pub(super) const FETCH_LIST: &str = "the list of a fetch phase";
pub(super) const FETCH_RESULT: &str = "the result of a fetch phase";

/// One shard's best documents with their sort values, its total and its partial aggregations.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ShardResult {
    pub(super) collected: Collected,
    pub(super) orders: Vec<KeyOrder>,
}

impl ShardResult {
    /// Something may be missing.
    pub fn timed_out(&self) -> bool {
        self.collected.timed_out
    }

    /// For the way to another thread or node.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        wire::encode(QUERY_RESULT, self, out)
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        wire::decode(QUERY_RESULT, bytes)
    }
}

/// The first half of a search over several shards.
pub fn query_phase(view: &ShardView, plan: &SearchPlan, is_cancelled: IsCancelled<'_>) -> Result<ShardResult> {
    query_after(view, plan, None, is_cancelled)
}

/// The first half of a further page of a scroll: what sorts behind the hits of the pages before. Counts are those of the
/// first page, and its aggregations are not made again.
pub fn continue_query(
    view: &ShardView,
    plan: &SearchPlan,
    cursor: &Cursor,
    is_cancelled: IsCancelled<'_>,
) -> Result<ShardResult> {
    let mut further = plan.clone();
    further.aggregations = None;
    further.track_total_hits = TrackTotalHits::Disabled;
    let mut result = query_after(view, &further, cursor.last.as_ref(), is_cancelled)?;
    let collected = &mut result.collected;
    (collected.total, collected.is_lower_bound) = (cursor.total, cursor.is_lower_bound);
    collected.max_score = cursor.max_score;
    Ok(result)
}

fn query_after(
    view: &ShardView,
    plan: &SearchPlan,
    after: Option<&Hit>,
    is_cancelled: IsCancelled<'_>,
) -> Result<ShardResult> {
    measured(plan.limits.request_breaker_bytes, || query_measured(view, plan, after, is_cancelled))
}

fn query_measured(
    view: &ShardView,
    plan: &SearchPlan,
    after: Option<&Hit>,
    is_cancelled: IsCancelled<'_>,
) -> Result<ShardResult> {
    let view = &view.scored_by(plan)?;
    let keys = collect::sort_keys(view, &query_env(plan, is_cancelled), plan)?;
    let mut control = Control::new(is_cancelled, plan.timeout_ms);
    let collected = watching(is_cancelled, None, || collected(view, plan, &keys, after, &mut control))?;
    // Whoever has no hit to show is not asked to fetch, and would not find out.
    if collected.hits.is_empty() || !plan.fetch.script_fields.is_empty() {
        quarry_fetch::check(view, &query_env(plan, is_cancelled), &plan.query, &plan.fetch)?;
    }
    Ok(ShardResult { collected, orders: keys.iter().map(ResolvedKey::key_order).collect() })
}

/// Rendered hits of one shard.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct FetchedHits {
    pub hits: Vec<String>,
    pub has_lookups: bool,
}

/// Renders the documents of a [`Reduced::fetch_list`], encoded for [`Reduced::render`].
pub fn fetch_phase(
    view: &ShardView,
    plan: &SearchPlan,
    fetch_list: &[u8],
    is_cancelled: IsCancelled<'_>,
) -> Result<Vec<u8>> {
    measured(plan.limits.request_breaker_bytes, || fetch_measured(view, plan, fetch_list, is_cancelled))
}

fn fetch_measured(
    view: &ShardView,
    plan: &SearchPlan,
    fetch_list: &[u8],
    is_cancelled: IsCancelled<'_>,
) -> Result<Vec<u8>> {
    let hits: Vec<Hit> = wire::decode(FETCH_LIST, fetch_list)?;
    let view = &view.scored_by(plan)?;
    let env = query_env(plan, is_cancelled);
    let keys = collect::sort_keys(view, &env, plan)?;
    let mut control = Control::new(is_cancelled, None);
    let mut fetcher = fetcher(view, plan, &env, &keys, &hits)?;
    let mut fetched = FetchedHits::default();
    for hit in &hits {
        control.should_stop()?;
        let mut rendered = Vec::new();
        watching(is_cancelled, None, || fetcher.render(hit, &mut rendered))?;
        let hit = String::from_utf8(rendered);
        fetched.hits.push(hit.map_err(|_| Error::corrupt("a stored document is not UTF-8"))?);
    }
    fetched.has_lookups = fetcher.shows_lookups();
    let mut out = Vec::new();
    wire::encode(FETCH_RESULT, &fetched, &mut out)?;
    Ok(out)
}
