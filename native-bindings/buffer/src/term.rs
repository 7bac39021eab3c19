//! A field of terms as they are (keyword, ip, `_routing`, `_ignored`): document and term, in the order of the documents.

use super::order::DocumentOrder;
use super::terms::TermTable;

#[derive(Debug, Default)]
pub struct TermField {
    pub terms: TermTable,
    pub docs: Vec<u32>,
    /// Number of the term in `terms`, parallel to `docs`.
    pub numbers: Vec<u32>,
    committed: usize,
}

impl TermField {
    pub fn add(&mut self, ordinal: u32, term: &[u8]) {
        let number = self.terms.intern(term);
        self.docs.push(ordinal);
        self.numbers.push(number);
    }

    pub fn commit(&mut self) {
        self.committed = self.docs.len();
    }

    /// Terms that only the open document had stay in the table; nothing refers to them.
    pub fn rollback(&mut self) {
        self.docs.truncate(self.committed);
        self.numbers.truncate(self.committed);
    }

    /// What was added since the last commit is of this document.
    pub fn commit_as(&mut self, ordinal: u32) {
        self.docs[self.committed..].fill(ordinal);
        self.commit();
    }

    pub fn rollback_to(&mut self, first: u32) {
        self.rollback();
        self.committed = self.docs.partition_point(|&doc| doc < first);
        self.rollback();
    }

    pub fn clear(&mut self) {
        self.terms.clear();
        self.docs.clear();
        self.numbers.clear();
        self.committed = 0;
    }

    pub(super) fn rearrange(&mut self, order: &DocumentOrder) {
        order.rearrange_rows(&mut self.docs, &mut self.numbers);
    }

    /// Each document with a term, and the numbers of its terms.
    pub fn documents(&self) -> impl Iterator<Item = (u32, &[u32])> {
        let mut rest = self.numbers.as_slice();
        self.docs.chunk_by(|a, b| a == b).map(move |same| {
            let (own, behind) = rest.split_at(same.len());
            rest = behind;
            (same[0], own)
        })
    }

    /// By number of a term: its place among all terms in the order of their bytes.
    pub(super) fn ranks(&self) -> Vec<u32> {
        let numbers: Vec<u32> = (0..self.terms.len() as u32).collect();
        let mut ranks = vec![0; numbers.len()];
        for (number, rank) in self.terms.sort(&numbers).into_iter().zip(0..) {
            ranks[number as usize] = rank;
        }
        ranks
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    pub fn memory_bytes(&self) -> usize {
        self.terms.memory_bytes() + self.docs.len() * 2 * size_of::<u32>()
    }
}
