//! What the shard has done since it was opened, and what it holds.

use super::copies::history::Checkpoints;
use super::engine::Shard;
use super::items::descriptor::Action;
use super::reads::published::Published;
use super::reads::published::answers::{CacheCounters, CacheFigures};
use super::reads::published::counters::{Counted, ReadCounters};
use super::segments::frozen::Frozen;
use super::segments::slot::Slot;
use super::translog::Translog;
use quarry_query::derived::uninverted;
use quarry_query::view::ShardView;
use quarry_segment::directory::commit::CommitPoint;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often, and how long in all.
#[derive(Debug, Clone, Copy, Default)]
pub struct Timed {
    total: u64,
    time: Duration,
}

impl Timed {
    pub fn add(&mut self, time: Duration) {
        self.total += 1;
        self.time += time;
    }
}

#[derive(Debug, Default)]
pub struct Counters {
    index: Timed,
    index_failed: u64,
    delete: Timed,
    noop_updates: u64,
    pub refresh: Timed,
    merge: Timed,
    merges_running: u64,
    merged_documents: u64,
    merged_bytes: u64,
}

impl Counters {
    pub(super) fn wrote(&mut self, action: Action, is_noop: bool, time: Duration) {
        match action {
            _ if is_noop => self.noop_updates += 1,
            Action::Delete => self.delete.add(time),
            _ => self.index.add(time),
        }
    }

    pub(super) fn write_failed(&mut self, action: Action) {
        if action != Action::Delete {
            self.index_failed += 1;
        }
    }

    pub(super) fn merge_started(&mut self) {
        self.merges_running += 1;
    }

    pub(super) fn merge_aborted(&mut self) {
        self.merges_running = self.merges_running.saturating_sub(1);
    }

    pub(super) fn merge_ended(&mut self, documents: u32, bytes: u64, time: Duration) {
        self.merge_aborted();
        self.merge.add(time);
        self.merged_documents += u64::from(documents);
        self.merged_bytes += bytes;
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SegmentStats {
    name: String,
    generation: u64,
    documents: u32,
    deleted: u32,
    bytes: u64,
    committed: bool,
    searchable: bool,
    merging: bool,
}

/// The segments as `SegmentStats` of `src/native/shard.ts`, JSON.
pub(super) fn segments_json(slots: &[Slot]) -> String {
    let segments = slots.iter().map(|slot| {
        let (documents, deleted) = slot.root_counts();
        SegmentStats {
            name: slot.id.name(),
            generation: slot.id.number,
            documents,
            deleted,
            bytes: slot.reader.bytes(),
            committed: slot.is_committed,
            searchable: slot.is_searchable,
            merging: slot.is_merging,
        }
    });
    // Plain data always serializes.
    serde_json::to_string(&segments.collect::<Vec<_>>()).unwrap_or_default()
}

/// What a copy of a shard holds, primary or replica, for its statistics.
pub(super) struct Holdings<'a> {
    pub view: &'a ShardView,
    pub published: &'a Published,
    pub slots: &'a [Slot],
    pub commit: &'a CommitPoint,
    pub translog: &'a Translog,
    pub counters: &'a Counters,
    pub checkpoints: Checkpoints,
    /// Of segments and buffers, nested and deleted ones too.
    pub document_count: u64,
    /// Documents and bytes of the indexing buffers, bytes of the version map.
    pub buffer: (usize, usize, usize),
}

impl Holdings<'_> {
    /// `ShardStats` of `src/native/shard.ts`, JSON. Documents are those that searches see.
    pub fn to_json(&self) -> String {
        let segments = &self.view.segments;
        let deleted: u64 = segments.iter().map(|segment| u64::from(segment.root_count() - segment.doc_count())).sum();
        let committed = &self.commit.segments;
        let committed_documents: u64 =
            committed.iter().map(|segment| u64::from(segment.max_doc - segment.deleted_count)).sum();
        let (documents, bytes, version_map_bytes) = self.buffer;
        let mut stats = self.counters.to_json();
        stats["search"] = search_json(&self.published.reads);
        stats["get"] = get_json(&self.published.reads);
        stats["searchGroups"] = self.published.groups.to_json();
        stats["requestCache"] = request_cache_json(&self.published.answers);
        stats["documents"] = self.view.doc_count().into();
        stats["deleted"] = deleted.into();
        stats["heldDocuments"] = self.document_count.into();
        let bytes_of = |is_remote: bool| {
            let slots = self.slots.iter().filter(|slot| slot.reader.is_remote() == is_remote);
            slots.map(|slot| slot.reader.bytes()).sum::<u64>()
        };
        stats["storeBytes"] = bytes_of(false).into();
        stats["remoteBytes"] = bytes_of(true).into();
        stats["segmentCount"] = segments.len().into();
        stats["readerBytes"] = self.slots.iter().map(Slot::heap_bytes).sum::<u64>().into();
        stats["completionBytes"] = self.completion_bytes();
        stats["fielddataBytes"] = json!(uninverted::memory_of(self.view));
        stats["maxSeqNo"] = self.checkpoints.max_seq_no.into();
        stats["localCheckpoint"] = self.checkpoints.local_checkpoint.into();
        stats["globalCheckpoint"] = self.checkpoints.global_checkpoint.into();
        stats["historyUuid"] = self.commit.history_uuid.as_str().into();
        stats["primaryTerm"] = self.checkpoints.primary_term.into();
        stats["commit"] = json!({
            "id": format!("{}_{}", self.commit.history_uuid, self.commit.generation),
            "generation": self.commit.generation,
            "documents": committed_documents,
        });
        stats["buffer"] = json!({ "documents": documents, "bytes": bytes, "versionMapBytes": version_map_bytes });
        stats["translog"] = self.translog_json();
        stats.to_string()
    }

    /// What the completion fields take in the segments that are searched, by name.
    fn completion_bytes(&self) -> Value {
        let mut bytes: BTreeMap<&str, usize> = BTreeMap::new();
        let fields = self.view.segments.iter().flat_map(|segment| segment.reader.fields());
        for field in fields.filter(|field| field.is_completion()) {
            *bytes.entry(field.name()).or_default() += field.bytes();
        }
        json!(bytes)
    }

    fn translog_json(&self) -> Value {
        let of = |figure: fn(&Translog) -> u64| figure(self.translog);
        json!({
            "operations": of(Translog::operations),
            "bytes": of(Translog::bytes),
            "uncommittedOperations": of(Translog::uncommitted_operations),
            "uncommittedBytes": of(Translog::uncommitted_bytes),
            "earliestLastModifiedAgeMs": 0,
            "historyStart": self.checkpoints.history_start,
            "historyBytes": of(Translog::history_bytes),
            "tailBytes": of(|translog| translog.tail_bytes() as u64),
        })
    }
}

/// Times in milliseconds.
fn search_json(reads: &ReadCounters) -> Value {
    let [query, fetch, suggest] = [Counted::Query, Counted::Fetch, Counted::Suggest].map(|kind| reads.sum(kind));
    json!({
        "queryTotal": query.total,
        "queryTimeMs": query.time.as_millis() as u64,
        "fetchTotal": fetch.total,
        "fetchTimeMs": fetch.time.as_millis() as u64,
        "queryFailed": reads.sum(Counted::QueryFailed).total,
        "fetchFailed": reads.sum(Counted::FetchFailed).total,
        "suggestTotal": suggest.total,
        "suggestTimeMs": suggest.time.as_millis() as u64,
    })
}

/// Times in milliseconds.
fn get_json(reads: &ReadCounters) -> Value {
    let [found, missing] = [Counted::GetFound, Counted::GetMissing].map(|kind| reads.sum(kind));
    json!({
        "total": found.total + missing.total,
        "timeMs": (found.time + missing.time).as_millis() as u64,
        "existsTotal": found.total,
        "existsTimeMs": found.time.as_millis() as u64,
        "missingTotal": missing.total,
        "missingTimeMs": missing.time.as_millis() as u64,
    })
}

fn request_cache_json(answers: &CacheCounters) -> Value {
    let CacheFigures { memory_bytes, evictions, hits, misses } = answers.figures();
    json!({ "memoryBytes": memory_bytes, "evictions": evictions, "hits": hits, "misses": misses })
}

impl Counters {
    fn to_json(&self) -> Value {
        let millis = |timed: &Timed| timed.time.as_millis() as u64;
        json!({
            "indexing": {
                "indexTotal": self.index.total,
                "indexTimeMs": millis(&self.index),
                "indexFailed": self.index_failed,
                "deleteTotal": self.delete.total,
                "deleteTimeMs": millis(&self.delete),
                "noopUpdateTotal": self.noop_updates,
            },
            "refresh": { "total": self.refresh.total, "timeMs": millis(&self.refresh) },
            "merges": {
                "total": self.merge.total,
                "current": self.merges_running,
                "timeMs": millis(&self.merge),
                "documents": self.merged_documents,
                "bytes": self.merged_bytes,
            },
        })
    }
}

impl Shard {
    /// See [`segments_json`].
    pub fn segments_json(&self) -> String {
        segments_json(&self.slots)
    }

    /// See [`Holdings::to_json`].
    pub fn stats_json(&self) -> String {
        let buffered = self.buffer.memory_bytes() + self.frozen.as_ref().map_or(0, Frozen::memory_bytes);
        let holdings = Holdings {
            view: &self.view,
            published: self.published(),
            slots: &self.slots,
            commit: &self.commit,
            translog: &self.translog,
            counters: &self.counters,
            checkpoints: self.checkpoints(),
            document_count: self.document_count(),
            buffer: (self.buffer.document_count() as usize, buffered, self.versions.memory_bytes()),
        };
        holdings.to_json()
    }

    /// -1 when there was no operation yet.
    pub fn max_seq_no(&self) -> i64 {
        self.sequence.max_seq_no()
    }
}
