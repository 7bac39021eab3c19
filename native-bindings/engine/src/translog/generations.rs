//! What the open translog knows of its files: which generation holds which operations, and where.

use super::HEADER_BYTES;
use super::operation::RecordSummary;
use std::ops::RangeInclusive;

/// Bytes of a generation between two places that are remembered: reading from a number on skips no more than these.
const MARK_DISTANCE: u64 = 64 << 10;

/// One generation, as far as it was written.
#[derive(Debug, Clone)]
pub(super) struct Generation {
    pub number: u64,
    /// Bytes, with the header.
    pub length: u64,
    pub operations: u64,
    /// Sequence numbers of its first and last operation; `None` when it has none.
    pub seq_nos: Option<RangeInclusive<u64>>,
    /// Some of the records: first sequence number and place. Ascending.
    marks: Vec<(u64, u64)>,
}

impl Generation {
    pub fn new(number: u64) -> Self {
        Generation { number, length: HEADER_BYTES, operations: 0, seq_nos: None, marks: Vec::new() }
    }

    /// A record of so many bytes follows.
    pub fn add(&mut self, record: &RecordSummary, bytes: u64) {
        let last = self.marks.last().map_or(0, |(_, offset)| *offset);
        if self.marks.is_empty() || self.length - last >= MARK_DISTANCE {
            self.marks.push((record.first_seq_no, self.length));
        }
        let first = self.seq_nos.as_ref().map_or(record.first_seq_no, |range| *range.start());
        self.seq_nos = Some(first..=record.last_seq_no);
        self.length += bytes;
        self.operations += record.operations;
    }

    /// It holds operations with this number or a higher one.
    pub fn reaches(&self, seq_no: u64) -> bool {
        self.seq_nos.as_ref().is_some_and(|range| *range.end() >= seq_no)
    }

    /// A place at or before the record that holds this number.
    pub fn place_before(&self, seq_no: u64) -> u64 {
        let after = self.marks.partition_point(|(first, _)| *first <= seq_no);
        after.checked_sub(1).and_then(|place| self.marks.get(place)).map_or(HEADER_BYTES, |(_, offset)| *offset)
    }
}
