//! Comparing histories: what a replica has above the history that it shares with a primary is given up.

use super::Replica;
use crate::copies::history::{stale_term, terms_of};
use crate::directory::check::log_bounds;
use crate::directory::claim::DirectoryClaim;
use crate::sequence::next_after;
use crate::translog::{HistoryId, LogBounds, TermStart, TermStarts, Translog, recover, roll_back};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::random::history_of_name;
use std::path::PathBuf;
use std::sync::Arc;

/// Removes operations from the translog; for any thread.
#[derive(Debug)]
pub struct RollbackJob {
    seq_no: i64,
    primary_term: u64,
    /// None when it has nothing above: there is nothing to do.
    work: Option<RollbackWork>,
}

#[derive(Debug)]
struct RollbackWork {
    translog: Translog,
    directory: PathBuf,
    history: HistoryId,
    bounds: LogBounds,
    /// What the segments have: the next number, and the terms before it.
    next: u64,
    terms: TermStarts,
    _claim: Arc<DirectoryClaim>,
}

impl RollbackJob {
    /// The translog without the operations; `None` when it had none to give up.
    pub fn run(&mut self) -> Result<Option<Translog>> {
        let Some(work) = self.work.take() else { return Ok(None) };
        let RollbackWork { translog, directory, history, bounds, next, terms, _claim } = work;
        let (global_checkpoint, retention) = (translog.sync_state().global_checkpoint(), translog.retention());
        // Whoever waits for operations is answered before they go.
        translog.sync_state().sync_now()?;
        drop(translog);
        roll_back(&directory, history, bounds, self.seq_no)?;
        let mut translog = recover(&directory, history, bounds)?.translog;
        translog.resume(next, terms)?;
        translog.sync_state().set_global_checkpoint(global_checkpoint.min(self.seq_no));
        translog.retain_from(retention.0, retention.1)?;
        Ok(Some(translog))
    }
}

impl Replica {
    /// Up to where this replica's operations are those of a primary with these terms (JSON of [`TermStart`]s) and that newest
    /// operation; -1 when nothing is known to be.
    pub fn common_seq_no(&self, terms: &str, max_seq_no: i64) -> Result<i64> {
        let starts: Vec<TermStart> = serde_json::from_str(terms).map_err(|error| {
            Error::illegal_argument(format!("the primary terms of a shard cannot be read: {error}"))
        })?;
        let starts = TermStarts::new(starts)
            .ok_or_else(|| Error::illegal_argument("the primary terms of a shard do not ascend"))?;
        let translog = self.translog()?;
        let mine = translog.next_seq_no() as i64 - 1;
        let common = translog.terms().common_with(mine, &starts, max_seq_no);
        // Every primary has what all in-sync copies have.
        let acknowledged = translog.sync_state().global_checkpoint().min(mine).min(max_seq_no);
        Ok(common.max(acknowledged))
    }

    /// Begins to give up the operations above `seq_no`; operations of the primary of this term are taken when that is done.
    ///
    /// Errors: `PrimaryTermStale`; `CopyAnew` when installed segments contain such operations.
    pub fn begin_rollback(&mut self, seq_no: i64, primary_term: u64) -> Result<RollbackJob> {
        self.check_usable()?;
        if primary_term < self.identity.primary_term {
            return Err(stale_term(primary_term, self.identity.primary_term));
        }
        self.begin_step()?;
        let prepared = self.prepare_rollback(seq_no);
        self.step_is_running = prepared.is_ok();
        let work = prepared?;
        self.identity.primary_term = primary_term;
        self.aligned_term = None;
        Ok(RollbackJob { seq_no, primary_term, work })
    }

    fn prepare_rollback(&mut self, seq_no: i64) -> Result<Option<RollbackWork>> {
        let contained = self.installed.checkpoint.max(self.commit.local_checkpoint);
        if contained > seq_no {
            return Err(Error::new(
                ErrorCode::CopyAnew,
                format!(
                    "the segments contain operations up to [{contained}], those above [{seq_no}] cannot be given up"
                ),
            ));
        }
        let (history, terms) = (history_of_name(&self.commit.history_uuid)?, terms_of(&self.commit)?);
        if self.translog()?.next_seq_no() <= next_after(seq_no) {
            return Ok(None);
        }
        Ok(self.translog.take().map(|translog| RollbackWork {
            translog,
            directory: self.identity.directory.clone(),
            history,
            bounds: log_bounds(&self.commit),
            next: next_after(self.commit.local_checkpoint),
            terms,
            _claim: Arc::clone(&self.identity.claim),
        }))
    }

    /// Takes the translog that is left. After an error the replica has failed.
    pub fn finish_rollback(&mut self, job: &RollbackJob, result: Result<Option<Translog>>) -> Result<()> {
        self.step_is_running = false;
        if let Some(translog) = self.failing(result)? {
            self.translog = Some(translog);
        }
        self.aligned_term = Some(job.primary_term);
        Ok(())
    }

    /// Commits and rollbacks run one after the other.
    pub(super) fn begin_step(&mut self) -> Result<()> {
        if std::mem::replace(&mut self.step_is_running, true) {
            return Err(Error::illegal_state("the replica is being committed or rolled back"));
        }
        Ok(())
    }

    /// All steps at once, waiting for the disk.
    pub fn rollback_above(&mut self, seq_no: i64, primary_term: u64) -> Result<()> {
        let mut job = self.begin_rollback(seq_no, primary_term)?;
        let result = job.run();
        self.finish_rollback(&job, result)
    }
}
