//! Blocks of stored documents that a thread read of late, decompressed: whoever asks for a document soon after another, or for the same
//! documents again, does not wait for their blocks again. Of each thread, so that none waits for another.

use crate::stored::block::ReadBlock;
use quarry_base::cache_statistics::CacheStatistics;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};

/// What one thread keeps at most.
const BYTES_MAX: usize = 1 << 20;
/// Blocks of segments of few documents are small, and whoever looks for one passes by all others.
const BLOCKS_MAX: usize = 128;
/// Blocks of long documents would push out all others.
const BLOCK_BYTES_MAX: usize = BYTES_MAX / 8;

/// Of all threads.
static BYTES: AtomicU64 = AtomicU64::new(0);
static BUILT: AtomicU64 = AtomicU64::new(0);
static HITS: AtomicU64 = AtomicU64::new(0);
static EVICTIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static KEPT: RefCell<KeptBlocks> = RefCell::default();
}

/// What the blocks of all threads take.
pub fn bytes() -> u64 {
    BYTES.load(Ordering::Relaxed)
}

/// Of all threads; `built` are blocks that were read for those who keep them.
pub fn statistics() -> CacheStatistics {
    let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    CacheStatistics {
        built: read(&BUILT),
        hits: read(&HITS),
        evictions: read(&EVICTIONS),
        memory_size_in_bytes: bytes(),
    }
}

/// Which reader, and which of its blocks: readers are never numbered alike.
pub(super) type BlockName = (u64, usize);

/// A block as far as it was read; it is the caller's then, who reads it from the beginning where there is none.
pub(super) fn take(name: BlockName) -> Option<ReadBlock> {
    let block = KEPT.try_with(|kept| kept.borrow_mut().take(name)).ok().flatten();
    if block.is_some() { &HITS } else { &BUILT }.fetch_add(1, Ordering::Relaxed);
    block
}

/// Keeps a block that nobody reads just now; those that were kept first give way.
pub(super) fn keep(name: BlockName, block: ReadBlock) {
    // A thread that ends keeps nothing.
    let _ = KEPT.try_with(|kept| kept.borrow_mut().keep(name, block));
}

#[derive(Default)]
struct KeptBlocks {
    /// Apart from the blocks: whoever looks for one reads all names.
    names: VecDeque<BlockName>,
    blocks: VecDeque<ReadBlock>,
    bytes: usize,
}

impl KeptBlocks {
    fn take(&mut self, wanted: BlockName) -> Option<ReadBlock> {
        let place = self.names.iter().rposition(|name| *name == wanted)?;
        self.names.remove(place);
        let block = self.blocks.remove(place)?;
        self.forget(size_of_kept(&block));
        Some(block)
    }

    fn keep(&mut self, name: BlockName, block: ReadBlock) {
        let bytes = size_of_kept(&block);
        if bytes > BLOCK_BYTES_MAX {
            return;
        }
        // Two that read at once may both come back with it.
        drop(self.take(name));
        while self.bytes + bytes > BYTES_MAX || self.blocks.len() >= BLOCKS_MAX {
            let Some(oldest) = self.blocks.pop_front() else { break };
            self.names.pop_front();
            self.forget(size_of_kept(&oldest));
            EVICTIONS.fetch_add(1, Ordering::Relaxed);
        }
        self.bytes += bytes;
        BYTES.fetch_add(bytes as u64, Ordering::Relaxed);
        self.names.push_back(name);
        self.blocks.push_back(block);
    }

    fn forget(&mut self, bytes: usize) {
        self.bytes -= bytes;
        BYTES.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}

fn size_of_kept(block: &ReadBlock) -> usize {
    block.bytes() + size_of::<(BlockName, ReadBlock)>()
}

impl Drop for KeptBlocks {
    fn drop(&mut self) {
        BYTES.fetch_sub(self.bytes as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stored::block::StoredCodec;

    fn block(bytes: usize) -> ReadBlock {
        let mut read = ReadBlock::default();
        // Raw as it is: one record behind its length.
        let mut raw = Vec::new();
        quarry_codec::varint::write_u32(&mut raw, bytes as u32);
        raw.resize(raw.len() + bytes, 1);
        let stored = quarry_codec::lz4_prefix::Compressed { block: &raw, dictionary: &[] };
        read.begin(StoredCodec::Lz4, stored, raw.len(), 1).unwrap();
        read
    }

    #[test]
    fn the_oldest_give_way_and_long_ones_are_not_kept() {
        let mut kept = KeptBlocks::default();
        for place in 0..100 {
            kept.keep((1, place), block(24 << 10));
        }
        assert!(kept.bytes <= BYTES_MAX && kept.bytes > BYTES_MAX / 2);
        assert!(kept.take((1, 0)).is_none() && kept.take((2, 99)).is_none());
        assert!(kept.take((1, 99)).is_some() && kept.take((1, 99)).is_none());
        kept.keep((1, 200), block(BLOCK_BYTES_MAX));
        assert!(kept.take((1, 200)).is_none());
        kept.keep((1, 98), block(100));
        (1_000..11_000).for_each(|place| kept.keep((1, place), block(1)));
        assert!(kept.blocks.len() == BLOCKS_MAX && kept.take((1, 10_999)).is_some());
        let sum: usize = kept.blocks.iter().map(size_of_kept).sum();
        assert_eq!(kept.names.len(), kept.blocks.len());
        assert_eq!(kept.bytes, sum);
    }
}
