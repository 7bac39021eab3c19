//! Searches on a view of a shard.

use crate::background::{Threads, in_thread_of};
use crate::failure::{entry, parse, read};
use crate::searches::{Ask, Flag, Found, Taken, flag, is_raised};
use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue, Uint8Array};
use napi_derive::napi;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_engine::directory::usage::disk_usage_json;
use quarry_engine::reads::published::counters::Counted;
use quarry_engine::reads::published::groups::Phase;
use quarry_fetch::page_lookups as lookups;
use quarry_fetch::term_vectors::{TermVectorsPlan, term_vectors};
use quarry_phases::can_match;
use quarry_phases::cursor::Cursor;
use quarry_phases::reduce::{Reduced, Reducer};
use quarry_phases::search as phases;
use quarry_phases::search::{SearchResult, ShardResult};
use quarry_plan::kept_plans;
use quarry_plan::request::{CountPlan, QueryCheckPlan, SearchPlan};
use quarry_query::breaker::measured;
use quarry_query::derived::{names_any, uninverted, view_of};
use quarry_query::statistics;
use quarry_query::view::ShardView;
use std::rc::Rc;
use std::time::Duration;

#[napi]
pub struct NativeSearcher {
    /// `None` once it was released.
    taken: Option<Taken>,
}

#[napi(object)]
pub struct RawSearchResult {
    pub hits: Uint8Array,
    pub aggregations: Option<Uint8Array>,
    pub profile: Option<Uint8Array>,
    pub timed_out: bool,
    pub terminated_early: Option<bool>,
    /// Absent for `false`.
    pub has_lookups: Option<bool>,
}

impl From<SearchResult> for RawSearchResult {
    fn from(result: SearchResult) -> Self {
        RawSearchResult {
            hits: result.hits.into(),
            aggregations: result.aggregations.map(Uint8Array::from),
            profile: result.profile.map(Uint8Array::from),
            timed_out: result.timed_out,
            terminated_early: result.terminated_early,
            has_lookups: result.has_lookups.then_some(true),
        }
    }
}

#[napi(object)]
pub struct RawCountResult {
    pub count: f64,
    pub terminated_early: bool,
}

#[napi(object)]
pub struct RawExplainResult {
    pub matched: bool,
    pub explanation: Uint8Array,
}

/// Raised where nobody wants the answers of searches on other threads any more.
#[napi]
pub struct NativeFlag {
    flag: Flag,
}

#[napi]
impl NativeFlag {
    #[napi(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        NativeFlag { flag: Flag::default() }
    }

    #[napi]
    pub fn raise(&self) {
        self.flag.raise();
    }
}

/// When nobody waits any more (the worker ended): whoever holds it raises it, or lets it go.
impl Drop for NativeFlag {
    fn drop(&mut self) {
        self.flag.raise();
    }
}

impl NativeSearcher {
    pub fn new(taken: Taken) -> Self {
        NativeSearcher { taken: Some(taken) }
    }

    fn taken(&self) -> Result<&Taken> {
        self.taken.as_ref().ok_or_else(|| Error::illegal_state("the searcher was released"))
    }

    fn view(&self) -> Result<&ShardView> {
        self.taken().map(|taken| &taken.view.view)
    }

    /// See [`Taken::briefly`]; to the end where it `may_last`.
    fn now(&self, ask: &Ask, plan: &[u8], cancelled: &[i32], may_last: bool) -> napi::Result<Option<Found>> {
        entry(|| {
            let flag = flag(cancelled)?;
            let is_cancelled = || is_raised(flag);
            let taken = self.taken()?;
            if may_last {
                taken.at_length(ask, plan, &is_cancelled).map(Some).map_err(without_thread)
            } else {
                taken.briefly(ask, plan, &is_cancelled)
            }
        })
    }

    /// See [`Taken::at_length`]; `None` where there is no room for it.
    fn later<'env, V: ToNapiValue + 'static>(
        &self,
        env: &'env Env,
        ask: Ask,
        plan: &[u8],
        flag: &NativeFlag,
        finish: impl FnOnce(Found) -> Result<V> + Send + 'static,
    ) -> napi::Result<Option<Object<'env>>> {
        let taken = entry(|| self.taken().cloned())?;
        let (plan, flag) = (plan.to_vec(), flag.flag.clone());
        let is_cancelled = flag.shared();
        let threads = if taken.is_remote() { Threads::Blocks } else { Threads::Search };
        let work = move || taken.at_length(&ask, &plan, &|| flag.is_raised());
        in_thread_of(threads, env, is_cancelled, work, finish)
    }
}

fn search_found(found: Found) -> Result<RawSearchResult> {
    match found {
        Found::Search(result) => Ok(result.into()),
        _ => Err(other_found()),
    }
}

fn count_found(found: Found) -> Result<RawCountResult> {
    match found {
        Found::Count(result) => {
            Ok(RawCountResult { count: result.count as f64, terminated_early: result.terminated_early })
        }
        _ => Err(other_found()),
    }
}

fn bytes_found(found: Found) -> Result<Uint8Array> {
    match found {
        Found::Bytes(bytes) => Ok(bytes.into()),
        _ => Err(other_found()),
    }
}

/// A search that nobody has a thread for does not wait for files.
fn without_thread(error: Error) -> Error {
    if error.code != ErrorCode::BlocksAbsent {
        return error;
    }
    let reason = "all threads that may wait for blocks of a repository are busy, and enough searches wait for them";
    Error::new(ErrorCode::CircuitBreaking, reason)
}

fn other_found() -> Error {
    Error::new(ErrorCode::Internal, "a search found what it was not asked for")
}

/// The answer in the form of JavaScript, if there is one.
fn told<V>(found: Option<Found>, tell: impl FnOnce(Found) -> Result<V>) -> napi::Result<Option<V>> {
    entry(|| found.map(tell).transpose())
}

#[napi]
impl NativeSearcher {
    /// Lets go of the view. Without it the garbage collector does, in its own time, and segments keep their place on disk until then.
    #[napi]
    pub fn release(&mut self) {
        self.taken = None;
    }

    /// The greatest value of a number or date, deleted documents included, as its column has it.
    #[napi]
    pub fn greatest(&self, field: String) -> napi::Result<Option<f64>> {
        entry(|| {
            let columns =
                self.view()?.segments.iter().filter_map(|segment| segment.reader.field(&field)?.numeric()?.range());
            Ok(columns.map(|(_, greatest)| greatest as f64).reduce(f64::max))
        })
    }

    /// JSON.
    #[napi]
    pub fn disk_usage(&self) -> napi::Result<String> {
        entry(|| Ok(disk_usage_json(self.view()?)))
    }

    // Of each kind of search there are two: one is carried out at once, and its answer is `null` where it takes more than a few milliseconds,
    // unless it `may_last`; the other, on a thread of its own, is a promise, or `null` where there is no room for it.
    #[napi]
    pub fn execute(
        &self,
        plan: &[u8],
        cache_key: Option<String>,
        cancelled: &[i32],
        may_last: bool,
    ) -> napi::Result<Option<RawSearchResult>> {
        told(self.now(&Ask::Search { cache_key }, plan, cancelled, may_last)?, search_found)
    }

    #[napi]
    pub fn execute_later<'env>(
        &self,
        env: &'env Env,
        plan: &[u8],
        cache_key: Option<String>,
        flag: &NativeFlag,
    ) -> napi::Result<Option<Object<'env>>> {
        self.later(env, Ask::Search { cache_key }, plan, flag, search_found)
    }

    #[napi]
    pub fn count(&self, plan: &[u8], cancelled: &[i32], may_last: bool) -> napi::Result<Option<RawCountResult>> {
        told(self.now(&Ask::Count, plan, cancelled, may_last)?, count_found)
    }

    #[napi]
    pub fn count_later<'env>(
        &self,
        env: &'env Env,
        plan: &[u8],
        flag: &NativeFlag,
    ) -> napi::Result<Option<Object<'env>>> {
        self.later(env, Ask::Count, plan, flag, count_found)
    }

    /// What the shard counts of all that scores of a search are computed from.
    #[napi]
    pub fn statistics(&self, plan: &[u8], cancelled: &[i32], may_last: bool) -> napi::Result<Option<Uint8Array>> {
        told(self.now(&Ask::Statistics, plan, cancelled, may_last)?, bytes_found)
    }

    #[napi]
    pub fn statistics_later<'env>(
        &self,
        env: &'env Env,
        plan: &[u8],
        flag: &NativeFlag,
    ) -> napi::Result<Option<Object<'env>>> {
        self.later(env, Ask::Statistics, plan, flag, bytes_found)
    }

    /// What each suggestion of the plan finds, as JSON.
    #[napi]
    pub fn suggest(&self, plan: &[u8], cancelled: &[i32], may_last: bool) -> napi::Result<Option<Uint8Array>> {
        told(self.now(&Ask::Suggest, plan, cancelled, may_last)?, bytes_found)
    }

    #[napi]
    pub fn suggest_later<'env>(
        &self,
        env: &'env Env,
        plan: &[u8],
        flag: &NativeFlag,
    ) -> napi::Result<Option<Object<'env>>> {
        self.later(env, Ask::Suggest, plan, flag, bytes_found)
    }

    /// `cursor` is where a scroll stands, after its first page.
    #[napi]
    pub fn query_phase(
        &self,
        plan: &[u8],
        cache_key: Option<String>,
        cursor: Option<&[u8]>,
        cancelled: &[i32],
        may_last: bool,
    ) -> napi::Result<Option<Uint8Array>> {
        let ask = Ask::QueryPhase { cache_key, cursor: cursor.map(<[u8]>::to_vec) };
        told(self.now(&ask, plan, cancelled, may_last)?, bytes_found)
    }

    #[napi]
    pub fn query_phase_later<'env>(
        &self,
        env: &'env Env,
        plan: &[u8],
        cache_key: Option<String>,
        cursor: Option<&[u8]>,
        flag: &NativeFlag,
    ) -> napi::Result<Option<Object<'env>>> {
        let ask = Ask::QueryPhase { cache_key, cursor: cursor.map(<[u8]>::to_vec) };
        self.later(env, ask, plan, flag, bytes_found)
    }

    #[napi]
    pub fn fetch_phase(
        &self,
        plan: &[u8],
        fetch_list: &[u8],
        cancelled: &[i32],
        may_last: bool,
    ) -> napi::Result<Option<Uint8Array>> {
        told(self.now(&Ask::FetchPhase { fetch_list: fetch_list.to_vec() }, plan, cancelled, may_last)?, bytes_found)
    }

    #[napi]
    pub fn fetch_phase_later<'env>(
        &self,
        env: &'env Env,
        plan: &[u8],
        fetch_list: &[u8],
        flag: &NativeFlag,
    ) -> napi::Result<Option<Object<'env>>> {
        self.later(env, Ask::FetchPhase { fetch_list: fetch_list.to_vec() }, plan, flag, bytes_found)
    }

    /// Counts one phase of a search under the groups that it names; milliseconds.
    #[napi]
    pub fn count_groups(&self, names: Vec<String>, is_fetch: bool, time_ms: f64) {
        let phase = if is_fetch { Phase::Fetch } else { Phase::Query };
        if let Some(taken) = &self.taken {
            taken.of.groups.add(&names, phase, Duration::try_from_secs_f64(time_ms / 1e3).unwrap_or_default());
        }
    }

    /// Counts a phase of a search that failed.
    #[napi]
    pub fn count_failure(&self, is_fetch: bool) {
        let kind = if is_fetch { Counted::FetchFailed } else { Counted::QueryFailed };
        if let Some(taken) = &self.taken {
            taken.of.reads.add(kind, Duration::ZERO);
        }
    }

    /// `null` when searches do not see the document.
    #[napi]
    pub fn explain(&self, plan: &[u8]) -> napi::Result<Option<RawExplainResult>> {
        entry(|| {
            let view = view_of(self.view()?, plan, &|| false)?;
            let plan: QueryCheckPlan = read("a plan of a query to explain", plan)?;
            let result = phases::explain_document(&view, &plan)?;
            Ok(result
                .map(|result| RawExplainResult { matched: result.is_match, explanation: result.explanation.into() }))
        })
    }

    /// Gives up the terms of text fields by document that are kept for later searches.
    #[napi]
    pub fn clear_field_data(&self) {
        if let Ok(view) = self.view() {
            uninverted::forget(view);
        }
    }

    #[napi]
    pub fn describe(&self, plan: &[u8]) -> napi::Result<String> {
        entry(|| {
            let view = view_of(self.view()?, plan, &|| false)?;
            let plan: QueryCheckPlan = read("a plan of a query to validate", plan)?;
            phases::describe_query(&view, &plan)
        })
    }

    /// The `term_vectors` of a document with this source, as JSON.
    #[napi]
    pub fn term_vectors(&self, source: &[u8], plan: &[u8]) -> napi::Result<Uint8Array> {
        entry(|| {
            let plan: TermVectorsPlan = parse("a term vectors plan", plan)?;
            term_vectors(self.view()?, source, &plan).map(Uint8Array::from)
        })
    }

    /// `false` only when nothing of the shard matches a count plan's query.
    #[napi]
    pub fn can_match(&self, plan: &[u8]) -> napi::Result<bool> {
        entry(|| {
            // Computing the fields that it names takes longer than searching the shard may.
            if names_any(self.view()?, plan)? {
                return Ok(true);
            }
            let plan: CountPlan = read("a count plan", plan)?;
            can_match::can_match(self.view()?, &plan)
        })
    }
}

#[napi]
pub struct NativeReduced {
    plan: Rc<SearchPlan>,
    /// Taken by `render`.
    reduced: Option<Reduced>,
}

/// Takes the results of query phases, in the order of the shards.
#[napi]
pub struct NativeReducer {
    plan: Rc<SearchPlan>,
    /// Taken by `finish`.
    reducer: Option<Reducer>,
}

#[napi]
impl NativeReducer {
    #[napi(constructor)]
    pub fn new(plan: &[u8]) -> napi::Result<Self> {
        entry(|| Ok(NativeReducer { plan: kept_plans::search_plan(plan)?, reducer: Some(Reducer::default()) }))
    }

    /// Merges the results of the next shards.
    #[napi]
    pub fn add(&mut self, results: Vec<Uint8Array>) -> napi::Result<()> {
        entry(|| {
            let reducer = self.reducer.as_mut().ok_or_else(|| Error::internal("the reduce is finished"))?;
            reducer.add_encoded(&self.plan, &results)
        })
    }

    #[napi]
    pub fn finish(&mut self) -> napi::Result<NativeReduced> {
        entry(|| {
            let reducer = self.reducer.take().ok_or_else(|| Error::internal("the reduce is finished"))?;
            Ok(NativeReduced { plan: self.plan.clone(), reduced: Some(reducer.finish(&self.plan)) })
        })
    }

    /// Holds nothing more of what was added. A collection of garbage would end that only later.
    #[napi]
    pub fn release(&mut self) -> napi::Result<()> {
        entry(|| {
            drop(self.reducer.take());
            Ok(())
        })
    }
}

/// The sum of what shards count (`NativeSearcher.statistics`), as the plans of a search have it.
#[napi]
pub fn merge_statistics(shards: Vec<Uint8Array>) -> napi::Result<String> {
    entry(|| statistics::merge(&shards))
}

/// Where a scroll stands on a shard after a page: `result` of its query phase, what was fetched, and where it stood.
#[napi]
pub fn advance_cursor(result: &[u8], before: Option<Uint8Array>, fetch_list: &[u8]) -> napi::Result<Uint8Array> {
    entry(|| {
        let before = before.map(|bytes| Cursor::decode(&bytes)).transpose()?;
        Cursor::advance(&ShardResult::decode(result)?, before, fetch_list)?.encode().map(Uint8Array::from)
    })
}

/// What is to be looked up for the hits (a response's `hits` object) of a result that `has_lookups`, as JSON.
#[napi]
pub fn wanted_lookups(hits: &[u8]) -> napi::Result<String> {
    entry(|| lookups::wanted(hits))
}

/// The hits with what was found: `answers` has the `hits` object of a search, or no bytes, for each value of `wanted_lookups`.
#[napi]
pub fn resolve_lookups(hits: &[u8], answers: Vec<Uint8Array>) -> napi::Result<Uint8Array> {
    entry(|| lookups::resolved(hits, &answers).map(Uint8Array::from))
}

fn rendered_already() -> Error {
    Error::new(ErrorCode::Internal, "the reduced search was rendered already")
}

#[napi]
impl NativeReduced {
    #[napi]
    pub fn fetch_list(&self, shard: u32) -> napi::Result<Uint8Array> {
        entry(|| {
            let reduced = self.reduced.as_ref().ok_or_else(rendered_already)?;
            reduced.fetch_list(shard as usize).map(Uint8Array::from)
        })
    }

    #[napi]
    pub fn groups(&self) -> napi::Result<String> {
        entry(|| self.reduced.as_ref().map(Reduced::groups).ok_or_else(rendered_already))
    }

    #[napi]
    pub fn render(&mut self, fetched: Vec<Uint8Array>, members: Vec<Uint8Array>) -> napi::Result<RawSearchResult> {
        entry(|| {
            let reduced = self.reduced.take().ok_or_else(rendered_already)?;
            measured(self.plan.limits.request_breaker_bytes, || {
                let fetched: Vec<Vec<u8>> = fetched.iter().map(|bytes| bytes.to_vec()).collect();
                let members: Vec<Vec<u8>> = members.iter().map(|bytes| bytes.to_vec()).collect();
                reduced.render(&self.plan, &fetched, &members).map(RawSearchResult::from)
            })
        })
    }

    /// Holds nothing more. A collection of garbage would end that only later.
    #[napi]
    pub fn release(&mut self) -> napi::Result<()> {
        entry(|| {
            drop(self.reduced.take());
            Ok(())
        })
    }
}
