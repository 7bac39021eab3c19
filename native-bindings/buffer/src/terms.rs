//! The distinct terms of a field, numbered as they come.

use hashbrown::HashTable;
use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};
use std::hash::{BuildHasher, RandomState};

/// Byte strings to numbers 0, 1, 2... The hash is keyed, so that nobody can send terms that collide.
pub struct TermTable {
    bytes: Vec<u8>,
    /// Where each term starts, and where the last one ends.
    starts: Vec<u32>,
    numbers: HashTable<u32>,
    secrets: RapidSecrets,
}

impl Default for TermTable {
    fn default() -> Self {
        // The standard library's only source of random bits; what it keys shows nowhere in the results.
        let key = RandomState::new().hash_one(0u64);
        TermTable { bytes: Vec::new(), starts: vec![0], numbers: HashTable::new(), secrets: RapidSecrets::seed(key) }
    }
}

impl std::fmt::Debug for TermTable {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "TermTable({} terms)", self.len())
    }
}

impl TermTable {
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn get(&self, number: u32) -> &[u8] {
        term_at(&self.bytes, &self.starts, number)
    }

    /// The number of `term`, new or not.
    pub fn intern(&mut self, term: &[u8]) -> u32 {
        let hash = rapidhash_v3_seeded(term, &self.secrets);
        let (bytes, starts) = (&self.bytes, &self.starts);
        if let Some(&number) = self.numbers.find(hash, |&number| term_at(bytes, starts, number) == term) {
            return number;
        }
        let number = self.len() as u32;
        self.bytes.extend_from_slice(term);
        self.starts.push(self.bytes.len() as u32);
        let (bytes, starts, secrets) = (&self.bytes, &self.starts, &self.secrets);
        self.numbers.insert_unique(hash, number, |&other| rapidhash_v3_seeded(term_at(bytes, starts, other), secrets));
        number
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.starts.truncate(1);
        self.numbers.clear();
    }

    pub fn memory_bytes(&self) -> usize {
        // The table is at most 7/8 full and has a byte of control for each number.
        self.bytes.len() + self.starts.len() * size_of::<u32>() + self.numbers.len() * 6
    }

    /// Sorts numbers of this table by their terms. Eight bytes decide nearly always.
    pub fn sort(&self, numbers: &[u32]) -> Vec<u32> {
        let mut keyed: Vec<(u64, u32)> = numbers.iter().map(|&number| (prefix(self.get(number)), number)).collect();
        keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
        keyed.into_iter().map(|(_, number)| number).collect()
    }
}

fn term_at<'a>(bytes: &'a [u8], starts: &[u32], number: u32) -> &'a [u8] {
    &bytes[starts[number as usize] as usize..starts[number as usize + 1] as usize]
}

/// The first eight bytes as a number that sorts like them.
fn prefix(term: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = term.len().min(8);
    first[..length].copy_from_slice(&term[..length]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn numbers_and_order_agree_with_a_map(terms: Vec<Vec<u8>>) {
            let mut table = TermTable::default();
            let mut known: HashMap<Vec<u8>, u32> = HashMap::new();
            for term in &terms {
                let next = known.len() as u32;
                let expected = *known.entry(term.clone()).or_insert(next);
                prop_assert_eq!(table.intern(term), expected);
                prop_assert_eq!(table.get(expected), term.as_slice());
            }
            prop_assert_eq!(table.len(), known.len());
            let all: Vec<u32> = (0..table.len() as u32).collect();
            let sorted = table.sort(&all);
            prop_assert!(sorted.windows(2).all(|pair| table.get(pair[0]) < table.get(pair[1])));
            table.clear();
            prop_assert_eq!(table.intern(b"x"), 0);
        }
    }
}
