//! Gives up the newest operations of a translog: a primary was replaced by one that does not have them.

use super::checkpoint::{Checkpoint, CheckpointFile};
use super::operation::summarize;
use super::recovery::{LogBounds, LogReader, Reading};
use super::sync::sync_directory;
use super::wire::rewrite;
use super::{HistoryId, TEMPORARY, generation_path};
use crate::sequence::next_after;
use quarry_base::error::{Error, Result};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where the operations to keep end.
struct Cut {
    offset: u64,
    /// Of a record that is kept in part: what is kept.
    kept: Vec<u8>,
}

/// Removes the operations above `seq_no` from the files of a translog that is not open, durably.
///
/// At every moment the files hold all operations up to `seq_no` and an unbroken run of the later ones, so a crash in
/// between leaves a translog that can be rolled back again.
pub fn roll_back(directory: &Path, history: HistoryId, bounds: LogBounds, seq_no: i64) -> Result<()> {
    let found = Reading::of(directory, &history, bounds)?.found;
    let next = next_after(seq_no);
    let Some(first) = found.generations.iter().position(|generation| generation.reaches(next)) else { return Ok(()) };
    let cut = find_cut(&LogReader::open(directory, found.generations[first].number, &history)?, next)?;
    // What must be there ends at the cut from now on.
    let checkpoint = Checkpoint {
        generation: found.generations[first].number,
        synced_length: cut.offset,
        global_checkpoint: found.global_checkpoint,
    };
    CheckpointFile::create(directory, checkpoint)?;
    sync_directory(directory)?;
    for generation in found.generations[first + 1..].iter().rev() {
        let path = generation_path(directory, generation.number);
        std::fs::remove_file(&path).map_err(|error| Error::io("removing", &path, error))?;
    }
    replace(directory, &history, found.generations[first].number, &cut)
}

fn find_cut(log: &LogReader, next: u64) -> Result<Cut> {
    let mut cut: Option<Cut> = None;
    let (end, _) = log.read(&mut |at, payload| {
        let Some(record) = summarize(payload)?.filter(|record| record.last_seq_no >= next) else { return Ok(()) };
        if cut.is_none() {
            let kept = rewrite(payload, record.primary_term, |seq_no| seq_no < next)?.bytes;
            cut = Some(Cut { offset: at, kept });
        }
        Ok(())
    })?;
    Ok(cut.unwrap_or(Cut { offset: end, kept: Vec::new() }))
}

/// Puts the shortened generation in the place of the whole one.
fn replace(directory: &Path, history: &HistoryId, number: u64, cut: &Cut) -> Result<()> {
    let path = generation_path(directory, number);
    let mut name = path.clone().into_os_string();
    name.push(TEMPORARY);
    let beside = PathBuf::from(name);
    let log = LogReader::open(directory, number, history)?;
    let kept = log.bytes().get(..cut.offset as usize).ok_or_else(|| log.damaged(cut.offset, "the file is cut off"))?;
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&beside)?;
        file.write_all(kept)?;
        file.write_all(&cut.kept)?;
        file.sync_all()
    };
    write().map_err(|error| Error::io("writing", &beside, error))?;
    std::fs::rename(&beside, &path).map_err(|error| Error::io("renaming", &beside, error))?;
    sync_directory(directory)
}
