//! What a replica has.

use super::Replica;
use crate::copies::history::Checkpoints;
use crate::copies::segment_set::FileDescription;
use crate::segments::slot::Slot;
use crate::stats::{Holdings, segments_json};
use crate::translog::Translog;
use quarry_base::error::Result;
use serde_json::json;

impl Replica {
    /// The local checkpoint is that of the translog.
    pub fn checkpoints(&self) -> Result<Checkpoints> {
        self.translog().map(|translog| self.checkpoints_with(translog))
    }

    fn checkpoints_with(&self, translog: &Translog) -> Checkpoints {
        let max_seq_no = translog.next_seq_no() as i64 - 1;
        let sync = translog.sync_state();
        Checkpoints {
            max_seq_no,
            local_checkpoint: max_seq_no,
            persisted_checkpoint: sync.synced_seq_no(),
            global_checkpoint: sync.global_checkpoint(),
            history_start: translog.history_start() as i64,
            primary_term: self.identity.primary_term,
            searchable_checkpoint: self.installed.checkpoint,
            refresh_generation: self.view_generation,
        }
    }

    /// `StoreDescription` of `src/native/replica-shard.ts`, JSON: what a primary must know to bring this replica level.
    pub fn store_description(&self) -> Result<String> {
        let translog = self.translog()?;
        let files = self.slots.iter().map(|slot| &slot.reader);
        let files = files.map(|reader| FileDescription::new(&reader.id(), reader.bytes(), reader.checksum()));
        let description = json!({
            "historyUuid": self.commit.history_uuid,
            "maxSeqNo": translog.next_seq_no() as i64 - 1,
            "globalCheckpoint": translog.sync_state().global_checkpoint(),
            "segmentsCheckpoint": self.installed.checkpoint,
            "terms": translog.terms().as_slice(),
            "files": files.collect::<Vec<_>>(),
        });
        Ok(description.to_string())
    }

    pub fn segments_json(&self) -> String {
        segments_json(&self.slots)
    }

    /// As that of a primary.
    pub fn stats_json(&self) -> Result<String> {
        let translog = self.translog()?;
        let holdings = Holdings {
            view: &self.view,
            published: self.published(),
            slots: &self.slots,
            commit: &self.commit,
            translog,
            counters: &self.counters,
            checkpoints: self.checkpoints_with(translog),
            document_count: self.slots.iter().map(Slot::document_count).sum(),
            buffer: (0, 0, 0),
        };
        Ok(holdings.to_json())
    }
}
