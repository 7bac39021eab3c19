//! Stored documents: the record of each document, in compressed blocks with an [`index`].
//!
//! | module | what it answers |
//! | --- | --- |
//! | [`index`] | where blocks and dictionaries are: the format |
//! | [`block`] | one compressed block |
//! | [`kept_blocks`] | blocks that were read of late |
//! | [`record`] | what is stored of one document |
//! | [`writer`] | records to blocks, with a dictionary made of the first of them; blocks of other segments copied |

mod block;
mod index;
pub mod kept_blocks;
mod record;
mod writer;

use crate::stored::block::ReadBlock;
pub use crate::stored::block::StoredCodec;
use crate::stored::kept_blocks::BlockName;
pub use crate::stored::record::Record;
use index::StoredIndex;
use quarry_base::error::{Error, Result};
use quarry_codec::lz4_prefix::Compressed;
use quarry_codec::shared_bytes::SharedBytes;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
pub use writer::StoredWriter;

/// A finished pair of sections: compressed blocks and their index.
#[derive(Debug, Clone)]
pub struct StoredData {
    pub(crate) blocks: Vec<u8>,
    pub(crate) index: Vec<u8>,
    pub(crate) codec: StoredCodec,
    doc_count: u32,
}

impl StoredData {
    pub fn doc_count(&self) -> u32 {
        self.doc_count
    }
}

/// Keeps the last block a caller read: documents of one block cost one decompression.
#[derive(Debug, Default)]
pub struct StoredScratch {
    /// The block that is read.
    name: Option<BlockName>,
    read: ReadBlock,
    /// Blocks come from those that the thread keeps, and go back there.
    keeps: bool,
}

impl StoredScratch {
    /// For those who read few documents, which may be wanted again soon: their blocks are kept for a while. Who reads all documents would
    /// push out what others read.
    pub fn keeping() -> Self {
        StoredScratch { name: None, read: ReadBlock::default(), keeps: true }
    }

    /// Whether it has read in that block, or somebody has whose blocks are kept: then it goes on there.
    fn turn_to(&mut self, name: BlockName) -> bool {
        if self.name == Some(name) {
            return true;
        }
        self.give_back();
        let kept = if self.keeps { kept_blocks::take(name) } else { None };
        let Some(read) = kept else { return false };
        (self.name, self.read) = (Some(name), read);
        true
    }

    fn give_back(&mut self) {
        if let (Some(name), true) = (self.name.take(), self.keeps) {
            kept_blocks::keep(name, std::mem::take(&mut self.read));
        }
    }
}

impl Drop for StoredScratch {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// The opened stored documents of a segment.
#[derive(Debug)]
pub struct Stored {
    /// Distinguishes readers for [`StoredScratch`].
    number: u64,
    /// How errors call the blocks: file and section.
    place: String,
    blocks: SharedBytes,
    index: StoredIndex,
}

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

impl Stored {
    /// What it takes outside of its file.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.place.len() + self.index.heap_bytes()
    }

    /// Verifies the index; blocks are verified when they are read, and their damage is reported at `place`.
    pub fn open(blocks: SharedBytes, index: SharedBytes, max_doc: u32, place: String) -> Result<Self> {
        let index = StoredIndex::open(index)?;
        if index.docs != max_doc {
            let docs = index.docs;
            return Err(Error::corrupt(format!("stored index is of {docs} documents, the segment has {max_doc}")));
        }
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        let stored = Stored { number, place, blocks, index };
        stored.verify_index(max_doc)?;
        Ok(stored)
    }

    fn verify_index(&self, max_doc: u32) -> Result<()> {
        let mut entry = self.index.entry(0);
        let starts_at_zero = entry.first_doc == 0 && entry.offset == 0;
        for block in 0..self.block_count() {
            let next = self.index.entry(block + 1);
            let stored = next.offset.checked_sub(entry.offset).and_then(|length| usize::try_from(length).ok());
            let honest = stored.is_some_and(|length| entry.raw_length as usize <= self.codec().raw_bytes_max(length));
            if next.first_doc <= entry.first_doc || !honest {
                return Err(Error::corrupt(format!("stored index is broken at block {block}")));
            }
            entry = next;
        }
        if !starts_at_zero || entry.first_doc != max_doc || entry.offset != self.blocks.len() as u64 {
            return Err(Error::corrupt("stored index does not cover the blocks"));
        }
        Ok(())
    }

    pub fn codec(&self) -> StoredCodec {
        self.index.codec
    }

    /// Whether some block was compressed with one.
    pub fn has_dictionaries(&self) -> bool {
        self.index.has_dictionaries()
    }

    /// See the field.
    fn number(&self) -> u64 {
        self.number
    }

    fn block_count(&self) -> usize {
        self.index.block_count
    }

    fn block_docs(&self, block: usize) -> Range<u32> {
        self.index.entry(block).first_doc..self.index.entry(block + 1).first_doc
    }

    fn raw_length(&self, block: usize) -> usize {
        self.index.entry(block).raw_length as usize
    }

    fn block_bytes(&self, block: usize) -> &[u8] {
        &self.blocks[self.index.entry(block).offset as usize..self.index.entry(block + 1).offset as usize]
    }

    /// What the block was compressed with, and which of the dictionaries it is.
    fn dictionary(&self, block: usize) -> Option<(usize, &[u8])> {
        let number = self.index.dictionary_number(block)?;
        Some((number, self.index.dictionary(number)))
    }

    /// The blocks that were compressed with the dictionary of this number.
    fn blocks_of(&self, dictionary: usize) -> impl Iterator<Item = usize> {
        self.index.blocks_of(dictionary)
    }

    fn damage(&self, block: usize, error: Error) -> Error {
        Error::corrupt(format!("{}: block {block}: {}", self.place, error.reason))
    }

    fn block_of(&self, doc: u32) -> Result<usize> {
        self.index.block_of(doc).ok_or_else(|| no_such_document(doc, self.index.docs))
    }

    /// What may be decompressed for the record of `doc`; the record has no more.
    pub fn raw_bytes_of(&self, doc: u32) -> Result<usize> {
        self.block_of(doc).map(|block| self.raw_length(block))
    }

    /// Has the blocks of documents fetched at once that lie elsewhere and will be read. What cannot be fetched is told to whoever reads it.
    pub fn fetch_ahead(&self, docs: &[u32]) {
        let blocks = docs.iter().filter_map(|&doc| self.block_of(doc).ok());
        let ranges =
            blocks.map(|block| self.index.entry(block).offset as usize..self.index.entry(block + 1).offset as usize);
        self.blocks.fetch_ahead(&ranges.collect::<Vec<_>>());
    }

    /// The record of `doc`, in the scratch.
    pub fn get<'s>(&self, doc: u32, scratch: &'s mut StoredScratch) -> Result<&'s [u8]> {
        let block = self.block_of(doc)?;
        let docs = self.block_docs(block);
        let dictionary = self.dictionary(block).map_or(&[][..], |(_, bytes)| bytes);
        let stored = Compressed { block: self.block_bytes(block), dictionary };
        let name = (self.number, block);
        if !scratch.turn_to(name) {
            let begun = scratch.read.begin(self.codec(), stored, self.raw_length(block), docs.len());
            begun.map_err(|error| self.damage(block, error))?;
        }
        let place = (doc - docs.start) as usize;
        // Damage is met again by the next who reads there: what was decompressed until then is not gone on with.
        scratch.name = None;
        let record = scratch.read.record(stored, place).map_err(|error| self.damage(block, error))?;
        scratch.name = Some(name);
        Ok(record)
    }
}

fn no_such_document(doc: u32, count: u32) -> Error {
    Error::new(quarry_base::error::ErrorCode::Internal, format!("there is no stored document {doc} of {count}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn records() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let word = prop_oneof![Just("status "), Just("GET /index.html "), Just("200 "), Just("")];
        let record = prop_oneof![
            50 => vec(word, 0..40).prop_map(|words| words.concat().into_bytes()),
            1 => (20_000usize..60_000, any::<u8>()).prop_map(|(length, first)| {
                (0..length).map(|place| (place * place) as u8 ^ first).collect()
            }),
        ];
        vec(record, 0..300)
    }

    fn codecs() -> impl Strategy<Value = StoredCodec> {
        prop_oneof![Just(StoredCodec::Lz4), Just(StoredCodec::Zstd)]
    }

    fn write(records: &[Vec<u8>], codec: StoredCodec) -> StoredData {
        let mut writer = StoredWriter::new(codec).unwrap();
        for record in records {
            writer.add(record);
        }
        writer.finish()
    }

    fn open(data: StoredData, max_doc: usize) -> Result<Stored> {
        let (blocks, index) = (SharedBytes::from(data.blocks), SharedBytes::from(data.index));
        Stored::open(blocks, index, max_doc as u32, "stored".to_owned())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn records_are_given_back(records in records(), codec in codecs()) {
            let stored = open(write(&records, codec), records.len()).unwrap();
            let mut scratch = StoredScratch::default();
            for (doc, record) in records.iter().enumerate() {
                prop_assert_eq!(stored.get(doc as u32, &mut scratch).unwrap(), &record[..]);
            }
            prop_assert!(stored.get(records.len() as u32, &mut scratch).is_err());
        }

        /// Two readers, asked for documents in any order by several that keep their blocks.
        #[test]
        fn kept_blocks_hold_the_same_records(
            left in records(), right in records(), codec in codecs(), asked in vec((any::<bool>(), any::<prop::sample::Index>(), any::<bool>()), 0..200),
        ) {
            let readers = [&left, &right].map(|records| open(write(records, codec), records.len()).unwrap());
            let mut scratch = StoredScratch::keeping();
            for (of_right, doc, begin_anew) in asked {
                let records = if of_right { &right } else { &left };
                if records.is_empty() {
                    continue;
                }
                if begin_anew {
                    scratch = StoredScratch::keeping();
                }
                let doc = doc.index(records.len());
                prop_assert_eq!(readers[usize::from(of_right)].get(doc as u32, &mut scratch).unwrap(), &records[doc][..]);
            }
        }

        #[test]
        fn kept_blocks_are_gone_on_with(records in records(), codec in codecs()) {
            let stored = open(write(&records, codec), records.len()).unwrap();
            if records.iter().map(Vec::len).max().is_none_or(|longest| longest > 10_000) {
                return Ok(());
            }
            stored.get(0, &mut StoredScratch::keeping()).unwrap();
            prop_assert!(!StoredScratch::default().turn_to((stored.number, 0)));
            let mut again = StoredScratch::keeping();
            prop_assert!(again.turn_to((stored.number, 0)));
            // It is read by one at a time.
            prop_assert!(!StoredScratch::keeping().turn_to((stored.number, 0)));
            prop_assert_eq!(stored.get(0, &mut again).unwrap(), &records[0][..]);
        }

        #[test]
        fn appending_keeps_what_is_kept(
            records in records(), from in codecs(), to in codecs(), every in prop_oneof![Just(0u32), 2u32..400],
        ) {
            let stored = open(write(&records, from), records.len()).unwrap();
            let keep = |doc: u32| every == 0 || !doc.is_multiple_of(every);
            let mut writer = StoredWriter::new(to).unwrap();
            writer.add(b"before");
            let mut blocks = Vec::new();
            let mut sink = |part: &[u8]| { blocks.extend_from_slice(part); Ok(()) };
            writer.append(&stored, keep, &mut sink).unwrap();
            writer.append(&stored, |_| true, &mut sink).unwrap();
            let kept = records.iter().enumerate().filter(|(doc, _)| keep(*doc as u32)).map(|(_, record)| &record[..]);
            let expected: Vec<&[u8]> = [&b"before"[..]].into_iter().chain(kept).chain(records.iter().map(|r| &r[..])).collect();
            let mut data = writer.finish();
            blocks.append(&mut data.blocks);
            data.blocks = blocks;
            let merged = open(data, expected.len()).unwrap();
            let mut scratch = StoredScratch::default();
            for (doc, record) in expected.iter().enumerate() {
                prop_assert_eq!(merged.get(doc as u32, &mut scratch).unwrap(), *record);
            }
        }

        /// Neither what was read before nor what was refused before changes what a record is, or that it is refused.
        #[test]
        fn damage_does_no_harm(records in records(), codec in codecs(), place: prop::sample::Index, bits in 1u8.., in_index: bool) {
            let mut data = write(&records, codec);
            let part = if in_index || data.blocks.is_empty() { &mut data.index } else { &mut data.blocks };
            let place = place.index(part.len());
            part[place] ^= bits;
            if let Ok(stored) = open(data, records.len()) {
                for mut scratch in [StoredScratch::default(), StoredScratch::keeping()] {
                    for doc in (0..records.len() as u32).flat_map(|doc| [doc, doc]).chain(0..records.len() as u32) {
                        let alone = stored.get(doc, &mut StoredScratch::default()).ok().map(<[u8]>::to_vec);
                        prop_assert_eq!(stored.get(doc, &mut scratch).ok(), alone.as_deref());
                    }
                }
            }
        }
    }
}
