//! The newest records in memory: what copies are sent in the steady state is read from no file.

use super::operation::RecordSummary;
use super::sync::RecordBytes;
use std::collections::VecDeque;
use std::sync::Arc;

/// What is kept of one shard. Copies that are further behind are sent what the files hold.
const TAIL_BYTES_MAX: usize = 4 << 20;

/// Records with consecutive sequence numbers, up to the newest. Empty until somebody asks for operations.
#[derive(Debug, Default)]
pub(super) struct Tail {
    is_kept: bool,
    records: VecDeque<(RecordSummary, Arc<RecordBytes>)>,
    bytes: usize,
}

impl Tail {
    /// From now on.
    pub fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Calls `dropped` with what has to go.
    pub fn push(&mut self, record: RecordSummary, bytes: &Arc<RecordBytes>, dropped: impl FnMut(Arc<RecordBytes>)) {
        if !self.is_kept {
            return;
        }
        let follows = self.records.back().is_none_or(|(last, _)| last.last_seq_no + 1 == record.first_seq_no);
        if !follows {
            self.clear();
        }
        self.bytes += bytes.length();
        self.records.push_back((record, Arc::clone(bytes)));
        // The newest stays, however large.
        self.shrink(|tail| tail.bytes > TAIL_BYTES_MAX && tail.records.len() > 1, dropped);
    }

    /// Nobody asks for operations below any more.
    pub fn forget_below(&mut self, seq_no: u64, dropped: impl FnMut(Arc<RecordBytes>)) {
        self.shrink(|tail| tail.records.front().is_some_and(|(record, _)| record.last_seq_no < seq_no), dropped);
    }

    fn shrink(&mut self, too_much: impl Fn(&Self) -> bool, mut dropped: impl FnMut(Arc<RecordBytes>)) {
        while too_much(self) {
            let Some((_, bytes)) = self.records.pop_front() else { return };
            self.bytes -= bytes.length();
            dropped(bytes);
        }
    }

    pub fn clear(&mut self) {
        self.records = VecDeque::new();
        self.bytes = 0;
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whole records from the one with `seq_no` on, one at least, and the last number in them. `None` when that one is not here.
    pub fn read(&self, seq_no: u64, max_bytes: usize) -> Option<(Vec<u8>, u64)> {
        let from = self.records.partition_point(|(record, _)| record.last_seq_no < seq_no);
        let (first, _) = self.records.get(from).filter(|(record, _)| record.first_seq_no <= seq_no)?;
        let mut last = first.last_seq_no;
        let mut bytes = Vec::new();
        for (record, part) in self.records.iter().skip(from) {
            if !bytes.is_empty() && bytes.len() + part.length() > max_bytes {
                break;
            }
            bytes.extend_from_slice(&part.start);
            bytes.extend_from_slice(&part.body);
            last = record.last_seq_no;
        }
        Some((bytes, last))
    }
}
