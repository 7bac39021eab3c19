//! Phrases: which documents have all the terms, and how often at the wanted places.

use super::phrase_sloppy::SloppyMatcher;
use super::topk::{PhraseClause, PhraseSlot};
use super::topk_leaf::{Buffers, window_norms};
use super::topk_lists::{Common, DocumentList, common_documents, common_window, documents_of};
use super::topk_simd::WindowNorms;
use crate::error::{Error, Result};
use crate::postings::cursor::{Located, SATURATED, TermCursor, WindowDocs};
use crate::postings::{BoundScale, FieldPostingsReader, PositionsReader, TermEntry};
use crate::window::{WINDOW, WINDOW_WORDS, WindowBits};

/// One term at one place, with where its positions are in the candidates of the current window.
struct SlotTerm<'a> {
    cursor: TermCursor<'a>,
    positions: PositionsReader<'a>,
    /// One for each candidate; frequency 0 where it lacks the term.
    located: Vec<Located>,
}

/// One place of a phrase, with one term or several alternatives.
pub(super) struct Slot<'a> {
    offset: u32,
    terms: Vec<SlotTerm<'a>>,
    doc_freq: u64,
}

impl<'a> Slot<'a> {
    fn open(postings: &'a FieldPostingsReader, slot: &PhraseSlot, first_position: u32) -> Result<Self> {
        let open = |entry: &TermEntry| {
            let (cursor, positions) = (postings.cursor(entry)?, postings.positions(entry)?);
            Ok(SlotTerm { cursor, positions, located: Vec::new() })
        };
        let terms = slot.terms.iter().map(open).collect::<Result<Vec<_>>>()?;
        Ok(Slot { offset: slot.position - first_position, terms, doc_freq: slot.doc_freq() })
    }

    /// An upper bound of `score / weight` if the phrase were this slot alone.
    fn factor_bound(&mut self, window: u32, scale: BoundScale) -> f32 {
        self.terms.iter_mut().map(|term| scale.upper(term.cursor.window_bound(window))).sum()
    }

    /// Finds the positions of each of `docs`, all of which have one of the terms.
    fn locate(&mut self, window: u32, docs: &[u16]) -> Result<()> {
        if let [SlotTerm { cursor, positions, located }] = self.terms.as_mut_slice() {
            return cursor.locate(window, docs, positions, located);
        }
        let (mut freqs, mut found) = (vec![0; docs.len()], Vec::new());
        for SlotTerm { cursor, positions, located } in &mut self.terms {
            cursor.probe(window, docs, &mut freqs)?;
            let present: Vec<u16> =
                docs.iter().zip(&freqs).filter(|(_, freq)| **freq != 0).map(|(doc, _)| *doc).collect();
            if present.is_empty() {
                found.clear();
            } else {
                cursor.locate(window, &present, positions, &mut found)?;
            }
            let mut found = found.iter();
            let next =
                |freq: &u8| if *freq == 0 { Located::default() } else { found.next().copied().unwrap_or_default() };
            located.clear();
            located.extend(freqs.iter().map(next));
        }
        Ok(())
    }

    /// How many positions the slot has in a candidate.
    #[inline]
    fn freq(&self, candidate: usize) -> u32 {
        self.terms.iter().fold(0, |sum, term| sum.saturating_add(term.located[candidate].freq))
    }

    /// Replaces `out` by the slot's positions in a candidate, ascending.
    #[inline]
    pub(super) fn read(&self, candidate: usize, out: &mut Vec<u32>) -> Result<()> {
        let (first, others) = self.terms.split_first().ok_or_else(|| Error::internal("a phrase slot without terms"))?;
        let place = first.located[candidate];
        first.positions.read(place.start, place.freq, out)?;
        if !others.is_empty() {
            let mut more = Vec::new();
            for term in others {
                let place = term.located[candidate];
                term.positions.read(place.start, place.freq, &mut more)?;
                out.append(&mut more);
            }
            out.sort_unstable();
            out.dedup();
        }
        Ok(())
    }
}

impl DocumentList for Slot<'_> {
    fn doc_freq(&self) -> u64 {
        self.doc_freq
    }

    fn next_window(&mut self, window: u32) -> u32 {
        let next = self.terms.iter_mut().map(|term| term.cursor.next_window(window)).min();
        next.unwrap_or(crate::window::NO_MORE_WINDOWS)
    }

    fn stored_bits(&self, window: u32) -> Result<Option<&[u8; WINDOW / 8]>> {
        match self.terms.as_slice() {
            [term] => term.cursor.dense_bits(window),
            _ => Ok(None),
        }
    }

    fn decode_docs(&mut self, window: u32, docs: &mut WindowDocs) -> Result<usize> {
        if let [term] = self.terms.as_mut_slice() {
            return term.cursor.decode_docs(window, docs);
        }
        let mut bits = [0; WINDOW_WORDS];
        self.or_bits(window, &mut bits)?;
        Ok(documents_of(&bits, docs))
    }

    fn or_bits(&mut self, window: u32, bits: &mut WindowBits) -> Result<()> {
        self.terms.iter_mut().try_for_each(|term| term.cursor.or_bits(window, bits))
    }

    fn probe(&mut self, window: u32, docs: &[u16], freqs: &mut [u8]) -> Result<()> {
        if let [term] = self.terms.as_mut_slice() {
            return term.cursor.probe(window, docs, freqs).map(|_| ());
        }
        let mut own = vec![0; docs.len()];
        freqs[..docs.len()].fill(0);
        for term in &mut self.terms {
            term.cursor.probe(window, docs, &mut own)?;
            for (sum, freq) in freqs.iter_mut().zip(&own) {
                *sum = sum.saturating_add(*freq);
            }
        }
        Ok(())
    }
}

/// A phrase while its windows are walked.
pub(super) struct PhraseRun<'a> {
    /// Its slots rarest first, like `slots`.
    clause: PhraseClause<'a>,
    scale: BoundScale,
    slots: Vec<Slot<'a>>,
    sloppy: Option<SloppyMatcher>,
    /// Kept between documents: starts that still match, and positions of a slot.
    starts: Vec<u32>,
    positions: Vec<u32>,
    order: Vec<(u32, usize)>,
}

impl<'a> PhraseRun<'a> {
    pub(super) fn open(mut clause: PhraseClause<'a>) -> Result<Self> {
        if clause.slots.len() < 2 || clause.slots.iter().any(|slot| slot.terms.is_empty()) {
            return Err(Error::internal("a phrase of fewer than two places, or with a place without terms"));
        }
        clause.slots.sort_by_key(PhraseSlot::doc_freq);
        let first = clause.slots.iter().map(|slot| slot.position).min().unwrap_or(0);
        let open = |slot| Slot::open(clause.postings, slot, first);
        let slots = clause.slots.iter().map(open).collect::<Result<Vec<_>>>()?;
        let sloppy = (clause.slop > 0).then(|| SloppyMatcher::new(&clause.slots, first, clause.slop));
        let scale = BoundScale::new(clause.similarity.average_length(), clause.postings.average_length());
        let (starts, positions, order) = (Vec::new(), Vec::new(), Vec::new());
        Ok(PhraseRun { clause, scale, slots, sloppy, starts, positions, order })
    }

    pub(super) fn clause(&self) -> &PhraseClause<'a> {
        &self.clause
    }

    pub(super) fn norms(&self, window: u32) -> Result<&'a WindowNorms> {
        window_norms(self.clause.norms, window)
    }

    /// The rarest slot's documents: no more can match.
    pub(super) fn cost(&self) -> u64 {
        self.slots.iter().map(|slot| slot.doc_freq).min().unwrap_or(0)
    }

    #[inline]
    pub(super) fn next_window(&mut self, window: u32) -> Option<u32> {
        common_window(&mut self.slots, Slot::next_window, window, self.clause.postings.max_doc())
    }

    /// No document of the window scores more. A phrase is at most as frequent as its rarest term, except that terms may
    /// take part in several sloppy matches.
    pub(super) fn window_bound(&mut self, window: u32) -> f32 {
        if self.sloppy.is_some() {
            return self.clause.weight;
        }
        let scale = self.scale;
        let factors = self.slots.iter_mut().map(|slot| slot.factor_bound(window, scale));
        self.clause.weight * factors.fold(1.0, f32::min)
    }

    /// The documents of the window that have all the terms, at the start of the buffers' documents.
    pub(super) fn candidates(&mut self, window: u32, buffers: &mut Buffers) -> Result<usize> {
        match common_documents(window, &mut self.slots, buffers)? {
            Common::Bits(bits) => Ok(documents_of(&bits, &mut buffers.docs)),
            Common::Documents(count) => Ok(count),
        }
    }

    /// Replaces `freqs` by upper bounds of the phrase's frequency in the first `count` documents; `SATURATED` says that
    /// none is known.
    pub(super) fn freq_bounds(&mut self, window: u32, count: usize, buffers: &mut Buffers) -> Result<()> {
        let Buffers { docs, freqs, .. } = buffers;
        if self.sloppy.is_some() {
            freqs[..count].fill(SATURATED);
            return Ok(());
        }
        freqs[..count].fill(SATURATED);
        let mut own = [0; WINDOW];
        for slot in &mut self.slots {
            slot.probe(window, &docs[..count], &mut own)?;
            for (bound, freq) in freqs[..count].iter_mut().zip(own) {
                *bound = freq.min(*bound);
            }
        }
        Ok(())
    }

    /// Prepares [`Self::freq`] for these documents, all of which have all the terms.
    pub(super) fn locate(&mut self, window: u32, docs: &[u16]) -> Result<()> {
        self.slots.iter_mut().try_for_each(|slot| slot.locate(window, docs))
    }

    /// How often the phrase is in a located document: the number of exact matches, or the sum of `1 / (1 + distance)`
    /// over sloppy ones. With `any`, whether it is there at all is enough.
    #[inline]
    pub(super) fn freq(&mut self, candidate: usize, any: bool) -> Result<f32> {
        match &mut self.sloppy {
            Some(matcher) => matcher.freq(&self.slots, candidate, any),
            None => self.exact_freq(candidate, any).map(|freq| freq as f32),
        }
    }

    /// Starts of the phrase according to the rarest slot are checked against the others, the next rarest first.
    #[inline]
    fn exact_freq(&mut self, candidate: usize, any: bool) -> Result<usize> {
        self.order.clear();
        self.order.extend(self.slots.iter().enumerate().map(|(index, slot)| (slot.freq(candidate), index)));
        self.order.sort_unstable();
        let (last, before) = self.order.split_last().ok_or_else(|| Error::internal("a phrase without places"))?;
        for (round, (_, index)) in before.iter().enumerate() {
            let slot = &self.slots[*index];
            if round == 0 {
                slot.read(candidate, &mut self.starts)?;
                to_starts(&mut self.starts, slot.offset);
            } else {
                slot.read(candidate, &mut self.positions)?;
                keep_followed(&mut self.starts, &self.positions, slot.offset);
            }
            if self.starts.is_empty() {
                return Ok(0);
            }
        }
        let slot = &self.slots[last.1];
        slot.read(candidate, &mut self.positions)?;
        Ok(count_followed(&self.starts, &self.positions, slot.offset, any))
    }
}

/// Positions of a slot to the places where the phrase would start; a slot cannot stand before its offset.
fn to_starts(positions: &mut Vec<u32>, offset: u32) {
    if offset > 0 {
        positions.retain_mut(|position| {
            let start = position.checked_sub(offset);
            *position = start.unwrap_or_default();
            start.is_some()
        });
    }
}

/// Keeps the starts after which, `offset` further, there is a position.
fn keep_followed(starts: &mut Vec<u32>, positions: &[u32], offset: u32) {
    let mut at = 0;
    starts.retain(|start| {
        let wanted = start.saturating_add(offset);
        while at < positions.len() && positions[at] < wanted {
            at += 1;
        }
        positions.get(at) == Some(&wanted)
    });
}

#[inline]
fn count_followed(starts: &[u32], positions: &[u32], offset: u32, any: bool) -> usize {
    let (mut at, mut found) = (0, 0);
    for start in starts {
        let wanted = start.saturating_add(offset);
        while at < positions.len() && positions[at] < wanted {
            at += 1;
        }
        if positions.get(at) == Some(&wanted) {
            found += 1;
            if any {
                break;
            }
        }
    }
    found
}
