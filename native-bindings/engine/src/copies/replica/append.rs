//! Operations of the primary.

use super::Replica;
use crate::copies::history::stale_term;
use crate::translog::WireOperations;
use quarry_base::error::{Error, ErrorCode, Result};

impl Replica {
    /// Appends the operations that are not here yet; returns the location to wait for before they are acknowledged.
    ///
    /// Errors, nothing was appended then: `Corrupt` when the bytes are not whole; `OperationGap` when operations before them are
    /// missing; `PrimaryTermStale`; `ReplicaNotAligned`.
    pub fn append(&mut self, bytes: &[u8], primary_term: u64, global_checkpoint: i64) -> Result<u64> {
        self.check_usable()?;
        self.check_aligned(primary_term)?;
        let operations = WireOperations::read(bytes)?;
        if let Some((_, newest)) = operations.terms().filter(|(_, newest)| *newest > primary_term) {
            return Err(Error::corrupt(format!(
                "the primary of term [{primary_term}] sent an operation of term [{newest}]"
            )));
        }
        let location = self.translog_mut()?.append_operations(&operations);
        let refused = matches!(&location, Err(error) if error.code == ErrorCode::OperationGap);
        let location = if refused { location } else { self.failing(location) }?;
        self.set_global_checkpoint(global_checkpoint)?;
        let threshold = self.settings.generation_threshold_bytes;
        if self.translog()?.generation_bytes() >= threshold {
            let rolled = self.translog_mut()?.roll();
            self.failing(rolled)?;
        }
        Ok(location)
    }

    /// Of the newest operation; -1 for none.
    pub fn max_seq_no(&self) -> Result<i64> {
        self.translog().map(|translog| translog.next_seq_no() as i64 - 1)
    }

    /// A primary that another one has replaced is refused, and one that this replica was not compared with.
    pub(super) fn check_aligned(&self, primary_term: u64) -> Result<()> {
        let known = self.identity.primary_term;
        if primary_term < known {
            return Err(stale_term(primary_term, known));
        }
        if self.aligned_term == Some(primary_term) {
            return Ok(());
        }
        let aligned = self.aligned_term.map_or("no primary".into(), |term| format!("the primary of term [{term}]"));
        Err(Error::new(
            ErrorCode::ReplicaNotAligned,
            format!("the replica was aligned with {aligned}, not with that of term [{primary_term}]"),
        ))
    }
}
