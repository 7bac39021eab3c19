//! What primaries and replicas tell each other.

use crate::background::in_background;
use crate::failure::entry;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use quarry_engine::content::ContentChecksum;
use quarry_engine::history::Checkpoints;
use quarry_engine::segment_set::SegmentSet;
use quarry_engine::translog::Operations;
use std::sync::Arc;

#[napi(object)]
pub struct RawOperations {
    pub bytes: Uint8Array,
    pub last_seq_no: f64,
}

impl From<Operations> for RawOperations {
    fn from(operations: Operations) -> Self {
        RawOperations { bytes: operations.bytes.into(), last_seq_no: operations.last_seq_no as f64 }
    }
}

#[napi(object)]
pub struct RawCheckpoints {
    pub max_seq_no: f64,
    pub local_checkpoint: f64,
    pub persisted_checkpoint: f64,
    pub global_checkpoint: f64,
    pub history_start: f64,
    pub primary_term: f64,
    pub searchable_checkpoint: f64,
    pub refresh_generation: f64,
}

impl From<Checkpoints> for RawCheckpoints {
    fn from(checkpoints: Checkpoints) -> Self {
        RawCheckpoints {
            max_seq_no: checkpoints.max_seq_no as f64,
            local_checkpoint: checkpoints.local_checkpoint as f64,
            persisted_checkpoint: checkpoints.persisted_checkpoint as f64,
            global_checkpoint: checkpoints.global_checkpoint as f64,
            history_start: checkpoints.history_start as f64,
            primary_term: checkpoints.primary_term as f64,
            searchable_checkpoint: checkpoints.searchable_checkpoint as f64,
            refresh_generation: checkpoints.refresh_generation as f64,
        }
    }
}

#[napi(object)]
pub struct RawContentChecksum {
    pub documents: f64,
    pub checksum: String,
}

impl From<ContentChecksum> for RawContentChecksum {
    fn from(checksum: ContentChecksum) -> Self {
        RawContentChecksum { documents: checksum.documents as f64, checksum: format!("{:016x}", checksum.sum) }
    }
}

#[napi]
pub struct NativeSegmentSet {
    set: Arc<SegmentSet>,
}

impl NativeSegmentSet {
    pub fn new(set: SegmentSet) -> Self {
        NativeSegmentSet { set: Arc::new(set) }
    }
}

#[napi]
impl NativeSegmentSet {
    #[napi]
    pub fn descriptor(&self) -> napi::Result<Uint8Array> {
        entry(|| self.set.descriptor.encode().map(Uint8Array::from))
    }

    #[napi]
    pub fn files(&self) -> napi::Result<String> {
        entry(|| Ok(self.set.files_json()))
    }

    #[napi]
    pub fn checkpoint(&self) -> f64 {
        self.set.descriptor.checkpoint as f64
    }

    #[napi]
    pub fn refresh_generation(&self) -> f64 {
        self.set.descriptor.refresh_generation as f64
    }

    #[napi]
    pub fn history_uuid(&self) -> String {
        self.set.descriptor.history_uuid.clone()
    }

    /// crc32c of each part of a file, little-endian, after all of it was verified.
    #[napi]
    pub fn part_checksums<'env>(&self, env: &'env Env, file: String, part_bytes: u32) -> napi::Result<Object<'env>> {
        let set = Arc::clone(&self.set);
        in_background(
            env,
            "segment-checksums",
            move || set.part_checksums(&file, part_bytes as usize),
            |checksums| Ok(Uint8Array::from(checksums)),
        )
    }

    #[napi]
    pub fn read<'env>(&self, env: &'env Env, file: String, offset: f64, length: f64) -> napi::Result<Object<'env>> {
        let set = Arc::clone(&self.set);
        in_background(
            env,
            "segment-read",
            move || set.read(&file, offset as u64, length as usize).map(<[u8]>::to_vec),
            |bytes| Ok(Uint8Array::from(bytes)),
        )
    }
}
