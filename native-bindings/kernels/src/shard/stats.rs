//! What the shard has done since it was opened, and what it holds.

use super::descriptor::Action;
use super::engine::Shard;
use super::frozen::Frozen;
use serde::Serialize;
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
    get_found: Timed,
    get_missing: Timed,
    pub query: Timed,
    pub fetch: Timed,
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

    pub(super) fn got(&mut self, found: bool, time: Duration) {
        if found { &mut self.get_found } else { &mut self.get_missing }.add(time);
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

impl Shard {
    /// The segments as `SegmentStats` of `src/native/shard.ts`, JSON.
    pub fn segments_json(&self) -> String {
        let segments = self.slots.iter().map(|slot| SegmentStats {
            name: slot.id.name(),
            generation: slot.id.number,
            documents: slot.live_count(),
            deleted: slot.deleted_count(),
            bytes: slot.reader.bytes(),
            committed: slot.is_committed,
            searchable: slot.is_searchable,
            merging: slot.is_merging,
        });
        // Plain data always serializes.
        serde_json::to_string(&segments.collect::<Vec<_>>()).unwrap_or_default()
    }

    /// `ShardStats` of `src/native/shard.ts`, JSON. Documents are those that searches see.
    pub fn stats_json(&self) -> String {
        let counters = &self.counters;
        let millis = |timed: &Timed| timed.time.as_millis() as u64;
        let segments = &self.view.segments;
        let deleted: u64 = segments.iter().map(|segment| u64::from(segment.max_doc() - segment.doc_count())).sum();
        let committed = &self.commit.segments;
        let committed_documents: u64 =
            committed.iter().map(|segment| u64::from(segment.max_doc - segment.deleted_count)).sum();
        let gets = [&counters.get_found, &counters.get_missing];
        serde_json::json!({
            "documents": self.view.doc_count(),
            "deleted": deleted,
            "storeBytes": self.slots.iter().map(|slot| slot.reader.bytes()).sum::<u64>(),
            "segmentCount": segments.len(),
            "maxSeqNo": self.sequence.max_seq_no(),
            "localCheckpoint": self.sequence.local_checkpoint(),
            "historyUuid": self.commit.history_uuid,
            "primaryTerm": self.identity.primary_term,
            "commit": {
                "id": format!("{}_{}", self.commit.history_uuid, self.commit.generation),
                "generation": self.commit.generation,
                "documents": committed_documents,
            },
            "buffer": {
                "documents": self.buffer.document_count(),
                "bytes": self.buffer.memory_bytes() + self.frozen.as_ref().map_or(0, Frozen::memory_bytes),
                "versionMapBytes": self.versions.memory_bytes(),
            },
            "translog": {
                "operations": self.translog.operations(),
                "bytes": self.translog.bytes(),
                "uncommittedOperations": self.translog.operations(),
                "uncommittedBytes": self.translog.bytes(),
                "earliestLastModifiedAgeMs": 0,
            },
            "indexing": {
                "indexTotal": counters.index.total,
                "indexTimeMs": millis(&counters.index),
                "indexFailed": counters.index_failed,
                "deleteTotal": counters.delete.total,
                "deleteTimeMs": millis(&counters.delete),
                "noopUpdateTotal": counters.noop_updates,
            },
            "get": {
                "total": gets.iter().map(|timed| timed.total).sum::<u64>(),
                "timeMs": gets.iter().map(|timed| millis(timed)).sum::<u64>(),
                "existsTotal": counters.get_found.total,
                "existsTimeMs": millis(&counters.get_found),
                "missingTotal": counters.get_missing.total,
                "missingTimeMs": millis(&counters.get_missing),
            },
            "search": {
                "queryTotal": counters.query.total,
                "queryTimeMs": millis(&counters.query),
                "fetchTotal": counters.fetch.total,
                "fetchTimeMs": millis(&counters.fetch),
            },
            "refresh": { "total": counters.refresh.total, "timeMs": millis(&counters.refresh) },
            "merges": {
                "total": counters.merge.total,
                "current": counters.merges_running,
                "timeMs": millis(&counters.merge),
                "documents": counters.merged_documents,
                "bytes": counters.merged_bytes,
            },
        })
        .to_string()
    }

    /// A search was run on a view of this shard.
    pub fn count_query(&mut self, time: Duration) {
        self.counters.query.add(time);
    }

    /// Hits were fetched from a view of this shard.
    pub fn count_fetch(&mut self, time: Duration) {
        self.counters.fetch.add(time);
    }

    /// -1 when there was no operation yet.
    pub fn max_seq_no(&self) -> i64 {
        self.sequence.max_seq_no()
    }
}
