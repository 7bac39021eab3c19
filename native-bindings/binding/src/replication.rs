//! What primaries and replicas tell each other.

use crate::background::in_background;
use crate::failure::entry;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use quarry_base::error::{Error, Result};
use quarry_engine::copies::content::ContentChecksum;
use quarry_engine::copies::history::Checkpoints;
use quarry_engine::copies::segment_set::{ProvedPart, ProvedReads, SegmentSet};
use quarry_engine::translog::Operations;
use quarry_segment::check::file::FileCheck;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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

/// Where bytes go.
#[napi(object)]
pub struct RawTarget {
    pub path: String,
    pub at: f64,
}

#[napi]
pub struct NativeSegmentSet {
    set: Arc<SegmentSet>,
    proved: Arc<ProvedReads>,
}

impl NativeSegmentSet {
    pub fn new(set: SegmentSet) -> Self {
        NativeSegmentSet { set: Arc::new(set), proved: Arc::default() }
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

    /// `part_bytes`: of the parts whose checksums `partChecksums` has once all of the file was read.
    #[napi]
    pub fn read_proved<'env>(
        &self,
        env: &'env Env,
        file: String,
        offset: f64,
        length: f64,
        part_bytes: u32,
    ) -> napi::Result<Object<'env>> {
        let part_bytes = part_bytes as usize;
        let (set, proved) = (Arc::clone(&self.set), Arc::clone(&self.proved));
        in_background(
            env,
            "segment-read",
            move || proved.read(&set, &file, offset as u64, length as usize, part_bytes).map(<[u8]>::to_vec),
            |bytes| Ok(Uint8Array::from(bytes)),
        )
    }

    /// As `read_proved`, into a file that is there; how many bytes.
    #[napi]
    pub fn copy_proved<'env>(
        &self,
        env: &'env Env,
        file: String,
        offset: f64,
        length: f64,
        part_bytes: u32,
        target: RawTarget,
    ) -> napi::Result<Object<'env>> {
        let (set, proved) = (Arc::clone(&self.set), Arc::clone(&self.proved));
        in_background(
            env,
            "segment-copy",
            move || {
                let (offset, length) = (offset as u64, length as usize);
                let part = ProvedPart { file: &file, offset, length, part_bytes: part_bytes as usize };
                proved.copy(&set, &part, Path::new(&target.path), target.at as u64)
            },
            |bytes| Ok(bytes as f64),
        )
    }

    /// crc32c of each part of a file, little-endian.
    #[napi]
    pub fn part_checksums(&self, file: String) -> napi::Result<Uint8Array> {
        entry(|| self.proved.part_checksums(&file).map(Uint8Array::from))
    }
}

/// The bytes of a segment file that lies elsewhere, proved as they come.
#[napi]
pub struct NativeFileCheck {
    check: Arc<Mutex<FileCheck>>,
}

#[napi]
impl NativeFileCheck {
    /// `uuid`: 32 hexadecimal digits; `end`: as many bytes of the end of the file as `fileEndLength` says; `part_bytes`: of the parts whose
    /// checksums are wanted, 0 for none.
    #[napi(factory)]
    pub fn create(
        uuid: String,
        checksum: u32,
        end: Uint8Array,
        file_length: f64,
        part_bytes: u32,
    ) -> napi::Result<Self> {
        let check = entry(|| FileCheck::of_end(uuid_of(&uuid)?, checksum, &end, file_length as u64))?;
        Ok(NativeFileCheck { check: Arc::new(Mutex::new(check.with_parts(part_bytes as usize))) })
    }

    /// The next bytes.
    #[napi]
    pub fn update<'env>(&self, env: &'env Env, bytes: Uint8Array) -> napi::Result<Object<'env>> {
        let check = Arc::clone(&self.check);
        let bytes = bytes.to_vec();
        in_background(env, "file-check", move || lock(&check).update(&bytes), |()| Ok(()))
    }

    #[napi]
    pub fn finish(&self) -> napi::Result<()> {
        entry(|| lock(&self.check).finish())
    }

    /// As those of a set.
    #[napi]
    pub fn part_checksums(&self) -> napi::Result<Uint8Array> {
        entry(|| lock(&self.check).part_checksums().map(Uint8Array::from))
    }
}

/// How many bytes at the end of a segment file are to be read to prove the others; `footer`: its last 64.
#[napi]
pub fn file_end_length(footer: Uint8Array, file_length: f64) -> napi::Result<f64> {
    entry(|| FileCheck::end_length(&footer, file_length as u64).map(|length| length as f64))
}

fn uuid_of(text: &str) -> Result<[u8; 16]> {
    let value = u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32);
    value.map(u128::to_be_bytes).ok_or_else(|| Error::illegal_argument(format!("[{text}] is no uuid of a segment")))
}

fn lock(check: &Mutex<FileCheck>) -> MutexGuard<'_, FileCheck> {
    // What a thread left half done fails at its end.
    check.lock().unwrap_or_else(PoisonError::into_inner)
}
