//! An open replica, owned by one JavaScript thread.

use crate::background::in_background;
use crate::failure::{catching, entry, error_of, error_of_json, parse, read};
use crate::published::newest;
use crate::replication::{RawCheckpoints, RawContentChecksum};
use crate::searcher::NativeSearcher;
use crate::shard::when_synced;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use quarry_base::error::{Error, Result};
use quarry_blocks::reading::{Patience, reading};
use quarry_engine::Replica;
use quarry_engine::config::{ShardOptions, ShardSettings};
use quarry_engine::copies::content::content_checksum;
use quarry_engine::copies::replica::{Begun, InstallJob, InstallMode};
use quarry_engine::reads::published::answers;
use quarry_engine::reads::published::registry::register;
use quarry_mapping::spec::MappingSpec;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The replica behind its JavaScript object; none once it is closed. The lock is never contended: one thread owns the
/// replica, and what works elsewhere holds no reference into it.
struct SharedReplica(Mutex<Option<Replica>>);

impl SharedReplica {
    /// A panic in an earlier call may have left the replica half changed: it takes no more calls then.
    fn with<T>(&self, work: impl FnOnce(&mut Replica) -> Result<T>) -> Result<T> {
        let mut guard =
            self.0.lock().map_err(|_| Error::illegal_state("the replica has failed and must be opened anew"))?;
        match guard.as_mut() {
            Some(replica) => work(replica),
            None => Err(Error::illegal_state("the replica is closed")),
        }
    }

    /// After a panic as well: dropping the replica gives its directory back.
    fn take(&self) -> Option<Replica> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

#[napi]
pub struct NativeReplica {
    shared: Arc<SharedReplica>,
}

#[napi(object)]
pub struct RawAppended {
    pub location: f64,
    pub max_seq_no: f64,
}

/// Makes the replica on a thread of its own.
fn make<'env>(
    env: &'env Env,
    options: String,
    mapping: String,
    analysis: String,
    history_uuid: Option<String>,
) -> napi::Result<Object<'env>> {
    in_background(
        env,
        "replica-open",
        move || {
            let options: ShardOptions = parse("the options of a shard", options.as_bytes())?;
            let mapping: MappingSpec = read("a compiled mapping", mapping.as_bytes())?;
            let analysis: serde_json::Value = parse("analysis settings", analysis.as_bytes())?;
            match history_uuid {
                Some(history_uuid) => Replica::create(options, mapping, &analysis, &history_uuid),
                None => Replica::open(options, mapping, &analysis),
            }
        },
        |replica| {
            register(replica.directory(), replica.published());
            Ok(NativeReplica { shared: Arc::new(SharedReplica(Mutex::new(Some(replica)))) })
        },
    )
}

impl NativeReplica {
    /// A call whose error names the shard where the API tells it.
    fn call<T>(&self, work: impl FnOnce(&mut Replica) -> Result<T>) -> napi::Result<T> {
        let named = |replica: &mut Replica| {
            let result = reading(&Patience::Never, || work(replica));
            Ok(result.map_err(|error| error_of_json(replica.error_json(&error))))
        };
        catching(|| self.shared.with(named)).unwrap_or_else(|error| Err(error_of(&error)))
    }

    /// Runs a commit on a thread of its own; the answer is `otherwise` when there is none to run.
    fn commit<'env>(
        &self,
        env: &'env Env,
        job: Option<Box<InstallJob>>,
        otherwise: bool,
    ) -> napi::Result<Object<'env>> {
        let shared = Arc::clone(&self.shared);
        in_background(
            env,
            "replica-commit",
            move || {
                Ok(job.map(|job| {
                    let result = catching(|| job.run());
                    (job, result)
                }))
            },
            move |done| match done {
                None => Ok(otherwise),
                Some((job, result)) => shared.with(|replica| replica.finish_install(*job, result)).map(|()| true),
            },
        )
    }
}

#[napi]
impl NativeReplica {
    #[napi]
    pub fn create<'env>(
        env: &'env Env,
        options: String,
        mapping: String,
        analysis: String,
        history_uuid: String,
    ) -> napi::Result<Object<'env>> {
        make(env, options, mapping, analysis, Some(history_uuid))
    }

    #[napi]
    pub fn open<'env>(
        env: &'env Env,
        options: String,
        mapping: String,
        analysis: String,
    ) -> napi::Result<Object<'env>> {
        make(env, options, mapping, analysis, None)
    }

    #[napi]
    pub fn link_commit(&self, into: String, max_seq_no: f64) -> napi::Result<()> {
        self.call(|replica| replica.link_commit(Path::new(&into), max_seq_no as i64))
    }

    #[napi]
    pub fn update_mapping(&self, mapping: String) -> napi::Result<()> {
        self.call(|replica| replica.update_mapping(read("a compiled mapping", mapping.as_bytes())?))
    }

    #[napi]
    pub fn update_settings(&self, settings: String) -> napi::Result<()> {
        self.call(|replica| {
            let settings: ShardSettings = parse("the settings of a shard", settings.as_bytes())?;
            replica.update_settings(settings);
            Ok(())
        })
    }

    #[napi]
    pub fn append(&self, operations: &[u8], primary_term: f64, global_checkpoint: f64) -> napi::Result<RawAppended> {
        self.call(|replica| {
            let location = replica.append(operations, primary_term as u64, global_checkpoint as i64)?;
            Ok(RawAppended { location: location as f64, max_seq_no: replica.max_seq_no()? as f64 })
        })
    }

    #[napi]
    pub fn synced<'env>(&self, env: &'env Env, location: f64) -> napi::Result<Object<'env>> {
        let (state, waits) = self.call(|replica| Ok((Arc::clone(replica.sync_state()?), replica.waits_for_disk())))?;
        when_synced(env, &state, if waits { location as u64 } else { 0 })
    }

    #[napi]
    pub fn sync<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let state = self.call(|replica| replica.sync_state().map(Arc::clone))?;
        let location = state.appended();
        when_synced(env, &state, location)
    }

    #[napi]
    pub fn retain_from(&self, seq_no: f64, max_bytes: f64) -> napi::Result<()> {
        self.call(|replica| replica.retain_from(seq_no as u64, max_bytes as u64))
    }

    #[napi]
    pub fn set_global_checkpoint(&self, seq_no: f64) -> napi::Result<()> {
        self.call(|replica| replica.set_global_checkpoint(seq_no as i64))
    }

    #[napi]
    pub fn checkpoints(&self) -> napi::Result<RawCheckpoints> {
        self.call(|replica| replica.checkpoints().map(RawCheckpoints::from))
    }

    #[napi]
    pub fn missing_files(&self, descriptor: &[u8]) -> napi::Result<String> {
        self.call(|replica| replica.missing_files(descriptor))
    }

    #[napi]
    pub fn write_file<'env>(
        &self,
        env: &'env Env,
        name: String,
        offset: f64,
        bytes: &[u8],
    ) -> napi::Result<Object<'env>> {
        let write = self.call(|replica| replica.begin_write(&name, offset as u64, bytes.to_vec()))?;
        let shared = Arc::clone(&self.shared);
        in_background(
            env,
            "replica-write",
            move || {
                let result = catching(|| write.run());
                Ok((write, result))
            },
            move |(write, result)| shared.with(|replica| replica.finish_write(&write, result)),
        )
    }

    #[napi]
    pub fn finish_file<'env>(&self, env: &'env Env, name: String) -> napi::Result<Object<'env>> {
        let check = self.call(|replica| replica.begin_check(&name))?;
        let shared = Arc::clone(&self.shared);
        in_background(
            env,
            "replica-verify",
            move || {
                let result = catching(|| check.run());
                Ok((check, result))
            },
            move |(check, result)| shared.with(|replica| replica.finish_check(&check, result)),
        )
    }

    #[napi]
    pub fn abandon_files(&self) -> napi::Result<()> {
        self.call(Replica::abandon_files)
    }

    #[napi]
    pub fn install<'env>(&self, env: &'env Env, descriptor: &[u8], mode: String) -> napi::Result<Object<'env>> {
        let begun = self.call(|replica| replica.begin_install(descriptor, InstallMode::from_name(&mode)?))?;
        match begun {
            Begun::Done(installed) => self.commit(env, None, installed),
            Begun::Commit(job) => self.commit(env, Some(job), true),
        }
    }

    #[napi]
    pub fn needs_flush(&self) -> napi::Result<bool> {
        self.call(|replica| Ok(replica.needs_flush()))
    }

    #[napi]
    pub fn flush<'env>(&self, env: &'env Env, force: bool) -> napi::Result<Object<'env>> {
        let job = self.call(|replica| replica.begin_flush(force))?;
        self.commit(env, job.map(Box::new), false)
    }

    #[napi]
    pub fn common_seq_no(&self, terms: String, max_seq_no: f64) -> napi::Result<f64> {
        self.call(|replica| replica.common_seq_no(&terms, max_seq_no as i64).map(|common| common as f64))
    }

    #[napi]
    pub fn rollback_above<'env>(&self, env: &'env Env, seq_no: f64, primary_term: f64) -> napi::Result<Object<'env>> {
        let mut job = self.call(|replica| replica.begin_rollback(seq_no as i64, primary_term as u64))?;
        let shared = Arc::clone(&self.shared);
        in_background(
            env,
            "replica-rollback",
            move || {
                let result = catching(|| job.run());
                Ok((job, result))
            },
            move |(job, result)| shared.with(|replica| replica.finish_rollback(&job, result)),
        )
    }

    #[napi]
    pub fn store_description(&self) -> napi::Result<String> {
        self.call(|replica| replica.store_description())
    }

    #[napi]
    pub fn searcher(&self) -> napi::Result<NativeSearcher> {
        self.call(|replica| newest(replica.published())).map(NativeSearcher::new)
    }

    #[napi]
    pub fn clear_request_cache(&self) -> napi::Result<()> {
        self.call(|replica| {
            answers::clear(replica.published());
            Ok(())
        })
    }

    #[napi]
    pub fn segments(&self) -> napi::Result<String> {
        self.call(|replica| Ok(replica.segments_json()))
    }

    #[napi]
    pub fn stats(&self) -> napi::Result<String> {
        self.call(|replica| replica.stats_json())
    }

    #[napi]
    pub fn failure(&self) -> Option<String> {
        let failure = catching(|| self.shared.with(|replica| Ok(replica.failure())));
        failure.unwrap_or_else(Some).map(|error| error.to_string())
    }

    #[napi]
    pub fn content_checksum<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let view = self.call(|replica| Ok(replica.view().clone()))?;
        in_background(env, "replica-checksum", move || content_checksum(&view), |sum| Ok(RawContentChecksum::from(sum)))
    }

    #[napi]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let replica = entry(|| Ok(self.shared.take()))?;
        in_background(
            env,
            "replica-close",
            move || replica.map_or(Ok(()), |replica| replica.sync_state()?.sync_now()),
            Ok,
        )
    }
}
