//! What searches made of segments, kept for later ones of the whole process: segments do not change, so neither does what is
//! made of them.

use indexmap::IndexMap;
use quarry_base::cache_statistics::CacheStatistics;
use rapidhash::quality::RandomState;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What an entry takes beside its value.
const ENTRY_BYTES: usize = 512;

/// Bounded by bytes; the least recently used go first.
#[derive(Debug)]
pub struct SegmentCache<K, V> {
    bytes_max: AtomicUsize,
    kept: Mutex<Option<Kept<K, V>>>,
    built: AtomicU64,
    hits: AtomicU64,
    evictions: AtomicU64,
}

/// The least recently used first; each value with its bytes.
#[derive(Debug)]
struct Kept<K, V> {
    entries: IndexMap<K, (V, usize), RandomState>,
    bytes: usize,
}

impl<K: Hash + Eq, V: Clone> SegmentCache<K, V> {
    pub const fn new(bytes_max: usize) -> Self {
        SegmentCache {
            bytes_max: AtomicUsize::new(bytes_max),
            kept: Mutex::new(None),
            built: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
        }
    }

    /// The value that is kept, where it will do.
    pub fn find(&self, key: &K, will_do: impl FnOnce(&V) -> bool) -> Option<V> {
        self.with(|kept| {
            let place = kept.entries.get_index_of(key)?;
            let last = kept.entries.len() - 1;
            kept.entries.move_index(place, last);
            let (_, (value, _)) = kept.entries.get_index(last)?;
            will_do(value).then(|| {
                self.hits.fetch_add(1, Ordering::Relaxed);
                value.clone()
            })
        })
    }

    /// What all values may take.
    pub fn bytes_max(&self) -> usize {
        self.bytes_max.load(Ordering::Relaxed)
    }

    /// Values that are beyond a lower bound go at once.
    pub fn set_bytes_max(&self, bytes_max: usize) {
        self.bytes_max.store(bytes_max, Ordering::Relaxed);
        self.with(|kept| self.evict(kept));
    }

    /// Whether there is room for a value that takes so many bytes.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        bytes.saturating_add(ENTRY_BYTES) <= self.bytes_max()
    }

    /// `bytes`: what the value takes. One that takes more than all may is not kept.
    pub fn keep(&self, key: K, value: V, bytes: usize) {
        self.note_built();
        if !self.has_room_for(bytes) {
            return;
        }
        let bytes = bytes + ENTRY_BYTES;
        self.with(|kept| {
            kept.bytes += bytes;
            if let Some((_, before)) = kept.entries.insert(key, (value, bytes)) {
                kept.bytes -= before;
            }
            self.evict(kept);
        });
    }

    fn evict(&self, kept: &mut Kept<K, V>) {
        while kept.bytes > self.bytes_max() {
            let Some((_, (_, gone))) = kept.entries.shift_remove_index(0) else { break };
            kept.bytes -= gone;
            self.evictions.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a value that was built and shall not be kept.
    pub fn note_built(&self) {
        self.built.fetch_add(1, Ordering::Relaxed);
    }

    pub fn forget(&self, key: &K) {
        self.with(|kept| {
            if let Some((_, gone)) = kept.entries.shift_remove(key) {
                kept.bytes -= gone;
            }
        });
    }

    /// Keeps nothing more of what was kept so far; gives how many bytes that took.
    pub fn give_up(&self) -> usize {
        let (given_up, bytes) = self.with(|kept| (std::mem::take(&mut kept.entries), std::mem::take(&mut kept.bytes)));
        self.evictions.fetch_add(given_up.len() as u64, Ordering::Relaxed);
        bytes
    }

    /// What all that is kept takes.
    pub fn bytes(&self) -> usize {
        self.with(|kept| kept.bytes)
    }

    /// What is kept under the key takes; 0 where nothing is.
    pub fn bytes_of(&self, key: &K) -> usize {
        self.with(|kept| kept.entries.get(key).map_or(0, |(_, bytes)| *bytes))
    }

    pub fn statistics(&self) -> CacheStatistics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheStatistics {
            built: read(&self.built),
            hits: read(&self.hits),
            evictions: read(&self.evictions),
            memory_size_in_bytes: self.bytes() as u64,
        }
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut Kept<K, V>) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        use_it(kept.get_or_insert_with(|| Kept { entries: IndexMap::default(), bytes: 0 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_go_first() {
        let cache = SegmentCache::new(3 * (ENTRY_BYTES + 10));
        for key in 0..3 {
            cache.keep(key, key * 10, 10);
        }
        assert_eq!(cache.find(&0, |_| true), Some(0));
        assert_eq!(cache.find(&1, |&value| value > 10), None);
        cache.keep(3, 30, 10);
        let kept: Vec<_> = (0..4).map(|key| cache.find(&key, |_| true)).collect();
        assert_eq!(kept, [Some(0), Some(10), None, Some(30)]);
        let figures = cache.statistics();
        assert_eq!((figures.built, figures.hits, figures.evictions), (4, 4, 1));
        assert_eq!(figures.memory_size_in_bytes as usize, 3 * (ENTRY_BYTES + 10));
    }

    #[test]
    fn what_is_beyond_a_lower_bound_goes_at_once() {
        let cache = SegmentCache::new(3 * (ENTRY_BYTES + 10));
        for key in 0..3 {
            cache.keep(key, key, 10);
        }
        cache.set_bytes_max(2 * (ENTRY_BYTES + 10) - 1);
        assert_eq!((0..3).map(|key| cache.find(&key, |_| true)).collect::<Vec<_>>(), [None, None, Some(2)]);
        assert_eq!((cache.bytes(), cache.statistics().evictions), (ENTRY_BYTES + 10, 2));
        cache.set_bytes_max(2 * (ENTRY_BYTES + 10));
        cache.keep(3, 3, 10);
        assert_eq!((cache.find(&2, |_| true), cache.find(&3, |_| true)), (Some(2), Some(3)));
        cache.set_bytes_max(0);
        cache.keep(4, 4, 0);
        assert_eq!((cache.bytes(), cache.find(&4, |_| true)), (0, None));
    }

    #[test]
    fn what_is_replaced_or_forgotten_takes_nothing() {
        let cache = SegmentCache::new(10_000);
        cache.keep("a", 1, 100);
        cache.keep("a", 2, 200);
        cache.keep("b", 3, 20_000);
        assert_eq!((cache.bytes_of(&"a"), cache.bytes_of(&"b")), (200 + ENTRY_BYTES, 0));
        cache.forget(&"a");
        assert_eq!(cache.find(&"a", |_| true), None);
        assert_eq!(cache.statistics().memory_size_in_bytes, 0);
        cache.keep("c", 4, 100);
        assert_eq!((cache.give_up(), cache.give_up(), cache.bytes()), (100 + ENTRY_BYTES, 0, 0));
        assert_eq!(cache.find(&"c", |_| true), None);
    }
}
