//! What was made of stored queries, kept for later searches of the whole process: segments do not change. It goes when the segment is
//! closed.
//!
//! They are many and small, and found for each query that is put to documents, so nothing here takes longer with their number.
//! There are two generations: what is found in the older one joins the younger, and when that is half of what
//! may be kept, the older one goes and the younger takes its place.

use quarry_query::segment_cache::SegmentCacheStatistics;
use quarry_segment::closing::{MadeOfSegments, Uuid};
use quarry_segment::reader::SegmentReader;
use rapidhash::RapidHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What an entry takes beside its query.
const ENTRY_BYTES: usize = 256;

/// Which query of which document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub segment: Uuid,
    pub doc: u32,
    pub field: Arc<str>,
}

#[derive(Debug)]
struct Generation<V> {
    /// With the bytes of each.
    entries: RapidHashMap<Key, (Arc<V>, usize)>,
    /// What goes with a segment; some of it may be gone already.
    of_segments: RapidHashMap<Uuid, Vec<Name>>,
    bytes: usize,
}

/// A [`Key`] in its segment.
type Name = (u32, Arc<str>);

impl<V> Generation<V> {
    fn empty() -> Self {
        Generation { entries: RapidHashMap::default(), of_segments: RapidHashMap::default(), bytes: 0 }
    }

    fn insert(&mut self, key: Key, value: Arc<V>, bytes: usize) {
        self.bytes += bytes;
        let (segment, name) = (key.segment, (key.doc, Arc::clone(&key.field)));
        match self.entries.insert(key, (value, bytes)) {
            Some((_, replaced)) => self.bytes -= replaced,
            None => self.of_segments.entry(segment).or_default().push(name),
        }
    }

    /// How many went.
    fn remove_of(&mut self, segment: &Uuid) -> u64 {
        let names = self.of_segments.remove(segment).unwrap_or_default();
        let gone =
            names.into_iter().filter_map(|(doc, field)| self.entries.remove(&Key { segment: *segment, doc, field }));
        let bytes: Vec<usize> = gone.map(|(_, bytes)| bytes).collect();
        self.bytes -= bytes.iter().sum::<usize>();
        bytes.len() as u64
    }
}

#[derive(Debug)]
struct Kept<V> {
    younger: Generation<V>,
    older: Generation<V>,
    built: u64,
    hits: u64,
    evictions: u64,
    evictions_by_close: u64,
}

/// Bounded by bytes.
#[derive(Debug)]
pub struct QueryCache<V> {
    bytes_max: usize,
    kept: Mutex<Option<Kept<V>>>,
}

impl<V> QueryCache<V> {
    pub const fn new(bytes_max: usize) -> Self {
        QueryCache { bytes_max, kept: Mutex::new(None) }
    }

    pub fn find(&self, key: &Key) -> Option<Arc<V>> {
        self.with(|kept| {
            if let Some((query, _)) = kept.younger.entries.get(key) {
                kept.hits += 1;
                return Some(Arc::clone(query));
            }
            let (key, (query, bytes)) = kept.older.entries.remove_entry(key)?;
            kept.older.bytes -= bytes;
            kept.hits += 1;
            self.add(kept, key, Arc::clone(&query), bytes);
            Some(query)
        })
    }

    /// `reader`: of the segment that holds the query. `bytes`: what it takes.
    pub(super) fn keep(&'static self, reader: &SegmentReader, key: Key, query: Arc<V>, bytes: usize)
    where
        V: Send + Sync,
    {
        reader.tell_when_closed(self);
        self.keep_of(key, query, bytes);
    }

    fn keep_of(&self, key: Key, query: Arc<V>, bytes: usize) {
        self.with(|kept| {
            kept.built += 1;
            self.add(kept, key, query, bytes + ENTRY_BYTES);
        });
    }

    fn add(&self, kept: &mut Kept<V>, key: Key, query: Arc<V>, bytes: usize) {
        if bytes > self.bytes_max / 2 {
            return;
        }
        if kept.younger.bytes + bytes > self.bytes_max / 2 {
            kept.evictions += kept.older.entries.len() as u64;
            kept.older = std::mem::replace(&mut kept.younger, Generation::empty());
        }
        kept.younger.insert(key, query, bytes);
    }

    /// Counts since the process began.
    pub fn statistics(&self) -> SegmentCacheStatistics {
        self.with(|kept| SegmentCacheStatistics {
            built: kept.built,
            hits: kept.hits,
            evictions: kept.evictions,
            evictions_by_close: kept.evictions_by_close,
            memory_size_in_bytes: (kept.younger.bytes + kept.older.bytes) as u64,
        })
    }

    fn with<T>(&self, use_it: impl FnOnce(&mut Kept<V>) -> T) -> T {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        use_it(kept.get_or_insert_with(|| Kept {
            younger: Generation::empty(),
            older: Generation::empty(),
            built: 0,
            hits: 0,
            evictions: 0,
            evictions_by_close: 0,
        }))
    }
}

impl<V: Send + Sync> MadeOfSegments for QueryCache<V> {
    fn forget_segment(&self, segment: &Uuid) {
        self.with(|kept| {
            kept.evictions_by_close += kept.younger.remove_of(segment) + kept.older.remove_of(segment);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let cache = QueryCache::new(8 * (ENTRY_BYTES + 10));
        let key = |doc: u32| Key { segment: [0; 16], doc, field: "q".into() };
        let query = || Arc::new("{}");
        for doc in 0..20 {
            cache.keep_of(key(doc), query(), 10);
            assert!(cache.find(&key(0)).is_some(), "{doc}");
        }
        let figures = cache.statistics();
        assert!(figures.memory_size_in_bytes as usize <= 8 * (ENTRY_BYTES + 10));
        assert_eq!((figures.built, figures.hits), (20, 20));
        assert!(figures.evictions >= 10 && cache.find(&key(1)).is_none() && cache.find(&key(19)).is_some());
        cache.keep_of(key(99), query(), 8 * ENTRY_BYTES);
        assert!(cache.find(&key(99)).is_none());
        let bytes = cache.statistics().memory_size_in_bytes;
        cache.keep_of(key(19), query(), 10);
        assert_eq!(cache.statistics().memory_size_in_bytes, bytes);
    }

    #[test]
    fn what_a_segment_holds_goes_with_it() {
        let cache = QueryCache::new(20 * (ENTRY_BYTES + 10));
        let key = |segment: u8, doc: u32| Key { segment: [segment; 16], doc, field: "q".into() };
        // Of both generations, and some that went from the older to the younger one.
        for doc in 0..8 {
            cache.keep_of(key(1, doc), Arc::new("{}"), 10);
            cache.keep_of(key(2, doc), Arc::new("{}"), 10);
        }
        assert!(cache.find(&key(1, 0)).is_some() && cache.find(&key(2, 0)).is_some());
        cache.forget_segment(&[1; 16]);
        let kept = |segment| (0..8).filter(|&doc| cache.find(&key(segment, doc)).is_some()).count();
        assert_eq!((kept(1), kept(2)), (0, 8));
        let figures = cache.statistics();
        assert_eq!((figures.evictions_by_close, figures.evictions), (8, 0));
        assert_eq!(figures.memory_size_in_bytes as usize, 8 * (ENTRY_BYTES + 10));
        cache.forget_segment(&[2; 16]);
        assert_eq!(cache.statistics().memory_size_in_bytes, 0);
    }
}
