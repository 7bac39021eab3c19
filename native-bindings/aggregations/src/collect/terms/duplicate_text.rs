//! Sequences of words that came before: copies of a text say what it says, not what many texts say.

use crate::budget::Budget;
use crate::metrics::hll::hash_bytes;
use hashbrown::HashSet;
use quarry_base::error::Result;
use rapidhash::quality::RandomState;

/// Words that a sequence has: shorter ones are idioms.
const WORDS: u32 = 6;
const SEQUENCE: u64 = (1 << (8 * WORDS)) - 1;
/// What a sequence takes.
const SEQUENCE_BYTES: usize = 16;

/// The sequences of one bucket, each word as one byte of its hash.
#[derive(Default)]
pub struct SeenSequences {
    seen: HashSet<u64, RandomState>,
    last: u64,
    length: u32,
}

impl SeenSequences {
    /// What follows is of another document.
    pub fn start_document(&mut self) {
        (self.last, self.length) = (0, 0);
    }

    /// Says of each word of a text whether it is part of a sequence that was there before.
    pub fn mark<'t>(
        &mut self,
        words: impl Iterator<Item = &'t [u8]>,
        are_copies: &mut Vec<bool>,
        budget: &Budget,
    ) -> Result<()> {
        are_copies.clear();
        for word in words {
            are_copies.push(false);
            self.last = (self.last << 8 | hash_bytes(word) & 0xff) & SEQUENCE;
            self.length = (self.length + 1).min(WORDS);
            if self.length < WORDS {
                continue;
            }
            if self.seen.insert(self.last) {
                budget.take_bytes(SEQUENCE_BYTES)?;
            } else {
                let from = are_copies.len().saturating_sub(WORDS as usize);
                are_copies[from..].fill(true);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn six_words_that_were_there_before_are_copies() {
        let budget = Budget::new(10, u64::MAX);
        let mut seen = SeenSequences::default();
        let mut mark = |text: &str| {
            let mut are_copies = Vec::new();
            seen.start_document();
            seen.mark(text.split(' ').map(str::as_bytes), &mut are_copies, &budget).unwrap();
            are_copies
        };
        assert_eq!(mark("one two three four five six seven"), [false; 7]);
        assert_eq!(mark("here one two three four five six eight"), [false, true, true, true, true, true, true, false]);
        assert_eq!(mark("one two three four five"), [false; 5]);
    }
}
