//! Which ids were written since a view was made: perhaps, or surely not. Whoever reads a document by its id from a view learns here whether the owner
//! may know a newer one.
//!
//! A Bloom filter with one hash function: small, written by the owner of the shard alone, read by any thread without a lock.

use super::shared::{AtomicU64, OnceLock, Ordering};
use rapidhash::fast::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, LazyLock};

/// 64 Ki bits, 8 KiB: 650 writes since the last refresh send one in a hundred reads to the owner for nothing.
#[cfg(not(loom))]
const WORDS: usize = 1 << 10;
/// The model checker looks at each.
#[cfg(loom)]
const WORDS: usize = 1;

/// Keyed once for the process, so that clients cannot choose ids that collide.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// Ids written since a moment. Those of a later time may follow in a part of their own: see [`Touched::follow`].
#[derive(Debug, Default)]
pub struct Touched {
    /// Made by the first write.
    bits: OnceLock<Box<[AtomicU64; WORDS]>>,
    next: OnceLock<Arc<Touched>>,
}

/// Word and bit.
pub(crate) fn place_of(id: &[u8]) -> (usize, u64) {
    let hash = HASHER.hash_one(id);
    ((hash >> 6) as usize % WORDS, 1 << (hash & 63))
}

impl Touched {
    /// Of the owner, before the write is acknowledged.
    pub fn note(&self, id: &[u8]) {
        let bits = self.bits.get_or_init(|| Box::new(std::array::from_fn(|_| AtomicU64::new(0))));
        let (word, bit) = place_of(id);
        bits[word].fetch_or(bit, Ordering::Release);
    }

    /// `false`: nobody who was answered before this call has written the id.
    pub fn may_have(&self, id: &[u8]) -> bool {
        let (word, bit) = place_of(id);
        let mut part = Some(self);
        while let Some(touched) = part {
            if touched.bits.get().is_some_and(|bits| bits[word].load(Ordering::Acquire) & bit != 0) {
                return true;
            }
            part = touched.next.get().map(Arc::as_ref);
        }
        false
    }

    /// Begins the next part: what is noted there belongs to this one as well, but not the other way round. Once for each part.
    pub fn follow(&self) -> Arc<Touched> {
        Arc::clone(self.next.get_or_init(Arc::default))
    }
}

/// Part by part: one that goes with the last who holds it takes those behind it along, and they may be many.
impl Drop for Touched {
    fn drop(&mut self) {
        let mut next = self.next.take();
        while let Some(mut part) = next.and_then(Arc::into_inner) {
            next = part.next.take();
        }
    }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    proptest! {
        #[test]
        fn what_was_noted_is_never_missed(steps in prop::collection::vec(prop::option::weighted(0.9, 0u32..500), 0..200)) {
            let parts = std::cell::RefCell::new(vec![(Arc::<Touched>::default(), HashSet::new())]);
            for step in steps {
                let mut parts = parts.borrow_mut();
                let Some(id) = step else {
                    let next = parts.last().unwrap().0.follow();
                    parts.push((next, HashSet::new()));
                    continue;
                };
                parts.last().unwrap().0.note(&id.to_le_bytes());
                parts.iter_mut().for_each(|(_, noted)| { noted.insert(id); });
            }
            for (touched, noted) in parts.borrow().iter() {
                prop_assert!(noted.iter().all(|id| touched.may_have(&id.to_le_bytes())));
                let wrong = (0..500u32).filter(|id| !noted.contains(id) && touched.may_have(&id.to_le_bytes())).count();
                // 200 of 65,536 bits: one in three hundred of 500 is expected, and thirty would be a broken hash.
                prop_assert!(wrong < 30);
            }
        }
    }

    #[test]
    fn many_parts_go_on_a_small_stack() {
        let first = Arc::<Touched>::default();
        (0..200_000).fold(Arc::clone(&first), |newest, _| newest.follow());
        let small = std::thread::Builder::new().stack_size(64 << 10);
        small.spawn(move || drop(first)).unwrap().join().unwrap();
    }

    #[test]
    fn a_write_that_was_told_of_is_seen_by_other_threads() {
        let first = Arc::<Touched>::default();
        let (sender, receiver) = std::sync::mpsc::channel::<u32>();
        let reader = {
            let first = Arc::clone(&first);
            std::thread::spawn(move || receiver.iter().all(|id| first.may_have(&id.to_le_bytes())))
        };
        let mut newest = Arc::clone(&first);
        for id in 0..20_000u32 {
            if id % 1_000 == 0 {
                newest = newest.follow();
            }
            newest.note(&id.to_le_bytes());
            sender.send(id).unwrap();
        }
        drop(sender);
        assert!(reader.join().unwrap());
    }
}
