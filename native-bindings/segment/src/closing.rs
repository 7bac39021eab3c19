//! What other crates make of a segment and keep for the whole process goes when the segment's reader does.

use smallvec::SmallVec;
use std::sync::{Mutex, PoisonError};

/// A segment's name for the whole process: readers of the same bytes have the same.
pub type Uuid = [u8; 16];

/// A table of what was made of segments.
pub trait MadeOfSegments: Sync {
    /// A reader that something was made with is gone. Called wherever the last owner of the reader drops it.
    fn forget_segment(&self, segment: &Uuid);
}

/// The tables that hold something of one reader's segment.
pub(super) struct Closing {
    segment: Uuid,
    tables: Mutex<SmallVec<[&'static dyn MadeOfSegments; 2]>>,
}

impl Closing {
    pub fn of(segment: Uuid) -> Self {
        Closing { segment, tables: Mutex::default() }
    }

    pub fn tell(&self, table: &'static dyn MadeOfSegments) {
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if !tables.iter().any(|known| std::ptr::addr_eq(*known, table)) {
            tables.push(table);
        }
    }
}

impl std::fmt::Debug for Closing {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Closing").field("segment", &self.segment).finish_non_exhaustive()
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        let tables = self.tables.get_mut().unwrap_or_else(PoisonError::into_inner);
        tables.iter().for_each(|table| table.forget_segment(&self.segment));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<Uuid>>);

    impl MadeOfSegments for Told {
        fn forget_segment(&self, segment: &Uuid) {
            self.0.lock().unwrap().push(*segment);
        }
    }

    #[test]
    fn each_table_that_asked_is_told_once() {
        let [one, two, other]: [&'static Told; 3] = std::array::from_fn(|_| &*Box::leak(Box::default()));
        let closing = Closing::of([7; 16]);
        [one, two, one].into_iter().for_each(|table| closing.tell(table));
        assert!(one.0.lock().unwrap().is_empty());
        drop(closing);
        let told = [one, two, other].map(|table| table.0.lock().unwrap().clone());
        assert_eq!(told, [vec![[7; 16]], vec![[7; 16]], vec![]]);
    }
}
