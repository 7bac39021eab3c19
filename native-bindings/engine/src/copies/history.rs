//! What a primary tells its copies of its operations, and how long it keeps them.

use crate::engine::Shard;
use crate::translog::{HistoryRead, Operations, TermStart, TermStarts};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_segment::directory::commit::CommitPoint;

/// How far a copy is; sequence numbers, -1 where there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoints {
    pub max_seq_no: i64,
    /// Everything up to here was applied; on a replica, appended to its translog.
    pub local_checkpoint: i64,
    /// Everything up to here is on disk.
    pub persisted_checkpoint: i64,
    /// Every in-sync copy has everything up to here, as far as this copy was told.
    pub global_checkpoint: i64,
    /// The translog has the operations from here on.
    pub history_start: i64,
    pub primary_term: u64,
    /// What searches see contains exactly the operations up to here.
    pub searchable_checkpoint: i64,
    /// Rises whenever searches see something else.
    pub refresh_generation: u64,
}

/// The terms that a commit point names.
pub(crate) fn terms_of(commit: &CommitPoint) -> Result<TermStarts> {
    if commit.terms.is_empty() && commit.max_seq_no >= 0 {
        // From before there were copies: nobody compares the older ones.
        let mut terms = TermStarts::default();
        terms.note(commit.primary_term, 0);
        return Ok(terms);
    }
    term_starts(&commit.terms)
        .ok_or_else(|| Error::corrupt(format!("[{}]: primary terms do not ascend", commit.file_name())))
}

pub(crate) fn term_starts(terms: &[(u64, u64)]) -> Option<TermStarts> {
    TermStarts::new(terms.iter().map(|&(term, first_seq_no)| TermStart { term, first_seq_no }).collect())
}

/// As commit points and segment sets have them.
pub(crate) fn terms_up_to(terms: &TermStarts, seq_no: i64) -> Vec<(u64, u64)> {
    let mut terms = terms.clone();
    terms.truncate_above(seq_no);
    terms.as_slice().iter().map(|start| (start.term, start.first_seq_no)).collect()
}

pub(crate) fn terms_json(terms: &TermStarts) -> String {
    // Plain data always serializes.
    serde_json::to_string(terms.as_slice()).unwrap_or_default()
}

pub(crate) fn stale_term(given: u64, known: u64) -> Error {
    Error::new(ErrorCode::PrimaryTermStale, format!("primary term [{given}] is older than [{known}]"))
}

impl Shard {
    /// The operations from `seq_no` on where they are in memory: whole records, about `max_bytes` of them. `None` where they
    /// have to be read. Errors: `HistoryUnavailable`.
    pub fn operations_in_memory(&mut self, seq_no: u64, max_bytes: usize) -> Result<Option<Operations>> {
        self.check_usable()?;
        self.translog.operations_in_memory(seq_no, max_bytes)
    }

    /// The reading of operations that are not in memory.
    pub fn read_history(&self, seq_no: u64, max_bytes: usize) -> Result<HistoryRead> {
        self.check_usable()?;
        self.translog.read_history(seq_no, max_bytes)
    }

    /// Operations from `seq_no` on outlast flushes, up to `max_bytes` of them beyond what the commit needs.
    pub fn retain_from(&mut self, seq_no: u64, max_bytes: u64) -> Result<()> {
        self.translog.retain_from(seq_no, max_bytes)
    }

    pub fn checkpoints(&self) -> Checkpoints {
        let sync = self.translog.sync_state();
        Checkpoints {
            max_seq_no: self.sequence.max_seq_no(),
            local_checkpoint: self.sequence.local_checkpoint(),
            persisted_checkpoint: sync.synced_seq_no(),
            global_checkpoint: sync.global_checkpoint(),
            history_start: self.translog.history_start() as i64,
            primary_term: self.identity.primary_term,
            searchable_checkpoint: self.view_checkpoint,
            refresh_generation: self.view_generation,
        }
    }

    /// Every in-sync copy has everything up to `seq_no`. Never falls; on disk with the next sync or flush.
    pub fn set_global_checkpoint(&self, seq_no: i64) {
        self.translog.sync_state().set_global_checkpoint(seq_no);
    }

    /// Operations from now on are of this term.
    pub fn advance_primary_term(&mut self, primary_term: u64) -> Result<()> {
        if primary_term < self.identity.primary_term {
            return Err(stale_term(primary_term, self.identity.primary_term));
        }
        self.identity.primary_term = primary_term;
        Ok(())
    }

    /// In which terms the operations were made, JSON.
    pub fn terms_json(&self) -> String {
        terms_json(self.translog.terms())
    }

    pub fn history_uuid(&self) -> &str {
        &self.commit.history_uuid
    }
}
