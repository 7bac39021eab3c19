//! What searches made of segments, kept for later ones of the whole process: segments do not change, so neither does what is
//! made of them. It goes when the segment is closed.

use lru::LruCache;
use quarry_base::allocation;
use quarry_segment::closing::{MadeOfSegments, Uuid};
use quarry_segment::reader::SegmentReader;
use rapidhash::quality::RandomState;
use smallvec::SmallVec;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How well a cache does, as `_nodes/stats` shows it: counts since the process began, and what is kept now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct SegmentCacheStatistics {
    pub built: u64,
    pub hits: u64,
    /// For want of room.
    pub evictions: u64,
    /// With their segments.
    pub evictions_by_close: u64,
    pub memory_size_in_bytes: u64,
}

/// What an entry takes beside its value.
const ENTRY_BYTES: usize = 512;

/// Bounded by bytes; the least recently used go first.
pub struct SegmentCache<K, V> {
    bytes_max: AtomicUsize,
    kept: Mutex<Option<Kept<K, V>>>,
    built: AtomicU64,
    hits: AtomicU64,
    evictions: AtomicU64,
    evictions_by_close: AtomicU64,
}

struct Kept<K, V> {
    entries: LruCache<Arc<K>, Entry<V>, RandomState>,
    /// What goes with a segment.
    of_segments: HashMap<Uuid, HashSet<Arc<K>, RandomState>, RandomState>,
    bytes: usize,
}

struct Entry<V> {
    value: V,
    bytes: usize,
    segments: Segments,
}

/// That an entry was made of.
type Segments = SmallVec<[Uuid; 1]>;

impl<K: Hash + Eq, V> Kept<K, V> {
    fn new() -> Self {
        let entries = LruCache::unbounded_with_hasher(RandomState::default());
        Kept { entries, of_segments: HashMap::default(), bytes: 0 }
    }

    /// What was there before is given back.
    fn insert(&mut self, key: Arc<K>, entry: Entry<V>) -> Option<Entry<V>> {
        let replaced = self.remove(&key);
        for segment in &entry.segments {
            self.of_segments.entry(*segment).or_default().insert(Arc::clone(&key));
        }
        self.bytes += entry.bytes;
        self.entries.put(key, entry);
        replaced
    }

    fn remove(&mut self, key: &K) -> Option<Entry<V>> {
        let entry = self.entries.pop(key)?;
        self.note_gone(key, &entry);
        Some(entry)
    }

    fn note_gone(&mut self, key: &K, entry: &Entry<V>) {
        self.bytes -= entry.bytes;
        for segment in &entry.segments {
            let Some(keys) = self.of_segments.get_mut(segment) else { continue };
            keys.remove(key);
            if keys.is_empty() {
                self.of_segments.remove(segment);
            }
        }
    }

    /// What goes so that no more than `bytes_max` is left.
    fn evict(&mut self, bytes_max: usize) -> Vec<Entry<V>> {
        let mut gone = Vec::new();
        while self.bytes > bytes_max {
            let Some((key, entry)) = self.entries.pop_lru() else { break };
            self.note_gone(&key, &entry);
            gone.push(entry);
        }
        gone
    }

    fn remove_of(&mut self, segment: &Uuid) -> Vec<Entry<V>> {
        let keys = self.of_segments.remove(segment).unwrap_or_default();
        keys.iter().filter_map(|key| self.remove(key)).collect()
    }
}

impl<K: Hash + Eq, V: Clone> SegmentCache<K, V> {
    pub const fn new(bytes_max: usize) -> Self {
        SegmentCache {
            bytes_max: AtomicUsize::new(bytes_max),
            kept: Mutex::new(None),
            built: AtomicU64::new(0),
            hits: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
            evictions_by_close: AtomicU64::new(0),
        }
    }

    /// The value that is kept, where it will do.
    pub fn find(&self, key: &K, will_do: impl FnOnce(&V) -> bool) -> Option<V> {
        self.with(|kept| {
            let Entry { value, .. } = kept.entries.get(key)?;
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
        let gone = self.with(|kept| kept.evict(bytes_max));
        self.evictions.fetch_add(gone.len() as u64, Ordering::Relaxed);
    }

    /// Whether there is room for a value that takes so many bytes.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        bytes.saturating_add(ENTRY_BYTES) <= self.bytes_max()
    }

    /// `readers`: of the segments that the value was made of; when one of them goes, so does the value. `bytes`: what the value takes. One that
    /// takes more than all may is not kept.
    pub fn keep<'r>(&'static self, readers: impl IntoIterator<Item = &'r SegmentReader>, key: K, value: V, bytes: usize)
    where
        Self: MadeOfSegments,
    {
        let segments = readers.into_iter().map(|reader| {
            reader.tell_when_closed(self);
            reader.id().uuid
        });
        self.keep_of(segments.collect(), key, value, bytes);
    }

    fn keep_of(&self, segments: Segments, key: K, value: V, bytes: usize) {
        self.note_built();
        if !self.has_room_for(bytes) {
            return;
        }
        let entry = Entry { value, bytes: bytes + ENTRY_BYTES, segments };
        // What goes makes no room for the search that keeps this. Values are dropped when others may look for theirs again.
        allocation::apart(|| {
            let (_replaced, gone) = self.with(|kept| (kept.insert(Arc::new(key), entry), kept.evict(self.bytes_max())));
            self.evictions.fetch_add(gone.len() as u64, Ordering::Relaxed);
        });
    }

    /// Counts a value that was built and shall not be kept.
    pub fn note_built(&self) {
        self.built.fetch_add(1, Ordering::Relaxed);
    }

    pub fn forget(&self, key: &K) {
        drop(self.with(|kept| kept.remove(key)));
    }

    /// Keeps nothing more of what was kept so far; gives how many bytes that took.
    pub fn give_up(&self) -> usize {
        let given_up = self.with(|kept| std::mem::replace(kept, Kept::new()));
        self.evictions.fetch_add(given_up.entries.len() as u64, Ordering::Relaxed);
        given_up.bytes
    }

    /// What all that is kept takes.
    pub fn bytes(&self) -> usize {
        self.with(|kept| kept.bytes)
    }

    /// What is kept under the key takes; 0 where nothing is.
    pub fn bytes_of(&self, key: &K) -> usize {
        self.with(|kept| kept.entries.peek(key).map_or(0, |entry| entry.bytes))
    }

    /// What all that was made of a segment takes.
    pub fn bytes_of_segment(&self, segment: &Uuid) -> usize {
        self.with(|kept| {
            let keys = kept.of_segments.get(segment).into_iter().flatten();
            keys.filter_map(|key| kept.entries.peek(key)).map(|entry| entry.bytes).sum()
        })
    }

    pub fn statistics(&self) -> SegmentCacheStatistics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        SegmentCacheStatistics {
            built: read(&self.built),
            hits: read(&self.hits),
            evictions: read(&self.evictions),
            evictions_by_close: read(&self.evictions_by_close),
            memory_size_in_bytes: self.bytes() as u64,
        }
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut Kept<K, V>) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        use_it(kept.get_or_insert_with(Kept::new))
    }
}

impl<K: Hash + Eq + Send + Sync, V: Clone + Send> MadeOfSegments for SegmentCache<K, V> {
    fn forget_segment(&self, segment: &Uuid) {
        let gone = self.with(|kept| kept.remove_of(segment));
        self.evictions_by_close.fetch_add(gone.len() as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Segments {
        Segments::new()
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let cache = SegmentCache::new(3 * (ENTRY_BYTES + 10));
        for key in 0..3 {
            cache.keep_of(none(), key, key * 10, 10);
        }
        assert_eq!(cache.find(&0, |_| true), Some(0));
        assert_eq!(cache.find(&1, |&value| value > 10), None);
        cache.keep_of(none(), 3, 30, 10);
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
            cache.keep_of(none(), key, key, 10);
        }
        cache.set_bytes_max(2 * (ENTRY_BYTES + 10) - 1);
        assert_eq!((0..3).map(|key| cache.find(&key, |_| true)).collect::<Vec<_>>(), [None, None, Some(2)]);
        assert_eq!((cache.bytes(), cache.statistics().evictions), (ENTRY_BYTES + 10, 2));
        cache.set_bytes_max(2 * (ENTRY_BYTES + 10));
        cache.keep_of(none(), 3, 3, 10);
        assert_eq!((cache.find(&2, |_| true), cache.find(&3, |_| true)), (Some(2), Some(3)));
        cache.set_bytes_max(0);
        cache.keep_of(none(), 4, 4, 0);
        assert_eq!((cache.bytes(), cache.find(&4, |_| true)), (0, None));
    }

    #[test]
    fn what_is_replaced_or_forgotten_takes_nothing() {
        let cache = SegmentCache::new(10_000);
        cache.keep_of(none(), "a", 1, 100);
        cache.keep_of(none(), "a", 2, 200);
        cache.keep_of(none(), "b", 3, 20_000);
        assert_eq!((cache.bytes_of(&"a"), cache.bytes_of(&"b")), (200 + ENTRY_BYTES, 0));
        cache.forget(&"a");
        assert_eq!(cache.find(&"a", |_| true), None);
        assert_eq!(cache.statistics().memory_size_in_bytes, 0);
        cache.keep_of(none(), "c", 4, 100);
        assert_eq!((cache.give_up(), cache.give_up(), cache.bytes()), (100 + ENTRY_BYTES, 0, 0));
        assert_eq!(cache.find(&"c", |_| true), None);
    }

    #[test]
    fn what_was_made_of_a_segment_goes_with_it() {
        let cache = SegmentCache::new(100_000);
        let of = |segments: &[u8]| segments.iter().map(|&segment| [segment; 16]).collect::<Segments>();
        cache.keep_of(of(&[1]), "one", 1, 10);
        cache.keep_of(of(&[1, 2]), "both", 2, 10);
        cache.keep_of(of(&[2]), "two", 3, 10);
        cache.forget_segment(&[1; 16]);
        let kept = ["one", "both", "two"].map(|key| cache.find(&key, |_| true));
        assert_eq!((kept, cache.bytes()), ([None, None, Some(3)], ENTRY_BYTES + 10));
        cache.forget_segment(&[1; 16]);
        let figures = cache.statistics();
        assert_eq!((figures.evictions_by_close, figures.evictions), (2, 0));
        // What went for other reasons leaves no trace of its segments.
        cache.keep_of(of(&[2, 3]), "two", 4, 10);
        cache.keep_of(of(&[4]), "four", 5, 10);
        cache.forget(&"two");
        cache.set_bytes_max(ENTRY_BYTES);
        assert!(cache.with(|kept| kept.of_segments.is_empty() && kept.bytes == 0));
        cache.set_bytes_max(100_000);
        cache.keep_of(of(&[5]), "five", 6, 10);
        cache.give_up();
        cache.forget_segment(&[5; 16]);
        assert_eq!(cache.statistics().evictions_by_close, 2);
    }
}
