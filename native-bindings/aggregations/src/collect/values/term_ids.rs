//! Terms by number over all segments of a shard.

use crate::budget::Budget;
use hashbrown::HashMap;
use quarry_base::error::Result;
use rapidhash::quality::RandomState;

/// What a term takes besides its bytes, which are kept twice.
const TERM_OVERHEAD_BYTES: usize = 64;

#[derive(Default)]
pub struct TermIds {
    by_term: HashMap<Vec<u8>, u32, RandomState>,
    terms: Vec<Vec<u8>>,
}

impl TermIds {
    /// The term's number, given when it is new; errors when the memory for it is refused.
    pub fn id(&mut self, term: &[u8], budget: &Budget) -> Result<u32> {
        if let Some(&id) = self.by_term.get(term) {
            return Ok(id);
        }
        budget.take_bytes(term.len() * 2 + TERM_OVERHEAD_BYTES)?;
        let id = self.terms.len() as u32;
        self.by_term.insert(term.to_vec(), id);
        self.terms.push(term.to_vec());
        Ok(id)
    }

    /// The number of a term that was met.
    pub fn find(&self, term: &[u8]) -> Option<u32> {
        self.by_term.get(term).copied()
    }

    pub fn term(&self, id: u32) -> &[u8] {
        &self.terms[id as usize]
    }

    /// By number.
    pub fn terms(&self) -> &[Vec<u8>] {
        &self.terms
    }
}
