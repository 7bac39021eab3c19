//! What searches ask of a view, without JavaScript: each of them may run at once, on the thread that asks, or later on one of the threads for
//! what takes long.

use crate::effort::Effort;
use crate::failure::read;
use quarry_base::allocation;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_blocks::reading::{Patience, in_turn, reading};
use quarry_engine::reads::published::answers;
use quarry_engine::reads::published::answers::Answer;
use quarry_engine::reads::published::counters::Counted;
use quarry_engine::reads::published::{Published, PublishedView, prices};
use quarry_phases::cursor::Cursor;
use quarry_phases::search as phases;
use quarry_phases::search::{CountResult, SearchResult};
use quarry_plan::kept_plans;
use quarry_plan::request::CountPlan;
use quarry_query::breaker::measured;
use quarry_query::crew;
use quarry_query::derived::view_of;
use quarry_query::statistics;
use quarry_suggest::plan::SuggestPlan;
use quarry_suggest::suggest;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Whether nobody wants the answer any more.
pub type IsCancelled<'a> = &'a dyn Fn() -> bool;

/// A view of a copy of a shard.
#[derive(Clone)]
pub struct Taken {
    pub of: Arc<Published>,
    pub view: Arc<PublishedView>,
}

/// What a search has the shard do: the rest of its arguments stands in the plan (JSON).
pub enum Ask {
    /// The answer may be one that is kept under this key.
    Search {
        cache_key: Option<String>,
    },
    /// `cursor` is where a scroll stands, after its first page.
    QueryPhase {
        cache_key: Option<String>,
        cursor: Option<Vec<u8>>,
    },
    FetchPhase {
        fetch_list: Vec<u8>,
    },
    Count,
    Statistics,
    Suggest,
}

pub enum Found {
    Search(SearchResult),
    Count(CountResult),
    Bytes(Vec<u8>),
}

impl Ask {
    fn kind(&self) -> u8 {
        match self {
            Ask::Search { .. } => 0,
            Ask::QueryPhase { .. } => 1,
            Ask::FetchPhase { .. } => 2,
            Ask::Count => 3,
            Ask::Statistics => 4,
            Ask::Suggest => 5,
        }
    }
}

impl Taken {
    /// Carries it out if it is known in a few milliseconds; `None` where it takes longer, or is expected to.
    pub fn briefly(&self, ask: &Ask, plan: &[u8], is_cancelled: IsCancelled<'_>) -> Result<Option<Found>> {
        let shape = prices::shape_of(plan, ask.kind());
        if self.of.prices.is_dear(shape) && !self.is_kept(ask) {
            return Ok(None);
        }
        let effort = Effort::begin();
        let is_over = Cell::new(false);
        let should_end = || {
            is_cancelled() || {
                is_over.set(effort.exceeds(prices::BRIEF));
                is_over.get()
            }
        };
        let found = if self.is_remote() {
            // What is not here yet is fetched by a thread that may wait.
            match reading(&Patience::Never, || self.run(ask, plan, &should_end)) {
                Err(error) if error.code == ErrorCode::BlocksAbsent => return Ok(None),
                found => found,
            }
        } else {
            self.run(ask, plan, &should_end)
        };
        match found {
            Err(error) if error.code == ErrorCode::TaskCancelled && is_over.get() && !is_cancelled() => {
                self.of.prices.note(shape, prices::BRIEF);
                Ok(None)
            }
            result => {
                self.of.prices.note(shape, effort.spent());
                result.map(Some)
            }
        }
    }

    /// Carries it out, however long it takes.
    pub fn at_length(&self, ask: &Ask, plan: &[u8], is_cancelled: IsCancelled<'_>) -> Result<Found> {
        let effort = Effort::begin();
        let run = || self.run(ask, plan, is_cancelled);
        // Helpers would wait as well, and hold more of the cache.
        let alone = || in_turn(|| crew::alone(run));
        let (found, help) = crew::with_help(|| if self.is_remote() { alone() } else { run() });
        let found = found?;
        // As much as it would have taken alone.
        self.of.prices.note(prices::shape_of(plan, ask.kind()), effort.spent() + help);
        Ok(found)
    }

    /// Whether some of the view's files lie elsewhere.
    pub fn is_remote(&self) -> bool {
        self.view.view.segments.iter().any(|segment| segment.reader.is_remote())
    }

    fn is_kept(&self, ask: &Ask) -> bool {
        let (Ask::Search { cache_key } | Ask::QueryPhase { cache_key, .. }) = ask else { return false };
        cache_key.as_ref().is_some_and(|key| answers::is_kept(&self.of, self.view.number, key))
    }

    fn run(&self, ask: &Ask, plan: &[u8], is_cancelled: IsCancelled<'_>) -> Result<Found> {
        match ask {
            Ask::Search { cache_key } => self.search(plan, cache_key.as_deref(), is_cancelled).map(Found::Search),
            Ask::QueryPhase { cache_key, cursor } => {
                self.query_phase(plan, cache_key.as_deref(), cursor.as_deref(), is_cancelled).map(Found::Bytes)
            }
            Ask::FetchPhase { fetch_list } => self.fetch_phase(plan, fetch_list, is_cancelled).map(Found::Bytes),
            Ask::Count => self.count(plan, is_cancelled).map(Found::Count),
            Ask::Statistics => self.statistics(plan, is_cancelled).map(Found::Bytes),
            Ask::Suggest => self.suggest(plan, is_cancelled).map(Found::Bytes),
        }
    }

    fn search(&self, plan: &[u8], cache_key: Option<&str>, is_cancelled: IsCancelled<'_>) -> Result<SearchResult> {
        if let Some(Answer::Search(kept)) = self.kept(cache_key).as_deref() {
            return Ok(kept.clone());
        }
        let started = Instant::now();
        let view = view_of(&self.view.view, plan, is_cancelled)?;
        let plan = kept_plans::search_plan(plan)?;
        let result = phases::execute(&view, &plan, is_cancelled)?;
        // One call does both phases; its time is told as that of the query.
        self.of.reads.add(Counted::Query, started.elapsed());
        self.of.reads.add(Counted::Fetch, Duration::ZERO);
        self.keep(cache_key, || (!result.timed_out).then(|| Answer::Search(result.clone())));
        Ok(result)
    }

    fn query_phase(
        &self,
        plan: &[u8],
        cache_key: Option<&str>,
        cursor: Option<&[u8]>,
        is_cancelled: IsCancelled<'_>,
    ) -> Result<Vec<u8>> {
        if let Some(Answer::QueryPhase(kept)) = self.kept(cache_key).as_deref() {
            return Ok(kept.clone());
        }
        let started = Instant::now();
        let view = view_of(&self.view.view, plan, is_cancelled)?;
        let plan = kept_plans::search_plan(plan)?;
        // With the way to other threads, on which a result is there twice.
        measured(plan.limits.request_breaker_bytes, || {
            let result = match cursor {
                Some(cursor) => phases::continue_query(&view, &plan, &Cursor::decode(cursor)?, is_cancelled)?,
                None => phases::query_phase(&view, &plan, is_cancelled)?,
            };
            self.of.reads.add(Counted::Query, started.elapsed());
            let mut encoded = Vec::new();
            result.encode(&mut encoded)?;
            allocation::check()?;
            self.keep(cache_key, || (!result.timed_out()).then(|| Answer::QueryPhase(encoded.clone())));
            Ok(encoded)
        })
    }

    fn fetch_phase(&self, plan: &[u8], fetch_list: &[u8], is_cancelled: IsCancelled<'_>) -> Result<Vec<u8>> {
        let started = Instant::now();
        let view = view_of(&self.view.view, plan, is_cancelled)?;
        let plan = kept_plans::search_plan(plan)?;
        let fetched = phases::fetch_phase(&view, &plan, fetch_list, is_cancelled)?;
        self.of.reads.add(Counted::Fetch, started.elapsed());
        Ok(fetched)
    }

    fn count(&self, plan: &[u8], is_cancelled: IsCancelled<'_>) -> Result<CountResult> {
        let view = view_of(&self.view.view, plan, is_cancelled)?;
        let plan: CountPlan = read("a count plan", plan)?;
        phases::count(&view, &plan, is_cancelled)
    }

    /// What the shard counts of all that scores of a search are computed from.
    fn statistics(&self, plan: &[u8], is_cancelled: IsCancelled<'_>) -> Result<Vec<u8>> {
        let view = view_of(&self.view.view, plan, is_cancelled)?;
        let plan = kept_plans::search_plan(plan)?;
        measured(plan.limits.request_breaker_bytes, || statistics::record(&view, &plan, is_cancelled))
    }

    /// What each suggestion of the plan finds, as JSON.
    fn suggest(&self, plan: &[u8], is_cancelled: IsCancelled<'_>) -> Result<Vec<u8>> {
        let started = Instant::now();
        let view = view_of(&self.view.view, plan, is_cancelled)?;
        let plan: SuggestPlan = read("a suggest plan", plan)?;
        let found = measured(plan.limits.request_breaker_bytes, || suggest(&view, &plan, is_cancelled))?;
        self.of.reads.add(Counted::Suggest, started.elapsed());
        Ok(found)
    }

    fn kept(&self, cache_key: Option<&str>) -> Option<Arc<Answer>> {
        answers::find(&self.of, self.view.number, cache_key?)
    }

    fn keep(&self, cache_key: Option<&str>, answer: impl FnOnce() -> Option<Answer>) {
        if let Some(key) = cache_key {
            // With a limit of its own.
            allocation::apart(|| answers::keep(&self.of, self.view.number, key, answer()));
        }
    }
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

/// The same for work on other threads, which must not read memory of JavaScript: raised by who watches that word.
#[derive(Clone, Default)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub fn shared(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
