//! Answers of shards to searches that came before: the request cache, of all threads. Each answer belongs to one view of its shard; the least
//! recently used ones go when there is no room.
//!
//! Only searches that may be kept come here, and one lock is enough for them: it is held for as long as a table is looked up in.

use super::Published;
use hashbrown::{HashMap, HashSet};
use lru::LruCache;
use quarry_phases::search::SearchResult;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// What an entry takes beside its answer: its names and its places in tables.
const ENTRY_BYTES: usize = 512;

/// Of one copy of a shard since it was opened.
#[derive(Debug, Default)]
pub struct CacheCounters {
    memory_bytes: AtomicU64,
    evictions: AtomicU64,
    hits: AtomicU64,
    misses: AtomicU64,
}

/// What [`CacheCounters`] stand at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheFigures {
    pub memory_bytes: u64,
    pub evictions: u64,
    pub hits: u64,
    pub misses: u64,
}

impl CacheCounters {
    pub fn figures(&self) -> CacheFigures {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        CacheFigures {
            memory_bytes: read(&self.memory_bytes),
            evictions: read(&self.evictions),
            hits: read(&self.hits),
            misses: read(&self.misses),
        }
    }
}

/// An answer as it is kept.
#[derive(Debug, Clone)]
pub enum Answer {
    Search(SearchResult),
    /// Encoded.
    QueryPhase(Vec<u8>),
}

impl Answer {
    fn bytes(&self) -> usize {
        match self {
            Answer::QueryPhase(result) => result.len(),
            Answer::Search(SearchResult { hits, aggregations, profile, .. }) => {
                hits.len() + aggregations.as_ref().map_or(0, Vec::len) + profile.as_ref().map_or(0, Vec::len)
            }
        }
    }
}

/// The answer that is kept for this view under this key.
pub fn find(of: &Arc<Published>, view: u64, key: &str) -> Option<Arc<Answer>> {
    let answer = cache().find(of, view, key)?;
    of.answers.hits.fetch_add(1, Ordering::Relaxed);
    Some(answer)
}

/// Whether there is one, without having asked for it.
pub fn is_kept(of: &Arc<Published>, view: u64, key: &str) -> bool {
    let cache = cache();
    cache.copies.get(&of.number).is_some_and(|copy| copy.view == view && copy.keys.contains(key))
}

/// Keeps an answer that was not found, if there is room; `None` is an answer that others do not get.
pub fn keep(of: &Arc<Published>, view: u64, key: &str, answer: Option<Answer>) {
    of.answers.misses.fetch_add(1, Ordering::Relaxed);
    let Some(answer) = answer else { return };
    let bytes = answer.bytes() + key.len() + ENTRY_BYTES;
    cache().keep(of, view, key, Kept { answer: Arc::new(answer), bytes });
}

/// Drops the answers of a copy; its figures stay.
pub fn clear(of: &Arc<Published>) {
    cache().drop_all_of(of.number);
}

/// The copy was closed.
pub(super) fn forget(of: &Arc<Published>) {
    let mut cache = cache();
    cache.drop_all_of(of.number);
    cache.copies.remove(&of.number);
}

/// Room for the answers of all shards of the process.
pub fn set_bytes_max(bytes: usize) {
    let mut cache = cache();
    cache.bytes_max = bytes;
    cache.make_room();
}

static CACHE: LazyLock<Mutex<Cache>> = LazyLock::new(Mutex::default);

fn cache() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Number of the copy, and the key.
type Name = (u64, Arc<str>);

struct Kept {
    answer: Arc<Answer>,
    bytes: usize,
}

struct CachedCopy {
    of: std::sync::Weak<Published>,
    /// That the answers are of.
    view: u64,
    keys: HashSet<Arc<str>>,
}

struct Cache {
    bytes_max: usize,
    bytes: usize,
    entries: LruCache<Name, Kept>,
    copies: HashMap<u64, CachedCopy>,
}

impl Default for Cache {
    fn default() -> Self {
        Cache { bytes_max: 0, bytes: 0, entries: LruCache::unbounded(), copies: HashMap::new() }
    }
}

impl Cache {
    fn find(&mut self, of: &Arc<Published>, view: u64, key: &str) -> Option<Arc<Answer>> {
        if self.copies.get(&of.number)?.view != view {
            return None;
        }
        let kept = self.entries.get(&(of.number, key.into()))?;
        Some(Arc::clone(&kept.answer))
    }

    fn keep(&mut self, of: &Arc<Published>, view: u64, key: &str, kept: Kept) {
        // Between look and keep the copy may have been closed, and answers of an older view are of no use to anyone.
        if kept.bytes > self.bytes_max || of.newest().is_none_or(|newest| newest.number != view) {
            return;
        }
        if self.copies.get(&of.number).is_some_and(|copy| copy.view != view) {
            self.drop_all_of(of.number);
        }
        let copy = self.copies.entry(of.number);
        let copy = copy.or_insert_with(|| CachedCopy { of: Arc::downgrade(of), view, keys: HashSet::new() });
        copy.view = view;
        let key: Arc<str> = key.into();
        copy.keys.insert(Arc::clone(&key));
        let bytes = kept.bytes;
        self.bytes += bytes;
        of.answers.memory_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        if let Some(former) = self.entries.put((of.number, key), kept) {
            self.bytes -= former.bytes;
            of.answers.memory_bytes.fetch_sub(former.bytes as u64, Ordering::Relaxed);
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        while self.bytes > self.bytes_max {
            let Some(((number, key), kept)) = self.entries.pop_lru() else { return };
            self.bytes -= kept.bytes;
            let Some(copy) = self.copies.get_mut(&number) else { continue };
            copy.keys.remove(&key);
            if let Some(of) = copy.of.upgrade() {
                of.answers.evictions.fetch_add(1, Ordering::Relaxed);
                of.answers.memory_bytes.fetch_sub(kept.bytes as u64, Ordering::Relaxed);
            }
        }
    }

    fn drop_all_of(&mut self, number: u64) {
        let Some(copy) = self.copies.get_mut(&number) else { return };
        let mut freed = 0;
        for key in copy.keys.drain() {
            freed += self.entries.pop(&(number, key)).map_or(0, |kept| kept.bytes);
        }
        self.bytes -= freed;
        if let Some(of) = copy.of.upgrade() {
            of.answers.memory_bytes.fetch_sub(freed as u64, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reads::published::{Publication, PublishedView};
    use quarry_shards::{TestShard, mapping};

    /// What an answer of no bytes takes under a key of one.
    const SMALLEST: usize = ENTRY_BYTES + 1;

    struct Fixture {
        cache: Cache,
        shard: TestShard,
    }

    impl Fixture {
        fn new(bytes_max: usize) -> Self {
            Fixture { cache: Cache { bytes_max, ..Cache::default() }, shard: TestShard::new(mapping(vec![]), &[], &[]) }
        }

        fn copy(&self) -> Publication {
            Publication::new(&self.shard.view, None)
        }

        /// Whether it was known; keeps it otherwise.
        fn ask(&mut self, copy: &Publication, key: &str, bytes: usize) -> bool {
            let of = copy.published();
            let view = of.newest().unwrap().number;
            if self.cache.find(of, view, key).is_some() {
                return true;
            }
            let answer = Answer::QueryPhase(vec![0; bytes]);
            let bytes = answer.bytes() + key.len() + ENTRY_BYTES;
            self.cache.keep(of, view, key, Kept { answer: Arc::new(answer), bytes });
            false
        }
    }

    fn memory(copy: &Publication) -> u64 {
        copy.published().answers.figures().memory_bytes
    }

    #[test]
    fn the_same_view_answers_again() {
        let mut fixture = Fixture::new(10_000);
        let (one, two) = (fixture.copy(), fixture.copy());
        assert!(!fixture.ask(&one, "a", 7) && fixture.ask(&one, "a", 7));
        assert!(!fixture.ask(&one, "b", 0) && !fixture.ask(&two, "a", 0));
        assert_eq!((memory(&one), memory(&two)), (2 * SMALLEST as u64 + 7, SMALLEST as u64));
        fixture.cache.drop_all_of(one.published().number);
        assert_eq!((memory(&one), fixture.cache.bytes), (0, SMALLEST));
        assert!(!fixture.ask(&one, "a", 7) && fixture.ask(&two, "a", 0));
    }

    #[test]
    fn a_new_view_forgets_what_was_known_of_the_one_before() {
        let mut fixture = Fixture::new(10_000);
        let copy = fixture.copy();
        fixture.ask(&copy, "a", 0);
        fixture.ask(&copy, "b", 0);
        let before = copy.published().newest().unwrap().number;
        copy.latest().show(PublishedView::new(&fixture.shard.view), None);
        assert!(!fixture.ask(&copy, "a", 0));
        assert_eq!(memory(&copy), SMALLEST as u64);
        // A search that took so long that its view is an older one by now.
        let late = Kept { answer: Arc::new(Answer::QueryPhase(vec![])), bytes: SMALLEST };
        fixture.cache.keep(copy.published(), before, "c", late);
        assert!(fixture.cache.find(copy.published(), before, "c").is_none() && fixture.ask(&copy, "a", 0));
    }

    #[test]
    fn the_least_recently_used_goes_first_and_what_is_too_large_is_not_kept() {
        let mut fixture = Fixture::new(2 * SMALLEST);
        let (one, two) = (fixture.copy(), fixture.copy());
        fixture.ask(&one, "a", 0);
        fixture.ask(&two, "b", 0);
        assert!(fixture.ask(&one, "a", 0));
        fixture.ask(&two, "c", 0);
        assert!(fixture.ask(&one, "a", 0) && !fixture.ask(&two, "b", 0));
        assert_eq!(two.published().answers.figures().evictions, 2);
        assert!(!fixture.ask(&one, "d", SMALLEST + 1) && !fixture.ask(&one, "d", SMALLEST + 1));
        assert!(fixture.cache.bytes <= fixture.cache.bytes_max);
    }

    #[test]
    fn nothing_is_kept_of_a_closed_copy() {
        let mut fixture = Fixture::new(10_000);
        let copy = fixture.copy();
        let of = Arc::clone(copy.published());
        let view = of.newest().unwrap().number;
        drop(copy);
        let kept = Kept { answer: Arc::new(Answer::QueryPhase(vec![])), bytes: SMALLEST };
        fixture.cache.keep(&of, view, "a", kept);
        assert_eq!((fixture.cache.bytes, fixture.cache.entries.len()), (0, 0));
    }
}
