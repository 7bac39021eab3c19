//! Columns that were computed before, for the whole process: segments do not change, so neither does what scripts make of them.

use super::ComputedColumn;
use super::wanted::{Identity, WantedField, identity_of_terms};
use crate::search::view::SegmentView;
use crate::segment::live_docs::LiveDocs;
use indexmap::IndexMap;
use rapidhash::quality::RandomState;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What all columns that are kept may take.
const BYTES_MAX: usize = 256 << 20;
/// What a column takes beside its bytes.
const ENTRY_BYTES: usize = 512;

/// Which column of which segment.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Known {
    segment: [u8; 16],
    identity: Identity,
}

impl Known {
    pub fn new(segment: &SegmentView, field: &WantedField) -> Self {
        Known { segment: segment.reader.id().uuid, identity: field.identity }
    }

    /// The terms of a text field by document.
    pub fn of_terms(segment: &SegmentView, field: &str) -> Self {
        Known { segment: segment.reader.id().uuid, identity: identity_of_terms(field) }
    }
}

#[derive(Debug)]
struct Entry {
    column: Arc<ComputedColumn>,
    /// Live documents that it was computed for.
    live: u32,
    bytes: usize,
}

/// The least recently used first.
#[derive(Debug, Default)]
struct Cache {
    entries: IndexMap<Known, Entry, RandomState>,
    bytes: usize,
}

static CACHE: Mutex<Option<Cache>> = Mutex::new(None);
static HITS: AtomicU64 = AtomicU64::new(0);
static COMPUTED: AtomicU64 = AtomicU64::new(0);
static EVICTIONS: AtomicU64 = AtomicU64::new(0);

/// Counts since the process began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct ComputedStatistics {
    pub computed: u64,
    pub hits: u64,
    pub evictions: u64,
    pub memory_size_in_bytes: u64,
}

pub fn statistics() -> ComputedStatistics {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    ComputedStatistics {
        computed: read(&COMPUTED),
        hits: read(&HITS),
        evictions: read(&EVICTIONS),
        memory_size_in_bytes: with_cache(|cache| cache.bytes) as u64,
    }
}

fn with_cache<T>(use_it: impl FnOnce(&mut Cache) -> T) -> T {
    let mut guard = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(guard.get_or_insert_default())
}

/// What is kept under the name takes; 0 where nothing is.
pub(super) fn bytes_of(known: &Known) -> usize {
    with_cache(|cache| cache.entries.get(known).map_or(0, |entry| entry.bytes))
}

pub(super) fn forget(known: &Known) {
    with_cache(|cache| {
        if let Some(gone) = cache.entries.shift_remove(known) {
            cache.bytes -= gone.bytes;
        }
    });
}

fn live_count(segment: &SegmentView) -> u32 {
    segment.live.as_deref().map_or(segment.max_doc(), LiveDocs::live_count)
}

/// A column that was computed for these documents at least: deletions only take some away.
pub(super) fn find(known: &Known, segment: &SegmentView) -> Option<Arc<ComputedColumn>> {
    with_cache(|cache| {
        let place = cache.entries.get_index_of(known)?;
        let last = cache.entries.len() - 1;
        cache.entries.move_index(place, last);
        let (_, entry) = cache.entries.get_index(last)?;
        if entry.live < live_count(segment) {
            return None;
        }
        HITS.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(&entry.column))
    })
}

pub(super) fn keep(known: Known, segment: &SegmentView, column: ComputedColumn) -> Arc<ComputedColumn> {
    COMPUTED.fetch_add(1, Ordering::Relaxed);
    let column = Arc::new(column);
    let bytes = column.bytes + ENTRY_BYTES;
    // Limits of scripts may change, and what failed on them should not fail for ever.
    if bytes > BYTES_MAX || column.failed.is_some() {
        return column;
    }
    with_cache(|cache| {
        let entry = Entry { column: Arc::clone(&column), live: live_count(segment), bytes };
        cache.bytes += bytes;
        if let Some(before) = cache.entries.insert(known, entry) {
            cache.bytes -= before.bytes;
        }
        while cache.bytes > BYTES_MAX {
            let Some((_, gone)) = cache.entries.shift_remove_index(0) else { break };
            cache.bytes -= gone.bytes;
            EVICTIONS.fetch_add(1, Ordering::Relaxed);
        }
    });
    column
}
