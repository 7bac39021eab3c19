//! What the segments do not know yet: the newest operation on every id since the last refresh, and deletions that must be
//! remembered for a while.

use super::items::version::Current;
use hashbrown::HashTable;
use rapidhash::fast::RandomState;
use std::hash::BuildHasher;

/// When a replayed deletion happened: the translog does not say.
pub const UNKNOWN_TIME: u64 = 0;

/// Where the newest state of an id is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newest {
    /// Document of the indexing buffer.
    Buffered { ordinal: u32 },
    /// Deleted at this time (milliseconds since 1970); [`UNKNOWN_TIME`] counts as the time of the next refresh.
    Deleted { at_ms: u64 },
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    id_start: usize,
    id_length: usize,
    seq_no: u64,
    primary_term: u64,
    version: u64,
    newest: Newest,
}

/// Ids lie one after the other in one block of memory. The hash is keyed, so that clients cannot make ids that collide.
///
/// Ids that were made for their documents wait beside the table until somebody asks for an id: loads that only add documents
/// never do, and putting each into a large table is a tenth of what they cost.
#[derive(Default)]
pub struct VersionMap {
    table: HashTable<Entry>,
    /// Not in the table yet. No id of theirs is there, or twice here.
    waiting: Vec<Entry>,
    ids: Vec<u8>,
    hasher: RandomState,
}

impl std::fmt::Debug for VersionMap {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "VersionMap({} ids)", self.table.len() + self.waiting.len())
    }
}

impl VersionMap {
    fn current_of(entry: &Entry) -> (Current, Newest) {
        let current = Current {
            seq_no: entry.seq_no,
            primary_term: entry.primary_term,
            version: entry.version,
            is_deleted: matches!(entry.newest, Newest::Deleted { .. }),
        };
        (current, entry.newest)
    }

    /// What is known of an id.
    pub fn get(&mut self, id: &[u8]) -> Option<(Current, Newest)> {
        self.settle();
        let hash = self.hasher.hash_one(id);
        let ids = &self.ids;
        self.table.find(hash, |entry| id_of(ids, entry) == id).map(Self::current_of)
    }

    /// Adds an id that nobody can have used before.
    pub fn put_new(&mut self, id: &[u8], seq_no: u64, primary_term: u64, version: u64, newest: Newest) {
        let entry = Entry { id_start: self.ids.len(), id_length: id.len(), seq_no, primary_term, version, newest };
        self.ids.extend_from_slice(id);
        self.waiting.push(entry);
    }

    fn settle(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        let (ids, hasher) = (&self.ids, &self.hasher);
        let hash_of = |entry: &Entry| hasher.hash_one(id_of(ids, entry));
        self.table.reserve(self.waiting.len(), hash_of);
        for entry in self.waiting.drain(..) {
            self.table.insert_unique(hash_of(&entry), entry, hash_of);
        }
    }

    pub fn put(&mut self, id: &[u8], seq_no: u64, primary_term: u64, version: u64, newest: Newest) {
        self.settle();
        let hash = self.hasher.hash_one(id);
        let ids = &self.ids;
        if let Some(entry) = self.table.find_mut(hash, |entry| id_of(ids, entry) == id) {
            *entry = Entry { seq_no, primary_term, version, newest, ..*entry };
            return;
        }
        let entry = Entry { id_start: ids.len(), id_length: id.len(), seq_no, primary_term, version, newest };
        self.ids.extend_from_slice(id);
        let (ids, hasher) = (&self.ids, &self.hasher);
        self.table.insert_unique(hash, entry, |entry| hasher.hash_one(id_of(ids, entry)));
    }

    /// After a refresh: what was buffered is in a segment now; deletions older than `gc_deletes_ms` are forgotten.
    pub fn refreshed(&mut self, now_ms: u64, gc_deletes_ms: u64) {
        // Those that wait are documents of the buffer, all of them.
        let former = std::mem::replace(self, VersionMap { hasher: self.hasher, ..VersionMap::default() });
        for entry in &former.table {
            let Newest::Deleted { at_ms } = entry.newest else { continue };
            let at_ms = if at_ms == UNKNOWN_TIME { now_ms } else { at_ms };
            if now_ms.saturating_sub(at_ms) <= gc_deletes_ms {
                let id = id_of(&former.ids, entry);
                self.put(id, entry.seq_no, entry.primary_term, entry.version, Newest::Deleted { at_ms });
            }
        }
    }

    /// Takes over what an older map still remembers, where nothing newer is known of the id.
    pub fn inherit(&mut self, older: &VersionMap) {
        debug_assert!(older.waiting.is_empty(), "it has been refreshed");
        for entry in &older.table {
            let id = id_of(&older.ids, entry);
            if self.get(id).is_none() {
                self.put(id, entry.seq_no, entry.primary_term, entry.version, entry.newest);
            }
        }
    }

    /// Forgets all deletions: what they guard against (late writes with external versions) is worth less than memory.
    pub fn forget_deletions(&mut self) {
        self.table.retain(|entry| !matches!(entry.newest, Newest::Deleted { .. }));
        if self.table.is_empty() && self.waiting.is_empty() {
            self.table.shrink_to_fit(|_| 0);
            self.ids = Vec::new();
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.ids.len() + (self.table.len() + self.waiting.len()) * size_of::<Entry>()
    }
}

fn id_of<'a>(ids: &'a [u8], entry: &Entry) -> &'a [u8] {
    &ids[entry.id_start..entry.id_start + entry.id_length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn it_is_a_map_that_forgets_at_refresh(
            operations in prop::collection::vec((0u8..20, 0u64..100, 0u8..3, 1u64..50), 0..100),
            now in 0u64..100,
        ) {
            let mut map = VersionMap::default();
            let mut model: HashMap<Vec<u8>, (u64, Newest)> = HashMap::new();
            let mut new_ids = 20..;
            for (ordinal, &(id, version, kind, at_ms)) in operations.iter().enumerate() {
                let newest = match kind {
                    0 => Newest::Deleted { at_ms },
                    _ => Newest::Buffered { ordinal: ordinal as u32 },
                };
                if kind == 2 {
                    let id = vec![b'i'; new_ids.next().unwrap()];
                    map.put_new(&id, ordinal as u64, 1, version, newest);
                    model.insert(id, (version, newest));
                    continue;
                }
                let id = vec![b'i'; usize::from(id)];
                map.put(&id, ordinal as u64, 1, version, newest);
                model.insert(id, (version, newest));
            }
            let check = |map: &mut VersionMap, model: &HashMap<Vec<u8>, (u64, Newest)>| {
                for length in 0..130 {
                    let id = vec![b'i'; length];
                    let found = map.get(&id).map(|(current, newest)| (current.version, newest));
                    assert_eq!(found, model.get(&id).copied());
                }
            };
            check(&mut map, &model);
            map.refreshed(now, 20);
            model.retain(|_, (_, newest)| match newest {
                Newest::Deleted { at_ms } => now.saturating_sub(*at_ms) <= 20,
                Newest::Buffered { .. } => false,
            });
            check(&mut map, &model);
        }
    }
}
