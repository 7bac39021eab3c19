//! A field of terms as they are (keyword, ip, `_routing`, `_ignored`): document and term, in the order of the documents.

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

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    pub fn memory_bytes(&self) -> usize {
        self.terms.memory_bytes() + self.docs.len() * 2 * size_of::<u32>()
    }
}
