//! Segments whose files were copied while the shard read them elsewhere.

use crate::background::in_background;
use crate::shard::NativeShard;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use quarry_blocks::reading::{Patience, reading};
use quarry_engine::Shard;
use quarry_engine::segments::adoption::AdoptionJob;
use std::sync::Arc;

#[napi]
impl NativeShard {
    /// Proves the copy of a file, all of which is here, and reads it from now on.
    #[napi]
    pub fn adopt_file<'env>(&self, env: &'env Env, name: String) -> napi::Result<Object<'env>> {
        let job = self.call(|shard| shard.begin_adoption(&name))?;
        let shared = Arc::clone(&self.shared);
        in_background(
            env,
            "segment-adopt",
            move || job.as_ref().map(AdoptionJob::run).transpose(),
            move |reader| match reader {
                // As in `call`: what is not here yet is no reason to give the shard up.
                Some(reader) => shared.with(|shard| Ok(reading(&Patience::Never, || shard.finish_adoption(reader))))?,
                None => Ok(()),
            },
        )
    }

    /// All files are here.
    #[napi]
    pub fn end_adoption(&self) -> napi::Result<()> {
        self.call(Shard::end_adoption)
    }
}
