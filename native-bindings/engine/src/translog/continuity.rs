//! Which operations a translog holds without a hole, and in which terms they were made.

use super::operation::RecordSummary;
use super::terms::TermStarts;
use quarry_base::error::{Error, Result};

#[derive(Debug, Clone, Default)]
pub(super) struct Continuity {
    /// All operations from here up to (excluding) `next` are there.
    pub start: u64,
    pub next: u64,
    pub terms: TermStarts,
}

impl Continuity {
    pub fn new(next: u64, terms: TermStarts) -> Self {
        Continuity { start: next, next, terms }
    }

    pub fn add(&mut self, record: &RecordSummary) {
        if record.first_seq_no != self.next {
            self.start = record.first_seq_no;
        }
        self.next = record.last_seq_no.saturating_add(1);
        self.terms.note(record.primary_term, record.first_seq_no);
    }

    /// The segments have everything before `next`, made in these terms: what follows must be in the log.
    pub fn after(self, next: u64, terms: TermStarts) -> Result<Self> {
        if self.next > next && self.start > next {
            let (first, last) = (next, self.start - 1);
            return Err(Error::corrupt(format!("the translog lacks operations [{first}] to [{last}]")));
        }
        let mut joined = terms;
        self.terms.as_slice().iter().for_each(|start| joined.note(start.term, start.first_seq_no));
        if self.next < next {
            return Ok(Continuity::new(next, joined));
        }
        Ok(Continuity { terms: joined, ..self })
    }
}
