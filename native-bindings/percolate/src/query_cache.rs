//! What was made of stored queries, kept for later searches of the whole process: segments do not change.
//!
//! They are many and small, and found for each query that is put to documents, so nothing here takes longer with their number.
//! There are two generations: what is found in the older one joins the younger, and when that is half of what
//! may be kept, the older one goes and the younger takes its place.

use quarry_base::cache_statistics::CacheStatistics;
use rapidhash::RapidHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// What an entry takes beside its query.
const ENTRY_BYTES: usize = 256;

/// Which query of which document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub segment: [u8; 16],
    pub doc: u32,
    pub field: Arc<str>,
}

#[derive(Debug)]
struct Generation<V> {
    /// With the bytes of each.
    entries: RapidHashMap<Key, (Arc<V>, usize)>,
    bytes: usize,
}

impl<V> Generation<V> {
    fn empty() -> Self {
        Generation { entries: RapidHashMap::default(), bytes: 0 }
    }

    fn insert(&mut self, key: Key, value: Arc<V>, bytes: usize) {
        self.bytes += bytes;
        if let Some((_, replaced)) = self.entries.insert(key, (value, bytes)) {
            self.bytes -= replaced;
        }
    }
}

#[derive(Debug)]
struct Kept<V> {
    younger: Generation<V>,
    older: Generation<V>,
    built: u64,
    hits: u64,
    evictions: u64,
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

    /// `bytes`: what the query takes.
    pub(super) fn keep(&self, key: Key, query: Arc<V>, bytes: usize) {
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
    pub fn statistics(&self) -> CacheStatistics {
        self.with(|kept| CacheStatistics {
            built: kept.built,
            hits: kept.hits,
            evictions: kept.evictions,
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
        }))
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
            cache.keep(key(doc), query(), 10);
            assert!(cache.find(&key(0)).is_some(), "{doc}");
        }
        let figures = cache.statistics();
        assert!(figures.memory_size_in_bytes as usize <= 8 * (ENTRY_BYTES + 10));
        assert_eq!((figures.built, figures.hits), (20, 20));
        assert!(figures.evictions >= 10 && cache.find(&key(1)).is_none() && cache.find(&key(19)).is_some());
        cache.keep(key(99), query(), 8 * ENTRY_BYTES);
        assert!(cache.find(&key(99)).is_none());
        let bytes = cache.statistics().memory_size_in_bytes;
        cache.keep(key(19), query(), 10);
        assert_eq!(cache.statistics().memory_size_in_bytes, bytes);
    }
}
