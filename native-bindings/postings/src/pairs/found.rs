//! Pairs as they are found, document after document, packed at once: there may be many millions.

use super::selection::Selection;
use crate::{DecodedTerm, simd};
use quarry_codec::varint;

const NOT_FOUND: u32 = u32::MAX;
/// So many sightings ahead of the one that is added, memory is asked for.
const AHEAD: usize = 16;

/// A pair in a document: the number of the pair among those that may be listed, and the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting {
    pub(super) pair: u32,
    pub(super) doc: u32,
}

/// Documents of one pair and how often each has it.
#[derive(Debug, Default)]
pub(super) struct Documents {
    /// For each but the open one the difference to the one before, doubled, and one more where the frequency follows;
    /// else it is 1.
    packed: Vec<u8>,
    before: u32,
    open: u32,
    freq: u32,
}

impl Documents {
    #[inline]
    fn add(&mut self, doc: u32) {
        if self.freq > 0 && self.open == doc {
            self.freq += 1;
            return;
        }
        self.close();
        (self.open, self.freq) = (doc, 1);
    }

    #[inline]
    fn close(&mut self) {
        if self.freq == 0 {
            return;
        }
        let more = u64::from(self.open - self.before) << 1;
        varint::write_u64(&mut self.packed, more | u64::from(self.freq > 1));
        if self.freq > 1 {
            varint::write_u32(&mut self.packed, self.freq);
        }
        self.before = self.open;
    }

    /// Replaces documents and frequencies of `out`.
    pub(super) fn decode(&self, out: &mut DecodedTerm) {
        out.docs.clear();
        out.freqs.clear();
        let (mut at, mut doc) = (0, 0u32);
        // What was packed here is whole.
        while let Ok(more) = varint::read_u64(&self.packed, &mut at) {
            doc += (more >> 1) as u32;
            out.docs.push(doc);
            out.freqs.push(if more & 1 == 1 { varint::read_u32(&self.packed, &mut at).unwrap_or(1) } else { 1 });
        }
        if self.freq > 0 {
            out.docs.push(self.open);
            out.freqs.push(self.freq);
        }
    }
}

/// By the numbers of the pairs.
#[derive(Debug)]
pub(super) struct FoundPairs {
    places: Vec<u32>,
    documents: Vec<Documents>,
}

impl FoundPairs {
    pub(super) fn new(selection: &Selection) -> Self {
        FoundPairs { places: vec![NOT_FOUND; selection.pair_count()], documents: Vec::new() }
    }

    /// Documents come ascending. Pairs are everywhere in memory, so that it is asked for ahead.
    pub(super) fn add(&mut self, sightings: &[Sighting]) {
        for (index, sighting) in sightings.iter().enumerate() {
            if let Some(ahead) = sightings.get(index + AHEAD)
                && let Some(place) = self.places.get(ahead.pair as usize)
            {
                simd::prefetch(&self.documents, *place as usize);
            }
            let place = &mut self.places[sighting.pair as usize];
            if *place == NOT_FOUND {
                *place = self.documents.len() as u32;
                self.documents.push(Documents::default());
            }
            self.documents[*place as usize].add(sighting.doc);
        }
    }

    pub(super) fn get(&self, pair: u32) -> Option<&Documents> {
        let place = self.places.get(pair as usize)?;
        self.documents.get(*place as usize)
    }
}
