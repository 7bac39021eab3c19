//! The operations of one batch as bytes: count, primary term, then each operation.
//!
//! | part | encoding |
//! | --- | --- |
//! | batch | varint count, varint primary term |
//! | operation | kind u8 (1 index, 2 delete; bit 7: routing follows; bit 6: plans of queries follow), varint seq_no, varint version, id, [routing], [source], [plans] |
//! | texts | varint length, bytes |

use quarry_base::error::{Error, Result};
use quarry_codec::varint::{read_u64, write_u64};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperationKind<'a> {
    Index {
        source: &'a [u8],
        routing: Option<&'a [u8]>,
        /// Plans of the queries that the document holds ([`crate::stored_queries`]); empty: it holds none.
        queries: &'a [u8],
    },
    Delete,
}

/// One operation as it is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation<'a> {
    pub seq_no: u64,
    pub primary_term: u64,
    pub version: u64,
    pub id: &'a [u8],
    pub kind: OperationKind<'a>,
}

const INDEX: u8 = 1;
const DELETE: u8 = 2;
const HAS_ROUTING: u8 = 1 << 7;
const HAS_QUERIES: u8 = 1 << 6;

/// Collects the operations of a batch.
#[derive(Debug, Default)]
pub struct BatchWriter {
    body: Vec<u8>,
    count: u64,
    /// Of the first and the last operation.
    first_seq_no: u64,
    last_seq_no: u64,
}

/// What a record holds: operations of one primary term with consecutive sequence numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordSummary {
    pub primary_term: u64,
    pub operations: u64,
    pub first_seq_no: u64,
    pub last_seq_no: u64,
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_u64(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

impl BatchWriter {
    pub fn add(&mut self, operation: &Operation<'_>) {
        let (kind, routing, source, queries) = match operation.kind {
            OperationKind::Index { source, routing, queries } => {
                (INDEX, routing, Some(source), Some(queries).filter(|queries| !queries.is_empty()))
            }
            OperationKind::Delete => (DELETE, None, None, None),
        };
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        let out = &mut self.body;
        out.push(kind | flag(routing.is_some(), HAS_ROUTING) | flag(queries.is_some(), HAS_QUERIES));
        write_u64(out, operation.seq_no);
        write_u64(out, operation.version);
        write_bytes(out, operation.id);
        routing.into_iter().chain(source).chain(queries).for_each(|bytes| write_bytes(out, bytes));
        if self.count == 0 {
            self.first_seq_no = operation.seq_no;
        }
        self.last_seq_no = operation.seq_no;
        self.count += 1;
    }

    pub(super) fn summary(&self, primary_term: u64) -> RecordSummary {
        let BatchWriter { count, first_seq_no, last_seq_no, .. } = *self;
        RecordSummary { primary_term, operations: count, first_seq_no, last_seq_no }
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn bytes(&self) -> usize {
        self.body.len()
    }

    /// The payload's two parts, in order. All operations of a batch have the same primary term. The next batch is
    /// collected in the memory of `spare`, which is empty.
    pub(super) fn take(&mut self, primary_term: u64, spare: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
        let mut head = Vec::with_capacity(20);
        write_u64(&mut head, self.count);
        write_u64(&mut head, primary_term);
        self.count = 0;
        (head, std::mem::replace(&mut self.body, spare))
    }
}

fn read_bytes<'a>(payload: &'a [u8], at: &mut usize) -> Result<&'a [u8]> {
    let length = usize::try_from(read_u64(payload, at)?).unwrap_or(usize::MAX);
    let bytes = at.checked_add(length).and_then(|end| payload.get(*at..end));
    *at = at.saturating_add(length);
    bytes.ok_or_else(|| Error::corrupt("an operation's bytes run past its record"))
}

/// What a payload holds; `None` when it holds nothing. Its numbers may be anything: see [`RecordSummary::is_consecutive`].
pub fn summarize(payload: &[u8]) -> Result<Option<RecordSummary>> {
    let mut summary: Option<RecordSummary> = None;
    let operations = read_operations(payload, |operation| {
        let Operation { seq_no, primary_term, .. } = operation;
        let first_seq_no = summary.map_or(seq_no, |summary| summary.first_seq_no);
        summary = Some(RecordSummary { primary_term, operations: 0, first_seq_no, last_seq_no: seq_no });
        Ok(())
    })?;
    Ok(summary.map(|summary| RecordSummary { operations, ..summary }))
}

impl RecordSummary {
    /// The numbers rise by one with each operation, as far as the ends tell.
    pub fn is_consecutive(&self) -> bool {
        self.last_seq_no.checked_sub(self.first_seq_no).is_some_and(|distance| distance == self.operations - 1)
    }
}

/// Calls `each` for every operation of a payload, in order.
pub fn read_operations<'a>(payload: &'a [u8], mut each: impl FnMut(Operation<'a>) -> Result<()>) -> Result<u64> {
    let mut at = 0;
    let count = read_u64(payload, &mut at)?;
    let primary_term = read_u64(payload, &mut at)?;
    for _ in 0..count {
        let kind = *payload.get(at).ok_or_else(|| Error::corrupt("an operation is missing from its record"))?;
        at += 1;
        let seq_no = read_u64(payload, &mut at)?;
        let version = read_u64(payload, &mut at)?;
        let id = read_bytes(payload, &mut at)?;
        let routing = if kind & HAS_ROUTING == 0 { None } else { Some(read_bytes(payload, &mut at)?) };
        let has_queries = kind & HAS_QUERIES != 0;
        let kind = match kind & !(HAS_ROUTING | HAS_QUERIES) {
            INDEX => {
                let source = read_bytes(payload, &mut at)?;
                let queries = if has_queries { read_bytes(payload, &mut at)? } else { &[] };
                OperationKind::Index { source, routing, queries }
            }
            DELETE => OperationKind::Delete,
            other => return Err(Error::corrupt(format!("operation of unknown kind [{other}]"))),
        };
        each(Operation { seq_no, primary_term, version, id, kind })?;
    }
    if at != payload.len() {
        return Err(Error::corrupt(format!("{} bytes follow a record's last operation", payload.len() - at)));
    }
    Ok(count)
}
