//! The segments that a shard holds, and how many documents there are in them.

use super::slot::Slot;
use std::ops::{Deref, DerefMut};

/// Segments in the order in which they are searched. Their documents are counted as they come and go: every write asks.
#[derive(Debug, Default)]
pub struct Slots {
    slots: Vec<Slot>,
    document_count: u64,
}

impl Slots {
    /// Nested and deleted documents are counted.
    pub fn document_count(&self) -> u64 {
        self.document_count
    }

    pub fn push(&mut self, slot: Slot) {
        self.insert(self.slots.len(), slot);
    }

    pub fn insert(&mut self, place: usize, slot: Slot) {
        self.document_count += slot.document_count();
        self.slots.insert(place, slot);
    }

    pub fn retain(&mut self, is_kept: impl FnMut(&Slot) -> bool) {
        self.slots.retain(is_kept);
        self.document_count = self.slots.iter().map(Slot::document_count).sum();
    }
}

impl From<Vec<Slot>> for Slots {
    fn from(slots: Vec<Slot>) -> Self {
        let document_count = slots.iter().map(Slot::document_count).sum();
        Slots { slots, document_count }
    }
}

impl Deref for Slots {
    type Target = [Slot];

    fn deref(&self) -> &[Slot] {
        &self.slots
    }
}

/// What changes in a segment leaves its number of documents as it is.
impl DerefMut for Slots {
    fn deref_mut(&mut self) -> &mut [Slot] {
        &mut self.slots
    }
}
