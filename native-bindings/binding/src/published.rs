//! Copies of shards that other threads of the process own, as this thread finds them.

use crate::allocator::give_back;
use crate::failure::{entry, parse};
use crate::searcher::NativeSearcher;
use crate::searches::Taken;
use crate::shard::RawGetResult;
use napi_derive::napi;
use quarry_base::error::{Error, Result};
use quarry_base::threads::SEARCH_THREADS;
use quarry_engine::reads::get::GetOptions;
use quarry_engine::reads::published::read::Reader;
use quarry_engine::reads::published::{Published, answers, registry};
use quarry_query::derived::cache::COLUMNS;
use quarry_query::{breaker, crew};
use std::path::Path;
use std::sync::Arc;

/// The newest view of an open copy.
pub fn newest(of: &Arc<Published>) -> Result<Taken> {
    let view = of.newest().ok_or_else(|| Error::illegal_state("the shard is closed"))?;
    Ok(Taken { of: Arc::clone(of), view })
}

/// A copy that some thread of the process has open. It stays one when the copy is closed, but has no views any more.
#[napi]
pub struct NativePublished {
    of: Arc<Published>,
}

/// The copy that is open in the directory; `null` where there is none.
#[napi]
pub fn published_copy(directory: String) -> napi::Result<Option<NativePublished>> {
    entry(|| Ok(registry::find(Path::new(&directory)).map(|of| NativePublished { of })))
}

#[napi]
impl NativePublished {
    /// Of the newest view; `null` where the owner is to be asked instead, because the copy is idle or closed.
    #[napi]
    pub fn searcher(&self) -> napi::Result<Option<NativeSearcher>> {
        entry(|| Ok(self.of.take().map(|view| NativeSearcher::new(Taken { of: Arc::clone(&self.of), view }))))
    }

    /// A document by its id; `null` where the owner is to be asked instead: also where the reader `is_near`, so that others wait for it, and the
    /// document is not small, and where the answer has more than `body_bytes_max` bytes.
    #[napi]
    pub fn get(
        &self,
        id: String,
        options: String,
        is_near: bool,
        body_bytes_max: Option<u32>,
    ) -> napi::Result<Option<RawGetResult>> {
        entry(|| {
            let options = get_options(&options)?;
            let body_bytes_max = body_bytes_max.map_or(usize::MAX, |max| max as usize);
            Ok(self.of.get(&id, &options, Reader { is_near, body_bytes_max }).map(RawGetResult::from))
        })
    }

    /// As many with the options of each; all of them, or `null`.
    #[napi]
    pub fn get_all(
        &self,
        ids: Vec<String>,
        options: Vec<String>,
        is_near: bool,
    ) -> napi::Result<Option<Vec<RawGetResult>>> {
        entry(|| {
            let options = options.iter().map(|options| get_options(options)).collect::<Result<Vec<_>>>()?;
            let wanted: Vec<_> = ids.iter().map(String::as_str).zip(&options).collect();
            let found = self.of.get_all(&wanted, Reader { is_near, ..Reader::ANY });
            Ok(found.map(|found| found.into_iter().map(RawGetResult::from).collect()))
        })
    }

    #[napi]
    pub fn is_closed(&self) -> bool {
        self.of.newest().is_none()
    }
}

fn get_options(json: &str) -> Result<GetOptions> {
    parse("the options of a get", json.as_bytes())
}

#[napi(object)]
pub struct RawSearchThreads {
    pub size: u32,
    pub queue_size: u32,
    pub active: u32,
    pub queued: u32,
    /// The most that ran at once.
    pub largest: u32,
    pub completed: f64,
    pub refused: f64,
    /// Parts of searches that others had begun.
    pub helped: f64,
}

/// Of all threads of the process: room for kept answers in bytes; threads for searches that take long, and how many of these wait; how many threads
/// one of them may have.
#[napi]
pub fn configure_searches(request_cache_bytes: f64, threads: u32, queue: u32, slices: u32) {
    breaker::on_large_end(give_back);
    crew::set_threads_max(slices as usize);
    answers::set_bytes_max(request_cache_bytes as usize);
    SEARCH_THREADS.set_limits(threads as usize, queue as usize);
}

/// Of all threads of the process, in bytes: what computed columns that are kept may take together, and what the process may hold when a search
/// takes more. `parent_is_real`: as the system says; otherwise as the kernels count.
#[napi]
pub fn set_memory_limits(fielddata: f64, parent: f64, parent_is_real: bool) {
    COLUMNS.set_bytes_max(fielddata as usize);
    breaker::limit_parent(if parent < UNLIMITED { parent as u64 } else { u64::MAX }, parent_is_real);
}

/// The largest integer of JavaScript: no limit.
const UNLIMITED: f64 = 9_007_199_254_740_991.0;

#[napi]
pub fn search_threads() -> RawSearchThreads {
    let figures = SEARCH_THREADS.figures();
    RawSearchThreads {
        size: figures.threads_max as u32,
        queue_size: figures.jobs_max as u32,
        active: figures.active as u32,
        largest: figures.largest as u32,
        queued: figures.queued as u32,
        completed: figures.completed as f64,
        refused: figures.refused as f64,
        helped: crew::helped() as f64,
    }
}
