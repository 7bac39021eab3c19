//! Searches on a view of a shard.

use crate::failure::{entry, parse};
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use quarry_kernels::error::{Error, ErrorCode, Result};
use quarry_kernels::search::can_match;
use quarry_kernels::search::cursor::Cursor;
use quarry_kernels::search::derived::{names_any, uninverted, view_of};
use quarry_kernels::search::lookups;
use quarry_kernels::search::phases::{self, Reduced, SearchResult, ShardResult};
use quarry_kernels::search::plan::kept_plans;
use quarry_kernels::search::plan::request::{CountPlan, QueryCheckPlan, SearchPlan};
use quarry_kernels::search::statistics;
use quarry_kernels::search::term_vectors::{TermVectorsPlan, term_vectors};
use quarry_kernels::search::view::ShardView;
use quarry_kernels::shard::usage::disk_usage_json;
use quarry_kernels::suggest::plan::SuggestPlan;
use quarry_kernels::suggest::suggest;
use std::rc::Rc;
use std::sync::Weak;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// A copy of a shard that counts the searches on its views.
pub trait CountsSearches: Send + Sync {
    fn count_query(&self, time: Duration);
    fn count_fetch(&self, time: Duration);
    fn count_suggest(&self, time: Duration);
}

#[napi]
pub struct NativeSearcher {
    view: ShardView,
    /// For its counters; the shard may be closed before its searchers are.
    shard: Weak<dyn CountsSearches>,
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

/// The word in shared memory that says, when it is not 0, that nobody wants the answer any more.
pub fn flag(word: &[i32]) -> Result<&AtomicI32> {
    let word = word.first().ok_or_else(|| Error::new(ErrorCode::Internal, "a cancellation flag has one word"))?;
    // SAFETY: the slice keeps the aligned word alive for as long as the answer, and every thread accesses it atomically
    // (`Cancellation` in src/base/cancellation.ts).
    Ok(unsafe { AtomicI32::from_ptr(std::ptr::from_ref(word).cast_mut()) })
}

pub fn is_raised(flag: &AtomicI32) -> bool {
    flag.load(Ordering::Relaxed) != 0
}

impl NativeSearcher {
    pub fn new(view: ShardView, shard: Weak<dyn CountsSearches>) -> Self {
        NativeSearcher { view, shard }
    }

    fn count_query(&self, started: Instant) {
        if let Some(shard) = self.shard.upgrade() {
            shard.count_query(started.elapsed());
        }
    }

    fn count_fetch(&self, time: Duration) {
        if let Some(shard) = self.shard.upgrade() {
            shard.count_fetch(time);
        }
    }
}

#[napi]
impl NativeSearcher {
    /// The greatest value of a number or date, deleted documents included, as its column has it.
    #[napi]
    pub fn greatest(&self, field: String) -> napi::Result<Option<f64>> {
        entry(|| {
            let columns =
                self.view.segments.iter().filter_map(|segment| segment.reader.field(&field)?.numeric()?.range());
            Ok(columns.map(|(_, greatest)| greatest as f64).reduce(f64::max))
        })
    }

    /// JSON.
    #[napi]
    pub fn disk_usage(&self) -> napi::Result<String> {
        entry(|| Ok(disk_usage_json(&self.view)))
    }

    #[napi]
    pub fn execute(&self, plan: &[u8], cancelled: &[i32]) -> napi::Result<RawSearchResult> {
        entry(|| {
            let flag = flag(cancelled)?;
            let started = Instant::now();
            let view = view_of(&self.view, plan, &|| is_raised(flag))?;
            let plan = kept_plans::search_plan(plan)?;
            let result = phases::execute(&view, &plan, &|| is_raised(flag))?;
            // One call does both phases; its time is told as that of the query.
            self.count_query(started);
            self.count_fetch(Duration::ZERO);
            Ok(result.into())
        })
    }

    #[napi]
    pub fn count(&self, plan: &[u8], cancelled: &[i32]) -> napi::Result<RawCountResult> {
        entry(|| {
            let flag = flag(cancelled)?;
            let view = view_of(&self.view, plan, &|| is_raised(flag))?;
            let plan: CountPlan = parse("a count plan", plan)?;
            let result = phases::count(&view, &plan, &|| is_raised(flag))?;
            Ok(RawCountResult { count: result.count as f64, terminated_early: result.terminated_early })
        })
    }

    /// `null` when searches do not see the document.
    #[napi]
    pub fn explain(&self, plan: &[u8]) -> napi::Result<Option<RawExplainResult>> {
        entry(|| {
            let view = view_of(&self.view, plan, &|| false)?;
            let plan: QueryCheckPlan = parse("a plan of a query to explain", plan)?;
            let result = phases::explain_document(&view, &plan)?;
            Ok(result
                .map(|result| RawExplainResult { matched: result.is_match, explanation: result.explanation.into() }))
        })
    }

    /// Gives up the terms of text fields by document that are kept for later searches.
    #[napi]
    pub fn clear_field_data(&self) {
        uninverted::forget(&self.view);
    }

    /// What each suggestion of the plan finds, as JSON.
    #[napi]
    pub fn suggest(&self, plan: &[u8], cancelled: &[i32]) -> napi::Result<Uint8Array> {
        entry(|| {
            let flag = flag(cancelled)?;
            let started = Instant::now();
            let view = view_of(&self.view, plan, &|| is_raised(flag))?;
            let plan: SuggestPlan = parse("a suggest plan", plan)?;
            let found = suggest(&view, &plan, &|| is_raised(flag))?;
            if let Some(shard) = self.shard.upgrade() {
                shard.count_suggest(started.elapsed());
            }
            Ok(found.into())
        })
    }

    #[napi]
    pub fn describe(&self, plan: &[u8]) -> napi::Result<String> {
        entry(|| {
            let view = view_of(&self.view, plan, &|| false)?;
            let plan: QueryCheckPlan = parse("a plan of a query to validate", plan)?;
            phases::describe_query(&view, &plan)
        })
    }

    /// The `term_vectors` of a document with this source, as JSON.
    #[napi]
    pub fn term_vectors(&self, source: &[u8], plan: &[u8]) -> napi::Result<Uint8Array> {
        entry(|| {
            let plan: TermVectorsPlan = parse("a term vectors plan", plan)?;
            term_vectors(&self.view, source, &plan).map(Uint8Array::from)
        })
    }

    /// `false` only when nothing of the shard matches a count plan's query.
    #[napi]
    pub fn can_match(&self, plan: &[u8]) -> napi::Result<bool> {
        entry(|| {
            // Computing the fields that it names takes longer than searching the shard may.
            if names_any(&self.view, plan)? {
                return Ok(true);
            }
            let plan: CountPlan = parse("a count plan", plan)?;
            can_match::can_match(&self.view, &plan)
        })
    }

    /// What the shard counts of all that scores of a search are computed from.
    #[napi]
    pub fn statistics(&self, plan: &[u8], cancelled: &[i32]) -> napi::Result<Uint8Array> {
        entry(|| {
            let flag = flag(cancelled)?;
            let view = view_of(&self.view, plan, &|| is_raised(flag))?;
            let plan = kept_plans::search_plan(plan)?;
            statistics::record(&view, &plan, &|| is_raised(flag)).map(Uint8Array::from)
        })
    }

    /// `cursor` is where a scroll stands, after its first page.
    #[napi]
    pub fn query_phase(&self, plan: &[u8], cursor: Option<Uint8Array>, cancelled: &[i32]) -> napi::Result<Uint8Array> {
        entry(|| {
            let flag = flag(cancelled)?;
            let started = Instant::now();
            let is_cancelled = || is_raised(flag);
            let view = view_of(&self.view, plan, &is_cancelled)?;
            let plan = kept_plans::search_plan(plan)?;
            let result = match cursor {
                Some(cursor) => phases::continue_query(&view, &plan, &Cursor::decode(&cursor)?, &is_cancelled)?,
                None => phases::query_phase(&view, &plan, &is_cancelled)?,
            };
            self.count_query(started);
            let mut encoded = Vec::new();
            result.encode(&mut encoded)?;
            Ok(encoded.into())
        })
    }

    #[napi]
    pub fn fetch_phase(&self, plan: &[u8], fetch_list: &[u8], cancelled: &[i32]) -> napi::Result<Uint8Array> {
        entry(|| {
            let flag = flag(cancelled)?;
            let started = Instant::now();
            let view = view_of(&self.view, plan, &|| is_raised(flag))?;
            let plan = kept_plans::search_plan(plan)?;
            let fetched = phases::fetch_phase(&view, &plan, fetch_list, &|| is_raised(flag))?;
            self.count_fetch(started.elapsed());
            Ok(fetched.into())
        })
    }
}

#[napi]
pub struct NativeReduced {
    plan: Rc<SearchPlan>,
    /// Taken by `render`.
    reduced: Option<Reduced>,
}

#[napi]
pub fn reduce(plan: &[u8], results: Vec<Uint8Array>) -> napi::Result<NativeReduced> {
    entry(|| {
        let plan = kept_plans::search_plan(plan)?;
        let results = results.iter().map(|bytes| ShardResult::decode(bytes)).collect::<Result<Vec<_>>>()?;
        let reduced = phases::reduce(&plan, results)?;
        Ok(NativeReduced { plan, reduced: Some(reduced) })
    })
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
            let fetched: Vec<Vec<u8>> = fetched.iter().map(|bytes| bytes.to_vec()).collect();
            let members: Vec<Vec<u8>> = members.iter().map(|bytes| bytes.to_vec()).collect();
            let reduced = self.reduced.take().ok_or_else(rendered_already)?;
            reduced.render(&self.plan, &fetched, &members).map(RawSearchResult::from)
        })
    }
}
