//! Operations on their way from one copy to another: records as they are in the translog's files, one after the other.

use super::RECORD_HEADER_BYTES;
use super::operation::{BatchWriter, RecordSummary, read_operations, summarize};
use super::recovery::record_at;
use super::writer::record_start;
use quarry_base::error::{Error, ErrorCode, Result};
use std::ops::Range;

/// Verified: every checksum fits, sequence numbers rise by one, primary terms do not fall.
#[derive(Debug)]
pub struct WireOperations<'a> {
    bytes: &'a [u8],
    records: Vec<(RecordSummary, Range<usize>)>,
}

/// The part of them that a copy does not have, as bytes of whole records.
#[derive(Debug, Default)]
pub(super) struct FreshRecords {
    pub bytes: Vec<u8>,
    /// With the length of each.
    pub records: Vec<(RecordSummary, u64)>,
}

impl<'a> WireOperations<'a> {
    /// Errors: `Corrupt` naming the place.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut records: Vec<(RecordSummary, Range<usize>)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let bad = |what: String| Error::corrupt(format!("operations of another copy, byte {at}: {what}"));
            let payload = record_at(bytes, at).map_err(bad)?;
            let record = summarize(payload).map_err(|error| bad(error.reason))?;
            let record = record.ok_or_else(|| bad("a record is empty".into()))?;
            if !record.is_consecutive() || record.last_seq_no >= i64::MAX as u64 {
                return Err(bad(format!(
                    "operations [{}] to [{}] are not in order",
                    record.first_seq_no, record.last_seq_no
                )));
            }
            if let Some((former, _)) = records.last()
                && (former.last_seq_no + 1 != record.first_seq_no || former.primary_term > record.primary_term)
            {
                let (former, first) = (former.last_seq_no, record.first_seq_no);
                return Err(bad(format!("operation [{first}] cannot follow [{former}]")));
            }
            let end = at + RECORD_HEADER_BYTES + payload.len();
            records.push((record, at..end));
            at = end;
        }
        Ok(WireOperations { bytes, records })
    }

    /// The terms of the first and of the last operation; `None` when there is none.
    pub fn terms(&self) -> Option<(u64, u64)> {
        Some((self.records.first()?.0.primary_term, self.records.last()?.0.primary_term))
    }

    /// Those from `next` on. Errors: `OperationGap` when some before them are missing.
    pub(super) fn from(&self, next: u64) -> Result<FreshRecords> {
        let mut fresh = FreshRecords::default();
        let known = self.records.partition_point(|(record, _)| record.last_seq_no < next);
        let Some((first, range)) = self.records.get(known) else { return Ok(fresh) };
        if first.first_seq_no > next {
            return Err(Error::new(
                ErrorCode::OperationGap,
                format!("operations from [{}] on cannot follow: the next one must be [{next}]", first.first_seq_no),
            ));
        }
        let mut whole = known;
        if first.first_seq_no < next {
            fresh = cut_front(&self.bytes[range.clone()], first, next)?;
            whole += 1;
        }
        for (record, range) in &self.records[whole..] {
            fresh.records.push((*record, range.len() as u64));
        }
        if let Some((_, range)) = self.records.get(whole) {
            fresh.bytes.extend_from_slice(&self.bytes[range.start..]);
        }
        Ok(fresh)
    }
}

/// The record without its operations before `next`.
fn cut_front(bytes: &[u8], record: &RecordSummary, next: u64) -> Result<FreshRecords> {
    rewrite(&bytes[RECORD_HEADER_BYTES..], record.primary_term, |seq_no| seq_no >= next)
}

/// A record of those operations of a payload that are wanted.
pub(super) fn rewrite(payload: &[u8], primary_term: u64, wanted: impl Fn(u64) -> bool) -> Result<FreshRecords> {
    let mut writer = BatchWriter::default();
    read_operations(payload, |operation| {
        if wanted(operation.seq_no) {
            writer.add(&operation);
        }
        Ok(())
    })?;
    let summary = writer.summary(primary_term);
    if writer.is_empty() {
        return Ok(FreshRecords::default());
    }
    let (head, body) = writer.take(primary_term, Vec::new());
    let mut bytes = record_start(&head, &body)?;
    bytes.extend_from_slice(&body);
    let length = bytes.len() as u64;
    Ok(FreshRecords { bytes, records: vec![(summary, length)] })
}
