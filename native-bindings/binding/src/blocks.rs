//! Files of shards that lie in a repository, and what JavaScript fetches of them.

use crate::background::{Finish, Threads, in_background, in_thread_of};
use crate::failure::{entry, parse};
use napi::bindgen_prelude::{Object, Uint8Array};
use napi::{Env, JsDeferred};
use napi_derive::napi;
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_blocks::cache;
use quarry_blocks::file::{Described, FileFigures, Keep, Tally, named_in};
use quarry_blocks::folder::{Folder, find};
use quarry_blocks::reading::in_turn;
use quarry_blocks::requests::{Request, Taker};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct FileSpec {
    name: String,
    length: u64,
    part_bytes: u32,
}

/// A piece of a file that is copied, which nobody fetches yet.
#[napi(object)]
pub struct RawMissingPiece {
    pub file: String,
    pub offset: f64,
    pub length: f64,
}

#[napi(object)]
pub struct RawBlockRequest {
    pub number: u32,
    pub file: String,
    pub offset: f64,
    pub length: f64,
}

/// The files of a shard that lie elsewhere, open until it is closed.
#[napi]
pub struct NativeBlocks {
    /// `None` once they are closed: the garbage collector would let go of them in its own time.
    folder: Option<Arc<Folder>>,
}

/// The worker that would fetch has ended.
impl Drop for NativeBlocks {
    fn drop(&mut self) {
        self.close();
    }
}

impl NativeBlocks {
    fn folder(&self) -> Result<&Arc<Folder>> {
        self.folder.as_ref().ok_or_else(|| Error::illegal_state("the files are closed"))
    }
}

#[napi]
impl NativeBlocks {
    /// `files` is JSON; `checksums` has those of the parts of each file, four bytes each, little-endian. `is_copied`: all of them is to come
    /// into the directory; else the shared cache has what was read of late.
    #[napi(factory)]
    pub fn open(
        directory: String,
        files: String,
        checksums: Vec<Uint8Array>,
        is_copied: bool,
    ) -> napi::Result<NativeBlocks> {
        entry(|| {
            let specs: Vec<FileSpec> = parse("files that lie elsewhere", files.as_bytes())?;
            let described =
                specs.into_iter().zip(&checksums).map(|(FileSpec { name, length, part_bytes }, checksums)| {
                    let checksums =
                        checksums.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
                    Described { name, length, part_bytes, checksums }
                });
            let keep = if is_copied { Keep::Copied } else { Keep::Cached(cache::shared()?) };
            Ok(NativeBlocks { folder: Some(Folder::open(Path::new(&directory), described.collect(), &keep)?) })
        })
    }

    /// A promise of what is to be fetched next; of `null` once the files are closed.
    #[napi]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (deferred, promise): (JsDeferred<Option<RawBlockRequest>, Finish<Option<RawBlockRequest>>>, Object<'env>) =
            env.create_deferred()?;
        let take: Taker = Box::new(move |request: Option<Request>| {
            let raw = request.map(|request| RawBlockRequest {
                number: request.number,
                file: request.file,
                offset: request.offset as f64,
                length: request.length as f64,
            });
            deferred.resolve(Box::new(move |_| Ok(raw)));
        });
        match &self.folder {
            Some(folder) => folder.requests().take_next(take),
            None => take(None),
        }
        Ok(promise)
    }

    #[napi]
    pub fn answer(&self, number: u32, bytes: &[u8]) {
        if let Some(folder) = &self.folder {
            folder.requests().answer(number, Ok(bytes.to_vec()));
        }
    }

    #[napi]
    pub fn fail(&self, number: u32, reason: String, is_damage: bool) {
        let code = if is_damage { ErrorCode::Corrupt } else { ErrorCode::Io };
        if let Some(folder) = &self.folder {
            folder.requests().answer(number, Err(Error::new(code, reason)));
        }
    }

    /// Of files that are copied, what is to be fetched next; `null` where nothing is missing but what others fetch. Whoever takes a piece
    /// tells of it with `supply` or `leave`. It has so many bytes at most, or one part.
    #[napi]
    pub fn take_missing(&self, bytes: f64) -> napi::Result<Option<RawMissingPiece>> {
        entry(|| {
            let taken = self.folder()?.take_missing(bytes as usize);
            Ok(taken.map(|(file, range)| RawMissingPiece {
                file: file.name().to_owned(),
                offset: range.start as f64,
                length: range.len() as f64,
            }))
        })
    }

    /// Puts a piece where it belongs. Errors: `Corrupt` where its bytes are not those of the file; `Io`.
    #[napi]
    pub fn supply<'env>(
        &self,
        env: &'env Env,
        file: String,
        offset: f64,
        bytes: Uint8Array,
    ) -> napi::Result<Object<'env>> {
        let (file, bytes) = entry(|| Ok((Arc::clone(self.folder()?.file(&file)?), bytes.to_vec())))?;
        let range = offset as usize..offset as usize + bytes.len();
        in_background(env, "blocks-supply", move || file.supply(&range, Ok(&bytes)), Ok)
    }

    /// The piece could not be had: others may try.
    #[napi]
    pub fn leave(&self, file: String, offset: f64, length: f64) {
        let Ok(file) = self.folder().and_then(|folder| folder.file(&file)) else { return };
        let range = offset as usize..offset as usize + length as usize;
        // The error is the one that it is given.
        let _ = file.supply(&range, Err(Error::new(ErrorCode::Io, "the piece could not be read")));
    }

    /// Whether all of a file that is copied is here.
    #[napi]
    pub fn is_complete(&self, file: String) -> napi::Result<bool> {
        entry(|| Ok(self.folder()?.file(&file)?.is_complete()))
    }

    #[napi]
    pub fn close(&mut self) {
        if let Some(folder) = self.folder.take() {
            folder.close();
        }
    }

    /// Gives up what is cached of the files and not being read.
    #[napi]
    pub fn clear(&self) -> napi::Result<()> {
        entry(|| self.folder()?.files().try_for_each(|file| file.clear()))
    }

    /// Of each file, JSON.
    #[napi]
    pub fn figures(&self) -> napi::Result<String> {
        entry(|| {
            let files = self.folder()?.files().map(|file| figures_json(file.name(), file.length(), &file.figures()));
            Ok(Value::from(files.collect::<Vec<_>>()).to_string())
        })
    }
}

fn figures_json(name: &str, length: usize, figures: &FileFigures) -> Value {
    json!({
        "name": name,
        "length": length,
        "opened": figures.opened,
        "read": tally_json(&figures.read),
        "fetched": tally_json(&figures.fetched),
        "fetchNanos": figures.fetch_nanos,
        "damaged": figures.damaged,
        "evictions": figures.evictions,
        "bytesCached": figures.bytes_cached,
    })
}

fn tally_json(tally: &Tally) -> Value {
    json!({ "count": tally.count, "sum": tally.sum, "min": tally.least, "max": tally.most })
}

/// Of all threads of the process: the cache file, what it may take, and the length of its regions, in bytes.
#[napi]
pub fn configure_blocks(path: String, bytes: f64, region_bytes: f64) -> napi::Result<()> {
    entry(|| cache::configure(Path::new(&path), bytes as u64, region_bytes as u64))
}

/// What the cache did, as JSON; `null` where the node has none.
#[napi]
pub fn block_figures() -> napi::Result<Option<String>> {
    entry(|| {
        let Ok(cache) = cache::shared() else { return Ok(None) };
        let figures = cache.figures();
        let json = json!({
            "reads": figures.reads,
            "bytesRead": figures.bytes_read,
            "writes": figures.writes,
            "bytesWritten": figures.bytes_written,
            "evictions": figures.evictions,
            "refused": figures.refused,
            "regions": figures.regions,
            "regionBytes": figures.region_bytes,
            "regionsUsed": figures.regions_used,
        });
        Ok(Some(json.to_string()))
    })
}

/// Has fetched what the reason of a `blocks_absent_exception` names; `null` where there is no room for another who waits.
#[napi]
pub fn fetch_blocks(env: &Env, reason: String) -> napi::Result<Option<Object<'_>>> {
    let work = move || -> Result<()> {
        let (path, range) = named_in(&reason).ok_or_else(|| Error::internal("the reason names no blocks"))?;
        let Some(file) = find(path) else {
            // All of it came in the meantime.
            return if path.exists() { Ok(()) } else { Err(Error::illegal_state("the shard is closed")) };
        };
        if range.end > file.length() || range.start > range.end {
            return Err(Error::internal("the reason names blocks beyond the file"));
        }
        in_turn(|| file.hold(&range))
    };
    in_thread_of(Threads::Blocks, env, Arc::default(), work, Ok)
}
