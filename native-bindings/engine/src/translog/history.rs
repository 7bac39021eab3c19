//! Operations for copies that have to catch up: the newest from memory, older ones from the generations that are kept.

use super::operation::summarize;
use super::recovery::{LogReader, record_at};
use super::sync::SyncState;
use super::writer::Translog;
use super::{HistoryId, RECORD_HEADER_BYTES};
use quarry_base::error::{Error, ErrorCode, Result};
use std::path::PathBuf;
use std::sync::Arc;

/// Whole records, see [`super::wire`].
#[derive(Debug, PartialEq, Eq)]
pub struct Operations {
    pub bytes: Vec<u8>,
    /// The number before the one that was asked for when there are none.
    pub last_seq_no: i64,
}

/// Where a reader begins in one generation, and how far that was written.
#[derive(Debug)]
struct Piece {
    generation: u64,
    from: u64,
    end: u64,
}

/// Reads operations from files; for any thread.
#[derive(Debug)]
pub struct HistoryRead {
    directory: PathBuf,
    history: HistoryId,
    seq_no: u64,
    max_bytes: usize,
    pieces: Vec<Piece>,
    /// The files hold all of it once this is written.
    location: u64,
    sync: Arc<SyncState>,
}

fn unavailable(seq_no: u64, has: impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::HistoryUnavailable, format!("operation [{seq_no}] is not in the translog any more: {has}"))
}

impl Translog {
    /// The operations from `seq_no` on where they are in memory, `None` where they have to be read: [`Translog::read_history`].
    /// Errors: `HistoryUnavailable` when they are neither here nor there.
    pub fn operations_in_memory(&mut self, seq_no: u64, max_bytes: usize) -> Result<Option<Operations>> {
        self.tail.keep();
        if seq_no >= self.next_seq_no() {
            let last_seq_no = i64::try_from(seq_no).unwrap_or(i64::MAX) - 1;
            return Ok(Some(Operations { bytes: Vec::new(), last_seq_no }));
        }
        self.check_kept(seq_no)?;
        let found = self.tail.read(seq_no, max_bytes);
        Ok(found.map(|(bytes, last)| Operations { bytes, last_seq_no: last as i64 }))
    }

    fn check_kept(&self, seq_no: u64) -> Result<()> {
        match self.history_start() {
            start if seq_no >= start => Ok(()),
            start => Err(unavailable(seq_no, format!("it begins with [{start}]"))),
        }
    }

    /// The reading of the operations from `seq_no` on, about `max_bytes` of them.
    pub fn read_history(&self, seq_no: u64, max_bytes: usize) -> Result<HistoryRead> {
        self.check_kept(seq_no)?;
        let mut pieces = Vec::new();
        let mut bytes = 0;
        for generation in self.generations.iter().filter(|generation| generation.reaches(seq_no)) {
            let from = generation.place_before(seq_no);
            pieces.push(Piece { generation: generation.number, from, end: generation.length });
            bytes += generation.length - from;
            // The first piece may begin with records that are skipped.
            if pieces.len() > 1 && bytes > max_bytes as u64 {
                break;
            }
        }
        let sync = Arc::clone(self.sync_state());
        let location = sync.appended();
        let (directory, history) = (self.directory.clone(), self.history);
        Ok(HistoryRead { directory, history, seq_no, max_bytes, pieces, location, sync })
    }
}

impl HistoryRead {
    pub fn run(&self) -> Result<Operations> {
        self.sync.wait_until_written(self.location)?;
        let mut read = Operations { bytes: Vec::new(), last_seq_no: self.seq_no as i64 - 1 };
        for piece in &self.pieces {
            if !self.read_piece(piece, &mut read)? {
                break;
            }
        }
        Ok(read)
    }

    /// `false` when there is enough.
    fn read_piece(&self, piece: &Piece, read: &mut Operations) -> Result<bool> {
        let log = LogReader::open(&self.directory, piece.generation, &self.history);
        // Removed since the reading was prepared: the copy had been given up.
        let log =
            log.map_err(|error| match self.directory.join(super::generation_name(piece.generation)).exists() {
                true => error,
                false => unavailable(self.seq_no, "its file was removed"),
            })?;
        let bytes =
            log.bytes().get(..piece.end as usize).ok_or_else(|| log.damaged(piece.end, "the file is cut off"))?;
        let mut at = piece.from as usize;
        while at < bytes.len() {
            let payload = record_at(bytes, at).map_err(|problem| log.damaged(at as u64, problem))?;
            let record = summarize(payload).map_err(|error| log.damaged(at as u64, error.reason))?;
            let end = at + RECORD_HEADER_BYTES + payload.len();
            if let Some(record) = record.filter(|record| record.last_seq_no >= self.seq_no) {
                if !read.bytes.is_empty() && read.bytes.len() + (end - at) > self.max_bytes {
                    return Ok(false);
                }
                read.bytes.extend_from_slice(&bytes[at..end]);
                read.last_seq_no = record.last_seq_no as i64;
            }
            at = end;
        }
        Ok(true)
    }
}
