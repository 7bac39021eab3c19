//! Which documents of a segment are not deleted: a bitmap in memory, a roaring sidecar file with a generation on disk.

use crate::envelope::{self, Envelope};
use crate::generated::live_docs as schema;
use crate::id::SegmentId;
use croaring::{Bitmap, Portable};
use flatbuffers::FlatBufferBuilder;
use quarry_base::error::{Error, Result};
use quarry_codec::window::{WINDOW, WINDOW_WORDS, WindowBits, window_count};
use std::path::Path;

const FILE: Envelope = Envelope { magic: *b"QRYLIVE\n", version: 1 };

/// Cloned on write (`Arc::make_mut`): searches keep the state they started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveDocs {
    max_doc: u32,
    deleted_count: u32,
    windows: Vec<WindowBits>,
}

impl LiveDocs {
    /// Every document alive.
    pub fn all_live(max_doc: u32) -> Self {
        let mut windows = vec![[u64::MAX; WINDOW_WORDS]; window_count(max_doc) as usize];
        let in_last = max_doc as usize % WINDOW;
        if let Some(last) = windows.last_mut().filter(|_| in_last > 0) {
            last[in_last.div_ceil(64)..].fill(0);
            if !in_last.is_multiple_of(64) {
                last[in_last / 64] = (1 << (in_last % 64)) - 1;
            }
        }
        LiveDocs { max_doc, deleted_count: 0, windows }
    }

    /// Those of `windows` that are documents of the segment.
    pub(crate) fn from_windows(max_doc: u32, windows: Vec<WindowBits>) -> Self {
        let live: u32 = windows.iter().flatten().map(|word| word.count_ones()).sum();
        LiveDocs { max_doc, deleted_count: max_doc.saturating_sub(live), windows }
    }

    pub(crate) fn windows(&self) -> &[WindowBits] {
        &self.windows
    }

    pub(crate) fn into_windows(self) -> Vec<WindowBits> {
        self.windows
    }

    /// Documents that are alive here and there. Both are of one segment.
    #[inline]
    pub fn and(&self, other: &LiveDocs) -> Self {
        let both = |(own, other): (&WindowBits, &WindowBits)| std::array::from_fn(|word| own[word] & other[word]);
        Self::from_windows(self.max_doc, self.windows.iter().zip(&other.windows).map(both).collect())
    }

    /// `false` when it was deleted already, or there is no such document.
    #[inline]
    pub fn delete(&mut self, doc: u32) -> bool {
        if !self.is_live(doc) {
            return false;
        }
        let (window, word, bit) = place(doc);
        self.windows[window][word] &= !bit;
        self.deleted_count += 1;
        true
    }

    #[inline]
    pub fn is_live(&self, doc: u32) -> bool {
        let (window, word, bit) = place(doc);
        self.windows.get(window).is_some_and(|words| words[word] & bit != 0)
    }

    /// The live documents of a window of the segment (bits beyond `max_doc` are 0).
    #[inline]
    pub fn window(&self, window: u32) -> &WindowBits {
        &self.windows[window as usize]
    }

    #[inline]
    pub fn max_doc(&self) -> u32 {
        self.max_doc
    }

    #[inline]
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.windows)
    }

    #[inline]
    pub fn deleted_count(&self) -> u32 {
        self.deleted_count
    }

    #[inline]
    pub fn live_count(&self) -> u32 {
        self.max_doc - self.deleted_count
    }

    /// Deleted documents, ascending.
    #[inline]
    pub fn deleted(&self) -> impl Iterator<Item = u32> + '_ {
        // Words without a deletion, which are most, cost one look each.
        let words = self.windows.iter().flatten().enumerate().filter(|(_, word)| **word != u64::MAX);
        let in_word = |(place, word): (usize, &u64)| {
            let (start, word) = (place as u32 * 64, *word);
            (start..start.saturating_add(64)).filter(move |doc| word & (1 << (doc % 64)) == 0)
        };
        words.flat_map(in_word).take_while(|&doc| doc < self.max_doc)
    }

    /// Writes the sidecar of `generation` into the shard directory, fsynced, complete or not there at all. Returns its size.
    #[inline]
    pub fn write(&self, directory: &Path, segment: &SegmentId, generation: u64) -> Result<u64> {
        FILE.write(&directory.join(segment.live_docs_file_name(generation)), &self.encode(segment, generation))
    }

    /// As `live_docs.fbs`.
    pub(crate) fn encode(&self, segment: &SegmentId, generation: u64) -> Vec<u8> {
        let mut deleted = Bitmap::from_iter(self.deleted());
        deleted.run_optimize();
        let mut builder = FlatBufferBuilder::new();
        let uuid = builder.create_vector(&segment.uuid);
        let bitmap = builder.create_vector(&deleted.serialize::<Portable>());
        let arguments = schema::LiveDocsArgs {
            segment_uuid: Some(uuid),
            generation,
            max_doc: self.max_doc,
            deleted_count: self.deleted_count,
            deleted: Some(bitmap),
        };
        let root = schema::LiveDocs::create(&mut builder, &arguments);
        builder.finish(root, None);
        builder.finished_data().to_vec()
    }

    /// Reads the sidecar and proves that it belongs to the segment.
    #[inline]
    pub fn read(directory: &Path, segment: &SegmentId, generation: u64, max_doc: u32) -> Result<Self> {
        let path = directory.join(segment.live_docs_file_name(generation));
        FILE.read(&path, |body| decode(body, segment, generation, max_doc))
    }
}

fn place(doc: u32) -> (usize, usize, u64) {
    let in_window = doc as usize % WINDOW;
    (doc as usize / WINDOW, in_window / 64, 1 << (in_window % 64))
}

/// Deletions of that segment and generation, or an error.
pub(crate) fn decode(body: &[u8], segment: &SegmentId, generation: u64, max_doc: u32) -> Result<LiveDocs> {
    let root = flatbuffers::root::<schema::LiveDocs<'_>>(body).map_err(|error| Error::corrupt(error.to_string()))?;
    if envelope::uuid(root.segment_uuid().bytes())? != segment.uuid {
        return Err(Error::corrupt("live docs belong to another segment"));
    }
    if (root.generation(), root.max_doc()) != (generation, max_doc) {
        return Err(Error::corrupt(format!(
            "live docs are generation {} of {} documents, expected generation {generation} of {max_doc}",
            root.generation(),
            root.max_doc()
        )));
    }
    let deleted = Bitmap::try_deserialize::<Portable>(root.deleted().bytes());
    let deleted = deleted.ok_or_else(|| Error::corrupt("roaring bitmap of live docs is damaged"))?;
    if deleted.maximum().is_some_and(|last| last >= max_doc) {
        return Err(Error::corrupt(format!("live docs delete documents beyond {max_doc}")));
    }
    let mut live = LiveDocs::all_live(max_doc);
    for doc in deleted.iter() {
        live.delete(doc);
    }
    if live.deleted_count != root.deleted_count() {
        let reason = format!("live docs have {} deletions instead of {}", live.deleted_count, root.deleted_count());
        return Err(Error::corrupt(reason));
    }
    Ok(live)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::support::{TestDirectory, expect_damage_reported};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const SEGMENT: SegmentId = SegmentId { number: 3, uuid: [7; 16] };

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn deletions_survive_the_file(max_doc in 1u32..20_000, deleted in proptest::collection::btree_set(0u32..20_000, 0..500)) {
            let deleted: BTreeSet<u32> = deleted.into_iter().filter(|&doc| doc < max_doc).collect();
            let mut live = LiveDocs::all_live(max_doc);
            for &doc in &deleted {
                prop_assert!(live.delete(doc));
                prop_assert!(!live.delete(doc));
            }
            prop_assert!(!live.delete(max_doc));
            prop_assert_eq!(live.deleted().collect::<BTreeSet<_>>(), deleted.clone());
            prop_assert_eq!(live.live_count(), max_doc - deleted.len() as u32);
            let set: u32 = live.windows.iter().flatten().map(|word| word.count_ones()).sum();
            prop_assert_eq!(set, live.live_count());
            let directory = TestDirectory::new();
            live.write(directory.path(), &SEGMENT, 9).unwrap();
            prop_assert_eq!(LiveDocs::read(directory.path(), &SEGMENT, 9, max_doc).unwrap(), live);
        }
    }

    #[test]
    fn damage_names_the_file() {
        let directory = TestDirectory::new();
        let mut live = LiveDocs::all_live(10_000);
        (0..10_000).step_by(3).for_each(|doc| assert!(live.delete(doc)));
        live.write(directory.path(), &SEGMENT, 1).unwrap();
        let path = directory.path().join(SEGMENT.live_docs_file_name(1));
        expect_damage_reported(&path, 61, || LiveDocs::read(directory.path(), &SEGMENT, 1, 10_000).err());
    }

    #[test]
    fn live_docs_of_another_segment_are_refused() {
        let directory = TestDirectory::new();
        LiveDocs::all_live(10).write(directory.path(), &SEGMENT, 1).unwrap();
        let other = SegmentId { uuid: [8; 16], ..SEGMENT };
        assert!(LiveDocs::read(directory.path(), &other, 1, 10).unwrap_err().reason.contains("another segment"));
        assert!(LiveDocs::read(directory.path(), &SEGMENT, 1, 11).is_err());
    }
}
