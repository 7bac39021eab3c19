//! The records of the buffer's documents as they came: compressed when the segment is written, on whatever thread does that.

use crate::error::{Error, ErrorCode, Result};

/// One record per document, in order.
#[derive(Debug, Default)]
pub struct Records {
    bytes: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Records {
    pub(super) fn add(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len());
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[std::mem::replace(&mut start, end)..end])
    }

    pub fn get(&self, ordinal: u32) -> Result<&[u8]> {
        let at = ordinal as usize;
        let start = if at == 0 { 0 } else { self.ends.get(at - 1).copied().unwrap_or(usize::MAX) };
        let record = self.ends.get(at).and_then(|&end| self.bytes.get(start..end));
        record.ok_or_else(|| {
            let count = self.ends.len();
            Error::new(ErrorCode::Internal, format!("there is no buffered document {ordinal} of {count}"))
        })
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<usize>()
    }
}
