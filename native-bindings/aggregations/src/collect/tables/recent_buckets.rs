//! Buckets of terms by ordinal, so that the table is asked only where the parent's bucket changes.

use crate::budget::Budget;
use quarry_base::error::Result;

/// In place of a bucket's number: the term has none.
pub(in crate::collect) const NO_BUCKET: u32 = u32::MAX;

/// For each ordinal of a segment the bucket in which it was met last, and the parent's bucket that it belongs to.
#[derive(Default)]
pub(in crate::collect) struct RecentBuckets {
    by_ordinal: Vec<(u32, u32)>,
}

impl RecentBuckets {
    /// Another segment begins.
    pub fn clear(&mut self) {
        self.by_ordinal.clear();
    }

    /// Makes room for so many ordinals.
    pub fn hold(&mut self, ordinals: usize, budget: &Budget) -> Result<()> {
        if self.by_ordinal.len() < ordinals {
            let more = ordinals.saturating_sub(self.by_ordinal.capacity());
            budget.take_bytes(more * size_of::<(u32, u32)>())?;
            // No bucket of a parent has this number.
            self.by_ordinal.resize(ordinals, (NO_BUCKET, NO_BUCKET));
        }
        Ok(())
    }

    #[inline]
    pub fn get(&self, owner: u32, ordinal: u32) -> Option<u32> {
        let &(known, bucket) = self.by_ordinal.get(ordinal as usize)?;
        (known == owner).then_some(bucket)
    }

    pub fn set(&mut self, owner: u32, ordinal: u32, bucket: u32) {
        if let Some(place) = self.by_ordinal.get_mut(ordinal as usize) {
            *place = (owner, bucket);
        }
    }
}
