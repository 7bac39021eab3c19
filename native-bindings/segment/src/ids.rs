//! `_id`: the bytes of each document's id, and a hash index from id to document.
//!
//! ```text
//! header   40 bytes
//! bases    where the ids of each window of 4,096 documents start, and where the last ends (u64 each)
//! offsets  where each id starts, from its window's base, bit-packed; absent where all ids have the same length
//! ids      one after another
//! buckets  hash index: buckets of 16 slots of 32 bits (one cache line each), 13 of them filled on average
//! ```
//!
//! A slot holds document + 1 in as many low bits as documents need, and bits of the hash above; 0 is empty. A bucket that is
//! full overflows into the next one. The hash is keyed, and an id that is found was compared byte by byte.

use quarry_base::error::{Error, Result};
use quarry_codec::bitpack;
use quarry_codec::shared_bytes::SharedBytes;
use quarry_codec::window::{WINDOW, window_count};
use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

const HEADER_BYTES: usize = 40;
const BUCKET_SLOTS: usize = 16;
/// Filled slots of a bucket on average.
const BUCKET_FILL: usize = 13;
const ALIGNMENT: usize = 64;

/// A finished id column.
#[derive(Debug, Clone)]
pub struct IdsData {
    pub(crate) bytes: Vec<u8>,
    doc_count: u32,
}

impl IdsData {
    #[inline]
    pub fn doc_count(&self) -> u32 {
        self.doc_count
    }
}

/// Collects ids in document order.
#[derive(Debug, Default)]
pub struct IdsWriter {
    bytes: Vec<u8>,
    lengths: Vec<u16>,
    /// In the order in which ids were added: their documents. `None`: they are documents in that order.
    documents: Option<Vec<u32>>,
}

impl IdsWriter {
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// The id of the next document, at most [`quarry_base::limits::ID_BYTES_MAX`] bytes. An id may come again (the document was
    /// overwritten): the last one is found. An empty one is none: nested documents are not looked for.
    #[inline]
    pub fn add(&mut self, id: &[u8]) {
        debug_assert!(id.len() <= quarry_base::limits::ID_BYTES_MAX);
        self.bytes.extend_from_slice(id);
        self.lengths.push(id.len() as u16);
    }

    /// Gives documents other numbers: `old_docs` by new number, `new_docs` by old one. Of an id that came several times the last
    /// that was added is found still. Called once, behind all ids.
    #[inline]
    pub fn rearrange(&mut self, old_docs: &[u32], new_docs: &[u32]) {
        let starts = self.starts();
        let mut bytes = Vec::with_capacity(self.bytes.len());
        for &old in old_docs {
            bytes.extend_from_slice(&self.bytes[starts[old as usize]..starts[old as usize + 1]]);
        }
        self.bytes = bytes;
        self.lengths = old_docs.iter().map(|&old| self.lengths[old as usize]).collect();
        self.documents = Some(new_docs.to_vec());
    }

    /// Where each id starts, and where the last ends.
    fn starts(&self) -> Vec<usize> {
        let mut starts = Vec::with_capacity(self.lengths.len() + 1);
        let mut end = 0;
        starts.push(0);
        for &length in &self.lengths {
            end += usize::from(length);
            starts.push(end);
        }
        starts
    }

    #[inline]
    pub fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.lengths.len() * size_of::<u16>()
    }

    /// `hash_key`: unknown to clients, so that nobody can make ids that collide; made from the segment's uuid.
    pub fn finish(self, hash_key: u64) -> IdsData {
        let (bases, offsets) = self.place_ids();
        let fixed_length = self.fixed_length();
        let offset_width = bitpack::width_of(offsets.iter().copied().max().unwrap_or(0));
        let layout = Layout {
            max_doc: self.lengths.len() as u32,
            bucket_count: self.lengths.iter().filter(|&&length| length > 0).count().div_ceil(BUCKET_FILL).max(1) as u32,
            hash_key,
            id_bytes: self.bytes.len() as u64,
            fixed_length,
            offset_width,
        };
        let mut out = Vec::with_capacity(layout.parts().map_or(0, |parts| parts.end));
        layout.write(&mut out);
        out.extend(bases.iter().flat_map(|base| base.to_le_bytes()));
        if fixed_length == 0 {
            for window in offsets.chunks(WINDOW) {
                bitpack::pack(window, offset_width, &mut out);
            }
        }
        out.extend_from_slice(&self.bytes);
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        let slots = self.build_index(&layout);
        out.extend(slots.iter().flat_map(|slot| slot.to_le_bytes()));
        IdsData { bytes: out, doc_count: layout.max_doc }
    }

    /// Window bases, and each id's start from its window's base.
    fn place_ids(&self) -> (Vec<u64>, Vec<u64>) {
        let mut bases = Vec::new();
        let mut offsets = Vec::with_capacity(self.lengths.len());
        let mut at = 0;
        for window in self.lengths.chunks(WINDOW) {
            let base = at;
            bases.push(base);
            for &length in window {
                offsets.push(at - base);
                at += u64::from(length);
            }
        }
        bases.push(at);
        (bases, offsets)
    }

    /// The length that all ids have, or 0 where they differ (or are empty).
    fn fixed_length(&self) -> u32 {
        let first = self.lengths.first().copied().unwrap_or(0);
        if self.lengths.iter().all(|&length| length == first) { u32::from(first) } else { 0 }
    }

    fn build_index(&self, layout: &Layout) -> Vec<u32> {
        let hasher = IdHasher::new(layout);
        let mut slots = vec![0u32; layout.bucket_count as usize * BUCKET_SLOTS];
        let starts = self.starts();
        for added in 0..self.lengths.len() {
            let doc = self.documents.as_ref().map_or(added, |documents| documents[added] as usize);
            let id = &self.bytes[starts[doc]..starts[doc + 1]];
            if id.is_empty() {
                continue;
            }
            let (bucket, tag) = hasher.place(id);
            let same = |slot: u32| {
                let other = hasher.doc(slot) as usize;
                hasher.tag(slot) == tag && &self.bytes[starts[other]..starts[other + 1]] == id
            };
            let mut at = bucket as usize * BUCKET_SLOTS;
            while slots[at] != 0 && !same(slots[at]) {
                at = (at + 1) % slots.len();
            }
            slots[at] = tag | (doc as u32 + 1);
        }
        slots
    }
}

/// The header's contents.
#[derive(Debug, Clone, Copy)]
struct Layout {
    max_doc: u32,
    bucket_count: u32,
    hash_key: u64,
    id_bytes: u64,
    fixed_length: u32,
    offset_width: u8,
}

/// Where the parts start.
#[derive(Debug, Clone, Copy)]
struct Parts {
    offsets: usize,
    ids: usize,
    buckets: usize,
    end: usize,
}

impl Layout {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.max_doc.to_le_bytes());
        out.extend_from_slice(&self.bucket_count.to_le_bytes());
        out.extend_from_slice(&self.hash_key.to_le_bytes());
        out.extend_from_slice(&self.id_bytes.to_le_bytes());
        out.extend_from_slice(&self.fixed_length.to_le_bytes());
        out.push(self.offset_width);
        out.resize(HEADER_BYTES, 0);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let header: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        let (words, _) = header.as_chunks::<4>();
        let (longs, _) = header.as_chunks::<8>();
        Some(Layout {
            max_doc: u32::from_le_bytes(words[0]),
            bucket_count: u32::from_le_bytes(words[1]),
            hash_key: u64::from_le_bytes(longs[1]),
            id_bytes: u64::from_le_bytes(longs[2]),
            fixed_length: u32::from_le_bytes(words[6]),
            offset_width: header[28],
        })
    }

    /// Bytes of the offsets of a window of `documents`.
    fn window_offsets_len(&self, documents: usize) -> Option<usize> {
        if self.fixed_length > 0 { Some(0) } else { bitpack::packed_len(documents, self.offset_width) }
    }

    /// `None` where a length overflows.
    fn parts(&self) -> Option<Parts> {
        let max_doc = self.max_doc as usize;
        let offsets = HEADER_BYTES + (window_count(self.max_doc) as usize + 1) * 8;
        let full = self.window_offsets_len(WINDOW)?.checked_mul(max_doc / WINDOW)?;
        let ids = offsets.checked_add(full)?.checked_add(self.window_offsets_len(max_doc % WINDOW)?)?;
        let ids_end = ids.checked_add(usize::try_from(self.id_bytes).ok()?)?;
        let buckets = ids_end.checked_next_multiple_of(ALIGNMENT)?;
        let end = buckets.checked_add((self.bucket_count as usize).checked_mul(BUCKET_SLOTS * 4)?)?;
        Some(Parts { offsets, ids, buckets, end })
    }
}

/// Where an id belongs in the hash index.
struct IdHasher {
    secrets: RapidSecrets,
    bucket_count: u32,
    doc_mask: u32,
}

impl IdHasher {
    fn new(layout: &Layout) -> Self {
        let doc_bits = bitpack::width_of(u64::from(layout.max_doc));
        let doc_mask = if doc_bits >= 32 { u32::MAX } else { (1 << doc_bits) - 1 };
        IdHasher { secrets: RapidSecrets::seed(layout.hash_key), bucket_count: layout.bucket_count, doc_mask }
    }

    /// Bucket, and the slot's bits above the document.
    #[inline]
    fn place(&self, id: &[u8]) -> (u32, u32) {
        let hash = rapidhash_v3_seeded(id, &self.secrets);
        let bucket = ((hash >> 32) * u64::from(self.bucket_count)) >> 32;
        (bucket as u32, self.tag(hash as u32))
    }

    #[inline]
    fn tag(&self, slot: u32) -> u32 {
        slot & !self.doc_mask
    }

    /// The document of a slot that is not empty.
    #[inline]
    fn doc(&self, slot: u32) -> u32 {
        (slot & self.doc_mask).wrapping_sub(1)
    }
}

/// The opened id column.
pub struct Ids {
    bytes: SharedBytes,
    layout: Layout,
    parts: Parts,
    hasher: IdHasher,
}

impl Ids {
    pub fn open(bytes: SharedBytes, max_doc: u32) -> Result<Self> {
        let layout =
            bytes.get(..HEADER_BYTES).and_then(Layout::read).ok_or_else(|| Error::corrupt("ids: header is cut off"))?;
        if layout.max_doc != max_doc {
            let reason = format!("ids are of {} documents, the segment has {max_doc}", layout.max_doc);
            return Err(Error::corrupt(reason));
        }
        if layout.offset_width > 64 || layout.bucket_count == 0 {
            return Err(Error::corrupt("ids: impossible header"));
        }
        let parts = layout.parts().filter(|parts| parts.end == bytes.len());
        let parts = parts.ok_or_else(|| Error::corrupt("ids: lengths in the header do not fit the section"))?;
        let hasher = IdHasher::new(&layout);
        let ids = Ids { bytes, layout, parts, hasher };
        ids.verify_bases()?;
        Ok(ids)
    }

    fn verify_bases(&self) -> Result<()> {
        let windows = window_count(self.layout.max_doc) as usize;
        let ascending = (0..windows).all(|window| self.base(window) <= self.base(window + 1));
        if ascending && self.base(windows) as u64 == self.layout.id_bytes {
            return Ok(());
        }
        Err(Error::corrupt("ids: window bases do not ascend to the end of the ids"))
    }

    /// The id of a document below the segment's `max_doc`; empty for others.
    #[inline]
    pub fn get(&self, doc: u32) -> &[u8] {
        if doc >= self.layout.max_doc {
            return &[];
        }
        let ids = self.layout.id_bytes as usize;
        let end = if doc + 1 == self.layout.max_doc { ids } else { self.start(doc + 1).min(ids) };
        &self.bytes[self.parts.ids + self.start(doc).min(end)..self.parts.ids + end]
    }

    fn start(&self, doc: u32) -> usize {
        if self.layout.fixed_length > 0 {
            return doc as usize * self.layout.fixed_length as usize;
        }
        let (window, in_window) = (doc as usize / WINDOW, doc as usize % WINDOW);
        let documents = (self.layout.max_doc as usize - window * WINDOW).min(WINDOW);
        let width = self.layout.offset_width;
        let packed = self.parts.offsets + window * self.layout.window_offsets_len(WINDOW).unwrap_or(0);
        let end = packed + self.layout.window_offsets_len(documents).unwrap_or(0);
        let offset = bitpack::get(&self.bytes[packed..end], documents, width, in_window);
        self.base(window).saturating_add(usize::try_from(offset).unwrap_or(usize::MAX))
    }

    fn base(&self, window: usize) -> usize {
        let mut base = [0; 8];
        let at = HEADER_BYTES + window * 8;
        base.copy_from_slice(&self.bytes[at..at + 8]);
        u64::from_le_bytes(base) as usize
    }

    /// The last document with this id, deleted or not.
    pub fn find(&self, id: &[u8]) -> Option<u32> {
        let (bucket, tag) = self.hasher.place(id);
        for bucket in (bucket..self.layout.bucket_count).chain(0..bucket) {
            for slot in self.slots(bucket) {
                let slot = u32::from_le_bytes(*slot);
                if slot == 0 {
                    return None;
                }
                let doc = self.hasher.doc(slot);
                if self.hasher.tag(slot) == tag && doc < self.layout.max_doc && self.get(doc) == id {
                    return Some(doc);
                }
            }
        }
        None
    }

    #[inline]
    fn slots(&self, bucket: u32) -> &[[u8; 4]] {
        let start = self.parts.buckets + bucket as usize * BUCKET_SLOTS * 4;
        self.bytes[start..start + BUCKET_SLOTS * 4].as_chunks::<4>().0
    }
}

impl std::fmt::Debug for Ids {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Ids").field("layout", &self.layout).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn column(ids: &[Vec<u8>]) -> Vec<u8> {
        let mut writer = IdsWriter::new();
        for id in ids {
            writer.add(id);
        }
        writer.finish(0x5EED).bytes
    }

    fn any_ids() -> impl Strategy<Value = Vec<Vec<u8>>> {
        prop_oneof![
            vec(vec(b'a'..b'e', 0..8), 0..3_000),
            (1u32..9_000).prop_map(|count| (0..count).map(|id| id.to_string().into_bytes()).collect()),
            (1u32..9_000).prop_map(|count| (0..count).map(|id| format!("{id:020}").into_bytes()).collect()),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn ids_are_given_back_and_the_last_one_is_found(ids in any_ids(), missing in vec(b'a'..=b'z', 9..12)) {
            let column = Ids::open(SharedBytes::from(column(&ids)), ids.len() as u32).unwrap();
            let mut last = HashMap::new();
            for (doc, id) in ids.iter().enumerate() {
                prop_assert_eq!(column.get(doc as u32), &id[..]);
                last.insert(id, doc as u32);
            }
            for (id, doc) in last {
                prop_assert_eq!(column.find(id), Some(doc).filter(|_| !id.is_empty()));
            }
            prop_assert_eq!(column.find(&missing), None);
        }

        #[test]
        fn damaged_ids_never_panic(ids in any_ids(), place: prop::sample::Index, bits in 1u8.., cut: prop::sample::Index) {
            let whole = column(&ids);
            let mut damaged = whole.clone();
            let place = place.index(damaged.len());
            damaged[place] ^= bits;
            for bytes in [damaged, whole[..cut.index(whole.len())].to_vec()] {
                let Ok(column) = Ids::open(SharedBytes::from(bytes), ids.len() as u32) else { continue };
                for (doc, id) in ids.iter().enumerate() {
                    let _ = (column.get(doc as u32), column.find(id));
                }
            }
        }
    }
}
