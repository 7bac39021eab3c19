//! The entry points of a search.
//!
//! One shard: [`execute`]. Several: [`query_phase`] on each, [`reduce`] of what they return, [`fetch_phase`] on each shard
//! that has hits to show (with the view that its query phase used), [`Reduced::render`].

use super::collect;
use super::collect::{Collected, rescore};
use super::cursor::Cursor;
use super::profile::{ShardProfile, render_profiles};
use super::response::{Totals, render_hits};
use crate::ABOVE;
use quarry_aggregations as aggs;
use quarry_aggregations::{PartialAggregations, Shape};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::limits::JSON_DEPTH_MAX;
use quarry_fetch::named::{NamedQueries, NamedRequest};
use quarry_fetch::{Explained, Fetcher};
use quarry_plan::request::{CountPlan, QueryCheckPlan, SearchPlan, TrackTotalHits};
use quarry_query::control::{Control, IsCancelled, NEVER};
use quarry_query::explain::describe::Describer;
use quarry_query::explain::explain;
use quarry_query::interrupt::watching;
use quarry_query::resolve::Resolver;
use quarry_query::sort::groups::{GroupValue, first_of_groups};
use quarry_query::sort::hit::Hit;
use quarry_query::sort::key::ResolvedKey;
use quarry_query::sort::merge::compare_hits;
use quarry_query::sort::value::{KeyOrder, SortValue};
use quarry_query::view::ShardView;
use quarry_query::weight::QueryEnv;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

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
    watching(is_cancelled, None, || execute_watched(view, plan, is_cancelled))
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
    }
    let totals = Totals::of(plan, [&collected]);
    let aggregations = collected.aggregations.into_iter().collect();
    let result = finish(plan, &totals, &rendered, aggregations, collected.profile.as_slice())?;
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

fn finish(
    plan: &SearchPlan,
    totals: &Totals,
    rendered: &[u8],
    partials: Vec<PartialAggregations>,
    profiles: &[ShardProfile],
) -> Result<SearchResult> {
    let aggregations = match &plan.aggregations {
        Some(requested) => {
            let requested = aggs::read_plan(requested)?;
            let reduced = aggs::reduce(&requested, partials)?;
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
    let collected = collect::run(view, &search, &[], None, &mut Control::new(is_cancelled, None))?;
    Ok(CountResult { count: collected.total, terminated_early: collected.terminated_early })
}

/// One shard's best documents with their sort values, its total and its partial aggregations.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ShardResult {
    pub(super) collected: Collected,
    orders: Vec<KeyOrder>,
}

impl ShardResult {
    /// Something may be missing.
    pub fn timed_out(&self) -> bool {
        self.collected.timed_out
    }

    /// For the way to another thread or node.
    pub fn encode(&self, out: &mut Vec<u8>) -> Result<()> {
        encode(self, out)
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        decode(bytes, "query phase")
    }
}

/// Levels of a result: profiles have several for each level of the query, aggregations for each level of theirs.
const RESULT_DEPTH_MAX: usize = 8 * JSON_DEPTH_MAX;

fn encode<T: Serialize>(value: &T, out: &mut Vec<u8>) -> Result<()> {
    let mut serializer = rmp_serde::Serializer::new(out);
    serializer.unstable_set_max_depth(RESULT_DEPTH_MAX);
    value
        .serialize(&mut serializer)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("a search result cannot be written: {error}")))
}

fn decode<'a, T: Deserialize<'a>>(bytes: &'a [u8], what: &str) -> Result<T> {
    let mut deserializer = rmp_serde::Deserializer::from_read_ref(bytes);
    deserializer.set_max_depth(RESULT_DEPTH_MAX);
    T::deserialize(&mut deserializer)
        .map_err(|error| Error::new(ErrorCode::Internal, format!("the result of a {what} cannot be read: {error}")))
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
    let view = &view.scored_by(plan)?;
    let keys = collect::sort_keys(view, &query_env(plan, is_cancelled), plan)?;
    let mut control = Control::new(is_cancelled, plan.timeout_ms);
    let collected = watching(is_cancelled, None, || collected(view, plan, &keys, after, &mut control))?;
    Ok(ShardResult { collected, orders: keys.iter().map(ResolvedKey::key_order).collect() })
}

/// The merged answer of several shards, before its hits are fetched.
#[derive(Debug)]
pub struct Reduced {
    totals: Totals,
    /// Hits to show, in order, with the place of their shard.
    hits: Vec<(usize, Hit)>,
    aggregations: Vec<PartialAggregations>,
    profiles: Vec<ShardProfile>,
}

impl Reduced {
    /// The encoded list of documents to fetch from the shard at this place in `reduce`'s argument; empty for none.
    pub fn fetch_list(&self, shard: usize) -> Result<Vec<u8>> {
        let hits: Vec<&Hit> = self.hits.iter().filter(|(place, _)| *place == shard).map(|(_, hit)| hit).collect();
        let mut out = Vec::new();
        if !hits.is_empty() {
            encode(&hits, &mut out)?;
        }
        Ok(out)
    }

    /// With `collapse`: a JSON array of the values that the shown hits stand for.
    pub fn groups(&self) -> String {
        let mut out = vec![b'['];
        for (place, (_, hit)) in self.hits.iter().enumerate() {
            if place > 0 {
                out.push(b',');
            }
            hit.group.as_ref().unwrap_or(&GroupValue::Missing).write_json(&mut out);
        }
        out.push(b']');
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The finished response pieces; `fetched` holds what [`fetch_phase`] returned at each shard's place, empty for none.
    /// `members` has further members of each shown hit as JSON text (`,"name":value`); it may be empty.
    pub fn render(
        self,
        plan: &SearchPlan,
        fetched: &[impl AsRef<[u8]>],
        members: &[impl AsRef<[u8]>],
    ) -> Result<SearchResult> {
        let mut lists = Vec::with_capacity(fetched.len());
        let mut has_lookups = false;
        for bytes in fetched.iter().map(AsRef::as_ref) {
            let list: FetchedHits =
                if bytes.is_empty() { FetchedHits::default() } else { decode(bytes, "fetch phase")? };
            has_lookups |= list.has_lookups;
            lists.push(list.hits.into_iter());
        }
        let mut rendered = Vec::new();
        for (place, (shard, _)) in self.hits.iter().enumerate() {
            let hit = lists.get_mut(*shard).and_then(Iterator::next);
            let hit = hit.ok_or_else(|| Error::new(ErrorCode::Internal, "a shard did not fetch all of its hits"))?;
            if place > 0 {
                rendered.push(b',');
            }
            match (members.get(place), hit.strip_suffix('}')) {
                (Some(more), Some(open)) => {
                    rendered.extend_from_slice(open.as_bytes());
                    rendered.extend_from_slice(more.as_ref());
                    rendered.push(b'}');
                }
                _ => rendered.extend_from_slice(hit.as_bytes()),
            }
        }
        let result = finish(plan, &self.totals, &rendered, self.aggregations, &self.profiles)?;
        Ok(SearchResult { has_lookups, ..result })
    }
}

/// Merges the shards' results; their order decides ties, so it must be the same for every page of a search.
pub fn reduce(plan: &SearchPlan, shards: Vec<ShardResult>) -> Result<Reduced> {
    let totals = Totals::of(plan, shards.iter().map(|shard| &shard.collected));
    let orders = shards.first().map(|shard| shard.orders.clone()).unwrap_or_default();
    let mut hits = Vec::new();
    let mut aggregations = Vec::new();
    let mut profiles = Vec::new();
    for (place, shard) in shards.into_iter().enumerate() {
        hits.extend(shard.collected.hits.into_iter().map(|hit| (place, hit)));
        aggregations.extend(shard.collected.aggregations);
        profiles.extend(shard.collected.profile);
    }
    check_comparable(&hits, &orders)?;
    // Stable, so that equal hits stay in the order of shards and documents.
    hits.sort_by(|(_, left), (_, right)| compare_hits(&orders, left, right).unwrap_or(Ordering::Equal));
    if plan.collapse.is_some() {
        hits = first_of_groups(hits, usize::MAX, |(_, hit)| hit);
    }
    let hits = hits.into_iter().skip(plan.from as usize).take(plan.size as usize).collect();
    Ok(Reduced { totals, hits, aggregations, profiles })
}

/// Indices may hold a field in types that do not compare: found before sorting, which cannot fail.
fn check_comparable(hits: &[(usize, Hit)], orders: &[KeyOrder]) -> Result<()> {
    for (key, order) in orders.iter().enumerate() {
        let mut present =
            hits.iter().filter_map(|(_, hit)| hit.sort.get(key)).filter(|value| **value != SortValue::Missing);
        if let Some(first) = present.next() {
            for value in present {
                order.compare(first, value)?;
            }
        }
    }
    Ok(())
}

/// Rendered hits of one shard.
#[derive(Debug, Default, Serialize, Deserialize)]
struct FetchedHits {
    hits: Vec<String>,
    #[serde(default)]
    has_lookups: bool,
}

/// Renders the documents of a [`Reduced::fetch_list`], encoded for [`Reduced::render`].
pub fn fetch_phase(
    view: &ShardView,
    plan: &SearchPlan,
    fetch_list: &[u8],
    is_cancelled: IsCancelled<'_>,
) -> Result<Vec<u8>> {
    let hits: Vec<Hit> = decode(fetch_list, "query phase")?;
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
    encode(&fetched, &mut out)?;
    Ok(out)
}
