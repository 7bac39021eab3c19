//! Is a shard's directory whole: segments, commit point and translog.

use crate::sequence::next_after;
use crate::translog::{LogBounds, check_translog};
use quarry_base::error::{Error, ErrorCode, Result};
use quarry_base::random::history_of_name;
use quarry_segment::check::{Finding, check};
use quarry_segment::directory::commit::CommitPoint;
use std::path::Path;

/// What the commit point says of the translog.
pub(crate) fn log_bounds(commit: &CommitPoint) -> LogBounds {
    let needed = commit.translog_generation;
    let kept = match commit.kept_translog_generation {
        0 => needed,
        kept => kept,
    };
    LogBounds { needed, kept }
}

/// Reads every byte of the newest commit and of the translog; changes nothing. An empty answer means whole.
pub fn check_shard(directory: &Path) -> Result<Vec<Finding>> {
    let mut findings = check(directory)?;
    let translog = CommitPoint::newest(directory).and_then(|commit| match commit {
        None => Err(Error::corrupt(format!("[{}] holds no commit point", directory.display()))),
        Some(commit) => {
            let (history, next) = (history_of_name(&commit.history_uuid)?, next_after(commit.local_checkpoint));
            check_translog(directory, history, log_bounds(&commit), next).map(drop)
        }
    });
    match translog {
        Ok(()) => {}
        Err(error) if error.code == ErrorCode::Corrupt => {
            let finding = Finding { file: directory.to_path_buf(), place: "translog".into(), problem: error.reason };
            // A damaged commit point is reported by the segments' check already.
            if !findings.iter().any(|known| known.problem == finding.problem) {
                findings.push(finding);
            }
        }
        Err(error) => return Err(error),
    }
    Ok(findings)
}
