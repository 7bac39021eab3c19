//! Work on threads of their own, answered by promises.

use crate::failure::{catching, error_of};
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Env, JsDeferred};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::threads::{BLOCK_THREADS, BoundedThreads, Job, SEARCH_THREADS};
use quarry_blocks::reading::{Patience, reading};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What turns the result of background work into the promise's value; runs on the JavaScript thread.
pub type Finish<V> = Box<dyn FnOnce(Env) -> napi::Result<V>>;

/// Runs `work` on a new thread and `finish` with its result on the JavaScript thread; the answer is a promise.
///
/// Merges and flushes are few and long: a thread each keeps them out of the thread pool that file reads share.
pub fn in_background<'env, T, V>(
    env: &'env Env,
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
    finish: impl FnOnce(T) -> Result<V> + Send + 'static,
) -> napi::Result<Object<'env>>
where
    T: Send + 'static,
    V: ToNapiValue + 'static,
{
    let (deferred, promise): (JsDeferred<V, Finish<V>>, Object<'env>) = env.create_deferred()?;
    let settle: Job = Box::new(move || match patiently(&Arc::default(), work) {
        Ok(done) => deferred.resolve(Box::new(move |_| catching(|| finish(done)).map_err(|error| error_of(&error)))),
        Err(error) => deferred.reject(error_of(&error)),
    });
    std::thread::Builder::new()
        .name(name.to_string())
        .spawn(settle)
        .map_err(|error| error_of(&Error::new(ErrorCode::Internal, format!("cannot start a thread: {error}"))))?;
    Ok(promise)
}

/// Work on a thread that may wait for files which lie elsewhere, until the flag is raised.
fn patiently<T>(is_cancelled: &Arc<AtomicBool>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    reading(&Patience::Until(Arc::clone(is_cancelled)), || catching(work))
}

/// Which threads work is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// For searches that take long.
    Search,
    /// For what may wait for files that lie elsewhere.
    Blocks,
}

impl Threads {
    fn pool(self) -> &'static BoundedThreads {
        match self {
            Threads::Search => &SEARCH_THREADS,
            Threads::Blocks => &BLOCK_THREADS,
        }
    }
}

/// As [`in_background`], on one of these threads, until the flag is raised; `None` where there is no room for it.
pub fn in_thread_of<'env, T, V>(
    threads: Threads,
    env: &'env Env,
    is_cancelled: Arc<AtomicBool>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
    finish: impl FnOnce(T) -> Result<V> + Send + 'static,
) -> napi::Result<Option<Object<'env>>>
where
    T: Send + 'static,
    V: ToNapiValue + 'static,
{
    let mut promise = None;
    let has_room = threads.pool().start(|| -> napi::Result<Job> {
        let (deferred, made): (JsDeferred<V, Finish<V>>, Object<'env>) = env.create_deferred()?;
        promise = Some(made);
        Ok(Box::new(move || match patiently(&is_cancelled, work) {
            Ok(done) => {
                deferred.resolve(Box::new(move |_| catching(|| finish(done)).map_err(|error| error_of(&error))));
            }
            Err(error) => deferred.reject(error_of(&error)),
        }))
    })?;
    Ok(promise.filter(|_| has_room))
}
