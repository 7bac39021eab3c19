//! A set of small numbers.

use std::ops::Range;

#[derive(Debug, Clone, Default)]
pub(crate) struct PartSet {
    words: Vec<u64>,
}

impl PartSet {
    pub fn insert(&mut self, part: u32) {
        let word = part as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (part % 64);
    }

    #[inline]
    pub fn contains(&self, part: u32) -> bool {
        self.words.get(part as usize / 64).is_some_and(|word| word >> (part % 64) & 1 == 1)
    }

    #[inline]
    pub fn contains_all(&self, parts: Range<u32>) -> bool {
        parts.into_iter().all(|part| self.contains(part))
    }
}
