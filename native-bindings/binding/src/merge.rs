//! A merge on a thread of its own.

use crate::background::in_background;
use crate::failure::entry;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use quarry_engine::segments::merge_job::MergeJob;
use quarry_segment::merge::MergeControl;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[napi]
pub struct NativeMerge {
    job: MergeJob,
    control: Arc<MergeControl>,
}

#[napi]
impl NativeMerge {
    #[napi(constructor)]
    pub fn new(job: &[u8]) -> napi::Result<Self> {
        entry(|| Ok(NativeMerge { job: MergeJob::decode(job)?, control: Arc::default() }))
    }

    #[napi]
    pub fn run<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (job, control) = (self.job.clone(), Arc::clone(&self.control));
        in_background(env, "merge", move || job.run(&control), |outcome| Ok(Uint8Array::from(outcome.encode())))
    }

    #[napi]
    pub fn cancel(&self) {
        self.control.cancelled.store(true, Ordering::Relaxed);
    }

    #[napi]
    pub fn set_throttle(&self, bytes_per_second: f64) {
        self.control.bytes_per_second.store(bytes_per_second as u64, Ordering::Relaxed);
    }
}
