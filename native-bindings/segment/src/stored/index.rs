//! The index of stored documents.
//!
//! ```text
//! header        documents, blocks (u32 each), codec (u8), zeros, runs (u32): 16 bytes
//! blocks        for each its first document, its raw length (u32 each), its offset among the blocks (u64);
//!               closed by an entry that holds the ends
//! runs          for each its first block, and the number of the dictionary of its blocks from 1 on, 0 for none (u32 each)
//! dictionaries  where there are runs: how many (u32), the length of each (u32), the bytes of all one behind the other
//! ```
//!
//! Blocks before the first run have no dictionary. Releases that know no dictionaries wrote zeros where the number of runs stands.

use super::StoredCodec;
use quarry_base::error::{Error, Result};
use quarry_codec::shared_bytes::SharedBytes;
use std::ops::Range;
use std::sync::Arc;

pub(super) const HEADER_BYTES: usize = 16;
pub(super) const ENTRY_BYTES: usize = 16;
const RUN_BYTES: usize = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct BlockEntry {
    pub first_doc: u32,
    pub raw_length: u32,
    pub offset: u64,
}

impl BlockEntry {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first_doc.to_le_bytes());
        out.extend_from_slice(&self.raw_length.to_le_bytes());
        out.extend_from_slice(&self.offset.to_le_bytes());
    }

    pub fn read(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let (words, _) = bytes.as_chunks::<4>();
        let (longs, _) = bytes.as_chunks::<8>();
        BlockEntry {
            first_doc: u32::from_le_bytes(words[0]),
            raw_length: u32::from_le_bytes(words[1]),
            offset: u64::from_le_bytes(longs[1]),
        }
    }
}

/// Blocks one behind the other that were compressed with the same dictionary.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub first_block: u32,
    /// From 0 on; `None`: without one.
    pub dictionary: Option<u32>,
}

impl Run {
    fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.first_block.to_le_bytes());
        out.extend_from_slice(&self.dictionary.map_or(0, |number| number + 1).to_le_bytes());
    }
}

/// `entries` with the one that closes them.
pub(super) fn encode(codec: StoredCodec, entries: &[BlockEntry], runs: &[Run], dictionaries: &[Arc<[u8]>]) -> Vec<u8> {
    let (last, blocks) = (entries.last().map_or(0, |ends| ends.first_doc), entries.len().saturating_sub(1));
    let bytes: usize = dictionaries.iter().map(|dictionary| size_of::<u32>() + dictionary.len()).sum();
    let mut index = Vec::with_capacity(
        HEADER_BYTES + entries.len() * ENTRY_BYTES + runs.len() * RUN_BYTES + size_of::<u32>() + bytes,
    );
    index.extend_from_slice(&last.to_le_bytes());
    index.extend_from_slice(&(blocks as u32).to_le_bytes());
    let codec = match codec {
        StoredCodec::Lz4 => 0,
        StoredCodec::Zstd => 1u32,
    };
    index.extend_from_slice(&codec.to_le_bytes());
    index.extend_from_slice(&(runs.len() as u32).to_le_bytes());
    entries.iter().for_each(|entry| entry.write(&mut index));
    runs.iter().for_each(|run| run.write(&mut index));
    if !runs.is_empty() {
        index.extend_from_slice(&(dictionaries.len() as u32).to_le_bytes());
        let lengths = dictionaries.iter().map(|dictionary| dictionary.len() as u32);
        lengths.for_each(|length| index.extend_from_slice(&length.to_le_bytes()));
        dictionaries.iter().for_each(|dictionary| index.extend_from_slice(dictionary));
    }
    index
}

/// Parts of an index one behind the other, each verified to be there.
struct Parts<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Parts<'b> {
    fn take(&mut self, length: Option<usize>) -> Result<Range<usize>> {
        let end = length.and_then(|length| self.at.checked_add(length)).filter(|&end| end <= self.bytes.len());
        let end = end.ok_or_else(|| Error::corrupt("stored index is cut off"))?;
        Ok(std::mem::replace(&mut self.at, end)..end)
    }

    /// As many numbers, of four bytes each.
    fn numbers(&mut self, count: usize) -> Result<impl Iterator<Item = u32> + use<'b>> {
        let place = self.take(count.checked_mul(size_of::<u32>()))?;
        Ok(self.bytes[place].as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)))
    }

    fn number(&mut self) -> Result<u32> {
        Ok(self.numbers(1)?.next().unwrap_or_default())
    }
}

/// An index that was read, and verified as far as it can be without the blocks.
#[derive(Debug)]
pub(super) struct StoredIndex {
    bytes: SharedBytes,
    pub docs: u32,
    pub codec: StoredCodec,
    pub block_count: usize,
    runs: Vec<Run>,
    dictionaries: Vec<Range<usize>>,
}

impl StoredIndex {
    /// What it takes outside of its file.
    pub fn heap_bytes(&self) -> usize {
        size_of_val(&*self.runs) + size_of_val(&*self.dictionaries)
    }

    pub fn open(bytes: SharedBytes) -> Result<Self> {
        let mut parts = Parts { bytes: &bytes, at: 0 };
        let [docs, block_count, codec, run_count] =
            [parts.number()?, parts.number()?, parts.number()?, parts.number()?];
        let codec = match codec {
            0 => StoredCodec::Lz4,
            1 => StoredCodec::Zstd,
            other => return Err(Error::corrupt(format!("stored index: unknown codec {other}"))),
        };
        let block_count = block_count as usize;
        parts.take((block_count + 1).checked_mul(ENTRY_BYTES))?;
        let (mut runs, mut dictionaries) = (Vec::new(), Vec::new());
        if run_count > 0 {
            let numbers: Vec<u32> = parts.numbers((run_count as usize).saturating_mul(2))?.collect();
            runs.extend(
                numbers
                    .as_chunks::<2>()
                    .0
                    .iter()
                    .map(|&[first_block, dictionary]| Run { first_block, dictionary: dictionary.checked_sub(1) }),
            );
            let count = parts.number()? as usize;
            for length in parts.numbers(count)? {
                dictionaries.push(parts.take(Some(length as usize))?);
            }
        }
        if parts.at != bytes.len() {
            return Err(Error::corrupt("stored index has bytes behind its end"));
        }
        let is_broken = !runs.is_sorted_by(|left, right| left.first_block < right.first_block)
            || runs.iter().any(|run| run.dictionary.is_some_and(|number| number as usize >= dictionaries.len()));
        if is_broken {
            return Err(Error::corrupt("stored index: the runs of its dictionaries are broken"));
        }
        Ok(StoredIndex { bytes, docs, codec, block_count, runs, dictionaries })
    }

    pub fn has_dictionaries(&self) -> bool {
        !self.dictionaries.is_empty()
    }

    /// Up to `block_count`, which is that of the ends.
    pub fn entry(&self, block: usize) -> BlockEntry {
        BlockEntry::read(&self.entries()[block])
    }

    /// The block that holds the document; `None`: there is no such document. Blocks hold about as many documents each, so it is looked for from
    /// where it would be if all held the same number: halving the whole index would touch a cold cache line with each step.
    pub fn block_of(&self, doc: u32) -> Option<usize> {
        if doc >= self.docs {
            return None;
        }
        let blocks = self.entries().get(..self.block_count)?;
        let begins_after = |block: usize| BlockEntry::read(&blocks[block]).first_doc > doc;
        let guess = (u64::from(doc) * blocks.len() as u64 / u64::from(self.docs)) as usize;
        // It is not before `low`, and before `high`.
        let (mut low, mut high) = (guess, guess);
        let mut step = 1;
        while low > 0 && begins_after(low) {
            high = low;
            low = low.saturating_sub(step);
            step *= 2;
        }
        while high < blocks.len() && !begins_after(high) {
            low = high;
            high = (high + step).min(blocks.len());
            step *= 2;
        }
        let later = blocks.get(low..high)?.partition_point(|entry| BlockEntry::read(entry).first_doc <= doc);
        (low + later).checked_sub(1)
    }

    fn entries(&self) -> &[[u8; ENTRY_BYTES]] {
        let end = HEADER_BYTES + (self.block_count + 1) * ENTRY_BYTES;
        self.bytes[HEADER_BYTES..end].as_chunks::<ENTRY_BYTES>().0
    }

    /// Which dictionary a block was compressed with; `None`: with none.
    pub fn dictionary_number(&self, block: usize) -> Option<usize> {
        let run = self.runs.partition_point(|run| run.first_block as usize <= block).checked_sub(1)?;
        self.runs[run].dictionary.map(|number| number as usize)
    }

    pub fn dictionary(&self, number: usize) -> &[u8] {
        &self.bytes[self.dictionaries[number].clone()]
    }

    /// The blocks that were compressed with it.
    pub fn blocks_of(&self, number: usize) -> impl Iterator<Item = usize> {
        let ends = self.runs.iter().skip(1).map(|next| next.first_block as usize).chain([self.block_count]);
        let of = self.runs.iter().zip(ends).filter(move |(run, _)| run.dictionary == Some(number as u32));
        of.flat_map(|(run, end)| run.first_block as usize..end.min(self.block_count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    proptest! {
        /// Also where a few blocks have most of the documents.
        #[test]
        fn blocks_of_documents_are_found(counts in vec(prop_oneof![9 => 1u32..4, 1 => 200u32..2_000], 1..200)) {
            let mut first_doc = 0;
            let mut entries = vec![];
            let mut expected = vec![];
            for (block, count) in counts.iter().chain([&0]).enumerate() {
                entries.push(BlockEntry { first_doc, raw_length: 1, offset: block as u64 });
                expected.extend((0..*count).map(|_| Some(block)));
                first_doc += count;
            }
            let index = StoredIndex::open(encode(StoredCodec::Lz4, &entries, &[], &[]).into()).unwrap();
            let found: Vec<_> = (0..first_doc).map(|doc| index.block_of(doc)).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(index.block_of(first_doc), None);
        }
    }
}
