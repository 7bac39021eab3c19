//! Words as they stand in the text to the numbers of their terms, so that filters run once per distinct word.
//!
//! An open-addressing table with the word itself in the slot: one probe, mostly one cache line, asked for ahead of time.
//! Words of more than sixteen bytes live in a table of their own. All of it is dropped at each flush: a table that is
//! bounded and cleared in between loses more to misses than it saves.

use super::field::immense_term;
use super::prefetch::prefetch;
use super::terms::TermTable;
use super::text::TERM_LIMIT;
use quarry_analysis::{PerWord, Spans, Token};
use quarry_base::error::Result;
use quarry_base::limits::TERM_BYTES_MAX;
use std::hash::{BuildHasher, RandomState};

/// The outcome for a word that a filter removes.
pub const DROPPED: u32 = u32::MAX;
/// The outcome for a word whose term is longer than a term may be.
const IMMENSE: u32 = u32::MAX - 1;
/// Bytes of a word that fit a slot.
const KEY_BYTES: usize = 16;
/// Few: an index may have thousands of text fields of which a document has three.
const FIRST_SLOTS: usize = 16;
/// Words looked up together: their slots are asked for before the first is read.
const BATCH: usize = 32;

/// A word of 1 to 16 bytes, filled up with zeros, and its outcome. All zero: free. No such word ends in a zero byte.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    low: u64,
    high: u64,
    outcome: u32,
}

#[derive(Debug)]
pub struct WordTable {
    per_word: PerWord,
    /// A power of two; at most half of them taken.
    slots: Vec<Slot>,
    taken: usize,
    /// Words that fit no slot, and their outcomes.
    long: TermTable,
    long_outcomes: Vec<u32>,
    keys: (u64, u64),
    token: Token,
    spans: Spans,
}

/// The slot key of a word, or that it has none.
type Key = Option<(u64, u64)>;

impl WordTable {
    pub fn new(per_word: PerWord) -> Self {
        // Random keys: nobody can send words that collide. What they are shows nowhere in the results.
        let random = RandomState::new();
        WordTable {
            per_word,
            slots: vec![Slot::default(); FIRST_SLOTS],
            taken: 0,
            long: TermTable::default(),
            long_outcomes: Vec::new(),
            keys: (random.hash_one(1u8), random.hash_one(2u8)),
            token: Token::word(),
            spans: Spans::new(),
        }
    }

    /// Appends to `outcomes` the term number, or [`DROPPED`], of each word of `text`, a value of the field `name`.
    pub fn look_up(&mut self, name: &str, text: &str, terms: &mut TermTable, outcomes: &mut Vec<u32>) -> Result<()> {
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        self.per_word.words(text, &mut spans)?;
        let bytes = text.as_bytes();
        outcomes.reserve(spans.len());
        for batch in spans.chunks(BATCH) {
            let mut keys = [(None, 0); BATCH];
            for (key, &(start, end)) in keys.iter_mut().zip(batch) {
                let word = key_of(bytes, start as usize, end as usize);
                let home = word.map_or(0, |(low, high)| self.home(low, high));
                prefetch(&self.slots, home & (self.slots.len() - 1));
                *key = (word, home);
            }
            for (&(key, home), &(start, end)) in keys.iter().zip(batch) {
                let word = &bytes[start as usize..end as usize];
                let outcome = self.outcome(key, home, word, terms);
                if outcome == IMMENSE {
                    self.filter(word);
                    return Err(immense_term(name, &self.token.term));
                }
                outcomes.push(outcome);
            }
        }
        self.spans = spans;
        Ok(())
    }

    /// Full width; the table's size cuts it.
    #[inline]
    fn home(&self, low: u64, high: u64) -> usize {
        let product = u128::from(low ^ self.keys.0) * u128::from(high ^ self.keys.1);
        (product as u64 ^ (product >> 64) as u64) as usize
    }

    #[inline]
    fn outcome(&mut self, key: Key, home: usize, word: &[u8], terms: &mut TermTable) -> u32 {
        let Some((low, high)) = key else { return self.long_outcome(word, terms) };
        let mask = self.slots.len() - 1;
        let mut at = home & mask;
        loop {
            let slot = self.slots[at];
            if slot.low == low && slot.high == high {
                return slot.outcome;
            }
            if slot.low | slot.high == 0 {
                return self.new_word(low, high, word, terms);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    #[inline(never)]
    fn new_word(&mut self, low: u64, high: u64, word: &[u8], terms: &mut TermTable) -> u32 {
        let outcome = self.decide(word, terms);
        if (self.taken + 1) * 2 > self.slots.len() {
            self.grow();
        }
        self.insert(Slot { low, high, outcome });
        self.taken += 1;
        outcome
    }

    fn insert(&mut self, slot: Slot) {
        let mask = self.slots.len() - 1;
        let mut at = self.home(slot.low, slot.high) & mask;
        while self.slots[at].low | self.slots[at].high != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }

    fn grow(&mut self) {
        let twice = vec![Slot::default(); self.slots.len() * 2];
        for slot in std::mem::replace(&mut self.slots, twice) {
            if slot.low | slot.high != 0 {
                self.insert(slot);
            }
        }
    }

    #[inline(never)]
    fn long_outcome(&mut self, word: &[u8], terms: &mut TermTable) -> u32 {
        let number = self.long.intern(word) as usize;
        if number == self.long_outcomes.len() {
            let outcome = self.decide(word, terms);
            self.long_outcomes.push(outcome);
        }
        self.long_outcomes[number]
    }

    fn decide(&mut self, word: &[u8], terms: &mut TermTable) -> u32 {
        if !self.filter(word) {
            return DROPPED;
        }
        if self.token.term.len() > TERM_BYTES_MAX {
            return IMMENSE;
        }
        let number = terms.intern(&self.token.term);
        debug_assert!(number < TERM_LIMIT, "the bound on a buffer's bytes keeps terms far below");
        number
    }

    /// Leaves in `token` what the filters make of `word`; `false` when they remove it.
    fn filter(&mut self, word: &[u8]) -> bool {
        self.token.term.clear();
        self.token.term.extend_from_slice(word);
        self.token.keyword = false;
        self.per_word.filter(&mut self.token)
    }

    pub fn clear(&mut self) {
        self.slots = vec![Slot::default(); FIRST_SLOTS];
        self.taken = 0;
        self.long.clear();
        self.long_outcomes.clear();
    }

    pub fn memory_bytes(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.long.memory_bytes() + self.long_outcomes.len() * size_of::<u32>()
    }
}

/// Two little-endian halves of the word, zeros behind it.
#[inline]
fn key_of(text: &[u8], start: usize, end: usize) -> Key {
    let length = end - start;
    if length > KEY_BYTES || text[end - 1] == 0 {
        return None;
    }
    let key = match text.get(start..start + KEY_BYTES) {
        Some(bytes) => {
            let whole = u128::from_le_bytes(*bytes.first_chunk().expect("the slice has the length of a key"));
            whole & (u128::MAX >> (8 * (KEY_BYTES - length)))
        }
        None => {
            let mut bytes = [0; KEY_BYTES];
            bytes[..length].copy_from_slice(&text[start..end]);
            u128::from_le_bytes(bytes)
        }
    };
    Some((key as u64, (key >> 64) as u64))
}
