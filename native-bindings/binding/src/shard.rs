//! An open shard, owned by one JavaScript thread.

use crate::replication::{NativeSegmentSet, RawCheckpoints, RawContentChecksum, RawOperations};

use crate::background::{Finish, in_background};
use crate::failure::{catching, entry, error_of, error_of_json, parse, read};
use crate::published::newest;
use crate::searcher::NativeSearcher;
use napi::bindgen_prelude::{Object, Uint8Array, Uint16Array, Uint32Array};
use napi::{Env, JsDeferred};
use napi_derive::napi;
use quarry_base::error::{Error, Result};
use quarry_blocks::reading::{Patience, reading};
use quarry_engine::Shard;
use quarry_engine::config::{ShardOptions, ShardSettings};
use quarry_engine::copies::content::content_checksum;
use quarry_engine::copies::parts::Parts;
use quarry_engine::reads::get::{GetOptions, GetResult};
use quarry_engine::reads::published::answers;
use quarry_engine::reads::published::registry::register;
use quarry_engine::segments::frozen::RefreshStep;
use quarry_engine::segments::merge_job::{MergeJob, MergeOutcome};
use quarry_engine::stored_queries::PlannedQueries;
use quarry_engine::translog::SyncState;
use quarry_engine::writes::bulk::{BulkOutcome, BulkRequest};
use quarry_mapping::spec::MappingSpec;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The shard behind its JavaScript object; none once it is closed. The lock is never contended: one thread owns the
/// shard, and what works elsewhere holds no reference into it.
pub struct SharedShard(Mutex<Option<Shard>>);

impl SharedShard {
    fn new(shard: Shard) -> Arc<Self> {
        Arc::new(SharedShard(Mutex::new(Some(shard))))
    }

    /// A panic in an earlier call may have left the shard half changed: it takes no more calls then.
    pub fn with<T>(&self, work: impl FnOnce(&mut Shard) -> Result<T>) -> Result<T> {
        let mut guard =
            self.0.lock().map_err(|_| Error::illegal_state("the shard has failed and must be opened anew"))?;
        match guard.as_mut() {
            Some(shard) => work(shard),
            None => Err(Error::illegal_state("the shard is closed")),
        }
    }

    /// After a panic as well: dropping the shard gives its directory back.
    fn take(&self) -> Option<Shard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[napi]
pub struct NativeShard {
    pub(crate) shared: Arc<SharedShard>,
}

#[napi(object)]
pub struct RawBulkOutcome {
    pub processed: u32,
    pub items: Uint8Array,
    pub ends: Uint32Array,
    pub statuses: Uint16Array,
    pub failed: u32,
    pub unmapped: Option<String>,
    pub unplanned: Option<String>,
    pub location: f64,
    pub max_seq_no: f64,
    /// Pairs of a place in the selection and microseconds.
    pub slow: Option<Uint32Array>,
}

#[napi(object)]
pub struct RawGetResult {
    pub found: bool,
    pub body: Uint8Array,
}

impl From<GetResult> for RawGetResult {
    fn from(GetResult { found, body }: GetResult) -> Self {
        RawGetResult { found, body: body.into() }
    }
}

/// The ways to make a shard: empty, recovered, or of the files of others.
fn make<'env>(
    env: &'env Env,
    make: impl FnOnce(ShardOptions, MappingSpec, &serde_json::Value) -> Result<Shard> + Send + 'static,
    options: String,
    mapping: String,
    analysis: String,
) -> napi::Result<Object<'env>> {
    in_background(
        env,
        "shard-open",
        move || {
            let options: ShardOptions = parse("the options of a shard", options.as_bytes())?;
            let mapping: MappingSpec = read("a compiled mapping", mapping.as_bytes())?;
            let analysis: serde_json::Value = parse("analysis settings", analysis.as_bytes())?;
            make(options, mapping, &analysis)
        },
        |shard| {
            register(shard.directory(), shard.published());
            Ok(NativeShard { shared: SharedShard::new(shard) })
        },
    )
}

fn raw_outcome(outcome: BulkOutcome, max_seq_no: i64) -> RawBulkOutcome {
    RawBulkOutcome {
        processed: outcome.processed as u32,
        items: outcome.items.into(),
        ends: outcome.ends.into(),
        statuses: outcome.statuses.into(),
        failed: outcome.failed,
        // The report is JSON.
        unmapped: outcome.unmapped.map(|json| String::from_utf8(json).unwrap_or_default()),
        unplanned: outcome.unplanned.map(|json| String::from_utf8(json).unwrap_or_default()),
        location: outcome.location as f64,
        max_seq_no: max_seq_no as f64,
        slow: (!outcome.slow.is_empty())
            .then(|| outcome.slow.iter().flat_map(|&(place, micros)| [place, micros]).collect::<Vec<_>>().into()),
    }
}

impl NativeShard {
    /// A call whose error names the shard where the API tells it.
    pub(crate) fn call<T>(&self, work: impl FnOnce(&mut Shard) -> Result<T>) -> napi::Result<T> {
        let named = |shard: &mut Shard| {
            // Caught here: what is not here yet is no reason to give the shard up.
            let result = reading(&Patience::Never, || work(shard));
            Ok(result.map_err(|error| error_of_json(shard.error_json(&error))))
        };
        catching(|| self.shared.with(named)).unwrap_or_else(|error| Err(error_of(&error)))
    }
}

/// A promise of the moment in which everything up to `location` is on disk.
pub fn when_synced<'env>(env: &'env Env, state: &Arc<SyncState>, location: u64) -> napi::Result<Object<'env>> {
    let (deferred, promise): (JsDeferred<(), Finish<()>>, Object<'env>) = env.create_deferred()?;
    state.when_synced(
        location,
        Box::new(move |result| match result {
            Ok(()) => deferred.resolve(Box::new(|_| Ok(()))),
            Err(error) => deferred.reject(error_of(&error)),
        }),
    );
    Ok(promise)
}

#[napi]
impl NativeShard {
    #[napi]
    pub fn create<'env>(
        env: &'env Env,
        options: String,
        mapping: String,
        analysis: String,
    ) -> napi::Result<Object<'env>> {
        make(env, Shard::create, options, mapping, analysis)
    }

    #[napi]
    pub fn open<'env>(
        env: &'env Env,
        options: String,
        mapping: String,
        analysis: String,
    ) -> napi::Result<Object<'env>> {
        make(env, Shard::open, options, mapping, analysis)
    }

    /// `parts` is JSON.
    #[napi]
    pub fn create_of_parts<'env>(
        env: &'env Env,
        options: String,
        mapping: String,
        analysis: String,
        parts: String,
    ) -> napi::Result<Object<'env>> {
        let create = move |options: ShardOptions, mapping: MappingSpec, analysis: &serde_json::Value| {
            let parts: Parts = parse("the parts of a shard", parts.as_bytes())?;
            Shard::create_of_parts(options, mapping, analysis, &parts)
        };
        make(env, create, options, mapping, analysis)
    }

    #[napi]
    pub fn link_commit(&self, into: String, max_seq_no: f64) -> napi::Result<()> {
        self.call(|shard| shard.link_commit(Path::new(&into), max_seq_no as i64))
    }

    #[napi]
    pub fn update_mapping(&self, mapping: String) -> napi::Result<()> {
        self.call(|shard| shard.update_mapping(read("a compiled mapping", mapping.as_bytes())?))
    }

    #[napi]
    pub fn update_settings(&self, settings: String) -> napi::Result<()> {
        self.call(|shard| {
            let settings: ShardSettings = parse("the settings of a shard", settings.as_bytes())?;
            shard.update_settings(settings);
            Ok(())
        })
    }

    // The arguments of the hottest call are passed one by one: reading them from an object costs more.
    #[allow(clippy::too_many_arguments)]
    #[napi]
    pub fn bulk(
        &self,
        body: &[u8],
        descriptors: &[u32],
        strings: &[u8],
        selection: &[u32],
        from: u32,
        now_ms: f64,
        forced_refresh: bool,
        bare: bool,
    ) -> napi::Result<RawBulkOutcome> {
        let request = BulkRequest {
            body,
            descriptors,
            strings,
            selection,
            from: from as usize,
            now_ms: now_ms as u64,
            forced_refresh,
            bare,
        };
        self.call(|shard| {
            let outcome = shard.bulk(&request)?;
            Ok(raw_outcome(outcome, shard.max_seq_no()))
        })
    }

    /// `plans` is JSON.
    #[napi]
    pub fn add_query_plans(&self, plans: String) -> napi::Result<()> {
        self.call(|shard| {
            let plans: PlannedQueries = parse("plans of stored queries", plans.as_bytes())?;
            shard.add_query_plans(plans);
            Ok(())
        })
    }

    #[napi]
    pub fn forget_fetched_plans(&self) -> napi::Result<()> {
        self.call(|shard| {
            shard.forget_fetched_plans();
            Ok(())
        })
    }

    #[napi]
    pub fn fields_taken(
        &self,
        mapping: String,
        body: &[u8],
        descriptors: &[u32],
        strings: &[u8],
        selection: &[u32],
        from: u32,
    ) -> napi::Result<String> {
        let from = from as usize;
        let request =
            BulkRequest { body, descriptors, strings, selection, from, now_ms: 0, forced_refresh: false, bare: false };
        self.call(|shard| {
            let json = shard.fields_taken(read("a compiled mapping", mapping.as_bytes())?, &request)?;
            Ok(String::from_utf8(json).unwrap_or_default())
        })
    }

    #[napi]
    pub fn synced<'env>(&self, env: &'env Env, location: f64) -> napi::Result<Object<'env>> {
        let (state, waits) = self.call(|shard| Ok((Arc::clone(shard.sync_state()), shard.waits_for_disk())))?;
        let location = if waits { location as u64 } else { 0 };
        when_synced(env, &state, location)
    }

    #[napi]
    pub fn sync<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let state = self.call(|shard| Ok(Arc::clone(shard.sync_state())))?;
        let location = state.appended();
        when_synced(env, &state, location)
    }

    #[napi]
    pub fn get(&self, id: String, options: String) -> napi::Result<RawGetResult> {
        self.call(|shard| {
            let options: GetOptions = parse("the options of a get", options.as_bytes())?;
            shard.get(&id, &options).map(RawGetResult::from)
        })
    }

    #[napi]
    pub fn refresh(&self, now_ms: f64) -> napi::Result<bool> {
        self.call(|shard| shard.refresh(now_ms as u64))
    }

    /// 0: nothing was new; 1: searches see everything; 2: a segment is being written, wait for `built` and begin again;
    /// 3: wait for `built`, that is all.
    #[napi]
    pub fn begin_refresh(&self, now_ms: f64) -> napi::Result<u32> {
        self.call(|shard| match shard.begin_refresh(now_ms as u64)? {
            RefreshStep::Done(refreshed) => Ok(u32::from(refreshed)),
            RefreshStep::Wait { is_last } => Ok(if is_last { 3 } else { 2 }),
        })
    }

    /// Waits for the segment that is being written, if any, and shows it to searches.
    #[napi]
    pub fn built<'env>(&self, env: &'env Env, now_ms: f64) -> napi::Result<Object<'env>> {
        let running = self.call(|shard| Ok(shard.running_build()))?;
        let (deferred, promise): (JsDeferred<bool, Finish<bool>>, Object<'env>) = env.create_deferred()?;
        let Some(running) = running else {
            deferred.resolve(Box::new(|_| Ok(false)));
            return Ok(promise);
        };
        let (shared, build) = (Arc::clone(&self.shared), Arc::clone(&running));
        running.when_ended(Box::new(move || {
            deferred.resolve(Box::new(move |_| {
                let taken = catching(|| shared.with(|shard| shard.take_this(&build, now_ms as u64)));
                taken.map_err(|error| error_of(&error))
            }));
        }));
        Ok(promise)
    }

    #[napi]
    pub fn is_dirty(&self) -> napi::Result<bool> {
        self.call(|shard| Ok(shard.is_dirty()))
    }

    #[napi]
    pub fn failure(&self) -> Option<String> {
        let failure = catching(|| self.shared.with(|shard| Ok(shard.failure())));
        failure.unwrap_or_else(Some).map(|error| error.to_string())
    }

    #[napi]
    pub fn indexing_bytes(&self) -> napi::Result<f64> {
        self.call(|shard| Ok(shard.indexing_bytes() as f64))
    }

    #[napi]
    pub fn release_memory(&self) -> napi::Result<()> {
        self.call(Shard::release_memory)
    }

    #[napi]
    pub fn needs_flush(&self) -> napi::Result<bool> {
        self.call(|shard| Ok(shard.needs_flush()))
    }

    #[napi]
    pub fn flush<'env>(&self, env: &'env Env, force: bool, now_ms: f64) -> napi::Result<Object<'env>> {
        let job = self.call(|shard| shard.begin_flush(force, now_ms as u64))?;
        let shared = Arc::clone(&self.shared);
        in_background(
            env,
            "flush",
            move || {
                Ok(job.map(|job| {
                    let result = catching(|| job.run());
                    (job, result)
                }))
            },
            move |done| match done {
                None => Ok(false),
                Some((job, result)) => shared.with(|shard| shard.finish_flush(job, result)).map(|()| true),
            },
        )
    }

    #[napi]
    pub fn searcher(&self) -> napi::Result<NativeSearcher> {
        self.call(|shard| newest(shard.published())).map(NativeSearcher::new)
    }

    /// Whether other threads searched it since the last call.
    #[napi]
    pub fn take_searched(&self) -> napi::Result<bool> {
        self.call(|shard| Ok(shard.published().take_searched()))
    }

    /// Other threads that search an idle shard ask its owner.
    #[napi]
    pub fn set_idle(&self, is_idle: bool) -> napi::Result<()> {
        self.call(|shard| {
            shard.published().set_idle(is_idle);
            Ok(())
        })
    }

    #[napi]
    pub fn clear_request_cache(&self) -> napi::Result<()> {
        self.call(|shard| {
            answers::clear(shard.published());
            Ok(())
        })
    }

    #[napi]
    pub fn begin_merge(&self, segments: Vec<String>) -> napi::Result<Uint8Array> {
        self.call(|shard| Ok(shard.begin_merge(&segments)?.encode().into()))
    }

    #[napi]
    pub fn finish_merge(&self, outcome: &[u8]) -> napi::Result<()> {
        self.call(|shard| shard.finish_merge(&MergeOutcome::decode(outcome)?))
    }

    #[napi]
    pub fn abort_merge(&self, job: &[u8]) -> napi::Result<()> {
        self.call(|shard| {
            shard.abort_merge(&MergeJob::decode(job)?);
            Ok(())
        })
    }

    #[napi]
    pub fn segments(&self) -> napi::Result<String> {
        self.call(|shard| Ok(shard.segments_json()))
    }

    #[napi]
    pub fn stats(&self) -> napi::Result<String> {
        self.call(|shard| Ok(shard.stats_json()))
    }

    #[napi]
    pub fn operations_in_memory(&self, seq_no: f64, max_bytes: f64) -> napi::Result<Option<RawOperations>> {
        self.call(|shard| Ok(shard.operations_in_memory(seq_no as u64, max_bytes as usize)?.map(RawOperations::from)))
    }

    #[napi]
    pub fn operations_from_disk<'env>(
        &self,
        env: &'env Env,
        seq_no: f64,
        max_bytes: f64,
    ) -> napi::Result<Object<'env>> {
        let read = self.call(|shard| shard.read_history(seq_no as u64, max_bytes as usize))?;
        in_background(env, "shard-history", move || read.run(), |operations| Ok(RawOperations::from(operations)))
    }

    #[napi]
    pub fn retain_from(&self, seq_no: f64, max_bytes: f64) -> napi::Result<()> {
        self.call(|shard| shard.retain_from(seq_no as u64, max_bytes as u64))
    }

    #[napi]
    pub fn checkpoints(&self) -> napi::Result<RawCheckpoints> {
        self.call(|shard| Ok(shard.checkpoints().into()))
    }

    #[napi]
    pub fn set_global_checkpoint(&self, seq_no: f64) -> napi::Result<()> {
        self.call(|shard| {
            shard.set_global_checkpoint(seq_no as i64);
            Ok(())
        })
    }

    #[napi]
    pub fn advance_primary_term(&self, primary_term: f64) -> napi::Result<()> {
        self.call(|shard| shard.advance_primary_term(primary_term as u64))
    }

    #[napi]
    pub fn terms(&self) -> napi::Result<String> {
        self.call(|shard| Ok(shard.terms_json()))
    }

    #[napi]
    pub fn history_uuid(&self) -> napi::Result<String> {
        self.call(|shard| Ok(shard.history_uuid().to_owned()))
    }

    #[napi]
    pub fn segment_set(&self) -> napi::Result<NativeSegmentSet> {
        self.call(|shard| Ok(NativeSegmentSet::new(shard.segment_set())))
    }

    #[napi]
    pub fn content_checksum<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let view = self.call(|shard| Ok(shard.view().clone()))?;
        in_background(env, "shard-checksum", move || content_checksum(&view), |sum| Ok(RawContentChecksum::from(sum)))
    }

    #[napi]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let shard = entry(|| Ok(self.shared.take()))?;
        in_background(env, "shard-close", move || shard.map_or(Ok(()), |shard| shard.sync_state().sync_now()), Ok)
    }
}
