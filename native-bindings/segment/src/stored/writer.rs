//! Writes stored documents: blocks small enough that who reads one document unpacks little else, with a dictionary so that they compress as well
//! as large ones.

use super::index::{BlockEntry, Run, encode};
use super::{Stored, StoredCodec, StoredData, StoredScratch};
use crate::stored::block::{BlockEncoder, OpenBlock};
use quarry_base::error::Result;
use std::collections::HashMap;
use std::sync::Arc;

/// Finished blocks are handed on in pieces of about this size.
const SINK_BYTES: usize = 1 << 20;
/// Raw bytes that a dictionary is made of. They wait in memory for it.
const TRAINING_BYTES: usize = 256 << 10;
/// A dictionary is worth its room beside so many times its length of raw bytes.
const RAW_PER_DICTIONARY: usize = 16;
const DICTIONARY_BYTES_MAX: usize = 16 << 10;
/// Shorter ones gain nothing.
const DICTIONARY_BYTES_MIN: usize = 2 << 10;
/// Pieces of what came first that a dictionary consists of.
const SAMPLES: usize = 16;
/// Of one segment: blocks of others with further dictionaries are compressed anew.
const DICTIONARIES_MAX: usize = 64;

/// What the writer's own blocks are compressed with.
#[derive(Debug, PartialEq)]
enum Own {
    /// Nothing came yet that a dictionary could be made of.
    Undecided,
    Made(Arc<[u8]>),
    /// The codec takes none.
    Without,
}

/// What a copied block takes along.
enum Needed {
    Nothing,
    Dictionary(Arc<[u8]>),
    /// A dictionary with too few blocks, or one too many.
    TooMuch,
}

/// Collects records in document order; compresses whenever a block is full, so memory is that of the compressed bytes.
#[derive(Debug)]
pub struct StoredWriter {
    codec: StoredCodec,
    encoder: BlockEncoder,
    /// Closed blocks behind those that went to a sink.
    blocks: Vec<u8>,
    sunk: u64,
    entries: Vec<BlockEntry>,
    dictionaries: Vec<Arc<[u8]>>,
    runs: Vec<Run>,
    own: Own,
    /// Blocks that wait for a dictionary, raw and behind one another; where each ends, and its documents.
    waiting: Vec<u8>,
    waiting_ends: Vec<(usize, u32)>,
    /// First document of the next block.
    next_first: u32,
    open: OpenBlock,
    raw: Vec<u8>,
    /// Dictionaries of other segments by reader and number; `None` for those whose blocks are compressed anew.
    met: HashMap<(u64, usize), Option<Arc<[u8]>>>,
}

impl StoredWriter {
    /// Fails only where the compressor cannot be set up (memory).
    pub fn new(codec: StoredCodec) -> Result<Self> {
        Ok(StoredWriter {
            codec,
            encoder: BlockEncoder::new(codec)?,
            blocks: Vec::new(),
            sunk: 0,
            entries: Vec::new(),
            dictionaries: Vec::new(),
            runs: Vec::new(),
            own: if codec.takes_dictionaries() { Own::Undecided } else { Own::Without },
            waiting: Vec::new(),
            waiting_ends: Vec::new(),
            next_first: 0,
            open: OpenBlock::default(),
            raw: Vec::new(),
            met: HashMap::new(),
        })
    }

    /// The record of the next document.
    pub fn add(&mut self, record: &[u8]) {
        self.open.add(record);
        if self.open.record_bytes() >= self.codec.block_bytes() {
            self.close_block();
        }
    }

    fn close_block(&mut self) {
        let docs = self.open.doc_count();
        if docs == 0 {
            return;
        }
        let mut raw = std::mem::take(&mut self.raw);
        self.open.take_raw(&mut raw);
        match &self.own {
            Own::Undecided => {
                self.waiting.extend_from_slice(&raw);
                self.waiting_ends.push((self.waiting.len(), docs));
                if self.waiting.len() >= TRAINING_BYTES {
                    self.settle();
                }
            }
            Own::Made(dictionary) => {
                let dictionary = Arc::clone(dictionary);
                self.encode(&raw, docs, Some(&dictionary));
            }
            Own::Without => self.encode(&raw, docs, None),
        }
        self.raw = raw;
    }

    /// Compresses what waits: with a dictionary made of it, where it is enough for one.
    fn settle(&mut self) {
        match dictionary_of(&self.waiting) {
            Some(dictionary) => self.settle_with(&Arc::from(dictionary)),
            None => self.encode_waiting(None),
        }
    }

    /// From here on the writer's own blocks are compressed with it.
    fn settle_with(&mut self, dictionary: &Arc<[u8]>) {
        self.encoder.set_dictionary(dictionary);
        self.own = Own::Made(Arc::clone(dictionary));
        self.encode_waiting(Some(dictionary));
    }

    fn encode_waiting(&mut self, dictionary: Option<&Arc<[u8]>>) {
        let (waiting, ends) = (std::mem::take(&mut self.waiting), std::mem::take(&mut self.waiting_ends));
        let mut start = 0;
        for (end, docs) in ends {
            self.encode(&waiting[start..end], docs, dictionary);
            start = end;
        }
    }

    /// The encoder knows the dictionary.
    fn encode(&mut self, raw: &[u8], docs: u32, dictionary: Option<&Arc<[u8]>>) {
        self.turn_to(dictionary);
        self.push_entry(raw.len() as u32, docs);
        self.encoder.encode(raw, &mut self.blocks);
    }

    /// The next block is one that was compressed with it.
    fn turn_to(&mut self, dictionary: Option<&Arc<[u8]>>) {
        let number = dictionary.map(|dictionary| self.number_of(dictionary));
        if self.runs.last().and_then(|run| run.dictionary) != number {
            self.runs.push(Run { first_block: self.entries.len() as u32, dictionary: number });
        }
    }

    /// Among those that are written; it is one of them from here on.
    fn number_of(&mut self, dictionary: &Arc<[u8]>) -> u32 {
        let known = self.dictionaries.iter().rposition(|known| Arc::ptr_eq(known, dictionary));
        let number = known.unwrap_or_else(|| {
            self.dictionaries.push(Arc::clone(dictionary));
            self.dictionaries.len() - 1
        });
        number as u32
    }

    /// Of all closed blocks.
    fn block_bytes(&self) -> u64 {
        self.sunk + self.blocks.len() as u64
    }

    fn push_entry(&mut self, raw_length: u32, docs: u32) {
        self.entries.push(BlockEntry { first_doc: self.next_first, raw_length, offset: self.block_bytes() });
        self.next_first += docs;
    }

    /// Appends the documents of another segment that `keep` keeps. Blocks that lose no document and are not small are copied
    /// as they are. Finished blocks go to `sink` and are not kept; what `finish` returns then has only the rest of them.
    pub(crate) fn append(
        &mut self,
        stored: &Stored,
        keep: impl Fn(u32) -> bool,
        mut sink: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut scratch = StoredScratch::default();
        for block in 0..stored.block_count() {
            self.drain(&mut sink)?;
            let docs = stored.block_docs(block);
            let whole = docs.clone().all(&keep) && stored.raw_length(block) >= self.codec.block_bytes() / 2;
            if whole && stored.codec() == self.codec && self.copy_block(stored, block) {
                continue;
            }
            for doc in docs.filter(|&doc| keep(doc)) {
                self.add(stored.get(doc, &mut scratch)?);
            }
        }
        Ok(())
    }

    /// As it is, with the dictionary that it needs; `false` where the blocks of that are not worth its room here.
    fn copy_block(&mut self, stored: &Stored, block: usize) -> bool {
        let dictionary = match self.dictionary_for(stored, block) {
            Needed::Nothing => None,
            Needed::Dictionary(dictionary) => Some(dictionary),
            Needed::TooMuch => return false,
        };
        self.close_block();
        match &dictionary {
            // What was written of another segment is much like what comes: better than one made of a few records.
            Some(dictionary) if self.own == Own::Undecided => self.settle_with(dictionary),
            _ => self.settle(),
        }
        self.turn_to(dictionary.as_ref());
        self.push_entry(stored.raw_length(block) as u32, stored.block_docs(block).len() as u32);
        self.blocks.extend_from_slice(stored.block_bytes(block));
        true
    }

    /// What a copied block of another segment needs to be read.
    fn dictionary_for(&mut self, stored: &Stored, block: usize) -> Needed {
        let Some((number, bytes)) = stored.dictionary(block) else { return Needed::Nothing };
        let is_full = self.dictionaries.len() >= DICTIONARIES_MAX;
        let met = self.met.entry((stored.number(), number)).or_insert_with(|| {
            let raw: usize = stored.blocks_of(number).map(|block| stored.raw_length(block)).sum();
            (raw >= bytes.len() * RAW_PER_DICTIONARY && !is_full).then(|| Arc::from(bytes))
        });
        met.as_ref().map_or(Needed::TooMuch, |dictionary| Needed::Dictionary(Arc::clone(dictionary)))
    }

    /// Gives finished blocks to `sink` when there are many; they are not kept.
    pub(crate) fn drain(&mut self, mut sink: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.blocks.len() >= SINK_BYTES {
            sink(&self.blocks)?;
            self.sunk += self.blocks.len() as u64;
            self.blocks.clear();
        }
        Ok(())
    }

    pub fn doc_count(&self) -> u32 {
        let waiting: u32 = self.waiting_ends.iter().map(|&(_, docs)| docs).sum();
        self.next_first + waiting + self.open.doc_count()
    }

    pub fn finish(mut self) -> StoredData {
        self.close_block();
        self.settle();
        let ends = BlockEntry { first_doc: self.next_first, raw_length: 0, offset: self.block_bytes() };
        self.entries.push(ends);
        StoredData {
            index: encode(self.codec, &self.entries, &self.runs, &self.dictionaries),
            blocks: self.blocks,
            codec: self.codec,
            doc_count: self.next_first,
        }
    }
}

/// Pieces of the bytes, from all over them; `None` where they are too few.
fn dictionary_of(raw: &[u8]) -> Option<Vec<u8>> {
    let length = (raw.len() / RAW_PER_DICTIONARY).min(DICTIONARY_BYTES_MAX);
    if length < DICTIONARY_BYTES_MIN {
        return None;
    }
    let piece = length / SAMPLES;
    let stride = raw.len() / SAMPLES;
    Some((0..SAMPLES).flat_map(|at| &raw[at * stride..][..piece]).copied().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quarry_codec::shared_bytes::SharedBytes;
    use std::collections::BTreeSet;

    /// Log lines of one service, which compress well with some that came before.
    fn lines(count: usize, service: &str) -> Vec<Vec<u8>> {
        let line = |number: usize| format!(r#"{{"service":"{service}","status":200,"request":{}}}"#, number * 7919);
        (0..count).map(|number| line(number).into_bytes()).collect()
    }

    fn open(data: StoredData, blocks: Vec<u8>) -> Stored {
        let docs = data.doc_count();
        let blocks = SharedBytes::from([blocks, data.blocks].concat());
        Stored::open(blocks, SharedBytes::from(data.index), docs, "stored".to_owned()).unwrap()
    }

    fn segment(records: &[Vec<u8>]) -> Stored {
        let mut writer = StoredWriter::new(StoredCodec::Lz4).unwrap();
        records.iter().for_each(|record| writer.add(record));
        open(writer.finish(), Vec::new())
    }

    fn merge(sources: &[&Stored], keep: impl Fn(u32) -> bool) -> Stored {
        let mut writer = StoredWriter::new(StoredCodec::Lz4).unwrap();
        let mut sunk = Vec::new();
        for source in sources {
            let sink = |part: &[u8]| {
                sunk.extend_from_slice(part);
                Ok(())
            };
            writer.append(source, &keep, sink).unwrap();
        }
        open(writer.finish(), sunk)
    }

    fn dictionaries(stored: &Stored) -> BTreeSet<Option<usize>> {
        (0..stored.block_count()).map(|block| stored.dictionary(block).map(|(number, _)| number)).collect()
    }

    fn assert_holds<'r>(stored: &Stored, records: impl Iterator<Item = &'r Vec<u8>>) {
        let mut scratch = StoredScratch::default();
        let docs = records.enumerate().map(|(doc, record)| {
            assert_eq!(stored.get(doc as u32, &mut scratch).unwrap(), &record[..]);
        });
        assert_eq!(docs.count(), stored.index.docs as usize);
    }

    #[test]
    fn few_records_have_no_dictionary() {
        let records = lines(400, "billing");
        assert!(records.iter().map(Vec::len).sum::<usize>() < DICTIONARY_BYTES_MIN * RAW_PER_DICTIONARY);
        let stored = segment(&records);
        assert_eq!(dictionaries(&stored), [None].into());
        assert_holds(&stored, records.iter());
    }

    #[test]
    fn a_dictionary_of_what_came_first_serves_all_blocks() {
        let records = lines(20_000, "billing");
        let stored = segment(&records);
        assert_eq!(dictionaries(&stored), [Some(0)].into());
        assert_holds(&stored, records.iter());
    }

    #[test]
    fn copied_blocks_take_their_dictionary_along_and_others_take_it_too() {
        let [left, right] = [lines(20_000, "billing"), lines(20_000, "search")];
        let [first, second] = [&left, &right].map(|records| segment(records));
        // Of most blocks nothing is deleted: they alternate with such as are compressed anew.
        let keep = |doc: u32| !doc.is_multiple_of(200);
        let merged = merge(&[&first, &second, &first], keep);
        assert_eq!(dictionaries(&merged), [Some(0), Some(1)].into());
        let kept = |records: &'static [Vec<u8>]| records.iter().enumerate().filter(move |(doc, _)| keep(*doc as u32));
        let [left, right] = [left, right].map(|records| &*records.leak());
        assert_holds(&merged, kept(left).chain(kept(right)).chain(kept(left)).map(|(_, record)| record));
    }

    #[test]
    fn blocks_of_too_many_dictionaries_are_compressed_anew() {
        let records = lines(800, "billing");
        let small: Vec<Stored> = (0..DICTIONARIES_MAX + 2).map(|_| segment(&records)).collect();
        assert_eq!(dictionaries(&small[0]), [Some(0)].into());
        let merged = merge(&small.iter().collect::<Vec<_>>(), |_| true);
        assert_eq!(dictionaries(&merged).len(), DICTIONARIES_MAX);
        assert_holds(&merged, small.iter().flat_map(|_| &records));
    }

    #[test]
    fn an_index_whose_runs_are_broken_is_refused() {
        let of = |runs: &[Run]| {
            let entries = [0, 1, 2].map(|doc| BlockEntry { first_doc: doc, raw_length: 8, offset: u64::from(doc) });
            let index = encode(StoredCodec::Lz4, &entries, runs, &[Arc::from(&b"words"[..])]);
            Stored::open(SharedBytes::from(vec![0, 0]), SharedBytes::from(index), 2, "stored".to_owned())
        };
        let run = |first_block, dictionary| Run { first_block, dictionary };
        assert!(of(&[]).is_ok());
        assert!(of(&[run(0, Some(0)), run(1, None)]).is_ok());
        assert!(of(&[run(0, Some(1))]).is_err());
        assert!(of(&[run(1, Some(0)), run(1, None)]).is_err());
        assert!(of(&[run(1, Some(0)), run(0, None)]).is_err());
    }
}
